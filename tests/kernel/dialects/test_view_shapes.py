"""The shapes that dialects offer, held against what they really show and take."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kernel.dialect import Dialect
from kernel.dialects import REGISTRY, named
from kernel.errors import BadInput
from kernel.shapes import Anything, Either, Listing, Object, Plain, Shape, fits, inside, members_of
from kernel.values import JSON, Answered, Ask, Subscription

DIALECTS = [named(registered.name) for registered in REGISTRY]
POINTS = [(dialect, point) for dialect in DIALECTS for point in dialect.points]
IDS = [f"{dialect.name} {point}" for dialect, point in POINTS]
MODES = {
    "pluggable": ("observe", "transform", "veto"),
    "hookbus": ("handler",),
    "rig": ("around", "guard", "operation"),
}
PHASES = {"around": ("begin",), "guard": ("guard",), "operation": ("operation",)}


def misfits(view: JSON, shape: Shape, path: str = "$") -> Iterator[str]:
    """What of a view its shape does not know."""
    match shape, view:
        case Anything(), _:
            return
        case Either(options), _:
            ways = [list(misfits(view, option, path)) for option in options]
            yield from min(ways, key=len)
        case Object(), dict():
            for name, value in view.items():
                fitting = [each for each in shape.members() if each.name == name and fits(each, view.get)]
                if not fitting:
                    if not shape.is_open:
                        yield f"{path}: {shape.says} has no {name}"
                elif value is None:
                    if not fitting[0].is_nullable and not isinstance(fitting[0].shape, Anything):
                        yield f"{path}.{name}: null"
                else:
                    yield from misfits(value, fitting[0].shape, f"{path}.{name}")
        case Listing(), list():
            for place, item in enumerate(view):
                yield from misfits(item, shape.items(), f"{path}[{place}]")
        case Plain(words=words), _:
            if words and view not in [word.value for word in words]:
                yield f"{path}: {view!r} is no {shape.says}"
            elif isinstance(view, dict | list):
                yield f"{path}: a container"
        case _:
            yield f"{path}: {type(view).__name__} for {shape.says}"


@pytest.mark.parametrize(("dialect", "point"), POINTS, ids=IDS)
def test_every_sample_payload_fits_its_shape(dialect: Dialect, point: str) -> None:
    """Nothing that a dialect shows is unknown to what it offers."""
    for seed in range(30):
        assert list(misfits(dialect.sample_payload(point, seed).view, dialect.payload_shape(point))) == []


@pytest.mark.parametrize(("dialect", "point"), POINTS, ids=IDS)
def test_every_usual_answer_fits_its_shape(dialect: Dialect, point: str) -> None:
    """Of every mode and phase."""
    payload = dialect.sample_payload(point)
    for mode in MODES[dialect.name]:
        for phase in PHASES.get(mode, ("",)):
            seat = Subscription("s", point, mode)
            ask = Ask(0, seat, payload, b"", None, phase)
            for words in dialect.staging.usual(seat, phase):
                try:
                    body = dialect.staging.answer_in_words(words, mode)(request_of(dialect, ask))
                except BadInput:
                    continue  # needs a real question
                if body:
                    view = dialect.answer_view(Answered(body))
                    assert list(misfits(view, dialect.answer_shape(ask))) == [], (mode, phase, words)


def request_of(dialect: Dialect, ask: Ask) -> bytes:
    """A real question, where the dialect asks one at this point."""
    from kernel.values import Chain

    try:
        walk, _ = dialect.open(Chain(ask.subscription.point, (ask.subscription,)), ask.payload)
    except BadInput:
        return b""
    return walk.asks[0].request if walk.asks else b""


def places(view: JSON, shape: Shape, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Plain]]:
    """Where a word stands that could be another one."""
    match view:
        case dict():
            for name, value in view.items():
                found = inside(shape, name, view.get)
                if found is not None:
                    yield from places(value, found, (*path, name))
        case list():
            for place, item in enumerate(view):
                found = inside(shape, place)
                if found is not None:
                    yield from places(item, found, (*path, place))
        case _ if isinstance(shape, Plain) and shape.words:
            yield path, shape


@pytest.mark.parametrize(("dialect", "point"), POINTS, ids=IDS)
def test_every_word_that_is_offered_is_taken(dialect: Dialect, point: str) -> None:
    """In its place in a payload, unless what stands beside it goes with another word."""
    view, shape = dialect.sample_payload(point, 3).view, dialect.payload_shape(point)
    for path, plain in places(view, shape):
        if path[-1] in ("Type", "Role", "kind"):
            continue  # decides what else is there
        for word in plain.words:
            dialect.payload_from_view(point, put(view, path, word.value))


@pytest.mark.parametrize(("dialect", "point"), POINTS, ids=IDS)
def test_every_blank_that_is_offered_is_taken(dialect: Dialect, point: str) -> None:
    """A member added with what one begins with is a payload, as far as members exclude one another."""
    view, shape = dialect.sample_payload(point, 3).view, dialect.payload_shape(point)
    assert isinstance(view, dict)
    for member in members_of(shape):
        if member.name in view or not fits(member, view.get):
            continue
        if member.group in {each.group for each in members_of(shape) if each.name in view and each.group}:
            continue
        value: JSON = None
        match member.shape:
            case Plain(blank=blank):
                value = blank
            case Object():
                value = {}
            case Listing():
                value = []
            case Anything():
                if not member.is_nullable:
                    continue
        dialect.payload_from_view(point, {**view, member.name: value})


def put(view: JSON, path: tuple[str | int, ...], value: JSON) -> JSON:
    """The view with another value at a path."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(view, dict) and isinstance(first, str):
        return {**view, first: put(view[first], rest, value)}
    assert isinstance(view, list)
    assert isinstance(first, int)
    return [*view[:first], put(view[first], rest, value), *view[first + 1 :]]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
def test_questions_are_shown_whatever_their_bytes(dialect: Dialect) -> None:
    """A real one as JSON, nonsense as such."""
    point = dialect.points[0]
    seat = Subscription("s", point, MODES[dialect.name][0], 100)
    real = request_of(dialect, Ask(0, seat, dialect.sample_payload(point), b"", None))
    assert real
    shown = dialect.request_view(real)
    assert isinstance(shown, dict)
    assert "$undecodable" not in shown
    assert dialect.request_view(b"\xff\xff") == {"$undecodable": "//8="}


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
def test_a_point_that_there_is_not_has_no_shape(dialect: Dialect) -> None:
    """As it has no payload."""
    with pytest.raises(BadInput, match="nowhere"):
        dialect.payload_shape("nowhere")
