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
