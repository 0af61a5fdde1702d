"""Spans without their secrets: whatever is text in them, and what stands under a telling name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from debugger.otlp.spans import Attributes, Pairs, Resource, Scope, Span, Value
from debugger.redaction import Redactor

KIND = "span"
"""What secrets found here are counted as."""


def redacted(spans: Iterable[Span], redactor: Redactor) -> Iterator[Span]:
    """Each span with its secrets replaced; ids, times and numbers of everything stay. Spans still share resources."""
    resources: dict[int, tuple[Resource, Resource]] = {}
    scopes: dict[int, tuple[Scope, Scope]] = {}
    for span in spans:
        if id(span.resource) not in resources:  # kept beside, so that the id stays its own
            attributes = _attributes(span.resource.attributes, redactor)
            resources[id(span.resource)] = span.resource, replace(span.resource, attributes=attributes)
        if id(span.scope) not in scopes:
            scope = replace(span.scope, attributes=_attributes(span.scope.attributes, redactor))
            scopes[id(span.scope)] = span.scope, scope
        yield _span(span, resources[id(span.resource)][1], scopes[id(span.scope)][1], redactor)


def _span(span: Span, resource: Resource, scope: Scope, redactor: Redactor) -> Span:
    def text(said: str) -> str:
        return redactor.text(said, KIND)

    return replace(
        span,
        name=text(span.name),
        status=None if span.status is None else replace(span.status, message=text(span.status.message)),
        trace_state=text(span.trace_state),
        attributes=_attributes(span.attributes, redactor),
        events=tuple(
            replace(event, name=text(event.name), attributes=_attributes(event.attributes, redactor))
            for event in span.events
        ),
        links=tuple(
            replace(link, trace_state=text(link.trace_state), attributes=_attributes(link.attributes, redactor))
            for link in span.links
        ),
        resource=resource,
        scope=scope,
    )


def _attributes(attributes: Attributes, redactor: Redactor) -> Attributes:
    """One by one: a key may come twice, and what a key is called tells whether its value is a secret."""
    return tuple((redactor.text(key, KIND), _member(key, value, redactor)) for key, value in attributes)


def _member(key: str, value: Value, redactor: Redactor) -> Value:
    match value:
        case str() | int() | float() | None:  # the numbers of a PIN are one too
            found = redactor.json({key: value}, KIND)
            [changed] = found.values() if isinstance(found, dict) else (value,)
            return changed if isinstance(changed, str | int | float | None) else value
        case bytes():
            return redactor.wire(value, KIND)
        case Pairs(items):
            return Pairs(_attributes(items, redactor))
        case tuple():
            return tuple(_member(key, each, redactor) for each in value)
