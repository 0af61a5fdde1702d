"""Saved filters in the project file, and the history."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.filters.keeping import (
    PROJECT_FILE,
    load_filters,
    load_history,
    problems,
    remembered,
    save_filters,
    save_history,
)
from kernel.errors import BadInput

FULL = """\
# what our team agreed on
breakpoints:
  - sub:policy-bot   # the usual suspect

filters:
  slow: "slow:>80%"
  on: sub:a

# colours, for Kim
theme: {dark: yes}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / PROJECT_FILE


def test_a_file_that_is_not_there_has_no_filters(file: Path) -> None:
    """And saving makes it."""
    assert load_filters(file) == {}
    save_filters(file, {"slow": "slow:>80%"})
    assert file.read_text() == 'filters:\n  slow: "slow:>80%"\n'
    assert load_filters(file) == {"slow": "slow:>80%"}
    assert list(file.parent.iterdir()) == [file]


def test_what_is_not_ours_stays_as_it_is_written(file: Path) -> None:
    """Comments, order and quotes of everybody else, byte for byte."""
    file.write_text(FULL)
    assert load_filters(file) == {"slow": "slow:>80%", "on": "sub:a"}
    save_filters(file, {"slow": "slow:>80%", "on": "sub:a"})
    assert file.read_text() == FULL
    save_filters(file, {"deny": "status:denied why:~'\\d'"})
    head, tail = FULL.index("filters:"), FULL.index("# colours")
    saved = file.read_text()
    assert saved.startswith(FULL[:head])
    assert saved.endswith("\n" + FULL[tail:])
    assert load_filters(file) == {"deny": "status:denied why:~'\\d'"}
    save_filters(file, {})
    assert load_filters(file) == {}
    assert file.read_text().endswith("\n" + FULL[tail:])


@pytest.mark.parametrize(
    "text",
    [
        "theme: dark",
        "theme: dark\n",
        "---\ntheme: dark\n...\n",
        "# only a comment\n",
        "",
        "filters:\ntheme: dark\n",
        "filters: ~",
        "filters: {a: b}\ntheme: dark\n",
        "theme: |\n  filters:\n    a: b\n",
        "theme: dark\nfilters:\n  a: >-\n    sub:a\n    sub:b\n",
        "%YAML 1.2\n---\ntheme: dark\n",
        '"filters":\n  \'a\': "b"\ntheme:\n- 1\n',
    ],
)
def test_filters_find_their_place_in_any_file(file: Path, text: str) -> None:
    """Before or after what is there."""
    file.write_text(text)
    wanted = load_filters(file) | {"new": 'sub:"a b" | why:~"x\\\\d"'}
    save_filters(file, wanted)
    assert load_filters(file) == wanted
    assert ("theme" in file.read_text()) is ("theme" in text)
    save_filters(file, {"other": "x"})
    assert load_filters(file) == {"other": "x"}


@given(
    st.dictionaries(
        st.sampled_from(["a", "on", "12", "null", "Ü", "a.b", "x-1", "yes"]),
        st.text(max_size=20).map(lambda text: f"text:={quoted_for_filters(text)}"),
        max_size=4,
    )
)
def test_what_is_saved_is_what_is_loaded(tmp_path_factory: pytest.TempPathFactory, filters: dict[str, str]) -> None:
    """Whatever characters a filter looks for."""
    file = tmp_path_factory.mktemp("kept") / PROJECT_FILE
    file.write_text(FULL)
    save_filters(file, filters)
    assert load_filters(file) == filters


def quoted_for_filters(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("filters: [a]", "1:10: filters are names with a filter each"),
        ("filters:\n  a: [x]", "2:6: the filter 'a' is a text"),
        ("filters:\n  a b: x", "2:3: 'a b' cannot be the name"),
        ("filters:\n  a: x\n  a: y", "3:3: the filter 'a' is there twice"),
        ("filters:\n  ? [a]\n  : x", "the name of a filter is a text"),
        ("filters: {}\nfilters: {}", "2:1: filters is there twice"),
        ("- a", "1:1: a project file is a mapping"),
        ("a: b: c", "1:5: not YAML"),
        ("a: \x01", "not YAML"),
        pytest.param("[" * 5000, "not YAML", id="deep"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_place(file: Path, text: str, says: str) -> None:
    """And is never written over."""
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        load_filters(file)
    assert says in str(caught.value)
    with pytest.raises(BadInput):
        save_filters(file, {"a": "b"})
    assert file.read_text() == text


def test_filters_that_are_none_are_not_saved(file: Path) -> None:
    """Nor names that are none; the file stays."""
    file.write_text(FULL)
    for name, text in (("a", "status:denyed"), ("a b", "x"), ("a", "")):
        with pytest.raises(BadInput):
            save_filters(file, {name: text})
    assert file.read_text() == FULL


def test_a_file_in_one_pair_of_braces_is_left_alone(file: Path) -> None:
    """There is no line to put anything into; the person is told."""
    file.write_text("{theme: dark}")
    with pytest.raises(BadInput, match="one pair of braces"):
        save_filters(file, {"a": "x"})


def test_bytes_and_sizes_are_bounded(file: Path) -> None:
    """What is no text, and what is too long to be meant."""
    file.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="UTF-8"):
        load_filters(file)
    file.write_bytes(b"#" * (256 * 1024 + 1))
    with pytest.raises(BadInput, match="bytes"):
        load_filters(file)
    with pytest.raises(BadInput, match="cannot read"):
        load_filters(file.parent)
    with pytest.raises(BadInput, match="cannot write"):
        save_history(file.parent / "no" / "where.json", ())


def test_broken_filters_are_told_without_hiding_the_others(file: Path) -> None:
    """One reason for each that cannot be used."""
    file.write_text("filters:\n  good: sub:a\n  odd: status:denyed\n  me: '@me'\n  user: '@odd x'\n  none: ''\n")
    found = problems(load_filters(file))
    assert list(found) == ["odd", "me", "user", "none"]
    assert "did you mean denied?" in str(found["odd"])
    assert "uses itself" in str(found["me"])
    assert "in @odd" in str(found["user"])


def test_a_link_stays_one(tmp_path: Path, file: Path) -> None:
    """Project files are shared that way; modes are kept."""
    real = tmp_path / "real.yaml"
    real.write_text(FULL)
    real.chmod(0o600)
    file.symlink_to(real)
    save_filters(file, {"a": "x"})
    assert file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert load_filters(real) == {"a": "x"}


def test_the_history_is_the_newest_first_and_each_once(tmp_path: Path) -> None:
    """Bounded, and an empty filter is no history."""
    history: tuple[str, ...] = ()
    for text in ("a", "b", " a ", "", "c"):
        history = remembered(history, text)
    assert history == ("c", "a", "b")
    for number in range(300):
        history = remembered(history, f"n:{number}")
    assert len(history) == 100
    file = tmp_path / "history.json"
    assert load_history(file) == ()
    save_history(file, history)
    assert load_history(file) == history


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "no history"),
        ("[]", "no history"),
        ('{"version": 1, "filters": [1]}', "no history"),
        ('{"version": 2, "filters": []}', "newer"),
    ],
)
def test_a_history_that_cannot_be_read_is_told(tmp_path: Path, text: str, says: str) -> None:
    """With what to do about it."""
    file = tmp_path / "history.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=says):
        load_history(file)
