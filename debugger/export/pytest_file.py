"""A recorded dispatch as a test: the scenario that it makes, in a file that pytest runs."""

from __future__ import annotations

from collections.abc import Iterator

from debugger.export.material import Material
from debugger.export.scenario import scenarios

_HEAD = '''"""Made by hookscope from a recording: every dispatch again, with stubs in the place of its subscribers."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger.scenario import report
from debugger.scenario.load import Loaded, parse
from debugger.scenario.run import run

TEXT = '''
_TAIL = '''

SCENARIOS = parse(TEXT.encode(), Path(__file__))


@pytest.mark.parametrize("loaded", SCENARIOS, ids=lambda loaded: loaded.name)
def test_it_comes_to_what_was_recorded(loaded: Loaded) -> None:
    """The same decision, payload, rules and errors."""
    verdict = run(loaded)
    assert verdict.is_held, "\\n".join(report.lines(verdict))
'''


def test_file(material: Material) -> Iterator[str]:
    """The text of the file."""
    text = "".join(scenarios(material))
    yield _HEAD
    yield _literal(text)
    yield _TAIL


test_file.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test where it is imported


def _literal(text: str) -> str:
    """The text as Python reads it: as it is between quotes that it cannot end, otherwise escaped."""
    is_tame = '"""' not in text and not text.endswith(('"', "\\")) and "\r" not in text and "\0" not in text
    return f'r"""{text}"""' if is_tame else repr(text)
