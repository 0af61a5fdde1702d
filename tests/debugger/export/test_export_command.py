"""Claims about `hookscope export`: what it writes where, what it says beside, and how a mistake is told."""

from __future__ import annotations

import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from exported_runs import material, recorded, told

from debugger.export import command
from debugger.export.command import Request, export
from debugger.export.formats import Format
from debugger.export.pictures import View, Wish
from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.facts import Entered, Event, Left


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    view = {"call": {"id": "c", "tool_name": "t", "arguments": {"password": "hunter22", "again": "hunter22"}}}
    fired = PLUGGABLE.payload_from_view("pre-tool-call", view)  # type: ignore[arg-type]  # JSON
    return recorded(
        tmp_path / "r.hookscope",
        told("aaaaaa1", "A:o B:t", {"A": "ack", "B": "+x"}),
        told("aaaaaa2", "A:v", {"A": "deny"}, point="pre-tool-call", fired=fired),
        told("bbbbbb3", "A:o", {"A": "hang"}),
    )


def test_the_result_goes_to_standard_output_and_narration_beside_it(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that it can be piped."""
    assert export(Request(recording, Format.MARKDOWN)) == 0
    out, err = capsys.readouterr()
    assert out.startswith("## hookscope: ")
    assert err == "hookscope: 3 dispatches. 1 secret was replaced. --preview says where.\n"


@pytest.mark.parametrize("form", [form for form in Format if form is not Format.SVG])
def test_every_format_goes_into_a_file(form: Format, recording: Path, tmp_path: Path) -> None:
    """All of it, with the rights that any new file has."""
    out = tmp_path / "out"
    export(Request(recording, form, out))
    assert out.stat().st_size > 500
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~command._umask()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_a_file_that_is_there_is_not_replaced_unless_one_says_so(recording: Path, tmp_path: Path) -> None:
    """Nothing that somebody made is lost."""
    out = tmp_path / "out"
    out.write_text("mine")
    with pytest.raises(BadInput, match="is there already; name another file, or say --force"):
        export(Request(recording, Format.HTML, out))
    assert out.read_text() == "mine"
    export(Request(recording, Format.HTML, out, is_forced=True))
    assert out.read_text().startswith("<!doctype html>")


def test_what_breaks_on_the_way_leaves_nothing_behind(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither half a file nor a temporary one; and what was there stays."""
    out = tmp_path / "out"
    out.write_text("mine")

    def broken(*_: object) -> object:
        yield "half"
        raise BadInput("no more")

    monkeypatch.setattr(command, "written", broken)
    with pytest.raises(BadInput, match="no more"):
        export(Request(recording, Format.HTML, out, is_forced=True))
    assert out.read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out", "r.hookscope"]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (("2",), [2]),
        (("#2",), [2]),
        (("2-3",), [2, 3]),
        (("3", "1"), [1, 3]),
        (("bbbbbb3",), [3]),
        (("aaaaaa",), [1, 2]),
        (("2-9",), [2, 3]),
        ((), [1, 2, 3]),
    ],
)
def test_dispatches_are_chosen_by_number_range_and_id(
    wanted: tuple[str, ...], numbers: list[int], recording: Path
) -> None:
    """They keep their numbers, and come in order."""
    assert [each.number for each in material(recording, *wanted).dispatches] == numbers


@pytest.mark.parametrize("wanted", ["4", "0", "nobody", "aa", "3-1", "-1", ""])
def test_a_dispatch_that_there_is_not_is_said_so(wanted: str, recording: Path) -> None:
    """With the numbers that there are."""
    with pytest.raises(BadInput, match=r"no dispatch '.*' in .*; its numbers are 1 to 3; 3-7 is a range"):
        export(Request(recording, Format.MARKDOWN, dispatches=(wanted,)))


def test_a_secret_that_another_dispatch_tells_is_hidden_in_this_one_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where only one is exported, the whole recording is learnt from."""
    views = ({"password": "Zebra!77x"}, {"say": "Zebra!77x"})
    runs = []
    for number, arguments in enumerate(views):
        fired = PLUGGABLE.payload_from_view(
            "pre-tool-call", {"call": {"id": "c", "tool_name": "t", "arguments": arguments}}
        )
        runs.append(told(f"d{number}", "A:v", {"A": "allow"}, point="pre-tool-call", fired=fired))
    path = recorded(tmp_path / "r", *runs)
    export(Request(path, Format.HTML, dispatches=("2",)))
    assert "Zebra" not in capsys.readouterr().out


def test_a_preview_shows_what_would_be_replaced_and_writes_nothing(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By rule and place, without the secrets."""
    assert export(Request(recording, Format.HTML, tmp_path / "out", is_preview=True)) == 0
    out, _ = capsys.readouterr()
    assert "1 secret replaced" in out
    assert re.search(r"password +payload +\d+ times", out)
    assert "call.arguments.password" in out
    assert "hunter22" not in out
    assert not (tmp_path / "out").exists()


def test_without_redaction_is_said_and_done(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the export and beside it."""
    export(Request(recording, Format.HTML, is_redacted=False))
    out, err = capsys.readouterr()
    assert "hunter22" in out
    assert "Nothing was redacted." in out
    assert "Nothing was redacted." in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"is_redacted": False, "is_preview": True}, "--no-redact leaves nothing to preview"),
        ({"is_redacted": False, "rules": Path("x")}, "--no-redact leaves nothing"),
        ({"rules": Path("no-such-rules")}, "no-such-rules cannot be read"),
        ({"recording": Path("no-such-file")}, "no-such-file does not exist"),
        ({"out": Path("/no/such/folder/x")}, "/no/such/folder/x cannot be written: No such file"),
        ({"form": Format.SVG}, "a picture shows one dispatch, and there are 3"),
        ({"form": Format.SVG, "dispatches": ("1",), "wish": Wish(View.WHY, "Z")}, "no step 'Z' .*; there are 0 A, 1 B"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(change: dict[str, object], message: str, recording: Path) -> None:
    """With the way out."""
    with pytest.raises(BadInput, match=message):
        export(replace(Request(recording, Format.HTML), **change))  # type: ignore[arg-type]


def test_a_recording_without_a_finished_dispatch_has_nothing_to_export(tmp_path: Path) -> None:
    """A session in which nothing was dispatched."""
    events = [Event("s", 0, 0, Entered("pluggable", "session", "one", "", 1)), Event("s", 1, 0, Left())]
    with pytest.raises(BadInput, match="holds no finished dispatch"):
        export(Request(recorded(tmp_path / "r", events), Format.HTML))
