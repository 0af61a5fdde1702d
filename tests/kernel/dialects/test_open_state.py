"""Claims about session files of hosts: whoever keeps such files is tried, and the refusal of the first is told."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from session_files import write_session

from kernel import dialects
from kernel.dialects import REGISTRY, open_state
from kernel.errors import BadInput


class Other:
    """The session files of a host that we do not have."""

    def __init__(self, path: Path) -> None:
        self.path = path


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more dialect, whose host keeps files that begin with `other`."""

    def open_other(path: Path) -> Other:
        if path.exists() and path.read_bytes().startswith(b"other"):
            return Other(path)
        raise BadInput("this is no other file")

    module = ModuleType("other_state")
    module.open_state = open_other  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_state", module)
    silent = replace(REGISTRY[0], name="silent", state="")
    monkeypatch.setattr(dialects, "REGISTRY", (silent, *REGISTRY, replace(silent, name="other", state="other_state")))


def test_a_file_is_opened_by_the_dialect_whose_host_wrote_it(tmp_path: Path, other: None) -> None:
    """Its name says nothing."""
    with open_state(write_session(tmp_path / "a")) as session:
        assert session.meta is not None
        assert session.cost_totals()
    (tmp_path / "b").write_bytes(b"other")
    assert isinstance(open_state(tmp_path / "b"), Other)


def test_a_file_of_nobody_is_refused_in_the_words_of_the_first(tmp_path: Path, other: None) -> None:
    """One sentence, not one for each dialect."""
    (tmp_path / "c").write_bytes(b"neither" * 1000)
    with pytest.raises(BadInput, match="is no SQLite file"):
        open_state(tmp_path / "c")
