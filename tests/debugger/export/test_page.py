"""Claims about the exported page: it needs nothing else, runs nothing but its own script, and shows text as text."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from exported_runs import material, recorded, told
from test_export_formats import HOSTILE, Says, hostile, text

from debugger.export.formats import Format
from debugger.export.material import Material
from debugger.export.page import POLICY
from debugger.views.text import visible
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Decided, Entered, Event, Left

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
IN_BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: the page is not looked at in a browser")
assert hostile  # a fixture


class Seen(HTMLParser):
    """The elements, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_hostile_text_is_shown_literally(hostile: Material) -> None:
    """One script, which is ours; no element that we did not write; and every text is there."""
    seen = Seen(text(Format.HTML, hostile))
    tags = [tag for tag, _ in seen.elements]
    assert tags.count("script") == 1
    assert not {"img", "iframe", "object", "link", "form", "base", "embed", "svg"} & set(tags)
    assert not [name for _, attributes in seen.elements for name in attributes if name.startswith("on")]
    whole = "".join(seen.texts)
    assert [said for said in HOSTILE if "\n" not in said and visible(said) not in whole] == []


def test_the_policy_allows_our_script_and_style_by_their_hash_and_nothing_else(hostile: Material) -> None:
    """No network, no other script, no form; the hashes are those of what stands in the page."""
    page = text(Format.HTML, hostile)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert html.unescape(policy) == POLICY
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in POLICY
    for tag in ("script", "style"):
        [inline] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in POLICY
    assert re.findall(r"(?:https?:)?//[a-z]", re.sub(r"<script>.*?</script>", "", page, flags=re.S)) == []


def test_every_link_leads_to_something_in_the_page(hostile: Material) -> None:
    """No id is there twice."""
    seen = Seen(text(Format.HTML, hostile))
    ids = [attributes["id"] for _, attributes in seen.elements if "id" in attributes]
    links = [str(attributes["href"]) for tag, attributes in seen.elements if tag == "a"]
    assert len(ids) == len(set(ids))
    assert links
    assert [link for link in links if link.removeprefix("#") not in ids] == []


def test_what_is_alike_is_told_once(tmp_path: Path) -> None:
    """A thousand dispatches, of which nine in ten are alike, fit into two megabytes."""
    runs = []
    for number in range(1000):
        fired = PLUGGABLE.sample_payload("pre-model-call", number if number % 10 == 0 else 0)
        says = {"A": "ack", "B": "+x", "C": "ack", "D": "ack"}
        runs.append(told(f"d{number}", "A:o B:t C:o D:o", says, fired=fired))
    page = text(Format.HTML, material(recorded(tmp_path / "r", *runs)))
    assert page.count("<summary>fired</summary>") == 101 - 1
    assert len(page.encode()) < 2_000_000


def test_stretches_hold_what_happened_in_them(tmp_path: Path) -> None:
    """Sessions, turns, decisions and dispatches in the order in which they began; also where only one was chosen."""
    events = [
        Event("s", 0, 0, Entered("pluggable", "session", "session", "", 1, {"model": "m"})),
        Event("t", 0, 0, Entered("pluggable", "turn", "turn 1", "s", 1)),
        *told("d1", "A:o", {"A": "ack"}, parent="t"),
        Event("t", 1, 1, Decided("fs.write", "allow", "policy:default", "PL-GATE-POLICY", "it says so")),
        Event("t", 2, 1, Left()),
        *told("d2", "A:o", {"A": "ack"}, parent="s"),
        Event("s", 1, 1, Left("it broke", {"turns": 1})),
    ]
    path = recorded(tmp_path / "r", events)
    page = text(Format.HTML, material(path))
    places = [
        page.index(part)
        for part in ("<summary>session", "✗ it broke", "<summary>turn 1", "id=d1 ", "fs.write", "id=d2 ")
    ]
    assert places == sorted(places)
    one = text(Format.HTML, material(path, "1"))
    assert "<summary>turn 1" in one
    assert "id=d1 " in one
    assert "id=d2 " not in one
    assert "1 of 2 dispatches" in one


# -- in a browser ------------------------------------------------------------------------------------------------


def in_browser(page: str, folder: Path, fragment: str = "") -> str:
    """The page as Chromium has it once it is loaded."""
    (folder / "page.html").write_text(page)
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    command.append(f"{(folder / 'page.html').as_uri()}{fragment}")
    done = subprocess.run(command, capture_output=True, timeout=90, check=True)
    return done.stdout.decode()


def is_hidden(dom: str, number: int) -> bool:
    [tag] = re.findall(rf'<details id="d{number}"[^>]*>', dom)
    return "hidden" in tag


@IN_BROWSER
def test_in_a_browser_no_text_becomes_markup(hostile: Material, tmp_path: Path) -> None:
    """The page has the elements that we wrote, its own script ran, and no other."""
    page = text(Format.HTML, hostile)
    dom = in_browser(page, tmp_path)
    assert sorted(tag for tag, _ in Seen(dom).elements) == sorted(tag for tag, _ in Seen(page).elements)
    assert '<div id="find">' in dom, "our script showed the search box"


@IN_BROWSER
def test_in_a_browser_the_policy_keeps_a_foreign_script_from_running(hostile: Material, tmp_path: Path) -> None:
    """Even if a bug of ours let one through."""
    page = text(Format.HTML, hostile)
    broken = page.replace(
        "</main>", '<script>document.title="run"</script><img src=x onerror="document.title=1"></main>'
    )
    assert "<title>run" not in in_browser(broken, tmp_path)
    assert "<title>hookscope" in in_browser(broken, tmp_path)


@IN_BROWSER
def test_in_a_browser_the_search_leaves_what_fits(tmp_path: Path) -> None:
    """By every word, wherever it stands: also in a payload that was told at another dispatch."""
    runs = (
        told("d1", "A:o B:v", {"A": "ack", "B": "deny"}, point="plan-ready"),
        told("d2", "A:o", {"A": Says()}),
        told("d3", "A:o", {"A": "ack"}),
    )
    page = text(Format.HTML, material(recorded(tmp_path / "r", *runs)))
    dom = in_browser(page, tmp_path, "#q=onerror%20stderr")
    assert [is_hidden(dom, number) for number in (1, 2, 3)] == [True, False, True]
    assert "1 of 3" in dom
    dom = in_browser(page, tmp_path, "#q=ROLE_ASSISTANT")
    assert [is_hidden(dom, number) for number in (1, 2, 3)] == [True, False, False], "d3 says: as in #2"
    dom = in_browser(page, tmp_path)
    assert [is_hidden(dom, number) for number in (1, 2, 3)] == [False, False, False]


@IN_BROWSER
def test_in_a_browser_a_link_opens_what_it_leads_to(tmp_path: Path) -> None:
    """Whatever it is folded into."""
    runs = [told(f"d{number}", "A:o B:t", {"A": "ack", "B": "+x"}) for number in range(8)]
    page = text(Format.HTML, material(recorded(tmp_path / "r", *runs)))
    assert re.search(r'<details id="x0"[^>]*open', in_browser(page, tmp_path, "#x0"))
    assert re.search(r'<details id="d1"[^>]*open', in_browser(page, tmp_path, "#x0"))
    assert not re.search(r'<details id="d1"[^>]*open', in_browser(page, tmp_path))


@IN_BROWSER
def test_without_script_the_page_is_readable(hostile: Material, tmp_path: Path) -> None:
    """Nothing is missing but the search."""
    page = text(Format.HTML, hostile)
    dom = in_browser(re.sub(r"script-src [^;]*;", "script-src &#x27;none&#x27;;", page), tmp_path)
    assert '<div id="find" hidden' in dom
    assert dom.count("<summary>") == page.count("<summary>")
