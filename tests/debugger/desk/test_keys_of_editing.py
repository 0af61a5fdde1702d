"""The keys in the JSON editor: what may be written is offered, chosen, narrowed and taken."""

from __future__ import annotations

import json
from pathlib import Path

from app_at_desk import StubReader, stub_reader
from dispatch_runs import stub
from rich.cells import cell_len
from textual.widgets import TextArea

from debugger.lenses.editor import Editor

SMALL = (80, 24)


def area(reader: StubReader) -> TextArea:
    return reader.app.screen.query_one(TextArea)


def put(reader: StubReader, text: str) -> None:
    """Have a text in the editor; `|` is the cursor."""
    before, _, after = text.partition("|")
    area(reader).load_text(before + after)
    area(reader).move_cursor(area(reader).document.get_location_from_index(len(before)))


def text_at(reader: StubReader) -> str:
    """The text with the cursor in it."""
    text = area(reader).text
    index = area(reader).document.get_index_from_location(area(reader).cursor_location)
    return f"{text[:index]}|{text[index:]}"


async def editing(reader: StubReader) -> None:
    """Hold before the subscriber, and edit what goes in."""
    await reader.press("R")
    await reader.held("before A")
    await reader.press("e")
    await reader.on(Editor)


async def test_members_and_words_are_offered_and_taken(tmp_path: Path) -> None:
    """From a list that fits 80 columns: by tab, narrowed by typing, with the word that comes next right behind it."""
    async with stub_reader("A:t", {"A": stub("same")}, tmp_path, size=SMALL) as reader:
        await editing(reader)
        put(reader, '{"messages": [{|}]}')
        await reader.press("tab")
        lines = reader.label("#offered").splitlines()
        assert lines[0].startswith("▸ role")
        assert "MessageRole" in lines[0] or "Role" in lines[0]
        assert all(cell_len(line) <= 74 for line in lines)
        await reader.press("down")
        assert reader.label("#offered").splitlines()[1].startswith("▸ content")
        await reader.press("up", "enter")
        assert text_at(reader) == '{"messages": [{"role": |}]}'
        assert "ROLE_USER" in reader.label("#offered")
        await reader.press("a", "s", "s")
        assert reader.label("#offered").splitlines()[0].startswith("▸ ROLE_ASSISTANT")
        await reader.press("tab")
        assert text_at(reader) == '{"messages": [{"role": "ROLE_ASSISTANT"|}]}'
        assert reader.label("#offered") == ""
        await reader.press("ctrl+@", *"con", "enter")
        assert text_at(reader) == '{"messages": [{"role": "ROLE_ASSISTANT", "content": [|]}]}'
        await reader.press("ctrl+z")
        assert text_at(reader) == '{"messages": [{"role": "ROLE_ASSISTANT"con|}]}'
        await reader.press("backspace", "backspace", "backspace")
        await reader.press("ctrl+s")
        await reader.at_desk()
        hold = reader.desk.seen.holds[0]
        assert hold.edited is not None
        assert hold.edited.view == {"messages": [{"role": "ROLE_ASSISTANT"}]}


async def test_escape_closes_the_list_first_and_a_tab_stays_a_tab_where_nothing_is_known(tmp_path: Path) -> None:
    """Nothing that was typed is thrown away by closing a list; up and down are the list's only while it is open."""
    async with stub_reader("A:t", {"A": stub("same")}, tmp_path, size=SMALL) as reader:
        await editing(reader)
        put(reader, "{\n|\n}")
        await reader.press("tab", "escape")
        assert isinstance(reader.app.screen, Editor)
        assert reader.label("#offered") == ""
        await reader.press("up")
        assert text_at(reader) == "{|\n\n}" or text_at(reader) == "|{\n\n}"
        put(reader, '{"messages": [{"id": "a|"}]}')
        await reader.press("tab")
        assert reader.label("#offered") == ""
        written = json.loads(area(reader).text)["messages"][0]["id"]
        assert written.startswith("a")
        assert written.strip() == "a"
        assert len(written) > 1
        await reader.press("escape", "escape")
        await reader.at_desk()


async def test_answers_are_offered_as_their_mode_wants_them(tmp_path: Path) -> None:
    """First what the mode is for; members that exclude each other are not offered together."""
    async with stub_reader("A:v", {"A": stub("allow")}, tmp_path, point="plan-ready", size=SMALL) as reader:
        await reader.press("R")
        await reader.held("before A")
        await reader.press("i")
        await reader.pick("JSON ...")
        await reader.on(Editor)
        put(reader, "{|}")
        await reader.press("tab")
        assert [
            line.split()[0].strip("▸") or line.split()[1] for line in reader.label("#offered").splitlines()[:3]
        ] == [
            "veto",
            "observe",
            "transform",
        ]
        await reader.press("enter")
        assert text_at(reader) == '{"veto": {|}}'
        put(reader, '{"veto": {}|}')
        await reader.press("tab")
        assert "observe" not in reader.label("#offered")
