"""Claims about named rules: each has a text, a source and a run that applies it, and nothing else is cited."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time
from hookbus_played import bash, play, session, turn
from hookbus_runs import CRASH, ERROR, EVENTS, HANG, I1, PANIC, TI, TX, H, Once, Raw, at, bm, bt, nk, run, se, ss

from kernel import Probes, VirtualClock
from kernel.asking import Answer
from kernel.control import Proceed, Skip
from kernel.dialects import hookbus
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.acting import tool_verdict
from kernel.dialects.hookbus.answers import CONTINUE_BODY, Confirm
from kernel.dialects.hookbus.bus import MOST_IN_FLIGHT, HookBus
from kernel.dialects.hookbus.handlers import Reached
from kernel.dialects.hookbus.payload import Delivery, HookPayload
from kernel.dialects.hookbus.rules import RULES
from kernel.subscriber import Call
from kernel.transports.stub import Stub
from kernel.values import JSON, Answered, Crashed, Outcome, TimedOut
from kernel.values import Delivery as Delivered

BOTH = {"permissions": [TI, TX]}


def ran(payload: HookPayload, *seats: H, **more: object) -> Callable[[], set[str]]:
    """The rules that a dispatch cites."""
    return lambda: run(payload, *seats, **more).rules  # type: ignore[arg-type]


def after(payload: HookPayload, *seats: H, answer: Answer | None = None, switch: str = "") -> Callable[[], set[str]]:
    """The rule by which the host then acts."""

    def body() -> set[str]:
        dialect = HOOKBUS.switched(switch, True) if switch else HOOKBUS
        decided = dialect.settled(run(payload, *seats).came_to, answer)
        assert decided is not None
        return {decided.rule}

    return body


def notified(*kinds: str, hooked: bool = True, view: bool = False, crowd: bool = False) -> Callable[[], set[str]]:
    """The rules that deliveries cite."""

    async def body(clock: VirtualClock) -> set[str]:
        told = Told()
        bus = HookBus(probes=Probes(told), clock=clock)
        if hooked:
            bus.subscribe("notification", Reached("A", Stub(lambda request: b"", 1)), permissions=())
        for kind in kinds * (MOST_IN_FLIGHT + 1 if crowd else 1):
            (bus.worker_transforms() if view else bus).notify(EVENTS[kind]())
        await bus.drained()
        return {rule for rule in (getattr(fact, "rule", "") for fact in told.facts) if rule}

    return lambda: on_virtual_time(body)


def without_a_loop() -> set[str]:
    told = Told()
    bus = HookBus(probes=Probes(told))
    bus.subscribe("notification", Reached("A", Stub(lambda request: b"")), permissions=())
    bus.notify(nk())
    return {rule for rule in (getattr(fact, "rule", "") for fact in told.facts) if rule}


class Gives:
    """Somebody of whom a transport gives one outcome."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    async def answer(self, call: Call) -> Outcome:
        return self._outcome


def played(*steps: JSON, tool: Outcome | None = None, **hooks: H) -> Callable[[], set[str]]:
    """The rules that a played session cites on its own account."""
    view = session(*steps, answers=[{"answer": "session"}])
    chains = {kind: (seat,) for kind, seat in hooks.items()}
    others = {} if tool is None else {"ext": Gives(tool)}
    return lambda: set(play(view, chains, others=others, fails_to_load=frozenset({"broken"})).rules)


AGAIN = Delivered(4, "it exited", 1, 250)
TOOL: JSON = turn({"tool": "ext:do"})
COMPACTED: JSON = {"compaction": {"summary": "x", "session": "s2"}}
CONFIRMS = H("A", {"confirm": "m"})
MALFORMED = H("A", Raw({"action": "modify"}))
ROWS: dict[str, Callable[[], set[str]]] = {
    "HB-EMPTY": ran(bt()),
    "HB-END": ran(bt(), H("A")),
    "HB-FILTER": ran(bt(), H("A", "continue", {"tool": "read"})),
    "HB-MATCHER": ran(bt(), H("A", "continue", {"match": {"input_contains": "zz"}})),
    "HB-CONTINUE": ran(bt(), H("A")),
    "HB-BLOCK": ran(bt(), H("A", {"block": "x"})),
    "HB-AFTER-BLOCK": ran(bt(), H("A", {"block": "x"}), H("B")),
    "HB-CONFIRM": ran(bt(), CONFIRMS),
    "HB-CONFIRM-MERGED": ran(bt(), CONFIRMS),
    "HB-MODIFY": ran(bt(), H("A", {"modify": I1})),
    "HB-MODIFIED": ran(bt(), H("A", {"modify": I1})),
    "HB-MODIFY-LATE": ran(bt(), CONFIRMS, H("B", {"modify": I1})),
    "HB-FIRST-ENDS": ran(bt(), CONFIRMS, H("B"), dialect=HOOKBUS.switched("ends_on_first", True)),
    "HB-REPLACE": ran(at(), H("A", {"replace": "x"}, BOTH)),
    "HB-AFTER-REPLACE": ran(at(), H("A", {"replace": "x"}, BOTH), H("B")),
    "HB-REPLACE-DENIED": ran(at(), H("A", {"replace": "x"})),
    "HB-INJECT": ran(bm(), H("A", {"inject": "x"})),
    "HB-INJECTED": ran(bm(), H("A", {"inject": "x"})),
    "HB-DISALLOWED": ran(bm(), H("A", {"block": "x"})),
    "HB-INVALID-RESULT": ran(bt(), H("A", Raw({}))),
    "HB-MALFORMED-MODIFY": ran(bt(), MALFORMED),
    "HB-TIMEOUT": ran(bt(), H("A", HANG)),
    "HB-CALL-FAILED": ran(bt(), H("A", ERROR)),
    "HB-RESTARTED": ran(bt(), H("A", Once(Answered(CONTINUE_BODY, (AGAIN,))))),
    "HB-REDELIVERED": ran(bt(), H("A", Once(Answered(CONTINUE_BODY, (Delivered(2), AGAIN))))),
    "HB-CRASHED": ran(bt(), H("A", CRASH)),
    "HB-PANIC": ran(bt(), H("A", PANIC)),
    "HB-PANIC-PROPAGATES": ran(bt(), H("A", PANIC), dialect=HOOKBUS.switched("panics_propagate", True)),
    "HB-SKIPPED": ran(bt(), H("A"), control=Scripted(before_A=Skip())),
    "HB-EDITED": ran(bt(), H("A"), control=Scripted(before_A=Proceed(bt("read")))),
    "HB-CANCELLED": ran(bt(), H("A"), gives_up=True),
    "HB-WORKER-VIEW": ran(bm(), H("A"), dialect=HOOKBUS.switched("worker_view", True)),
    "HB-CONC-REFUSED": ran(bt(), H("A"), dialect=HOOKBUS.switched("concurrent", True)),
    "HB-CONC-FIRST": ran(se(), H("A", {"block": "x"})),
    "HB-CONC-DROPPED": ran(se(), H("A", {"block": "x"}), H("B", {"block": "y"})),
    "HB-CONC-TIMEOUT": ran(se(), H("A", HANG)),
    "HB-NOTIFY-IGNORED": ran(nk(), H("A", {"block": "x"})),
    "HB-NOTIFY-CUT": ran(nk(), H("A", HANG)),
    "HB-NOTIFY-LOST": ran(nk(), H("A", PANIC)),
    "HB-NOTIFY-END": ran(nk(), H("A")),
    "HB-NOTIFY-OTHER-KIND": ran(Delivery("notification", [nk(), bt()]), H("A")),
    "HB-NOTIFY-NOTHING": ran(Delivery("notification", []), H("A")),
    "HB-NOTIFY-NOBODY": notified("notification", hooked=False),
    "HB-NOTIFY-WORKER": notified("notification", view=True),
    "HB-NOTIFY-FULL": notified("notification", crowd=True),
    "HB-NOTIFY-KIND": notified("before_message"),
    "HB-NOTIFY-NO-LOOP": without_a_loop,
    "HB-RUN": after(bt()),
    "HB-RUN-MODIFIED": after(bt(), H("A", {"modify": I1})),
    "HB-TOOL-BLOCKED": after(bt(), H("A", {"block": "x"})),
    "HB-CONFIRM-AUTO": after(bt(), CONFIRMS, switch="auto_approve"),
    "HB-CONFIRM-LATCHED": lambda: {tool_verdict(Confirm("m", ("A",), (0,)), {}, is_latched=True).rule},
    "HB-CONFIRM-APPROVED": after(bt(), CONFIRMS, answer=Answer(allows=True)),
    "HB-CONFIRM-DENIED": after(bt(), CONFIRMS, answer=Answer(allows=False)),
    "HB-CONFIRM-NO-PROMPT": after(bt(), CONFIRMS),
    "HB-OUTPUT-KEPT": after(at()),
    "HB-OUTPUT-REPLACED": after(at(), H("A", {"replace": "x"}, BOTH)),
    "HB-OUTPUT-CLAMPED": after(at(), H("A", {"replace": "x" * 1_048_577}, BOTH)),
    "HB-ATTACHED": after(bm(), H("A", {"inject": "x"})),
    "HB-INJECT-BLANK": after(bm(), H("A", {"inject": " \n"})),
    "HB-SESSION-STORED": after(ss(), H("A", {"inject": "x"})),
    "HB-SESSION-OTHER": played(COMPACTED, on_session_start=H("A", {"inject": "x"})),
    "HB-LATCHED": played(turn(bash()), before_tool_call=CONFIRMS),
    "HB-MESSAGE-NO-TEXT": played(turn(bash())),
    "HB-TOOL-UNKNOWN": played({"unload": "ext"}, TOOL, tool=Answered(b"1")),
    "HB-TOOL-TWICE": played(TOOL, tool=Answered(b"1", (Delivered(2), AGAIN))),
    "HB-TOOL-FAILED": played(TOOL, tool=Crashed("gone")),
    "HB-TOOL-TIMEOUT": played(TOOL, tool=TimedOut(120_000)),
    "HB-TEARDOWN-CUT": played(on_session_end=H("A", HANG)),
    "HB-UNLOAD-NOTHING": played({"unload": "A"}, {"unload": "A"}),
    "HB-UNLOADED": played({"unload": "A"}),
    "HB-RELOADED": played({"reload": "A"}),
    "HB-RELOAD-FAILED": played({"reload": "broken"}),
}
"""A run that applies each rule."""


@pytest.mark.parametrize("rule", ROWS)
def test_a_rule_is_cited_where_it_is_applied(rule: str) -> None:
    """And whatever else is cited is a rule of the catalogue."""
    found = ROWS[rule]()
    assert rule in found
    assert found <= RULES.keys()


def test_every_rule_has_a_row() -> None:
    """A rule that nothing applies would be a promise that nothing keeps."""
    assert list(ROWS) == list(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_has_an_id_one_sentence_and_a_source(rule) -> None:  # type: ignore[no-untyped-def]
    """Fit for `explain` and for the table in the docs."""
    assert RULES[rule.id] is rule
    assert re.fullmatch(r"HB(-[A-Z]+)+", rule.id)
    assert re.fullmatch(r"[A-Z][^.]*\.", rule.text.replace("tools.transform_output", "").replace("0.10.2", ""))
    assert re.fullmatch(r"((\d\.\d+|\d|Q\d+|design \d)(, )?)+", rule.source)


def test_no_rule_is_cited_that_is_none() -> None:
    """Every id in the sources is in the catalogue."""
    modules = (path for path in Path(hookbus.__file__).parent.rglob("*.py") if path.stem != "rules")
    sources = "".join(path.read_text() for path in modules)
    cited = set(re.findall(r'"(HB-[A-Z-]+[A-Z])"', sources))
    assert cited == set(RULES) - {"HB-AFTER-BLOCK", "HB-AFTER-REPLACE"}, "those two are made of an action's name"
