"""Events with their secrets replaced: payloads, requests, answers, and every text that somebody else wrote.

Whatever is shown, exported or stored is folded from events, so nothing else has to be redacted after this.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, TypeVar, assert_never

from debugger.covering import Redacted
from debugger.redaction.ledger import PLACEHOLDER
from debugger.redaction.redactor import Redactor
from debugger.store.recording import Unreadable
from kernel.dialect import Dialect
from kernel.dialects import named
from kernel.errors import BadInput
from kernel.facts import (
    Asked,
    Changed,
    Decided,
    Ended,
    Entered,
    Event,
    Fact,
    Late,
    Left,
    NotReached,
    Opened,
    Printed,
    Raised,
    Replied,
    Resolved,
    Rewound,
    Steered,
)
from kernel.values import JSON, Answered, Chain, Outcome, Payload, Result, Subscription

UNDECODABLE: Final = "$undecodable"
REDACTED: Final = "$redacted"
"""Key of the JSON that stands in the place of wire bytes that had a secret in them."""
_OUR_WORDS: Final = frozenset(
    ("dialect", "point", "mode", "rule", "phase", "kind", "what", "stream", "category", "decision", "parent", "reach")
)
"""Fields that hold words of the dialect or of ours, never of somebody else."""
_KEPT: Final = 1000
"""Payloads that are remembered."""
_BEGIN, _END = "PRIVATE KEY", "-----END "
_LONGEST_KEY: Final = 200
"""Lines of a private key that is printed line by line."""

T = TypeVar("T")


@dataclass(slots=True)
class _About:
    """What is known of a dispatch or stretch by its first event."""

    dialect: Dialect | None
    point: str = ""
    in_key: dict[tuple[str, str], int] = field(default_factory=dict)
    """Lines of a private key so far, of those who are printing one."""


class EventRedactor:
    """Redacts events in the order in which they were told. Not for use from several threads at once."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._about: dict[str, _About] = {}
        self._payloads: OrderedDict[tuple[str, str], Payload] = OrderedDict()
        self._bodies: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
        """Of requests and answers; many are alike."""
        self._known = redactor.known
        """When what is remembered was found: whoever knows more secrets may find more."""

    def settle(self) -> None:
        """Everything was seen once, and comes again: see Redactor."""
        self.redactor.settle()
        self._about.clear()
        self._forget()

    def _forget(self) -> None:
        self._payloads.clear()
        self._bodies.clear()
        self._known = self.redactor.known

    def event(self, event: Event) -> Event:
        """The event without secrets; the same object where it has none."""
        fact = event.fact
        if self.redactor.known > self._known:
            self._forget()
        if isinstance(fact, Opened):
            self._about[event.dispatch] = _About(_dialect(fact.dialect), fact.chain.point)
        elif isinstance(fact, Entered):
            self._about[event.dispatch] = _About(_dialect(fact.dialect))
        redacted = self._fact(fact, self._about.setdefault(event.dispatch, _About(None)))
        if isinstance(fact, Left):
            del self._about[event.dispatch]
        return event if redacted is fact else replace(event, fact=redacted)

    def _fact(self, fact: Fact, about: _About) -> Fact:
        match fact:
            case Opened(chain=chain, payload=payload, fork=fork):
                fork = self._plain(fork, "text")
                return _with(fact, chain=self._chain(chain), payload=self._payload(payload, about), fork=fork)
            case Asked(payload=payload, subscription=seat):
                given = self._payload(payload, about)
                request = self._remembered(
                    f"request {payload.digest}", fact.request, lambda: self._request(fact.request, payload, given)
                )
                return _with(fact, payload=given, subscription=self._plain(seat, "chain"), request=request)
            case Replied(outcome=outcome):
                return _with(fact, outcome=self._outcome(outcome, about))
            case Late(outcome=outcome, subscription=seat):
                return _with(fact, outcome=self._outcome(outcome, about), subscription=self._plain(seat, "chain"))
            case Steered(outcome=other):
                texts = self._plain(replace(fact, outcome=None), "text")
                instead = None if other is None else self._outcome(other, about)
                whose, fault = texts.subscription, texts.fault
                return _with(fact, outcome=instead, detail=texts.detail, by=texts.by, subscription=whose, fault=fault)
            case Changed(before=before, after=after):
                by = self.redactor.text(fact.by, "text")
                return _with(fact, before=self._payload(before, about), after=self._payload(after, about), by=by)
            case Ended(result=result):
                return _with(fact, result=self._result(result, about))
            case Printed():
                return self._printed(fact, about)
            case Entered() | Left():
                return self._plain(fact, "attributes")
            case Resolved() | Raised() | NotReached() | Decided():
                return self._plain(fact, "text")
            case Rewound():
                return fact
            case never:
                assert_never(never)

    def _chain(self, chain: Chain) -> Chain:
        return self._plain(chain, "chain")

    def _result(self, result: Result, about: _About) -> Result:
        texts = self._plain(replace(result, payload=None), "result")
        payload = None if result.payload is None else self._payload(result.payload, about)
        return _with(result, payload=payload, decided_by=texts.decided_by, error=texts.error, extras=texts.extras)

    def _printed(self, fact: Printed, about: _About) -> Printed:
        """A line, which may be one of many that are a private key together."""
        who, kind = (fact.subscriber, fact.stream), "printed line"
        lines = about.in_key.get(who)
        if lines is not None:
            if _END in fact.text or lines >= _LONGEST_KEY:
                del about.in_key[who]
                return fact
            about.in_key[who] = lines + 1
            return (
                replace(fact, text=self.redactor.secret(fact.text, "private-key", kind)) if fact.text.strip() else fact
            )
        text = self.redactor.text(fact.text, kind)
        if "-----BEGIN " in fact.text and _BEGIN in fact.text and _END not in fact.text:
            about.in_key[who] = 0
        return _with(fact, text=text)

    # -- payloads and what travels -------------------------------------------------------------------------------

    def _payload(self, payload: Payload, about: _About) -> Payload:
        key = (payload.digest, about.point)
        if key not in self._payloads:
            self._payloads[key] = self._payload_anew(payload, about)
            if len(self._payloads) > _KEPT:
                self._payloads.popitem(last=False)
        found = self._payloads[key]
        return payload if found.digest == payload.digest else found

    def _payload_anew(self, payload: Payload, about: _About) -> Payload:
        if isinstance(payload, Unreadable):
            body = self.redactor.wire(payload.body, "payload")
            why = self.redactor.text(payload.why, "text")
            return payload if body is payload.body else Unreadable(body, _digest(body), why)
        known = self.redactor.known
        view = self.redactor.json(payload.view, "payload")
        if self.redactor.known > known:  # what its end tells of may stand at its beginning
            view = self.redactor.json(payload.view, "payload")
        if view is payload.view and self.redactor.is_clean(payload.body):
            return payload
        return self._made(view, payload.view, about)

    def _made(self, view: JSON, before: JSON, about: _About) -> Payload:
        """A payload of the dialect from a view, if the dialect takes it."""
        if about.dialect is not None:
            for tried in _fitting(view, before):
                try:
                    made = about.dialect.payload_from_view(about.point, tried)
                except BadInput:
                    continue
                if self.redactor.is_clean(made.body):
                    return made
        body = _encoded(view)
        return Redacted(view, body, _digest(body))

    def _request(self, request: bytes, payload: Payload, given: Payload) -> bytes:
        """What went over the wire: as it was, as JSON of the same shape, or told by what it asked about."""
        if (found := self._json_bytes(request, "request")) is not None:
            return found
        if given is payload and self.redactor.is_clean(request):
            return request
        return _encoded({REDACTED: given.view})

    def _json_bytes(self, body: bytes, kind: str) -> bytes | None:
        """Bytes that are JSON, redacted; None for others."""
        if body[:1] not in (b"{", b"["):
            return None
        try:
            value: JSON = json.loads(body)
        except (ValueError, RecursionError):
            return None
        found = self.redactor.json(value, kind)
        return body if found is value and self.redactor.is_clean(body) else _encoded(found)

    def _outcome(self, outcome: Outcome, about: _About) -> Outcome:
        if not isinstance(outcome, Answered):
            return self._plain(outcome, "text")
        deliveries = self._plain(outcome.deliveries, "text")
        name = "" if about.dialect is None else about.dialect.name
        body = self._remembered(f"answer {name}", outcome.body, lambda: self._answer(outcome, about))
        return _with(outcome, body=body, deliveries=deliveries)

    def _remembered(self, what: str, body: bytes, redacted: Callable[[], bytes]) -> bytes:
        """The redacted form of bytes, and the very same ones where they stay as they are."""
        key = (what, body)
        if key not in self._bodies:
            self._bodies[key] = redacted()
            if len(self._bodies) > _KEPT:
                self._bodies.popitem(last=False)
        found = self._bodies[key]
        return body if found == body else found

    def _answer(self, answer: Answered, about: _About) -> bytes:
        if about.dialect is None:
            return self.redactor.wire(answer.body, "answer")
        view = about.dialect.answer_view(answer)
        if isinstance(view, dict) and view.keys() == {UNDECODABLE}:
            return self.redactor.wire(answer.body, "answer")
        found = self.redactor.json(view, "answer")
        if found is view and self.redactor.is_clean(answer.body):
            return answer.body
        for tried in _fitting(found, view):
            try:
                body = about.dialect.staging.answer_in_json(tried)
            except BadInput:
                continue
            if self.redactor.is_clean(body):
                return body
        return _encoded({REDACTED: found})

    # -- everything else -----------------------------------------------------------------------------------------

    def _plain(self, value: T, kind: str) -> T:
        """A value made of others: every text in it that is not a word of ours."""
        found: Any = self._any(value, kind)
        return found  # type: ignore[no-any-return]  # of the same class as what was given

    def _any(self, value: object, kind: str) -> object:
        match value:
            case Enum() | bool() | int() | float() | None:
                return value
            case str():
                return self.redactor.text(value, kind)
            case Mapping():
                found = self.redactor.mapping(dict(value), kind)
                return value if found == value else found
            case tuple():
                items = tuple(self._any(item, kind) for item in value)
                return value if all(now is before for now, before in zip(items, value, strict=True)) else items
            case bytes():
                return self.redactor.wire(value, kind)
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        names = [each.name for each in dataclasses.fields(value) if each.name not in _OUR_WORDS]
        if isinstance(value, Subscription):
            names.remove("id")  # tells seats apart
        return _with(value, **{name: self._any(getattr(value, name), kind) for name in names})


def _with(value: T, **fields: object) -> T:
    """The value with other fields; itself where none is another."""
    changed = {name: each for name, each in fields.items() if getattr(value, name) is not each}
    return replace(value, **changed) if changed else value  # type: ignore[type-var]  # whoever calls has a dataclass


def _dialect(name: str) -> Dialect | None:
    try:
        return named(name)
    except BadInput:
        return None


def _encoded(view: JSON) -> bytes:
    return json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _fitting(found: JSON, before: JSON) -> Iterator[JSON]:
    """A redacted value, then as dialects with types want it: 0 for a number, and base64 for bytes."""
    yield found
    yield _typed(found, before, is_base64=False)
    yield _typed(found, before, is_base64=True)


def _typed(found: JSON, before: JSON, *, is_base64: bool) -> JSON:
    match found, before:
        case dict(), dict():
            return {key: _typed(value, before.get(key), is_base64=is_base64) for key, value in found.items()}
        case list(), list():
            return [_typed(now, then, is_base64=is_base64) for now, then in zip(found, before, strict=True)]
        case str(), int() | float():
            return 0
        case str(), _ if is_base64 and PLACEHOLDER.fullmatch(found):
            return base64.b64encode(found.encode()).decode()
        case _:
            return found
