"""The secrets that were found, what stands in their place, and how often and where."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, quote_plus

from debugger.covering.secrets import SHORTEST
from debugger.redaction.rules import VALUE
from debugger.redaction.shapes import Hit, is_worth_hiding

PLACEHOLDER: Final = re.compile(r"\[redacted:([a-z0-9-]{1,40})#([0-9]{1,6})\]")
_HEAD: Final = SHORTEST
"""Characters by which known secrets are looked up."""
_WHOLE: Final = 12
"""Characters of a secret from which it is found inside of longer words as well."""


@dataclass(frozen=True, slots=True)
class Count:
    """What one rule found at alike places."""

    rule: str
    kind: str
    """Of what it was found in: `payload`, `answer`, `printed line`."""
    place: str
    """In JSON: every position as `[*]`; empty for text."""
    times: int
    values: int
    """How many different secrets."""


class Ledger:
    """One secret, one placeholder, for as long as it lives: equal secrets stay equal, and no hash can be tried out."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._placeholders: dict[str, str] = {}
        self._rules: dict[str, str] = {}
        self._given: Counter[str] = Counter()
        """The highest number that was given, for each rule."""
        self._taken: Counter[str] = Counter()
        """The highest number that placeholders of an earlier redaction have, for each rule."""
        self._echoes: dict[str, list[tuple[str, str]]] = {}
        """What is replaced wherever it stands, in each way in which it may be written, and the secret: by its head."""
        self._times: Counter[tuple[str, str, str]] = Counter()
        self._values: dict[tuple[str, str, str], set[str]] = {}
        for value, rule in known.items():
            self._placeholders[value] = ""  # numbered when it is first met
            self._rules[value] = rule
            self._learn(value)

    def placeholder(self, secret: str, rule: str, kind: str, place: str = "") -> str:
        """What stands in the place of a secret that was found here; counts it."""
        found = self._placeholders.get(secret, "")
        if secret not in self._rules:
            self._rules[secret] = rule
            self._learn(secret)
        rule = self._rules[secret]
        if not found:
            self._given[rule] = max(self._given[rule], self._taken[rule]) + 1
            found = self._placeholders[secret] = f"[redacted:{rule}#{self._given[rule]}]"
        key = (rule, kind, place)
        self._times[key] += 1
        self._values.setdefault(key, set()).add(secret)
        return found

    def notice(self, rule: str, number: int) -> None:
        """There is a placeholder of an earlier redaction in the text: its number is taken."""
        self._taken[rule] = max(self._taken[rule], number)

    def settle(self) -> None:
        """Everything was seen once: number and count afresh. Every secret is known by now."""
        for secret in self._placeholders:
            self._placeholders[secret] = ""
        self._given.clear()
        self._times.clear()
        self._values.clear()

    def _learn(self, secret: str) -> None:
        """From now on it is found wherever it stands."""
        if not self._echoes_of(secret):
            return
        for way in dict.fromkeys(_written(secret)):
            alike = self._echoes.setdefault(way[:_HEAD], [])
            alike.append((way, secret))
            alike.sort(key=lambda each: -len(each[0]))

    def _echoes_of(self, secret: str) -> bool:
        """Whether a secret is so much of its own that it is one wherever it stands."""
        if self._rules[secret] == VALUE:
            return True
        if len(secret) < 6 or not is_worth_hiding(secret):
            return False
        is_word = secret.isalpha() and (secret.islower() or secret.istitle())
        return not is_word and not (secret.isdigit() and len(secret) < 8)

    def echoes(self, text: str) -> Iterator[tuple[Hit, str]]:
        """Where secrets stand that are known already, each with the secret itself."""
        if not self._echoes:
            return
        for at in range(len(text) - _HEAD + 1):
            for way, secret in self._echoes.get(text[at : at + _HEAD], ()):
                end = at + len(way)
                if text.startswith(way, at) and (len(way) >= _WHOLE or _is_alone(text, at, end)):
                    yield Hit(at, end, ""), secret
                    break  # the longest one

    @property
    def counts(self) -> tuple[Count, ...]:
        """What was found where, by rule, kind and place."""
        return tuple(
            Count(rule, kind, place, times, len(self._values[rule, kind, place]))
            for (rule, kind, place), times in sorted(self._times.items())
        )

    @property
    def known(self) -> int:
        """How many different ones were ever met, those that somebody named included."""
        return len(self._rules)

    @property
    def secrets(self) -> int:
        """How many different ones were found."""
        return len({secret for values in self._values.values() for secret in values})


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether it is not a part of a longer word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() and text[start].isalnum()) and not (after.isalnum() and text[end - 1].isalnum())


def _written(secret: str) -> Iterator[str]:
    """All the ways in which a secret may stand in a text."""
    yield secret
    body = secret.encode(errors="surrogatepass")
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(json.dumps(secret, ensure_ascii=False)[1:-1])[1:-1]
    yield quote(secret, safe="", errors="surrogatepass")
    yield quote_plus(secret, errors="surrogatepass")
    yield repr(secret)[1:-1]
    if len(secret) >= _WHOLE // 2:
        yield base64.b64encode(body).decode()
        yield base64.b64encode(body).decode().rstrip("=")
        yield base64.urlsafe_b64encode(body).decode()
        yield body.hex()
        yield body.hex().upper()
        yield body.hex(" ")
