"""What tests of scenario files share: a scenario in a few lines, loaded and run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from debugger.scenario.load import Loaded, parse
from debugger.scenario.run import Verdict, run
from kernel.errors import BadInput

FILE = Path("f.scenario.yaml")


def scenario(subscribers: str = "[]", *, fire: str = "{point: session-end}", expect: str = "{}", more: str = "") -> str:
    """One dispatch, by default at session-end, with each part as YAML in a line."""
    return "\n".join(
        (
            "scenario: s",
            "dialect: pluggable",
            *([more] if more else []),
            f"subscribers: {subscribers}",
            f"fire: [{fire}]",
            f"expect: [{expect}]",
        )
    )


CONFIG = """
  files:
    agent.hcl: |
      agent_profile "test" {
        tools = ["fs.*", "shell.*"]
      }"""
SESSION = """
    session: s
    profile: test
    models: [{provider: p, id: m}]
    messages: [{text: hello}]
    tools: [{name: fs.write, kind: resource}, {name: fs.read, kind: data_source}, {name: shell.run, kind: resource}]
    turns: [{calls: [{tool: fs.read, id: r}, {tool: fs.write, id: w}, {tool: shell.run, id: x}]}, {says: done}]"""


def played(subscribers: str = "[]", *, play: str = "", expect: str = "{}", session: str = SESSION) -> str:
    """A session with a call that reads and two that are asked about, with each part as YAML in a line."""
    return "\n".join(
        (
            "scenario: s",
            "dialect: pluggable",
            f"config:{CONFIG}",
            f"subscribers: {subscribers}",
            "play:",
            *([f"  {play}"] if play else []),
            f"  session:{session}",
            f"expect_played: {expect}",
        )
    )


def loaded(text: str, file: Path = FILE) -> Loaded:
    """The one scenario of a text."""
    [found] = parse(text.encode(), file)
    return found


def verdict(text: str, file: Path = FILE) -> Verdict:
    """What the one scenario of a text comes to."""
    return run(loaded(text, file))


def refusal(act: Callable[[], object]) -> BadInput | None:
    """The error with which something is refused, None when it is not. Whatever else is raised is a bug."""
    try:
        act()
    except BadInput as error:
        return error
    return None
