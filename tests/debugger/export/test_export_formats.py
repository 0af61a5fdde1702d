"""Claims about the formats for people: hostile text stays text in each of them, and what happened can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from dispatch_runs import stub
from exported_runs import conformance, material, recorded, scripted, told

from debugger.export import markdown as md
from debugger.export.formats import Format, written
from debugger.export.material import Material
from debugger.export.mermaid import label
from debugger.export.pictures import View, Wish
from debugger.fact_json import to_json
from debugger.store.recording import Recording
from kernel.dialects import named
from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.subscriber import Call
from kernel.values import Answered, Outcome

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]><!--",
    "```\nend\n```",
    "| a | b |\n|---|---|",
    "@everyone #1 <b>",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202eevil\u2066",
    '"onload="x',
    "end; note over host: pwned %%{init}%%",
    "&lt;b&gt; &amp;",
    "日本語 ✓ \U0001f600",
)


class Says:
    """A subscriber that prints whatever it is given, and acknowledges."""

    async def answer(self, call: Call) -> Outcome:
        for text in HOSTILE:
            call.printed("stderr", text)
        return Answered(bytes.fromhex("0a00"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Material:
    """Two dispatches full of text that wants to be something else."""
    view = {"call": {"id": HOSTILE[0], "tool_name": HOSTILE[1], "arguments": {said: list(HOSTILE) for said in HOSTILE}}}
    fired = PLUGGABLE.payload_from_view("pre-tool-call", view)  # type: ignore[arg-type]  # JSON
    one = told("d1", "A:o B:v C:o", {"A": Says(), "B": "deny", "C": "ack"}, point="pre-tool-call", fired=fired)
    two = told("d2", "A:o B:t", {"A": Says(), "B": "+x"})
    path = recorded(tmp_path_factory.mktemp("r") / f"{'<b>'}.hookscope", one, two)
    return material(path, is_redacted=False)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Material:
    runs = (
        told("aaaaaa1", "A:o B:t C:o D:o", {"A": "ack", "B": "+x", "C": "none", "D": "hang"}),
        told("aaaaaa2", "A:v B:v C:o", {"A": "allow", "B": "deny", "C": "ack"}, point="plan-ready"),
        told("bbbbbb3", "A:o B:o C:t", {"A": stub("ack", 30), "B": stub("ack", 10), "C": "+y"}, is_parallel=True),
    )
    return material(recorded(tmp_path_factory.mktemp("r") / "r.hookscope", *runs))


def text(form: Format, of: Material, wish: Wish | None = None) -> str:
    return "".join(written(form, of, wish or Wish()))


# -- Markdown ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [*HOSTILE, "`", "``x`", " x ", "", " "])
def test_text_from_outside_is_code_in_markdown(said: str) -> None:
    """As CommonMark reads it: one code span with exactly that text, whatever backticks are in it."""
    from markdown_it import MarkdownIt

    from debugger.views.text import visible

    [paragraph] = [token for token in MarkdownIt("commonmark").parse(md.code(said)) if token.type == "inline"]
    [span] = paragraph.children or []
    assert span.type == "code_inline"
    assert span.content.strip() == visible(said).strip()


def test_nothing_in_a_fence_ends_it() -> None:
    """A fence is longer than any in it."""
    from markdown_it import MarkdownIt

    inside = "```\n````` x\n~~~\n# heading"
    [token] = MarkdownIt("commonmark").parse(md.fenced(inside, "diff"))
    assert (token.type, token.content) == ("fence", inside + "\n")


def test_a_hostile_recording_is_plain_markdown(hostile: Material) -> None:
    """No HTML, no link, no heading that we did not write; every row of a table has the cells of its head."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text(Format.MARKDOWN, hostile))
    kinds = {token.type for token in tokens} | {each.type for token in tokens for each in token.children or []}
    assert not kinds & {"html_block", "html_inline", "link_open", "image"}
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == [
        "hookscope: `pre-tool-call` ⊘ **DENY** by `B`",
        "`pre-tool-call` #1: ⊘ **DENY** by `B`, 0.0 ms",
    ]
    rows, cells = [], 0
    for token in tokens:
        cells = 0 if token.type == "tr_open" else cells + (token.type in ("td_open", "th_open"))
        if token.type == "tr_close":
            rows.append(cells)
    assert set(rows) == {4, 6}


def test_markdown_tells_what_happened_and_why(plain: Material) -> None:
    """What went wrong in detail; the rules with their texts; the diff."""
    told_ = text(Format.MARKDOWN, plain)
    assert "| 2 | `plan-ready` | ⊘ **DENY** by `B` |" in told_
    assert "- `D`: `no answer within its deadline (1000 ms); the chain goes on` (PL-OBSERVE-TIMEOUT)" in told_
    assert "**PL-VETO-DENY** (spec B.3): A veto that answers DENY ends the chain" in told_
    assert '+     {\n+       "role": "ROLE_USER"' in told_
    assert "#3:" not in told_, "nothing is wrong with it"
    assert len(told_) < 6000


def test_what_was_chosen_is_told_whether_or_not_it_went_wrong(tmp_path: Path) -> None:
    """All of it, with everything that was printed meanwhile."""
    path = recorded(tmp_path / "r", told("d1", "A:o", {"A": Says()}), told("d2", "A:o", {"A": "ack"}))
    told_ = text(Format.MARKDOWN, material(path, "1-2"))
    assert "### `pre-model-call` #1" in told_
    assert "### `pre-model-call` #2" in told_
    assert "A stderr | <img src=x onerror=alert(1)>" in told_


# -- Mermaid -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", HOSTILE)
def test_a_label_holds_nothing_that_mermaid_reads(said: str) -> None:
    """No separator, no comment, no keyword alone; what it shows is the text."""
    coded = label(said)
    bare = re.sub(r"#[0-9]+;", "", coded)
    assert not set(bare) & set(';#:<>"%{}[]|`@&\\\n\r\t\x1b\u202e')
    assert re.search(r"(?i)\b(end|note|loop)\b", bare) is None


def test_a_diagram_shows_who_was_asked_and_what_came(plain: Material) -> None:
    """In order; those who were asked together side by side."""
    diagrams = text(Format.MERMAID, plain)
    assert diagrams.count("sequenceDiagram") == 3
    assert "    s3--xhost: no answer after 1000 ms\n    Note right of s3: ◷ timed out PL-OBSERVE-TIMEOUT" in diagrams
    assert "    par A\n        host->>s0: observe, 1000 ms\n" in diagrams
    assert "    Note over s2: not reached because of B\n" in diagrams
    assert "    Note over host: ⊘ DENY by B\n" in diagrams


def test_every_line_of_a_diagram_is_one_statement(hostile: Material) -> None:
    """Whatever stands in names and messages."""
    statement = re.compile(
        r"    ( {4})?(participant \w+ as .+|\w+(->>|-->>|--x)\w+: .+|Note (over|right of) \w+: .+|(par|and) .+|end)"
    )
    lines = [line for line in text(Format.MERMAID, hostile).splitlines() if line.startswith("    ")]
    assert lines
    assert [line for line in lines if not statement.fullmatch(line)] == []


# -- SVG ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", list(View))
@pytest.mark.parametrize("width", [40, 100, 200])
def test_every_view_is_a_well_formed_picture(view: View, width: int, hostile: Material, tmp_path: Path) -> None:
    """Of a dispatch and of each of its steps; nothing in it leads elsewhere, and nothing in it runs."""
    from dataclasses import replace

    one = replace(hostile, numbers={"d1": 1}, events=tuple(e for e in hostile.events if e.dispatch == "d1"))
    for step in ("", "A", "1", "C"):
        root = ElementTree.fromstring(text(Format.SVG, one, Wish(view, step, width)))
        names = {each.tag.rpartition("}")[2] for each in root.iter()}
        assert names <= {"svg", "title", "style", "rect", "text"}
        keys = {key for each in root.iter() for key in each.attrib}
        assert not [key for key in keys if key.startswith("on") or "href" in key]


def test_a_picture_has_the_words_of_the_application(plain: Material) -> None:
    """Chain, spans, why and diff."""
    from dataclasses import replace

    one = replace(plain, numbers={"aaaaaa2": 2}, events=tuple(e for e in plain.events if e.dispatch == "aaaaaa2"))
    root = ElementTree.fromstring(text(Format.SVG, one))
    shown = " ".join(each.text or "" for each in root.iter() if each.tag.endswith("text"))
    for word in ("⊘ DENY", "⊘ denied", "┄ not reached", "PL-VETO-DENY", "#2 plan-ready · all"):
        assert word in shown


def test_what_cannot_be_drawn_is_said_so(plain: Material) -> None:
    """Several at once, nobody's step, a width that is none."""
    with pytest.raises(BadInput, match="a picture shows one dispatch, and there are 3"):
        text(Format.SVG, plain)
    with pytest.raises(BadInput, match="40 to 300 cells wide, not 5"):
        text(Format.SVG, plain, Wish(width=5))
    assert "3 dispatches" in text(Format.SVG, plain, Wish(View.DISPATCHES))


def test_colours_are_those_of_the_application() -> None:
    """Of its default theme, for every emphasis that has a colour of its own."""
    from debugger.export.svg import INKS
    from debugger.views.text import Emphasis

    css = (Path(__file__).parents[3] / "debugger" / "desk" / "desk.tcss").read_text()
    for emphasis in Emphasis:
        if emphasis is Emphasis.NONE:
            continue
        rule = re.search(rf"\.line--{emphasis} {{([^}}]*)}}", css)
        assert rule is not None
        assert INKS[emphasis].is_bold is ("bold" in rule[1])
        assert INKS[emphasis].is_underlined is ("underline" in rule[1])
        assert INKS[emphasis].is_reversed is ("reverse" in rule[1])
        assert INKS[emphasis].is_italic is ("italic" in rule[1])
        assert INKS[emphasis].is_dim is ("dim" in rule[1])


async def test_inks_have_the_values_of_the_theme() -> None:
    """As a widget of the application has them."""
    from textual.app import App, ComposeResult

    from debugger.export.svg import FOREGROUND, INKS
    from debugger.lenses.lines import LineView
    from debugger.views.text import Emphasis

    class Bare(App[None]):
        CSS_PATH = str(Path(__file__).parents[3] / "debugger" / "desk" / "desk.tcss")

        def compose(self) -> ComposeResult:
            yield LineView(id="lines")

    app = Bare()
    async with app.run_test():
        view = app.query_one(LineView)
        wrong = {}
        for emphasis in Emphasis:
            if emphasis in (Emphasis.NONE, Emphasis.DIM, Emphasis.STRONG, Emphasis.SELECTED):
                continue
            style = view.get_component_rich_style(f"line--{emphasis}", partial=True)
            if INKS[emphasis].behind:
                assert style.bgcolor is not None
                expected, found = INKS[emphasis].behind, style.bgcolor.get_truecolor().hex
            else:
                found = FOREGROUND if style.color is None else style.color.get_truecolor().hex
                expected = INKS[emphasis].fill
            if found != expected:
                wrong[str(emphasis)] = found
        assert wrong == {}


# -- JSON Lines --------------------------------------------------------------------------------------------------


def test_facts_are_those_that_fire_prints(plain: Material) -> None:
    """Line for line, in order."""
    lines = text(Format.JSONL, plain).splitlines()
    assert [json.loads(line) for line in lines] == [
        json.loads(json.dumps(to_json(event, named("pluggable")))) for event in plain.events
    ]


def test_where_bytes_were_replaced_a_line_says_so(tmp_path: Path) -> None:
    """A member `redacted` names them; what it names is base64 of JSON."""
    import base64

    view = {"call": {"id": "c", "tool_name": "t", "arguments": {"password": "hunter22"}}}
    fired = PLUGGABLE.payload_from_view("pre-tool-call", view)  # type: ignore[arg-type]  # JSON
    path = recorded(tmp_path / "r", told("d", "A:v", {"A": "allow"}, point="pre-tool-call", fired=fired))
    facts = [json.loads(line) for line in text(Format.JSONL, material(path)).splitlines()]
    [asked] = [fact for fact in facts if fact["fact"] == "asked"]
    assert asked["redacted"] == ["request"]
    assert json.loads(base64.b64decode(asked["request"]))["$redacted"]["call"]["arguments"] == {
        "password": "[redacted:password#1]"
    }
    assert [fact["fact"] for fact in facts if "redacted" in fact] == ["asked"]


@pytest.mark.parametrize("dialect", ["pluggable", "hookbus", "rig"])
def test_every_dispatch_of_the_conformance_suite_can_be_exported(dialect: str, tmp_path: Path) -> None:
    """In every format for people, redacted; nothing about a dialect is special."""
    runs, switches = [], {}
    for number, (_, events, stood) in enumerate(conformance(dialect)):
        from dataclasses import replace

        if number % 3 == 0 and len(runs) < 60:
            runs.append([replace(event, dispatch=f"{event.dispatch}-{number}") for event in events])
            switches = dict(stood)
    path = recorded(tmp_path / "r.hookscope", *runs, dialect=dialect, switches=switches)
    whole = material(path)
    assert len(whole.dispatches) == len(runs)
    page = text(Format.HTML, whole)
    assert len(re.findall(r"<details id=d[0-9]+ class=d[ >]", page)) == len(runs)
    assert text(Format.MARKDOWN, whole).startswith("## hookscope: ")
    assert text(Format.JSONL, whole).count("\n") == sum(map(len, runs))
    for number in range(1, len(runs) + 1, 7):
        one = material(path, str(number))
        assert text(Format.MERMAID, one).startswith("sequenceDiagram\n")
        for view in (View.ALL, View.DIFF, View.SIDES, View.BLAME, View.SPAN):
            ElementTree.fromstring(text(Format.SVG, one, Wish(view)))


def test_a_recording_can_be_told_that_does_not_say_where_it_comes_from(tmp_path: Path) -> None:
    """Without version and configuration, and with everything else."""
    from debugger.store.writer import Writer

    [events] = scripted("""
scenario: s
dialect: hookbus
subscribers: [{name: a, point: before_tool_call, mode: handle, stub: continue}]
fire: [{point: before_tool_call}]
""")
    with Writer(tmp_path / "r", about={}) as writer:
        for event in events:
            writer.see(event)
    with Recording(tmp_path / "r") as recording:
        assert recording.about == {}
    assert "1 dispatches" in text(Format.HTML, material(tmp_path / "r"))
