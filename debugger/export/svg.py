"""Lines as a picture: SVG that needs no font of ours and no network, in the colours of the application. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Final

from rich.cells import cell_len

from debugger.views.text import Emphasis, Segment, visible

CELL_W, CELL_H = 8.4, 18
"""Pixels of one cell, for a font of 14 pixels."""
MARGIN = 14
HEAD = 30
"""Pixels above the first line, for the title."""
BACKGROUND, FOREGROUND, BORDER = "#121212", "#e0e0e0", "#4f4f4f"


@dataclass(frozen=True, slots=True)
class Ink:
    """How an emphasis is drawn."""

    fill: str = FOREGROUND
    is_bold: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_dim: bool = False
    is_reversed: bool = False
    behind: str = ""
    """Colour of the cells; empty for that of the picture."""


INKS: Final[Mapping[Emphasis, Ink]] = MappingProxyType(
    {
        Emphasis.NONE: Ink(),
        Emphasis.ADDED: Ink("#8ad4a1"),
        Emphasis.REMOVED: Ink("#d17e92"),
        Emphasis.SUBTLE: Ink("#ffc473", is_underlined=True),
        Emphasis.DIM: Ink(is_dim=True),
        Emphasis.KEY: Ink("#ffc473"),
        Emphasis.STRING: Ink(),
        Emphasis.NUMBER: Ink("#57a5e2"),
        Emphasis.CONSTANT: Ink("#5684a5", is_italic=True),
        Emphasis.STRONG: Ink(is_bold=True),
        Emphasis.SELECTED: Ink(is_bold=True, is_reversed=True),
        Emphasis.ACCENT: Ink("#ffc473", is_bold=True),
        Emphasis.OK: Ink("#8ad4a1"),
        Emphasis.CHANGED: Ink("#ffc473"),
        Emphasis.DENIED: Ink("#d17e92", is_bold=True),
        Emphasis.ERROR: Ink("#d17e92", is_bold=True),
        Emphasis.RUNNING: Ink("#57a5e2", is_bold=True),
        Emphasis.HELD: Ink("#ffc473", is_bold=True),
        Emphasis.ALARM: Ink(is_bold=True, behind="#b93c5b"),
    }
)
"""As the application's own theme has them; a test compares."""
_KEPT: Final = "white-space:pre"


def svg(title: str, lines: Sequence[Sequence[Segment]]) -> str:
    """The lines under a title, as wide as the widest of them."""
    cells = max([cell_len(visible(title)) + 4, *(sum(cell_len(part.text) for part in line) for line in lines)])
    width, height = cells * CELL_W + 2 * MARGIN, len(lines) * CELL_H + HEAD + MARGIN
    drawn = "\n".join("".join(_line(line, place)) for place, line in enumerate(lines))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img" \
viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">
<title>{_text(title)}</title>
<style>{_style()}</style>
<rect x="1" y="1" width="{width - 2:g}" height="{height - 2:g}" rx="8" fill="{BACKGROUND}" stroke="{BORDER}"/>
<text class="strong" x="{MARGIN}" y="{HEAD - 10}">{_text(title)}</text>
{drawn}
</svg>
"""


def _style() -> str:
    rules = [f"text{{font:14px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:{FOREGROUND};{_KEPT}}}"]
    rules += [f".{emphasis}{{{_declared(ink)}}}" for emphasis, ink in INKS.items() if emphasis is not Emphasis.NONE]
    return "".join(rules)


def _declared(ink: Ink) -> str:
    said = [f"fill:{BACKGROUND if ink.is_reversed else ink.fill}"]
    said += ["font-weight:bold"] if ink.is_bold else []
    said += ["font-style:italic"] if ink.is_italic else []
    said += ["text-decoration:underline"] if ink.is_underlined else []
    said += ["opacity:.6"] if ink.is_dim else []
    return ";".join(said)


def _line(line: Sequence[Segment], place: int) -> Iterator[str]:
    """One text for each stretch, each as wide as its cells: whatever the font, columns stay columns."""
    column = 0
    top = HEAD + place * CELL_H
    for part in line:
        cells = cell_len(part.text)
        x, width = MARGIN + column * CELL_W, cells * CELL_W
        column += cells
        ink = INKS[part.emphasis]
        if behind := ink.fill if ink.is_reversed else ink.behind:
            yield f'<rect x="{x:g}" y="{top}" width="{width:g}" height="{CELL_H}" fill="{behind}"/>'
        if part.text.strip():
            named = "" if part.emphasis is Emphasis.NONE else f' class="{part.emphasis}"'
            fitted = f' textLength="{width:g}" lengthAdjust="spacingAndGlyphs"'
            yield f'<text{named} x="{x:g}" y="{top + 14}"{fitted}>{_text(part.text)}</text>'


def _text(said: str) -> str:
    """Text as XML: what cannot be seen is written out, and so never what XML cannot hold."""
    return escape(visible(said).replace("\ufffe", "?").replace("\uffff", "?"), quote=True)
