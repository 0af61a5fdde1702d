"""Where the cursor is in JSON that is seldom whole: in which container, at a name or a value, beside which members.

Pure. Read by tokens up to the cursor, and on to the end of the container around it; commas that are missing are read as
if they were there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from kernel.shapes import Shape, inside
from kernel.values import JSON

_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')
Step: TypeAlias = str | int


class Next(Enum):
    """What may come next inside a container."""

    KEY = "a member's name, or the end"
    COLON = "a colon"
    VALUE = "a value"
    COMMA = "a comma, or the end"


@dataclass(slots=True)
class Frame:
    """A container that is open; the outermost one is the text itself."""

    kind: str
    """`{`, `[`, or nothing for the text."""
    shape: Shape | None
    path: tuple[Step, ...]
    next: Next
    key: str = ""
    index: int = 0
    members: dict[str, JSON] = field(default_factory=dict)
    """Those that there are; null for what is no plain value."""
    text: str | None = None
    """The last value, where it was a text: it may turn out to be a name whose comma is missing."""

    @property
    def step(self) -> Step:
        return self.key if self.kind == "{" else self.index

    def value_shape(self) -> Shape | None:
        """What the next value can be."""
        if not self.kind:
            return self.shape
        return None if self.shape is None else inside(self.shape, self.step, self.members.get)

    def has_value(self, value: JSON) -> None:
        """A value has come."""
        if self.kind == "{":
            self.members[self.key] = value
        self.next = Next.COMMA
        self.text = value if isinstance(value, str) else None

    def has_name(self, name: str) -> None:
        """The name of a member has come."""
        self.key, self.next = name, Next.COLON
        self.members.setdefault(name, None)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the cursor is."""

    frame: Frame
    next: Next
    key: str
    index: int
    written: str
    """What is there already, up to the cursor, without a quote in front."""
    start: int
    end: int
    after: int
    """Where the token before it ends: a comma that is missing belongs there."""


def spot_at(text: str, cursor: int, shape: Shape) -> Spot | None:
    """Read up to the cursor, and on to the end of the container around it, to know which members there are."""
    frames = [Frame("", shape, (), Next.VALUE)]
    before = 0
    tokens = _TOKEN.finditer(text)
    for token in tokens:
        here = frames[-1]
        if _is_inside(token, cursor):
            spot = _found(here, text[token.start() : cursor], token.start(), token.end(), before)
            if here.next is Next.KEY:  # its own name does not stand in its way
                here.next = Next.COLON
            else:
                _read(frames, token[0])
            break
        if token.end() > cursor:
            start, end = _replaced(text, here, token, cursor)
            if end < 0:
                return None
            spot = _found(here, "", start, end, before)
            _read(frames, token[0])
            break
        _read(frames, token[0])
        before = token.end()
    else:
        return _found(frames[-1], "", cursor, cursor, before)
    while spot is not None and any(each is spot.frame for each in frames):
        token_after = next(tokens, None)
        if token_after is None:
            break
        _read(frames, token_after[0])
    return spot


def _replaced(text: str, here: Frame, token: re.Match[str], cursor: int) -> tuple[int, int]:
    """What is replaced at a gap: nothing, or the plain value that stands there already; (-1, -1) before a container."""
    is_value = here.next is Next.VALUE and here.kind != "[" and token[0] not in "}]:,"
    if not is_value or (token[0][0] == '"' and text[token.end() :].lstrip()[:1] == ":"):
        return cursor, cursor
    return (-1, -1) if token[0] in "{[" else token.span()


def _is_inside(token: re.Match[str], cursor: int) -> bool:
    """Whether whoever types at the cursor goes on with this token."""
    if token[0] in "{}[],:":
        return False
    is_closed = token[0][0] == '"' and len(token[0]) > 1 and token[0].endswith('"')
    return token.start() < cursor < token.end() or (cursor == token.end() and not is_closed)


def _found(frame: Frame, written: str, start: int, end: int, after: int) -> Spot | None:
    next_ = frame.next
    if next_ is Next.COLON:
        return None
    if next_ is Next.COMMA:
        if not frame.kind:
            return None
        next_ = Next.KEY if frame.kind == "{" else Next.VALUE
        return Spot(frame, next_, frame.key, frame.index + 1, written.removeprefix('"'), start, end, after)
    return Spot(frame, next_, frame.key, frame.index, written.removeprefix('"'), start, end, after)


def _read(frames: list[Frame], token: str) -> None:
    """Take in one token; what makes no sense where it stands is passed over."""
    here = frames[-1]
    match token[0]:
        case "{" | "[" as kind:
            if here.next is not Next.VALUE:
                return
            path = (*here.path, here.step) if here.kind else ()
            frames.append(Frame(kind, here.value_shape(), path, Next.KEY if kind == "{" else Next.VALUE))
        case "}" | "]" as end:
            if here.kind == {"}": "{", "]": "["}[end]:
                frames.pop()
                frames[-1].has_value(None)
        case ",":
            if here.kind:
                here.index += 1
                here.next = Next.KEY if here.kind == "{" else Next.VALUE
        case ":":
            if here.next is Next.COMMA and here.kind == "{" and here.text is not None:
                here.members[here.key] = None
                here.has_name(here.text)
            if here.next is Next.COLON:
                here.next = Next.VALUE
        case '"' if here.kind == "{" and here.next is not Next.VALUE:
            here.has_name(str(_plain(token)))
        case _ if here.next is Next.VALUE:
            here.has_value(_plain(token))
        case _:
            pass


def _plain(token: str) -> JSON:
    """The plain value that a token is; the text itself where it is none."""
    try:
        value: JSON = json.loads(token)
    except ValueError:
        return token.strip('"')
    return value
