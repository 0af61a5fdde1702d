"""The spans and metrics that the host would have exported, beside what is expected of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from debugger.scenario.document import Path
from debugger.scenario.expected import MetricOne, SpanOne, SpanWord
from debugger.scenario.judge.claims import Claims, has
from debugger.scenario.measure import Measurement, SpanNode
from kernel.values import JSON


def spans(claims: Claims, expected: SpanWord | SpanOne | list[SpanOne] | UnsetType, roots: Sequence[SpanNode]) -> None:
    """The spans around everything: one, or a list where there are several; or none."""
    path: Path = ("spans",)
    names: list[JSON] = [each.title for each in roots]
    match expected:
        case SpanWord.NONE:
            if roots:
                claims.say(path, names)
        case SpanOne():
            if len(roots) == 1:
                _span(claims, path, expected, roots[0])
            else:
                claims.say(path, names or "there is no span")
        case list():
            _each(claims, path, expected, roots)


def _each(claims: Claims, path: Path, expected: Sequence[str | SpanOne], actual: Sequence[SpanNode]) -> None:
    wanted = [SpanOne() if isinstance(each, str) else each for each in expected]
    titles = [each if isinstance(each, str) else each.subscriber for each in expected]
    if len(wanted) != len(actual) or any(
        title not in (UNSET, node.title) for title, node in zip(titles, actual, strict=True)
    ):
        claims.say(path, [node.title for node in actual])
        return
    for place, (one, node) in enumerate(zip(wanted, actual, strict=True)):
        _span(claims, (*path, place), one, node)


def _span(claims: Claims, path: Path, one: SpanOne, node: SpanNode) -> None:
    span = node.span
    claims.equal((*path, "subscriber"), one.subscriber, node.subscriber)
    claims.equal((*path, "name"), one.name, span.name)
    claims.equal((*path, "kind"), one.kind, span.kind.name.lower())
    claims.equal((*path, "status"), one.status, span.status.status_code.name.lower())
    claims.within((*path, "error"), one.error, span.status.description or "")
    actual: dict[str, JSON] = dict(span.attributes or {})  # type: ignore[arg-type]  # plain values
    claims.attributes(path, one.attributes, one.all_attributes, actual)
    if one.children is not UNSET:
        _each(claims, (*path, "children"), one.children, node.children)


def metrics(claims: Claims, expected: list[MetricOne] | UnsetType, measurements: Sequence[Measurement]) -> None:
    """Exactly one measurement for each; none where 0 is expected."""
    for place, one in enumerate([] if expected is UNSET else expected):
        named = [point for point in measurements if point.name == one.name]
        fitting = [point for point in named if _is_point(one, point)]
        is_nothing = one.value == 0 or one.count == 0
        is_held = not fitting if is_nothing else len(fitting) == 1
        if is_held and fitting:
            [point] = fitting
            is_held = one.value in (UNSET, point.value) and one.count in (UNSET, point.count)
        if not is_held:
            claims.say(("metrics", place), [_point(point) for point in named])


def _is_point(one: MetricOne, point: Measurement) -> bool:
    actual = dict(point.attributes)
    is_some = one.attributes is UNSET or has(one.attributes, actual)
    return is_some and (one.all_attributes is UNSET or one.all_attributes == actual)


def _point(point: Measurement) -> JSON:
    said: dict[str, JSON] = {"value": point.value} if point.count is None else {"count": point.count}
    return {**said, "attributes": dict(point.attributes)}
