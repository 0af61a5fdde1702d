"""Pieces of the exported page: text, lines, blocks that are told once. Pure; everything is escaped here."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from debugger.views.states import SeatState
from debugger.views.text import Emphasis, Kind, Line, Segment, visible

LINES = 2_000
"""Lines of one block; what is left out is said."""
_OF_KIND = {Kind.ADDED: "la", Kind.REMOVED: "lr"}


def text(said: str) -> str:
    """Text from anywhere, literally: markup, control characters and reading directions are written out."""
    return escape(_writable(said), quote=False)


def attribute(said: str) -> str:
    """The same between the quotes of an attribute."""
    return escape(_writable(said), quote=True)


def _writable(said: str) -> str:
    return visible(said).replace("\ufffe", "?").replace("\uffff", "?")


def hash_of(inline: str) -> str:
    """How a policy names an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()}'"


def segments(parts: Iterable[Segment]) -> str:
    """Stretches of a line; those that say no more than a text get no element of their own."""
    return "".join(_segment(part) for part in parts)


def _segment(part: Segment) -> str:
    said = text(part.text)
    if not said or part.emphasis in (Emphasis.NONE, Emphasis.STRING):
        return said
    return f"<span class={part.emphasis}>{said}</span>"


def lines(shown: Sequence[Line], *, is_plain: bool = False) -> str:
    """Lines as a block; plain ones without marks and emphasis."""
    kept = shown[:LINES]
    body = "\n".join(text(each.text) if is_plain else _line(each) for each in kept)
    if len(shown) > LINES:
        body += f"\n… {len(shown) - LINES} more lines"
    return f"<pre>{body}</pre>"


def _line(line: Line) -> str:
    kind, said = _OF_KIND.get(line.kind), f"{line.mark} {segments(line.segments)}"
    return f"<span class={kind}>{said}</span>" if kind else said


def printed(texts: Sequence[str]) -> str:
    """Lines that somebody wrote."""
    kept = texts[-LINES:]
    left_out = [f"… {len(texts) - LINES} lines before"] if len(texts) > LINES else []
    return "<pre>" + "\n".join(map(text, (*left_out, *kept))) + "</pre>"


def details(
    summary: str, body: Iterable[str], *, named: str = "", kind: str = "", is_open: bool = False
) -> Iterator[str]:
    """Something to open; what is given is markup already, `named` and `kind` are words of ours."""
    attributes = (f" id={named}" if named else "") + (f" class={kind}" if kind else "")
    yield f"<details{attributes}{' open' if is_open else ''}><summary>{summary}</summary>"
    yield from body
    yield "</details>\n"


class Once:
    """Tells each block once and afterwards points to it: payloads, diffs and answers are mostly alike."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, ...], tuple[str, str]] = {}

    def block(self, key: tuple[str, ...], title: str, body: Iterable[str], where: str) -> Iterator[str]:
        """A block with its title, or a link to where it was told; `where` is that place for people."""
        if key in self._told:
            name, first = self._told[key]
            yield f"<p>{text(title)}: <a href=#{name}>as in {text(first)}</a>"
            return
        name = f"x{len(self._told)}"
        self._told[key] = (name, where)
        yield from details(text(title), body, named=name)


BAR = 40
"""Steps in which a bar is drawn; the page's style has a class for each."""


def bar(start: float, length: float, look: str) -> str:
    """When something happened, as parts of the whole."""
    left = min(BAR - 1, int(start * BAR))
    wide = max(1, min(BAR - left, round(length * BAR)))
    shift = f" l{left}" if left else ""
    return f'<i class="b {look}{shift} w{wide}"></i>'


STATES = {
    SeatState.OK: "ok",
    SeatState.CHANGED: "changed",
    SeatState.DENIED: "denied",
    SeatState.ERROR: "error",
    SeatState.TIMED_OUT: "error",
}
"""Class of the states that have a colour."""
