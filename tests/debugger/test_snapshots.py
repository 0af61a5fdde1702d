"""Whole screens of the main states, over stubs and a clock that only they move: no processes, no real times.

`pytest tests/debugger/test_snapshots.py --snapshot-update` draws them anew; look at what changed before it is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pluggable_answers import ACK, ALLOW, given, hand_back, user_message
from plugin_runs import until
from session_runs import StubHost
from textual.pilot import Pilot
from textual.widgets import Input, Label, TextArea

from debugger.app import Hookscope
from debugger.lenses.breakpoint_form import BreakpointForm
from debugger.lenses.editor import Editor
from debugger.lenses.fault_form import FaultForm
from debugger.lenses.help import AskingPage, Page
from debugger.lenses.picker import Picker
from debugger.lenses.prompt import Prompt
from debugger.opening import Opening
from debugger.session import Only, Session, When
from debugger.spans import SpanBook
from kernel.clock import NS_PER_MS
from kernel.dialects import load_setup
from kernel.faults import Alter, Fault, Hang
from kernel.setup import Setup
from kernel.subscriber import Call, Subscriber
from kernel.values import Answered, Outcome, Place, Subscription
from sample_configs import FIRST_CHAIN


class StillClock:
    """A clock that stands still, except when a stub moves it on. Deadlines that are passed thereby are met."""

    def __init__(self) -> None:
        self._now_ns = 0
        self._timers: list[_Timer] = []

    def now_ns(self) -> int:
        return self._now_ns

    elapsed_ns = now_ns

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(self._timers, when_ns, callback)
        self._timers.append(timer)
        return timer

    def outside(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def move(self, ms: float) -> None:
        """Let time pass."""
        self._now_ns += round(ms * NS_PER_MS)
        for timer in [timer for timer in self._timers if timer.when_ns <= self._now_ns]:
            timer.cancel()
            timer.callback()


@dataclass(eq=False)
class _Timer:
    timers: list[_Timer]
    when_ns: int
    callback: Callable[[], None]

    def cancel(self) -> None:
        if self in self.timers:
            self.timers.remove(self)


@dataclass
class Actor:
    """A stub that takes its time on the clock of the screen, prints, and answers."""

    clock: StillClock
    takes_ms: float
    reply: Callable[[bytes], bytes]
    prints: tuple[str, ...] = ()

    async def answer(self, call: Call) -> Outcome:
        for line in self.prints:
            call.printed("stderr", line)
        match call.far_side:
            case Hang():
                self.clock.move(1500)
                await asyncio.get_running_loop().create_future()
            case Alter(rewrite):
                self.clock.move(self.takes_ms)
                return Answered(rewrite(self.reply(call.request)))
        self.clock.move(self.takes_ms)
        return Answered(self.reply(call.request))


def redact(request: bytes) -> bytes:
    """What the sample's redactor does to the one message that matters here."""
    payload = given(request)
    block = payload.pre_model_call.messages[0].content[0].text
    block.text = block.text.replace("sk-a1B2c3D4e5F6g7H8i9J0kLmN", "[api-key d6a155]")
    return hand_back(payload)


def inject(request: bytes) -> bytes:
    """House rules in front."""
    payload = given(request)
    kept = list(payload.pre_model_call.messages)
    del payload.pre_model_call.messages[:]
    payload.pre_model_call.messages.extend([user_message("house-rules"), *kept])
    return hand_back(payload)


def subscribers(clock: StillClock) -> dict[str, Subscriber]:
    """Stand-ins for the plugins of the first chain."""
    return {
        "audit-log": Actor(clock, 3.1, lambda request: ACK, ('{"what": "model request", "messages": 3}',)),
        "token-counter": Actor(clock, 2.8, lambda request: ACK, ("     153 tokens  in all",)),
        "redactor": Actor(clock, 4.2, redact, ("redacted 1 secret",)),
        "injector": Actor(clock, 0.9, inject),
        "policy-bot": Actor(clock, 1.7, lambda request: ALLOW),
    }


def unreached(setup: Setup) -> Setup:
    """The same configuration, whose subscribers are brought, and whose places are the same on every machine."""

    def brought(seat: Subscription) -> Subscription:
        place = None if seat.place is None else Place("agent.hcl", seat.place.line, seat.place.column)
        return replace(seat, reach=None, place=place)

    chains = {
        point: replace(chain, subscriptions=tuple(brought(seat) for seat in chain.subscriptions))
        for point, chain in setup.chains.items()
    }
    return replace(setup, chains=chains)


async def open_canned(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
    """A session over stubs, for the application."""
    setup = unreached(load_setup(opening.path))
    book = SpanBook({setup.dialect.name: setup.dialect})
    clock = StillClock()
    return Session(setup, has_news, book, host=StubHost(subscribers(clock)), clock=clock), book


Scene = Callable[[Hookscope, Pilot[int]], Awaitable[None]]


async def _started(app: Hookscope, pilot: Pilot[int]) -> None:
    await until(lambda: app._desk is not None and app.desk.seen.is_started)
    await pilot.pause()


async def _settled(app: Hookscope, pilot: Pilot[int]) -> None:
    """Until the kernel has nothing more to tell: held, or over."""

    def is_settled() -> bool:
        known = app.desk.trace.dispatches
        is_over = bool(known) and known[-1].result is not None and not app.desk.seen.states
        return is_over or bool(app.desk.seen.holds and "running" not in app.desk.seen.states.values())

    await until(is_settled)
    await pilot.pause()


async def _held_at(app: Hookscope, pilot: Pilot[int], place: str) -> None:
    await until(lambda: [f"{hold.side} {hold.subscriber}" for hold in app.desk.seen.holds] == [place])
    await pilot.pause()


async def _fire_plan(app: Hookscope, pilot: Pilot[int]) -> None:
    app.desk.point = "plan-ready"
    await pilot.press("r")
    await _settled(app, pilot)


async def empty(app: Hookscope, pilot: Pilot[int]) -> None:
    """Nothing was fired yet."""
    await _started(app, pilot)


async def finished(app: Hookscope, pilot: Pilot[int]) -> None:
    """A dispatch that changed the payload twice, with the diff of the redactor."""
    await _started(app, pilot)
    await pilot.press("r")
    await _settled(app, pilot)
    await pilot.press(*["right_square_bracket"] * 3)


async def beside(app: Hookscope, pilot: Pilot[int]) -> None:
    """The same, before and after beside each other, in the whole screen."""
    await finished(app, pilot)
    await pilot.press("d", "d", "tab", "tab", "z")
    await pilot.pause()


async def held_before_with_an_edit(app: Hookscope, pilot: Pilot[int]) -> None:
    """Held before the redactor, with another payload put in front of it."""
    await _started(app, pilot)
    await pilot.press("R")
    for place in ("before audit-log", "before token-counter", "before redactor"):
        await _held_at(app, pilot, place)
        if place != "before redactor":
            await pilot.press("n")
    hold = app.desk.seen.holds[0]
    text = json.dumps(hold.ask.payload.view).replace("Can you find out why?", "Please find out why!")
    assert app.desk.session is not None
    session = app.desk.session
    app.desk.wish(lambda session: session.edit_payload(hold.dispatch, hold.step, json.loads(text)))
    await until(lambda: session.view.holds[0].edited is not None and app.desk.seen.holds[0].edited is not None)


async def held_after(app: Hookscope, pilot: Pilot[int]) -> None:
    """Held after the redactor answered; what it answered is not yet accepted."""
    await _started(app, pilot)
    await pilot.press("R")
    await _held_at(app, pilot, "before audit-log")
    await pilot.press("n")
    await _held_at(app, pilot, "before token-counter")
    await pilot.press("n")
    await _held_at(app, pilot, "before redactor")
    await pilot.press("s")
    await _held_at(app, pilot, "after redactor")


async def denied_with_why(app: Hookscope, pilot: Pilot[int]) -> None:
    """The veto hung, and Why says which rule made a deny of that."""
    await _started(app, pilot)
    await pilot.press("r")
    await _settled(app, pilot)
    seat = app.desk.session.setup.chains["plan-ready"].subscriptions[0]
    app.desk.wish(lambda session: session.arm(seat, Fault("hang"), is_once=True))
    await until(lambda: bool(app.desk.seen.armed))
    app.desk.point = "plan-ready"
    await pilot.press("r")
    await until(lambda: len(app.desk.trace.dispatches) == 2)
    await _settled(app, pilot)
    await pilot.press("right_square_bracket", "5")


async def fault_menu(app: Hookscope, pilot: Pilot[int]) -> None:
    """What can go wrong at the policy bot."""
    await _started(app, pilot)
    await _fire_plan(app, pilot)
    await pilot.press("right_square_bracket", "x")
    await until(lambda: isinstance(app.screen, Picker))


async def fault_form(app: Hookscope, pilot: Pilot[int]) -> None:
    """The settings of a late answer."""
    await fault_menu(app, pilot)
    await pilot.pause()
    await pilot.press("down", "down", "enter")
    await until(lambda: isinstance(app.screen, FaultForm))


async def editor(app: Hookscope, pilot: Pilot[int]) -> None:
    """A payload under work that cannot be taken yet."""
    await _started(app, pilot)
    await pilot.press("R")
    await _held_at(app, pilot, "before audit-log")
    await pilot.press("e")
    await until(lambda: isinstance(app.screen, Editor))
    await pilot.pause()
    area = app.screen.query_one(TextArea)
    area.cursor_blink = False
    area.load_text(area.text.replace('"ROLE_USER"', '"ROLE_KING"', 1))


async def help_page(app: Hookscope, pilot: Pilot[int]) -> None:
    """The keys."""
    await _started(app, pilot)
    await pilot.press("question_mark")
    await until(lambda: isinstance(app.screen, Page))


async def much_to_overlook(app: Hookscope, pilot: Pilot[int]) -> None:
    """Two dispatches held, one of them to be let go, a fault that waits, somebody left out."""
    await _started(app, pilot)
    chains = app.desk.session.setup.chains  # type: ignore[union-attr]

    def prepare(session: Session) -> None:
        session.arm_where("mode:transform", Fault("hang"), When(Only.FIRST, 2, 0.5, 7))
        session.toggle_skipping(chains["pre-model-call"].subscriptions[1])
        session.let_go_after(300)

    app.desk.wish(prepare)
    await until(lambda: bool(app.desk.seen.armed))
    for number in (1, 2):
        await pilot.press("R")
        await until(lambda number=number: len(app.desk.seen.holds) == number)  # type: ignore[misc]
    await pilot.pause()


async def breakpoint_form(app: Hookscope, pilot: Pilot[int]) -> None:
    """A breakpoint under work, with what it would have hit."""
    await finished(app, pilot)
    await pilot.press("V")
    await until(lambda: isinstance(app.screen, BreakpointForm))
    await pilot.pause()
    line = app.screen.query_one("#where", Input)
    line.cursor_blink = False
    line.value = "changed:yes sub:re"
    line.cursor_position = len(line.value)
    await pilot.pause()  # what it said of the text before is gone
    await until(lambda: "would have hit" in str(app.screen.query_one("#counted", Label).content))


async def filter_prompt(app: Hookscope, pilot: Pilot[int]) -> None:
    """A filter with a mistake in it."""
    await finished(app, pilot)
    await pilot.press("slash")
    await until(lambda: isinstance(app.screen, Prompt))
    await pilot.pause()
    line = app.screen.query_one("#line", Input)
    line.cursor_blink = False
    line.value = "mode:veto status:denyed"
    line.cursor_position = len(line.value)
    await pilot.pause()


async def what_if_page(app: Hookscope, pilot: Pilot[int]) -> None:
    """A denial beside what it would have been without the one who denied."""
    await denied_with_why(app, pilot)
    await pilot.press("w")
    await until(lambda: isinstance(app.screen, Picker))
    await pilot.pause()
    await pilot.press("enter")
    await until(lambda: isinstance(app.screen, AskingPage))


async def compared(app: Hookscope, pilot: Pilot[int]) -> None:
    """A denial beside the same dispatch once nothing went wrong."""
    await denied_with_why(app, pilot)
    await pilot.press("r")
    await until(lambda: len(app.desk.trace.dispatches) == 3)
    await _settled(app, pilot)
    await pilot.press("equals_sign")
    await until(lambda: isinstance(app.screen, AskingPage))


async def offered(app: Hookscope, pilot: Pilot[int]) -> None:
    """What can be written in a message of a payload."""
    await editor(app, pilot)
    area = app.screen.query_one(TextArea)
    area.load_text('{\n  "messages": [\n    {}\n  ]\n}')
    area.move_cursor((2, 5))
    await pilot.press("tab", "down")


async def gone_back(app: Hookscope, pilot: Pilot[int]) -> None:
    """Held before the redactor once more."""
    await held_after(app, pilot)
    await pilot.press("backspace")
    await _held_at(app, pilot, "before redactor")


async def blamed(app: Hookscope, pilot: Pilot[int]) -> None:
    """Who wrote what of the payload."""
    await finished(app, pilot)
    await pilot.press("2")


SIZES = [(80, 24), (120, 40)]
SCENES: list[tuple[Scene, tuple[int, int]]] = [
    *(
        (scene, size)
        for scene in (
            empty, finished, held_before_with_an_edit, held_after, denied_with_why, fault_menu, editor, help_page,
            much_to_overlook, breakpoint_form, filter_prompt, what_if_page, compared, offered, blamed,
        )
        for size in SIZES
    ),
    (fault_form, (80, 24)),
    (gone_back, (80, 24)),
    (beside, (120, 40)),
    (finished, (200, 60)),
    (finished, (40, 10)),
    (finished, (60, 16)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("scene", "size"), SCENES, ids=[f"{scene.__name__}-{width}x{height}" for scene, (width, height) in SCENES]
)
def test_the_screen_looks_as_it_did(
    snap_compare: Callable[..., bool], scene: Scene, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed picture is a changed screen: look at it, then keep it or mend the code."""
    monkeypatch.chdir(Path(__file__).parent)  # what is shown of places depends on where one stands
    app = Hookscope(Opening(FIRST_CHAIN), open_canned)
    app.animation_level = "none"

    async def play(pilot: Pilot[int]) -> None:
        await scene(app, pilot)
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=play)
