"""Secrets of a configuration covered in whatever is shown or kept. What is dispatched is never touched.

A subscriber may put what it was given into an answer. The secrets themselves are known, so nothing is guessed here:
each is replaced wherever it stands by a cover of the same length in bytes. So lengths, cuts and frames stay true, and
what a walk tells of a covered answer is what it told of the real one, covered: recordings can be replayed.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from debugger.covering.secrets import SHORTEST, secrets_of
from kernel.setup import Setup
from kernel.values import JSON

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*', re.DOTALL)
"""Strings and numbers in a text that is JSON."""
_CUT: Final = re.compile(r"…|\.\.\.|(?:\\x[0-9a-f]{2}){0,3} \[[0-9]+ more bytes cut\]")
"""What stands behind a text that was cut, unless nothing does; what is left of a character may stand before it."""
_LINE: Final = 8
"""Characters of a line of a secret that has several, from which the line is one by itself: it may be printed so."""
_AT_THE_END: Final = 8
"""Characters of the beginning of a secret with which a text ends, from which it was cut there, and not by chance."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_URL_SAFE: Final = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which a secret may be written, and what is written in its place."""

    text: str
    cover: str
    raw: bytes
    """As bytes that are no text of ours; `raw_cover` has the same length."""
    raw_cover: bytes


class Covering:
    """Covers the secrets that it is given, but for those that are too short and those that are words of the dialect.

    Stateless beyond that: the same text is covered the same way each time, from any thread.
    """

    def __init__(self, secrets: Iterable[str], words: Iterable[str] = ()) -> None:
        spoken = frozenset(words)
        wanted = {secret for secret in secrets if len(secret) >= SHORTEST and secret not in spoken}
        wanted |= {line for secret in wanted for line in _lines(secret) if line not in spoken}
        self._secrets = sorted(wanted, key=lambda secret: (-len(secret), secret))
        covers = {secret: _cover(len(_bytes(secret)), number) for number, secret in enumerate(self._secrets)}
        ways = {way.text: way for secret, cover in covers.items() for way in _ways(secret, cover)}
        self._ways = sorted(ways.values(), key=lambda way: (-len(way.text), way.text))
        self._numbers = {secret: cover for secret, cover in covers.items() if _is_number(secret)}
        self._back = {cover: secret for secret, cover in covers.items() if cover.startswith("<")}

    def __bool__(self) -> bool:
        return bool(self._ways)

    def text(self, text: str) -> str:
        """A text with its secrets covered, and what is left of one where the text was cut; itself if it has none."""
        spans = [(at, at + len(way.text), way.cover) for way in self._ways for at in _places(text, way.text)]
        if cut := list(self._cuts(text)):
            spans += cut
        return _replaced(text, spans)

    def _cuts(self, text: str) -> Iterator[tuple[int, int, str]]:
        shortest = {len(text): _AT_THE_END} | {cut.start(): SHORTEST for cut in _CUT.finditer(text)}
        for end, least in shortest.items():
            for way in self._ways:
                longest = min(len(way.text) - 1, end)
                for length in range(longest, least - 1, -1):
                    if text.startswith(way.text[:length], end - length):
                        yield end - length, end, way.cover[:length]
                        break

    def json(self, value: JSON) -> JSON:
        """A JSON value, its keys as well; itself if it has no secret."""
        match value:
            case str():
                return self._string(value)
            case dict():
                members = {self._string(key): self.json(each) for key, each in value.items()}
                return value if members == value else members
            case list():
                items = [self.json(each) for each in value]
                return value if items == value else items
            case bool() | None:
                return value
            case int() | float():
                return self._numbers.get(str(value), value)

    def _string(self, text: str) -> str:
        """A text that may be base64 of something with a secret in it."""
        found = self.text(text)
        if found is text and _BASE64.fullmatch(text):
            try:
                inside = base64.b64decode(text.translate(_URL_SAFE) + "=" * (-len(text) % 4), validate=True)
            except (binascii.Error, ValueError):
                return text
            covered = self._raw(inside)
            if covered is not inside:
                return base64.b64encode(covered).decode()[: len(text)]
        return found

    def body(self, body: bytes) -> bytes:
        """Bytes in the form of a dialect: JSON stays JSON, all else keeps its length. Itself without a secret."""
        if not self._ways or not body:
            return body
        found = _in_json(body, self.json) if _is_json(body) else self._raw(body)
        return body if found == body else found

    def _raw(self, body: bytes) -> bytes:
        found = body
        for way in self._ways:
            found = found.replace(way.raw, way.raw_cover)
        return body if found == body else found

    def uncovered(self, value: JSON) -> JSON:
        """A JSON value that somebody made of a covered one, with the secrets where their covers stand.

        Covers that are so short that somebody else may have written them stay.
        """
        match value:
            case str(text):
                for cover, secret in self._back.items():
                    text = text.replace(cover, secret)
                return text
            case dict():
                return {str(self.uncovered(key)): self.uncovered(each) for key, each in value.items()}
            case list():
                return [self.uncovered(each) for each in value]
            case _:
                return value

    def uncovered_body(self, body: bytes) -> bytes:
        """The same for bytes in the form of a dialect; itself where there is no cover."""
        if not any(cover.encode() in body for cover in self._back):
            return body
        if _is_json(body):
            return _in_json(body, self.uncovered)
        for cover, secret in self._back.items():
            body = body.replace(cover.encode(), _bytes(secret))
        return body


def covering_of(setup: Setup) -> Covering:
    """What covers every secret that a configuration hands to its subscribers."""
    words = (*setup.dialect.points, *setup.dialect.staging.words, "true", "false", "null")
    return Covering(secrets_of(setup), words)


def _cover(length: int, number: int) -> str:
    """So many ASCII characters in the place of a secret; another secret has another number."""
    mark = str(number + 1) if number else ""
    whole = f"<hidden{mark}>"
    if length < len(whole):
        return mark.rjust(length, "*")[-length:]
    return f"{whole[:-1]}{'*' * (length - len(whole))}>"


def _lines(secret: str) -> list[str]:
    lines = secret.splitlines()
    return [line for line in lines if len(line) >= _LINE] if len(lines) > 1 else []


def _ways(secret: str, cover: str) -> Iterator[_Way]:
    """The secret as it is and as JSON or Python quote it, for which the cover needs no quoting; then encoded."""
    body, covered = _bytes(secret), cover.encode()
    quoted, escaped = _quoted(secret), json.dumps(secret)[1:-1]
    inside = (*map(_quoted, (quoted, escaped)), *(json.dumps(text)[1:-1] for text in (quoted, escaped)))
    for text in dict.fromkeys((secret, quoted, escaped, repr(secret)[1:-1], *inside)):
        raw = _bytes(text)
        yield _Way(text, cover, raw, covered if len(raw) == len(covered) else covered.ljust(len(raw), b"*")[: len(raw)])
    for text, hidden in _encodings(body, covered):
        yield _Way(text, hidden, text.encode(), hidden.encode())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _encodings(body: bytes, covered: bytes) -> Iterator[tuple[str, str]]:
    yield base64.b64encode(body).decode(), base64.b64encode(covered).decode()
    yield base64.b64encode(body).decode().rstrip("="), base64.b64encode(covered).decode().rstrip("=")
    yield base64.urlsafe_b64encode(body).decode(), base64.urlsafe_b64encode(covered).decode()
    yield body.hex(), covered.hex()
    yield body.hex().upper(), covered.hex().upper()
    yield from _in_urls(body, covered)


def _in_urls(body: bytes, covered: bytes) -> Iterator[tuple[str, str]]:
    from urllib.parse import quote, quote_plus

    for quoted in (quote(body, safe=""), quote(body), quote_plus(body)):
        yield quoted, covered.decode().ljust(len(quoted), "*")


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _replaced(text: str, spans: list[tuple[int, int, str]]) -> str:
    """The text with covers over these stretches; those that overlap are one, under the cover of the first."""
    if not spans:
        return text
    out, at = [], 0
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    place = 0
    while place < len(ordered):
        start, end, cover = ordered[place]
        place += 1
        reach = end
        while place < len(ordered) and ordered[place][0] < reach:
            reach = max(reach, ordered[place][1])
            place += 1
        out += [text[at:start], cover, "*" * (reach - end)]
        at = reach
    return "".join((*out, text[at:]))


def _in_json(body: bytes, change: Callable[[JSON], JSON]) -> bytes:
    """A text that is JSON with other strings and numbers, and everything else in it as it was."""

    def changed(token: re.Match[bytes]) -> bytes:
        said: JSON = json.loads(token[0])
        found = change(said)
        return token[0] if found is said or found == said else _encoded(found)

    return _TOKEN.sub(changed, body)


def _encoded(value: JSON) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character, which JSON can only escape
        return json.dumps(value).encode()


def _is_json(body: bytes) -> bool:
    if body[:1] not in b'{["':
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _is_number(secret: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", secret) is not None


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def covered_mapping(covering: Covering, members: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """A mapping of JSON values; itself if it has no secret."""
    found = covering.json(dict(members))
    assert isinstance(found, dict)
    return members if found == members else found
