"""What may be written at the cursor in JSON that somebody is writing, and that is seldom whole. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from debugger.json_spot import Next, Spot, Step, spot_at
from kernel.shapes import Anything, Either, Listing, Member, Object, Plain, Shape, Word, fits, inside, members_of

MOST: Final = 50


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that may be written."""

    name: str
    """What it is called in the list."""
    text: str
    """What is written for it."""
    detail: str = ""
    back: int = 0
    """How many characters before its end the cursor goes."""
    goes_on: bool = False
    """Whether what comes next can be offered right away."""


@dataclass(frozen=True, slots=True)
class Offers:
    """What may stand in the place of a stretch of the text, the likeliest first."""

    start: int
    end: int
    offers: tuple[Offer, ...] = ()
    path: tuple[Step, ...] = ()
    """Where that is, for people."""


def offers(text: str, cursor: int, shape: Shape) -> Offers:
    """What may be written at a place between two characters, counted from 0; nothing where nothing is known."""
    spot = spot_at(text, max(0, min(cursor, len(text))), shape)
    if spot is None:
        return Offers(cursor, cursor)
    found = _by_key(text, spot) if spot.next is Next.KEY else _by_value(text, spot)
    path = spot.frame.path if spot.next is Next.KEY else (*spot.frame.path, *_step(spot))
    return Offers(spot.after if _is_comma_missing(text, spot) else spot.start, spot.end, found, path)


def _step(spot: Spot) -> tuple[Step, ...]:
    return () if not spot.frame.kind else (spot.key if spot.frame.kind == "{" else spot.index,)


def _by_key(text: str, spot: Spot) -> tuple[Offer, ...]:
    """Members that are not there yet and that nothing there excludes."""
    shape, there = spot.frame.shape, spot.frame.members
    if shape is None:
        return ()
    known = members_of(shape)
    taken = {each.group for each in known if each.name in there and each.group}
    candidates: dict[str, Member] = {}
    for each in known:
        if each.name not in there and each.group not in taken and fits(each, there.get):
            candidates.setdefault(each.name, each)
    has_colon = text[spot.end :].lstrip()[:1] == ":"
    lead = _comma_before(text, spot)
    tail = "" if has_colon else _comma_after(text, spot)
    found = [_member(each, has_colon=has_colon) for each in candidates.values()]
    return tuple(_joined(each, lead, tail) for each in _narrowed(found, spot.written))


def _member(member: Member, *, has_colon: bool) -> Offer:
    told = [f"{member.shape.says}{' or null' if member.is_nullable else ''}"]
    told += ["needed"] if member.is_needed else []
    told += [member.detail] if member.detail else []
    detail = ", ".join(told)
    name = json.dumps(member.name, ensure_ascii=False)
    if has_colon:
        return Offer(member.name, name, detail)
    blank = _blank(member.shape)
    if blank is None:
        return Offer(member.name, f"{name}: ", detail, goes_on=True)
    return Offer(member.name, f"{name}: {blank}", detail, back=1 if blank[-1] in '}]"' else 0)


def _blank(shape: Shape) -> str | None:
    """What one begins a value with, where there is no choice."""
    match shape:
        case Plain(blank=blank, words=()):
            return json.dumps(blank)
        case Object():
            return "{}"
        case Listing():
            return "[]"
        case _:
            return None


def _by_value(text: str, spot: Spot) -> tuple[Offer, ...]:
    """Words, and what containers begin with."""
    member = _member_at(spot)
    shape = member.shape if member is not None else _shape_at(spot)
    if shape is None:
        return ()
    found = list(_values(shape))
    if member is not None and member.is_nullable:
        found.append(Offer("null", "null", "not the same as leaving it out"))
    lead, tail = _comma_before(text, spot), _comma_after(text, spot)
    return tuple(_joined(each, lead, tail) for each in _narrowed(found, spot.written))


def _shape_at(spot: Spot) -> Shape | None:
    frame = spot.frame
    if not frame.kind:
        return frame.shape
    if frame.shape is None:
        return None
    return inside(frame.shape, spot.key if frame.kind == "{" else spot.index, frame.members.get)


def _member_at(spot: Spot) -> Member | None:
    if spot.frame.kind != "{" or spot.frame.shape is None:
        return None
    for each in members_of(spot.frame.shape):
        if each.name == spot.key and fits(each, spot.frame.members.get):
            return each
    return None


def _values(shape: Shape) -> Iterator[Offer]:
    match shape:
        case Plain(says, blank, words):
            for word in words:
                yield _word(word)
            if not words:
                yield Offer(json.dumps(blank), json.dumps(blank), says, back=1 if isinstance(blank, str) else 0)
        case Object(says):
            yield Offer("{}", "{}", says, back=1)
        case Listing(says):
            yield Offer("[]", "[]", says, back=1)
        case Either(options):
            for option in options:
                yield from _values(option)
        case Anything(says):
            yield Offer('""', '""', says, back=1)
            yield Offer("{}", "{}", says, back=1)
            yield Offer("[]", "[]", says, back=1)


def _word(word: Word) -> Offer:
    text = json.dumps(word.value, ensure_ascii=False)
    return Offer(word.value if isinstance(word.value, str) else text, text, word.detail)


def _narrowed(found: Iterable[Offer], written: str) -> list[Offer]:
    """Those that go on with what is written, then those that have it in them; in either, as they come."""
    wanted = written.casefold()
    rated: list[list[Offer]] = [[], []]
    for each in found:
        name = each.name.strip('"').casefold()
        if name.startswith(wanted):
            rated[0].append(each)
        elif wanted in name:
            rated[1].append(each)
    return (rated[0] + rated[1])[:MOST]


def _joined(offer: Offer, lead: str, tail: str) -> Offer:
    """With the commas that are missing around it."""
    if not lead and not tail:
        return offer
    return Offer(offer.name, f"{lead}{offer.text}{tail}", offer.detail, offer.back + len(tail), goes_on=offer.goes_on)


def _comma_before(text: str, spot: Spot) -> str:
    """A comma, where the value before has none yet: right behind it, and then whatever stands between."""
    if not _is_comma_missing(text, spot):
        return ""
    return f",{text[spot.after : spot.start] or ' '}"


def _is_comma_missing(text: str, spot: Spot) -> bool:
    return text[: spot.after].rstrip()[-1:] not in ("{", "[", ",", ":", "")


def _comma_after(text: str, spot: Spot) -> str:
    """A comma, where something comes behind."""
    following = text[spot.end :].lstrip()[:1]
    return "" if following in ("}", "]", ",", ":", "") else ","
