"""A secret of a configuration is on no screen, in no error, fact or recording, even where a subscriber tells it."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from plugin_configs import write_config
from plugin_runs import PLUGINS, ROOT, until

from debugger.breakpoints import Side
from debugger.covering import CoveredEvents, Covering, CoveringResolver
from debugger.runcontrol import Command, Stance
from debugger.session import Session
from debugger.store.recording import Recording
from debugger.trace import Trace
from debugger.whatif.alternatives import Without, prepared
from kernel.asking import Answer, Question
from kernel.dialects import load_setup, named
from kernel.facts import Asked, Event, Printed, Replied
from kernel.values import Answered

TOKEN = "TOKSECRET123456"
COVER = "<hidden*******>"
_BASE64 = re.compile(r'"([A-Za-z0-9+/]{16,}={0,2})"')


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A base directory with an extension that has a secret, and one behind it that has none."""
    for name, config in (("leaky", [{"key": "token", "secret_env": "LEAKY_TOKEN"}]), ("next", [])):
        folder = tmp_path / "base" / "plugins" / name
        (folder / ".synaps-plugin").mkdir(parents=True)
        shutil.copy(PLUGINS / "stdio" / "leaky.py", folder / "main.py")
        extension = {
            "runtime": "process",
            "command": sys.executable,
            "args": ["main.py"],
            "permissions": ["tools.intercept", "tools.transform_output", "privacy.llm_content"],
            "hooks": [{"hook": kind} for kind in ("before_tool_call", "after_tool_call", "before_message")],
            "config": config,
        }
        (folder / ".synaps-plugin" / "plugin.json").write_text(json.dumps({"extension": extension}))
    return tmp_path / "base"


def hookscope(*arguments: object, given: object = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "debugger.cli", *map(str, arguments)],
        input="" if given is None else json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "LEAKY_TOKEN": TOKEN, "PYTHONPATH": str(ROOT), **environment},
        check=False,
    )


def readings(text: str) -> str:
    """A text with everything that is base64 in it read as well."""
    inside = (base64.b64decode(each + "=" * (-len(each) % 4)) for each in _BASE64.findall(text) if len(each) % 4 != 1)
    return "\n".join((text, *(each.decode(errors="replace") for each in inside)))


def kept_in(record: Path) -> str:
    """Everything that a recording holds, as text."""
    with Recording(record) as recording:
        return "\n".join(
            repr([event.fact, getattr(event.fact, "payload", None), _view_of(event.fact)])
            for row in recording.rows(after=0)
            for event in recording.events(row.id)
        )


def _view_of(fact: object) -> object:
    payloads = (getattr(fact, name, None) for name in ("payload", "before", "after", "result"))
    return [getattr(getattr(each, "payload", each), "view", None) for each in payloads]


TOOL: dict[str, Any] = {"tool_name": "bash"}
TELLING = [
    *(("before_tool_call", {**TOOL, "tool_input": {"do": each}}) for each in
      ("block", "confirm", "modify", "explode", "cut", "wrong", "error", "continue")),
    ("after_tool_call", {**TOOL, "tool_input": {}, "tool_output": "raw"}),
    ("before_message", {"message": "hi"}),
]  # fmt: skip


@pytest.mark.parametrize(("point", "event"), TELLING, ids=lambda each: each if isinstance(each, str) else None)
def test_whatever_an_extension_answers_its_secret_is_covered(
    base: Path, tmp_path: Path, point: str, event: dict[str, Any]
) -> None:
    """On standard output and error, as text and as facts, and in the recording, which is replayed to the letter."""
    record = tmp_path / "run.hookscope"
    for more in ((), ("--json", "-o", record)):
        fired = hookscope("fire", base, point, "--payload", "-", *more, given=event)
        assert fired.returncode in (0, 1), fired.stderr
        assert "<hidden" in fired.stdout
        assert "TOKS" not in readings(fired.stdout + fired.stderr)
    kept = kept_in(record)
    assert "<hidden" in kept
    assert "TOKS" not in kept
    assert b"TOKS" not in record.read_bytes()
    replayed = hookscope("replay", record)
    assert (replayed.returncode, "1 to the letter" in replayed.stdout) == (0, True), replayed.stdout


@pytest.mark.parametrize(
    "secret",
    ["pä\"s'sw\\ord9 yes", "line one\nline two", "8080123", "a" * 300],
    ids=["quoted", "lines", "digits", "long"],
)
@pytest.mark.parametrize("doing", ["block", "modify", "cut", "wrong"])
def test_secrets_of_any_kind_are_covered_and_replayed(base: Path, tmp_path: Path, secret: str, doing: str) -> None:
    """Also those that are written otherwise in JSON and in messages."""
    record, event = tmp_path / "run.hookscope", {**TOOL, "tool_input": {"do": doing}}
    fired = hookscope(
        "fire", base, "before_tool_call", "--payload", "-", "--json", "-o", record, given=event, LEAKY_TOKEN=secret
    )
    assert not any(part in fired.stderr for part in secret.splitlines())
    quoted = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])
    for part in (secret, *secret.splitlines(), *quoted):
        assert part not in readings(fired.stdout + fired.stderr)
        assert part not in kept_in(record)
    assert hookscope("replay", record, LEAKY_TOKEN=secret).returncode == 0


def test_what_flows_is_what_was_answered(base: Path) -> None:
    """The next extension is asked about the real bytes: only what we show is covered."""
    (base / "plugins" / "next" / "main.py").write_text(
        (PLUGINS / "stdio" / "leaky.py")
        .read_text()
        .replace(
            'print(f"told {token}", file=sys.stderr, flush=True)',
            'open("seen", "a").write(json.dumps(request["params"]["tool_input"]))',
        )
    )
    event = {**TOOL, "tool_input": {"do": "modify"}}
    fired = hookscope("fire", base, "before_tool_call", "--payload", "-", "--json", given=event)
    assert TOKEN not in fired.stdout
    seen = json.loads((base / "plugins" / "next" / "seen").read_text())
    assert seen == {"do": "continue", "url": f"https://user:{TOKEN}@host", TOKEN: 1}


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["text", "facts"])
def test_a_played_session_tells_no_secret(base: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    """Nor does its recording, and that is replayed to the letter."""
    calls = [{"tool": "bash", "input": {"do": each}, "output": "raw"} for each in ("block", "confirm", "modify", "cut")]
    story, record = tmp_path / "story.json", tmp_path / "run.hookscope"
    story.write_text(json.dumps({"steps": [{"user": "go", "model": [{"calls": calls}, {"says": "done"}]}]}))
    played = hookscope("play", base, story, *more, "-o", record)
    assert played.returncode == 0, played.stderr
    assert "<hidden" in played.stdout
    assert "TOKS" not in readings(played.stdout + played.stderr)
    assert "TOKS" not in kept_in(record)
    replayed = hookscope("replay", record)
    assert (replayed.returncode, ", 0 not" in replayed.stdout) == (0, True), replayed.stdout


def test_a_scenario_is_judged_by_what_happened_and_told_without_the_secret(base: Path, tmp_path: Path) -> None:
    """An expectation may name the secret; what does not hold is printed covered, for people and for programs."""
    scenario = tmp_path / "leaky.scenario.yaml"
    scenario.write_text(
        f"""scenario: leaky
dialect: hookbus
config: {base}
fire:
  - {{point: before_tool_call, payload: {{tool_name: bash, tool_input: {{do: block}}}}}}
  - {{point: before_tool_call, payload: {{tool_name: bash, tool_input: {{do: block}}}}}}
expect:
  - extras: {{is: {{reason: "not with {TOKEN}"}}}}
  - extras: {{is: {{reason: "something else"}}}}
"""
    )
    for more in ((), ("--json",), ("--junit", tmp_path / "junit.xml")):
        ran = hookscope("run", scenario, *more)
        assert ran.returncode == 1, ran.stderr
        assert "not with <hidden" in ran.stdout
        assert "something else" in ran.stdout
        assert "expect[0]" not in ran.stdout
        assert "TOKS" not in readings(ran.stdout + ran.stderr)
    assert "TOKS" not in (tmp_path / "junit.xml").read_text()


def test_a_recording_is_run_again_with_the_secrets_of_the_configuration(base: Path, tmp_path: Path) -> None:
    """Live subscribers get what was really flowing; what they give is compared as it is shown."""
    record = tmp_path / "run.hookscope"
    event = {**TOOL, "tool_input": {"do": "block", "with": TOKEN}}
    hookscope("fire", base, "before_tool_call", "--payload", "-", "-o", record, given=event)
    for more in (("--refire",), ("--live", "next")):
        again = hookscope("replay", record, *more)
        assert again.returncode == 0, again.stdout + again.stderr
        assert "TOKS" not in readings(again.stdout + again.stderr)


def test_a_sweep_tells_no_secret(base: Path) -> None:
    """Nor does the reason why a rule applied."""
    swept = hookscope("chaos", base, "--fault", "wrong_action", "--json")
    assert swept.returncode in (0, 1, 2)
    assert "TOKS" not in readings(swept.stdout + swept.stderr)


class Desk:
    """A session that is fired at, and what it told."""

    def __init__(self, base: Path) -> None:
        self.session = Session(load_setup(base))
        self.trace = Trace()

    async def fire(self, doing: str, stance: Stance) -> str:
        setup = self.session.setup
        payload = setup.dialect.payload_from_view("before_tool_call", {**TOOL, "tool_input": {"do": doing}})
        dispatch = await self.session.fire("before_tool_call", payload, stance)
        await self.settled(dispatch)
        return dispatch

    async def settled(self, dispatch: str) -> None:
        await until(lambda: dispatch not in self.session.view.states or bool(self.session.view.holds), 20)
        while self.session.events:
            self.trace.take(self.session.events.popleft())


async def test_the_application_shows_no_secret_and_edits_what_has_one(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held, a secret is covered; what is made of it and sent on has the secret in it again."""
    monkeypatch.setenv("LEAKY_TOKEN", TOKEN)
    desk = Desk(base)
    session = desk.session
    real: list[Any] = []
    session._probes.add(type("Real", (), {"see": staticmethod(real.append)})())
    await session.start()
    try:
        dispatch = await desk.fire("modify", Stance.TO_NEXT_SEAM)
        for side, subscriber in ((Side.AFTER, "leaky"), (Side.BEFORE, "next")):
            session.command(dispatch, Command.STEP)
            where = (side, subscriber)
            await until(
                lambda where=where: [(each.side, each.subscriber) for each in session.view.holds] == [where], 20
            )
            [hold] = session.view.holds
            shown = repr((hold.ask.payload.view, hold.ask.request, hold.answer))
            assert COVER in shown
            assert "TOKS" not in shown
        session.command(dispatch, Command.CONTINUE)
        await until(lambda: not session.view.states, 20)
        await desk.settled(dispatch)
    finally:
        await session.close()
    assert TOKEN in repr([each.fact.request for each in real if isinstance(each.fact, Asked)])
    told = [desk.trace.find(dispatch)]
    assert "TOKS" not in repr(told)


async def test_what_a_person_makes_of_covered_text_is_sent_with_the_secret(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit at a seam, another dispatch of what was shown, and a fork."""
    monkeypatch.setenv("LEAKY_TOKEN", TOKEN)
    desk = Desk(base)
    session = desk.session
    real: list[Any] = []
    session._probes.add(type("Real", (), {"see": staticmethod(real.append)})())
    await session.start()
    try:
        shown = {**TOOL, "tool_input": {"do": "block", "note": f"as {COVER} said"}}
        payload = session.setup.dialect.payload_from_view("before_tool_call", shown)
        dispatch = await session.fire("before_tool_call", payload, Stance.TO_NEXT_SEAM)
        await desk.settled(dispatch)
        edited = {**TOOL, "tool_input": {"do": "continue", "note": f"but {COVER} said"}}
        session.edit_payload(dispatch, 0, edited)
        session.command(dispatch, Command.CONTINUE)
        await until(lambda: not session.view.states, 20)
        await desk.settled(dispatch)
        asked = [json.loads(each.fact.request)["tool_input"]["note"] for each in real if isinstance(each.fact, Asked)]
        assert asked == [f"but {TOKEN} said", f"but {TOKEN} said"]
        trace = desk.trace.find(dispatch)
        assert trace is not None
        assert "TOKS" not in repr(trace)
        real.clear()
        await session.forked(prepared(trace, Without(0), session.setup.dialect))
        asked = [json.loads(each.fact.request)["tool_input"]["note"] for each in real if isinstance(each.fact, Asked)]
        assert asked == [f"as {TOKEN} said"]
    finally:
        await session.close()


GOPLUGIN = """
import os, sys
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("speaker")

@plugin.transform("pre-model-call")
def speak(payload):
    print("told " + os.environ["TOLD"], file=sys.stderr)
    payload.messages[0].content[0].text.text = "it was " + os.environ["TOLD"]
    return payload

if __name__ == "__main__":
    plugin.serve()
"""


@pytest.mark.parametrize("secret", [TOKEN, "kürzel-99"])
def test_secrets_of_a_pluggable_configuration_are_covered_too(tmp_path: Path, secret: str) -> None:
    """`env()`: in messages of protobuf, in lines on standard error, and in the recording, which can be replayed."""
    config = write_config(tmp_path, "pre-model-call", {"speaker": ("transform", GOPLUGIN)})
    body = 'provider "speaker" {\n  environment {\n    TOLD = env("LEAKY_TOKEN")\n  }\n}'
    config.write_text(config.read_text().replace('provider "speaker" {}', body))
    record = tmp_path / "run.hookscope"
    for more in ((), ("--json", "-o", record)):
        fired = hookscope("fire", config, "pre-model-call", *more, LEAKY_TOKEN=secret)
        assert fired.returncode == 0, fired.stderr
        assert "<hidden" in fired.stdout
        assert secret not in readings(fired.stdout + fired.stderr)
    assert secret not in kept_in(record)
    assert "it was <hidden" in kept_in(record)
    replayed = hookscope("replay", record, LEAKY_TOKEN=secret)
    assert (replayed.returncode, "1 to the letter" in replayed.stdout) == (0, True), replayed.stdout


def test_bodies_are_recorded_covered(base: Path, tmp_path: Path) -> None:
    """An answer stays one that the dialect reads."""
    record, event = tmp_path / "run.hookscope", {**TOOL, "tool_input": {"do": "block"}}
    hookscope("fire", base, "before_tool_call", "--payload", "-", "-o", record, given=event)
    with Recording(record) as recording:
        [row] = recording.rows(after=0)
        facts = [event.fact for event in recording.events(row.id)]
    [replied] = [fact for fact in facts if isinstance(fact, Replied)]
    assert isinstance(replied.outcome, Answered)
    assert json.loads(replied.outcome.body) == {"action": "block", "reason": f"not with {COVER}"}


async def test_a_question_is_asked_without_the_secret(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the application, and at the terminal by the words of the same question; the answer counts."""
    monkeypatch.setenv("LEAKY_TOKEN", TOKEN)
    desk = Desk(base)
    session = desk.session
    await session.start()
    try:
        payload = session.setup.dialect.payload_from_view("before_tool_call", {**TOOL, "tool_input": {"do": "confirm"}})
        dispatch = await session.fire("before_tool_call", payload, Stance.TO_END)
        await until(lambda: bool(session.view.askings), 20)
        [asking] = session.view.askings
        assert COVER in repr(asking)
        assert "TOKS" not in repr(asking)
        session.reply(asking, Answer(allows=True))
        await until(lambda: not session.view.states, 20)
        assert session.view.askings == ()
        await desk.settled(dispatch)
        trace = desk.trace.find(dispatch)
        assert trace is not None
        assert "TOKS" not in repr(trace)
    finally:
        await session.close()


async def test_who_asks_at_the_terminal_covers_the_question() -> None:
    """Whoever answers sees nothing else; what is asked stays what it was."""
    asked: list[Question] = []

    class Asked:
        async def resolve(self, question: Question) -> Answer:
            asked.append(question)
            return Answer(allows=True)

    covered = CoveredEvents(Covering([TOKEN]), named("hookbus"))
    question = Question("s", f"bash {TOKEN}", {"message": f"with {TOKEN}?", "sources": ["A"]}, "A")
    assert (await CoveringResolver(covered, Asked()).resolve(question)).allows
    assert asked == [Question("s", f"bash {COVER}", {"message": f"with {COVER}?", "sources": ["A"]}, "A")]


def test_nothing_to_cover_costs_nothing() -> None:
    """Probes are told directly, events are the very same objects."""

    class Seeing:
        def see(self, event: Event) -> None:
            pass

    covered, probe = CoveredEvents(Covering([]), named("hookbus")), Seeing()
    assert covered.in_front_of(probe) is probe
    event = Event("d", 0, 0, Printed("A", "stderr", "a line"))
    assert covered.event(event) is event
    known = CoveredEvents(Covering([TOKEN]), named("hookbus"))
    assert known.event(event) is event
