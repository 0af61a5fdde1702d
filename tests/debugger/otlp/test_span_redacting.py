"""Spans without their secrets."""

from __future__ import annotations

from dataclasses import replace

from otlp_made import BY_HAND, made

from debugger.otlp import json_out
from debugger.otlp.redacting import redacted
from debugger.otlp.spans import Pairs, Resource, SpanEvent, SpanLink, Status
from debugger.redaction import Redactor

KEY = "sk-ant-api03-" + "aB3dE5fG7h" * 4
PASSWORD = "correct horse 77"


def test_no_secret_is_left_anywhere() -> None:
    """By its shape, by the name that it stands under, in every place where a span holds text."""
    secret = (("note", f"with {KEY}"), ("db.password", PASSWORD))
    span = made(
        1,
        name=f"call {KEY}",
        attributes=(*secret, ("list", ("x", KEY)), ("map", Pairs(secret)), ("raw", f"x {KEY} y".encode()), ("n", 7)),
        events=(SpanEvent(5, f"said {KEY}", secret),),
        links=(SpanLink(b"t" * 16, b"s" * 8, f"k={KEY}", secret),),
        status=Status(2, f"refused {KEY}"),
        resource=Resource(secret),
        scope=replace(BY_HAND, attributes=secret),
        trace_state=f"a={KEY}",
    )
    other = replace(made(2, 1), resource=span.resource)
    redactor = Redactor()
    first, second = redacted((span, other), redactor)
    text = json_out.encoded((first, second)).decode()
    assert KEY not in text
    assert PASSWORD not in text
    assert first.resource is second.resource
    assert redactor.secrets == 2
    assert (first.span_id, first.start_ns, dict(first.attributes)["n"]) == (span.span_id, span.start_ns, 7)
    raw = dict(first.attributes)["raw"]
    assert isinstance(raw, bytes)
    assert KEY.encode() not in raw


def test_what_has_no_secret_stays_as_it_is() -> None:
    """Types of values included."""
    attributes = (("a", 1), ("b", True), ("c", 1.0), ("d", None), ("e", "x"), ("f", b"\x00"), ("e", ("y", 2)))
    span = made(1, attributes=attributes)
    [back] = redacted((span,), Redactor())
    assert json_out.encoded((back,)) == json_out.encoded((span,))
