"""Text, JSON and bytes with their secrets replaced. Whatever has none comes back as it was, the very same object."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from debugger.covering.keys import INNOCENT, KeyRule, Names
from debugger.redaction import shapes
from debugger.redaction.ledger import PLACEHOLDER, Count, Ledger
from debugger.redaction.places import Path, shown
from debugger.redaction.rules import PLACE, Rules
from debugger.redaction.shapes import Hit, is_worth_hiding
from kernel.values import JSON

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey|digest|negotiate)[ ]+(?=\S)")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_NAMING = ("name", "key", "header", "variable")
"""Members that may say what the member `value` beside them is."""
DEEPEST = 200
"""Levels of JSON inside of JSON inside of texts that are looked into."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where in a value, and whether all of it is secret there."""

    kind: str
    path: Path = ()
    rule: KeyRule | None = None
    is_allowed: bool = False

    def inner(self, step: str | int) -> _Spot:
        return _Spot(self.kind, (*self.path, step), self.rule, self.is_allowed)


_AT_A_PLACE = KeyRule(PLACE, (), hides_numbers=True, hides_all=True)


@dataclass
class Redactor:
    """Replaces secrets. Remembers those that it saw, so that equal ones get equal placeholders.

    Whoever can read everything twice learns first: `learn` by redacting it all, then `settle`. Then a secret is found
    everywhere that was told by its surroundings in one place only. Not for use from several threads at once.
    """

    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        self._ledger = Ledger(self.rules.values)
        self._names = Names(self.rules.keys, (*INNOCENT, *self.rules.allowed.keys))
        self._short_hits = lru_cache(maxsize=8192)(self._hits_anew)

    def settle(self) -> None:
        """Everything was seen once; what comes now is the same again, and its secrets are known."""
        self._ledger.settle()

    @property
    def counts(self) -> tuple[Count, ...]:
        """What was found since it settled, or ever."""
        return self._ledger.counts

    @property
    def secrets(self) -> int:
        """How many different secrets that was."""
        return self._ledger.secrets

    @property
    def known(self) -> int:
        """How many secrets it knows by now; grows while it learns."""
        return self._ledger.known

    def secret(self, secret: str, rule: str, kind: str) -> str:
        """The placeholder for something that is secret as a whole."""
        return self._ledger.placeholder(secret, rule, kind)

    # -- text ----------------------------------------------------------------------------------------------------

    def text(self, text: str, kind: str, place: str = "") -> str:
        """A text from outside; `kind` says what it is, for the counts."""
        return self._text(text, kind, place, in_bytes=False)

    def _text(self, text: str, kind: str, place: str, *, in_bytes: bool) -> str:
        if len(text) < 3:
            return text
        parts, at = [], 0
        for earlier in PLACEHOLDER.finditer(text):
            self._ledger.notice(earlier[1], int(earlier[2]))
            parts += [self._stretch(text[at : earlier.start()], kind, place, in_bytes), earlier[0]]
            at = earlier.end()
        parts.append(self._stretch(text[at:], kind, place, in_bytes))
        whole = "".join(parts)
        return text if whole == text else whole

    def _stretch(self, text: str, kind: str, place: str, in_bytes: bool) -> str:
        echoed = {(hit.start, hit.end): secret for hit, secret in self._ledger.echoes(text)}
        hits = [Hit(start, end, "") for start, end in echoed] + self._hits(text, in_bytes)
        out, at = [], 0
        for hit in shapes.merged(hits):
            secret = echoed.get((hit.start, hit.end), text[hit.start : hit.end])
            if secret in self.rules.allowed.values:
                continue
            out += [text[at : hit.start], self._ledger.placeholder(secret, hit.rule or _joined(hit, hits), kind, place)]
            at = hit.end
        return "".join((*out, text[at:])) if out else text

    def _hits(self, text: str, in_bytes: bool) -> list[Hit]:
        return self._short_hits(text, in_bytes) if len(text) <= 200 else self._hits_anew(text, in_bytes)

    def _hits_anew(self, text: str, in_bytes: bool) -> list[Hit]:
        return shapes.hits(text, self.rules.text, in_bytes=in_bytes)

    def wire(self, body: bytes, kind: str) -> bytes:
        """Bytes of which nobody knows what they are. Afterwards they may not be what they were, but hold no secret."""
        if not body:
            return body
        try:
            text = body.decode()
        except UnicodeDecodeError:
            text = body.decode("latin-1")
            found = self._text(text, kind, "", in_bytes=True)
            return body if found is text else found.encode("latin-1", errors="replace")
        found = self._text(text, kind, "", in_bytes=True)
        return body if found is text else found.encode()

    def is_clean(self, body: bytes) -> bool:
        """Whether nothing secret stands in these bytes. Counts nothing."""
        for text in _readings(body):
            for stretch in _between_placeholders(text):
                found = [stretch[hit.start : hit.end] for hit in self._hits(stretch, in_bytes=True)]
                found += [secret for _, secret in self._ledger.echoes(stretch)]
                if any(secret not in self.rules.allowed.values for secret in found):
                    return False
        return True

    # -- JSON ----------------------------------------------------------------------------------------------------

    def json(self, value: JSON, kind: str) -> JSON:
        """A JSON value: by its keys, its places and its texts. What is left of it has the same shape."""
        return self._value(value, _Spot(kind))

    def mapping(self, members: dict[str, JSON], kind: str) -> dict[str, JSON]:
        """A JSON object."""
        found = self._value(members, _Spot(kind))
        assert isinstance(found, dict)
        return found

    def _value(self, value: JSON, spot: _Spot) -> JSON:
        if len(spot.path) > DEEPEST:
            return "[redacted:depth#1]"  # deeper than any of our dialects can send
        if self.rules.places and spot.path and any(place.fits(spot.path) for place in self.rules.places):
            spot = _Spot(spot.kind, spot.path, _AT_A_PLACE, spot.is_allowed)
        allowed = self.rules.allowed.places
        if allowed and any(place.fits(spot.path) for place in allowed):
            spot = _Spot(spot.kind, spot.path, None, is_allowed=True)
        match value:
            case str():
                return self._string(value, spot)
            case dict():
                return self._object(value, spot)
            case list():
                return self._list(value, spot)
            case bool() | None:
                return value
            case int() | float():
                return self._number(value, spot)

    def _string(self, text: str, spot: _Spot) -> str:
        if spot.is_allowed or not text or text in self.rules.allowed.values:
            return text
        place = shown(spot.path)
        rule = spot.rule
        if rule is not None and (rule.hides_all or is_worth_hiding(text)) and PLACEHOLDER.search(text) is None:
            scheme = _SCHEME.match(text)
            head = scheme[0] if scheme is not None and not rule.hides_all else ""
            return head + self._ledger.placeholder(text[len(head) :], rule.name, spot.kind, place)
        if (found := self._inside(text, spot)) is not None:
            return found
        return self._text(text, spot.kind, place, in_bytes=False)

    def _inside(self, text: str, spot: _Spot) -> str | None:
        """A text that is JSON, or base64 of something, with what is inside of it redacted; None where it is neither."""
        if text[:1] in "{[" and text.rstrip()[-1:] in ("}", "]") and len(spot.path) < DEEPEST // 2:
            try:
                value: JSON = json.loads(text)
            except (ValueError, RecursionError):
                return None
            found = self._value(value, spot)
            return None if found == value else json.dumps(found, ensure_ascii=False)
        if _BASE64.fullmatch(text):
            try:
                body = base64.b64decode(text.translate(_URL_SAFE) + "=" * (-len(text) % 4), validate=True)
            except (binascii.Error, ValueError):
                return None
            if not self.is_clean(body):
                return base64.b64encode(self.wire(body, spot.kind)).decode()
        return None

    def _number(self, value: int | float, spot: _Spot) -> JSON:
        if spot.is_allowed or spot.rule is None or not spot.rule.hides_numbers:
            return value
        if not spot.rule.hides_all and len(str(value)) < 4:
            return value  # a count or a version: a secret has more digits
        return self._ledger.placeholder(str(value), spot.rule.name, spot.kind, shown(spot.path))

    def _object(self, members: dict[str, JSON], spot: _Spot) -> dict[str, JSON]:
        named = next((members[key] for key in _NAMING if isinstance(members.get(key), str)), None)
        out: dict[str, JSON] = {}
        for key, value in members.items():
            inner = spot.inner(key)
            told_by = named if key == "value" and isinstance(named, str) else key
            rule = None if spot.is_allowed else spot.rule or self._names.rule(told_by)
            if rule is not spot.rule:
                inner = _Spot(inner.kind, inner.path, rule, inner.is_allowed)
            shown_key = key if spot.is_allowed else self._text(key, spot.kind, shown(spot.path), in_bytes=False)
            out[shown_key] = self._value(value, inner)
        return members if _is_unchanged(out, members) else out

    def _list(self, items: list[JSON], spot: _Spot) -> list[JSON]:
        out = [self._value(item, self._item(items, place, spot)) for place, item in enumerate(items)]
        return items if all(now is before for now, before in zip(out, items, strict=True)) else out

    def _item(self, items: list[JSON], place: int, spot: _Spot) -> _Spot:
        """An item may be told by the one in front of it: a flag of a command line, the name of a header."""
        inner = spot.inner(place)
        before = items[place - 1] if place else None
        if spot.rule is not None or not isinstance(before, str) or not isinstance(items[place], str):
            return inner
        is_flag = _FLAG.fullmatch(before) is not None
        is_pair = len(items) == 2 and not str(items[place]).islower()
        if (is_flag and not str(items[place]).startswith("-")) or is_pair:
            return _Spot(inner.kind, inner.path, self._names.rule(before.lstrip("-")), inner.is_allowed)
        return inner


_URL_SAFE = str.maketrans("-_", "+/")


def _is_unchanged(now: dict[str, JSON], before: dict[str, JSON]) -> bool:
    return now.keys() == before.keys() and all(now[key] is before[key] for key in before)


def _joined(hit: Hit, parts: list[Hit]) -> str:
    """The rule of something that is longer than the known secret it begins with."""
    inside = (part.rule for part in parts if part.rule and hit.start <= part.start and part.end <= hit.end)
    return next(inside, "value")


def _between_placeholders(text: str) -> Iterator[str]:
    """What an earlier redaction left; placeholders end whatever stands in front of them."""
    at = 0
    for placeholder in PLACEHOLDER.finditer(text):
        yield text[at : placeholder.start()]
        at = placeholder.end()
    yield text[at:]


def _readings(body: bytes) -> Iterator[str]:
    """Bytes as text, in every way in which a secret could be read from them."""
    try:
        yield body.decode()
    except UnicodeDecodeError:
        yield body.decode("latin-1")
        yield body.decode(errors="replace")
