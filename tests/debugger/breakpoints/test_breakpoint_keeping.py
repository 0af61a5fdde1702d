"""Breakpoints and watches in the project file: kept as they are, beside what others keep there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.counts import parsed
from debugger.breakpoints.keeping import load_breakpoints, load_watches, problem, save_breakpoints, save_watches
from debugger.filters.keeping import load_filters, save_filters
from kernel.errors import BadInput

SOME = (
    Breakpoint("sub:redactor"),
    Breakpoint('out:"deny.level > `2`"', Side.AFTER, parsed(">=3"), "{sub} 'took' {dur}", is_on=False),
)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


def test_what_is_kept_comes_back_and_the_rest_stays(tmp_path: Path) -> None:
    """Filters and comments of others are the same bytes as before."""
    file = tmp_path / ".hookscope.yaml"
    others = '# ours to commit\nfilters:\n  slow: "dur:>1s"   # keep\n\n# and this\nelse: {a: [1, 2]}\n'
    file.write_text(others)
    save_breakpoints(file, SOME)
    save_watches(file, ["$.messages[0]", "length(messages)"])
    assert load_breakpoints(file) == SOME
    assert load_watches(file) == ("$.messages[0]", "length(messages)")
    assert file.read_text().startswith(others)
    save_filters(file, {**load_filters(file), "new": "sub:x"})
    assert load_breakpoints(file) == SOME
    save_breakpoints(file, ())
    save_watches(file, ())
    assert load_breakpoints(file) == ()
    assert "else: {a: [1, 2]}" in file.read_text()
    assert load_filters(file) == {"slow": "dur:>1s", "new": "sub:x"}


def test_there_need_be_no_file(tmp_path: Path) -> None:
    """Nothing is kept then; nothing to keep makes none."""
    file = tmp_path / ".hookscope.yaml"
    assert (load_breakpoints(file), load_watches(file)) == ((), ())
    save_breakpoints(file, ())
    assert not file.exists()


@given(
    where=TEXTS, log=st.just("") | TEXTS, side=st.sampled_from(Side), count=st.sampled_from(["", "=3", "%2"]),
    is_on=st.booleans(),
)  # fmt: skip
def test_any_text_survives(
    tmp_path_factory: pytest.TempPathFactory, where: str, log: str, side: Side, count: str, is_on: bool
) -> None:
    """Quotes, control characters, line ends."""
    file = tmp_path_factory.mktemp("kept") / ".hookscope.yaml"
    kept = (Breakpoint(where, side, parsed(count), log, is_on), SOME[0])
    save_breakpoints(file, kept)
    assert load_breakpoints(file) == kept


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("breakpoints: {a: b}", ":1:14: breakpoints are a list; begin each with a dash"),
        ("breakpoints:\n  - sub:x\n", ":2:5: a breakpoint says before or after"),
        ("breakpoints:\n  - hits: '=3'\n", ":2:5: a breakpoint says before or after"),
        ("breakpoints:\n  - {before: a, after: b}\n", ":2:17: a breakpoint is before or after, not both"),
        ("breakpoints:\n  - {before: a, hit: b}\n", "has no 'hit'; did you mean hits?"),
        ("breakpoints:\n  - {before: a, hits: 3}\n", ":2:23: '3' is no count of hits"),
        ("breakpoints:\n  - {before: a, off: maybe}\n", "off is true or false, not 'maybe'"),
        ("breakpoints:\n  - {before: [a]}\n", "a text has to stand here"),
        ("breakpoints:\n  - {before: a, log: x, log: y}\n", "log is there twice"),
        ("breakpoints: []\nbreakpoints: []\n", "breakpoints is there twice"),
        ("breakpoints: [", "not YAML"),
        ("- a", "a project file is a mapping"),
    ],
)
def test_a_bad_file_is_explained_and_kept(tmp_path: Path, text: str, words: str) -> None:
    """With the place; nothing is written over it."""
    file = tmp_path / ".hookscope.yaml"
    file.write_text(text)
    with pytest.raises(BadInput) as refusal:
        load_breakpoints(file)
    assert words in str(refusal.value)
    with pytest.raises(BadInput):
        save_breakpoints(file, SOME)
    assert file.read_text() == text


def test_a_bad_watch_has_a_place(tmp_path: Path) -> None:
    """Like everything else in the file."""
    file = tmp_path / ".hookscope.yaml"
    file.write_text("watches:\n  - 'a['\n")
    with pytest.raises(BadInput, match=r":2:5: not JMESPath"):
        load_watches(file)


def test_one_broken_breakpoint_does_not_hide_the_others(tmp_path: Path) -> None:
    """Its filter is read when it is used, and what is wrong is said then."""
    file = tmp_path / ".hookscope.yaml"
    file.write_text("breakpoints:\n  - before: 'nofield:x'\n  - after: 'sub:@x @saved'\n  - before: 'sub:a'\n")
    broken, named, fine = load_breakpoints(file)
    assert "no field" in problem(broken, {})
    assert "saved" in problem(named, {})
    assert problem(named, {"saved": "mode:veto"}) == ""
    assert problem(fine, {}) == ""
