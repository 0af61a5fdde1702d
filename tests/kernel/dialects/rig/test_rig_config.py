"""Claims about set files: what they come to, and everything that is wrong with one, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel.dialects import check_setup, load_setup
from kernel.errors import BadInput
from kernel.host import Host
from kernel.problems import Severity
from kernel.reach import Callback

GOOD = """\
policy_revision: v1
guards:
  - {operation: ToolCall, check: hooks.py:check}
  - {operation: 1, check: "hooks.py:check", name: turn-gate}
around:
  - {operation: Turn, begin: hooks.py:begin}
  - {operation: [Step, ToolCall], begin: hooks.py:begin}
  - {operation: ToolCall, begin: json:dumps}
"""
HOOKS = "def check(context, call): return None\ndef begin(context, call): return context, None\n"


def written(folder: Path, text: str) -> Path:
    (folder / "hooks.py").write_text(HOOKS)
    path = folder / "set.rig.yaml"
    path.write_text(text)
    return path


def test_a_set_comes_to_chains_with_every_index_of_its_whole_list(tmp_path: Path) -> None:
    """Arounds, guards, the operation; a list of operations is as many entries in a row."""
    setup = load_setup(written(tmp_path, GOOD))
    assert setup.dialect.name == "rig"
    assert tuple(setup.chains) == setup.dialect.points
    seats = [(s.name, s.mode, s.id) for s in setup.chains["ToolCall"].subscriptions]
    assert seats == [
        ("begin", "around", "around[2]"),
        ("dumps", "around", "around[3]"),
        ("check", "guard", "guards[0]"),
        ("operation", "operation", ""),
    ]
    assert [s.id for s in setup.chains["Turn"].subscriptions] == ["around[0]", "guards[1]", ""]
    assert [s.name for s in setup.chains["Turn"].subscriptions] == ["begin", "turn-gate", "operation"]
    assert setup.chains["GateWait"].subscriptions == ()
    assert setup.files == (tmp_path / "set.rig.yaml", tmp_path / "hooks.py")
    reach = setup.chains["ToolCall"].subscriptions[0].reach
    assert isinstance(reach, Callback)
    assert reach.target == f"{tmp_path}/hooks.py:begin"
    place = setup.chains["ToolCall"].subscriptions[1].place
    assert place is not None
    assert (place.line, place.column) == (8, 5)


def test_a_folder_is_its_one_set_file(tmp_path: Path) -> None:
    """Two are a question."""
    written(tmp_path, GOOD)
    assert load_setup(tmp_path).path == tmp_path
    (tmp_path / "other.rig.yaml").write_text("")
    with pytest.raises(BadInput, match=r"holds other.rig.yaml, set.rig.yaml; name the one \*.rig.yaml that is meant"):
        load_setup(tmp_path)


def test_the_empty_set_is_legal(tmp_path: Path) -> None:
    """Spec B.1; it deserves a word."""
    path = written(tmp_path, "")
    assert all(not chain.subscriptions for chain in load_setup(path).chains.values())
    report = check_setup(path)
    assert report.is_fine
    assert [problem.code for problem in report.problems] == ["empty"]


def test_loading_and_checking_run_nobodys_code(tmp_path: Path) -> None:
    """Opening is not running."""
    path = written(tmp_path, "around: [{operation: Turn, begin: 'hooks.py:begin'}]")
    (tmp_path / "hooks.py").write_text("import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n")
    load_setup(path)
    check_setup(path)
    assert not (tmp_path / "ran").exists()


def test_one_name_is_one_callback_and_one_seat(tmp_path: Path) -> None:
    """Whoever is named alike gets a number."""
    (tmp_path / "more.py").write_text(HOOKS)
    text = """\
around:
  - {operation: Turn, begin: hooks.py:begin}
  - {operation: Turn, begin: hooks.py:begin}
  - {operation: Turn, begin: more.py:begin}
  - {operation: Step, begin: hooks.py:begin}
  - {operation: Step, begin: hooks.py:begin, name: operation}
"""
    chains = load_setup(written(tmp_path, text)).chains
    assert [s.name for s in chains["Turn"].subscriptions] == ["begin", "begin-2", "begin-3", "operation"]
    assert [s.name for s in chains["Step"].subscriptions] == ["begin", "operation-2", "operation"]


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "said"),
    [
        (
            "guards: [{operation: ToolCall, check: 'hooks.py:check'}]",
            "missing_policy_revision",
            1,
            9,
            "(policy_revision)",
        ),
        (
            "policy_revision: ' '\nguards: [{operation: Turn, check: 'hooks.py:check'}]",
            "missing_policy_revision",
            1,
            18,
            "",
        ),
        ("policy_revision: v1", "unexpected_policy_revision", 1, 18, ""),
        (
            'policy_revision: "a\\tb"\nguards: [{operation: Turn, check: "hooks.py:check"}]',
            "invalid_policy_revision",
            1,
            18,
            "",
        ),
        (
            "policy_revision: 1\nguards: [{operation: Tool, check: 'hooks.py:check'}]",
            "unknown_operation",
            2,
            22,
            "did you mean ToolCall?",
        ),
        (
            "policy_revision: 1\nguards: [{operation: 99, check: 'hooks.py:check'}]",
            "unknown_operation",
            2,
            22,
            "for operation 99: 99",
        ),
        ("policy_revision: 1\nguards: [{check: 'hooks.py:check'}]", "unknown_operation", 2, 10, "none"),
        (
            "policy_revision: 1\nguards: [{operation: Step, check: 'hooks.py:check'}]",
            "operation_not_guardable",
            2,
            22,
            "operation 2",
        ),
        ("policy_revision: 1\nguards: [{operation: Turn}]", "nil_guard", 2, 10, "write check: file.py:function"),
        ("around: [{operation: 0, begin: 'hooks.py:begin'}]", "unknown_operation", 1, 22, "(around)"),
        ("around:\n- operation: Turn", "nil_around", 2, 3, "for operation 1"),
        ("around: [{operation: Turn, begin: hooks}]", "target", 1, 35, "neither module:attribute"),
        ("around: [{operation: Turn, begin: 'hooks.py:1x'}]", "target", 1, 35, "neither module:attribute"),
        ("around: [{operation: Turn, begin: 'gone.py:x'}]", "missing_file", 1, 35, "gone.py is not there"),
        ("around: {operation: Turn}", "shape", 1, 9, "'around' is a list"),
        ("around: [{operation: [], begin: 'hooks.py:begin'}]", "shape", 1, 10, "this one for none"),
        ("around: [Turn]", "shape", 1, 10, "an entry is a mapping"),
        ("arounds: []", "shape", 1, 1, "did you mean 'around'?"),
        ("around: [{operation: Turn, begin: 'hooks.py:begin', when: now}]", "shape", 1, 53, "no key 'when'"),
        ("around: []\naround: []", "shape", 2, 1, "there twice"),
        ("[1]", "shape", 1, 1, "a set is a mapping"),
        (
            "policy_revision: [1]\nguards: [{operation: Turn, check: 'hooks.py:check'}]",
            "shape",
            1,
            18,
            "text is needed",
        ),
        ("around: [{operation: {a: b}, begin: 'hooks.py:begin'}]", "shape", 1, 22, "one of the eight operations"),
        ("around: [", "syntax", 1, 10, "not YAML"),
        ("a: b: c", "syntax", 1, 5, "not YAML"),
        ("--- 1\n--- 2", "syntax", 2, 1, "not YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, text: str, code: str, line: int, column: int, said: str
) -> None:
    """The same by loading, which stops, and by checking, which does not."""
    path = written(tmp_path, text)
    report = check_setup(path)
    [problem] = [each for each in report.problems if each.code == code]
    assert problem.place is not None
    assert (problem.place.file, problem.place.line, problem.place.column) == (str(path), line, column)
    assert said in f"{problem.message}; {problem.fix}"
    assert not report.is_fine
    assert report.lines[str(path), line] == text.split("\n")[line - 1]
    with pytest.raises(BadInput) as raised:
        load_setup(path)
    assert raised.value.place is not None


def test_the_first_error_is_the_one_of_the_field(tmp_path: Path) -> None:
    """Spec B.2: the revision, then guards, then arounds, wherever they stand in the file."""
    text = """\
around: [{operation: 99, begin: "hooks.py:begin"}]
guards: [{operation: 2}]
"""
    path = written(tmp_path, text)
    assert {each.code for each in check_setup(path).problems} == {
        "missing_policy_revision", "operation_not_guardable", "unknown_operation",
    }  # fmt: skip
    with pytest.raises(BadInput, match="missing_policy_revision"):
        load_setup(path)


def test_what_is_legal_and_hardly_meant_is_a_warning(tmp_path: Path) -> None:
    """And does not stop anybody."""
    text = """\
around:
  - {operation: JournalAppend, begin: hooks.py:begin}
  - {operation: JournalAppend, begin: hooks.py:begin}
"""
    path = written(tmp_path, text)
    report = check_setup(path)
    assert [(each.code, each.severity) for each in report.problems] == [
        ("journal", Severity.WARNING), ("twice", Severity.WARNING), ("journal", Severity.WARNING),
    ]  # fmt: skip
    load_setup(path)


def test_names_of_nothing_are_not_the_same_operation(tmp_path: Path) -> None:
    """Only what is known can be there twice, however it is written, and it is called by its name."""
    entries = ", ".join(f"{{operation: {named}, begin: 'hooks.py:begin'}}" for named in ("toolcall", "99", "true", "0"))
    path = written(tmp_path, f"around: [{entries}]")
    assert {each.code for each in check_setup(path).problems} == {"unknown_operation"}
    entries = "".join(f"\n- {{operation: {named}, begin: hooks.py:begin}}" for named in ("5", "ToolCall"))
    path = written(tmp_path, f"around:{entries}")
    [twice] = check_setup(path).problems
    assert (twice.message, twice.fix) == ("hooks.py:begin takes part in ToolCall twice", "see line 2")


def test_there_is_one_way_to_read_a_set_file(tmp_path: Path) -> None:
    """An option is somebody's mistake."""
    path = written(tmp_path, GOOD)
    with pytest.raises(BadInput, match="no option 'strict'"):
        load_setup(path, {"strict": True})
    with pytest.raises(BadInput, match="no option 'strict'"):
        check_setup(path, {"strict": True})


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a: \x00", b"&a [*a]", b"around: [*nobody]", b"around: &a [*a]"])
def test_odd_bytes_are_bad_input(tmp_path: Path, data: bytes) -> None:
    """Never a traceback."""
    path = written(tmp_path, "")
    path.write_bytes(data)
    with pytest.raises(BadInput) as raised:
        load_setup(path)
    assert str(path) in str(raised.value)


def test_a_byte_order_mark_is_no_character(tmp_path: Path) -> None:
    """Some editors write one."""
    path = written(tmp_path, "")
    path.write_bytes(b"\xef\xbb\xbfaround: []")
    load_setup(path)


async def test_a_host_brings_up_live_callbacks(tmp_path: Path) -> None:
    """One that is not there answers as a dead process does, and says why."""
    text = 'around:\n  - {operation: Turn, begin: hooks.py:begin}\n  - {operation: Turn, begin: "hooks.py:gone"}\n'
    setup = load_setup(written(tmp_path, text))
    async with Host(setup.chains.values()) as host:
        assert set(host.subscribers) == {"begin", "gone"}
        [failure] = host.failures
        assert failure.subscriber == "gone"
        assert "no attribute 'gone'" in failure.message
        assert {each.name: each.is_alive for each in host.health} == {"begin": True, "gone": False}
