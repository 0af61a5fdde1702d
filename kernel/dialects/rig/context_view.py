"""Contexts as JSON, for people, recordings and stubs, and real contexts built after such a description (spec C.4).

What follows from a description is worked out with the real thing on a clock that stands still, so no rule of contexts
is written down twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kernel.dialects.rig.context import (
    Canceled,
    Context,
    DeadlineExceeded,
    background,
    with_cancel,
    with_deadline,
    with_value,
)
from kernel.dialects.rig.shield import Linked, derived
from kernel.dialects.rig.showing import contained, key_shown, text_of, value_shown
from kernel.errors import BadInput
from kernel.values import JSON

NS_PER_MS = 1_000_000
FURTHEST_MS: Final = 10**100
"""A deadline that is further away, or longer ago, is shown as this much; the live context keeps its own."""
_EXACT_NS: Final = 2**63
MOST_VALUES: Final = 1_000
"""Values of a context that are shown."""
_KEYS = ("values", "cancellable", "deadline_ms", "cancelled", "cause")


@dataclass(frozen=True, slots=True)
class ContextView:
    """How a context is at one moment."""

    values: Mapping[str, JSON] = field(default_factory=dict)
    cancellable: bool = False
    deadline_ms: float | None = None
    """Milliseconds after the dispatch began."""
    cancelled: str = ""
    """The text of its error; empty while it has none."""
    cause: str = ""
    """Where whoever cancelled it said more."""

    def to_json(self) -> dict[str, JSON]:
        view: dict[str, JSON] = {"values": dict(self.values), "cancellable": self.cancellable}
        if self.deadline_ms is not None:
            view["deadline_ms"] = self.deadline_ms
        if self.cancelled:
            view["cancelled"] = self.cancelled
        if self.cause:
            view["cause"] = self.cause
        return view


class ContextKind(StrEnum):
    """What a begin gave as context."""

    SAME = "same"
    DERIVED = "derived"
    """A child of the one that it was given."""
    DETACHED = "detached"
    """One that has nothing to do with it."""
    HOSTILE = "hostile"
    """Something that raises at every access."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Given:
    """What a begin gave as context, described."""

    kind: ContextKind
    values: Mapping[str, JSON] = field(default_factory=dict)
    """Of a child: those that it adds. Otherwise: all that it has."""
    own_signal: bool = False
    """Whether it can be cancelled by itself."""
    deadline_ms: float | None = None
    cancelled: str = ""
    handle: str = ""
    """Under which the live object is kept; empty where there never was one."""

    def to_json(self) -> dict[str, JSON]:
        view: dict[str, JSON] = {"kind": self.kind.value}
        if self.values:
            view["values"] = dict(self.values)
        if self.own_signal:
            view["own_signal"] = True
        if self.deadline_ms is not None:
            view["deadline_ms"] = self.deadline_ms
        if self.cancelled:
            view["cancelled"] = self.cancelled
        if self.handle:
            view["handle"] = self.handle
        return view


@dataclass(frozen=True, slots=True)
class Onward:
    """The context after a begin."""

    view: ContextView
    is_linked: bool
    lost: tuple[str, ...]
    """Keys that the one before has values for and this one has not."""


class Hostile(Context):
    """A context of which nothing works."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> object:
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        raise RuntimeError(f"this context does not want to be asked for {name}")


def onward(before: ContextView, given: Given) -> Onward:
    """Say what the context is after a begin gave something else than the one before or nothing."""
    real = built(before, lambda: 0, 0)
    after, link = derived(real, given_context(real, given, 0))
    view = described(after, 0)
    return Onward(view, link is not None, tuple(key for key in before.values if key not in view.values))


def built(view: ContextView, now_ns: Callable[[], int], began_ns: int) -> Context:
    """A real context after a description, on a clock on which the dispatch began at `began_ns`."""
    context = _with_values(background(now_ns), view.values)
    if view.deadline_ms is not None:
        context, _ = with_deadline(context, began_ns + round(view.deadline_ms * NS_PER_MS))
    elif view.cancellable or view.cancelled:
        context, _ = with_cancel(context)
    return brought_to(context, view)


def given_context(before: Context, given: Given, began_ns: int) -> Context:
    """What a begin gives that was given `before` and behaves as described."""
    match given.kind:
        case ContextKind.SAME | ContextKind.NONE:
            return before
        case ContextKind.HOSTILE:
            return Hostile()
        case ContextKind.DERIVED:
            context = before
        case ContextKind.DETACHED:
            context = background(before.now_ns)
    context = _with_values(context, given.values)
    if context is before and not _has_signal(given):  # a child of its own, even with nothing in it
        context = with_value(context, object(), None)
    if given.deadline_ms is not None:
        context, _ = with_deadline(context, began_ns + round(given.deadline_ms * NS_PER_MS))
    elif _has_signal(given):
        context, _ = with_cancel(context)
    return brought_to(context, ContextView(cancelled=given.cancelled))


def _has_signal(given: Given) -> bool:
    return given.own_signal or bool(given.cancelled) or given.deadline_ms is not None


def brought_to(context: Context, view: ContextView) -> Context:
    """The context, ended if the description says that it has."""
    if not view.cancelled or context.err() is not None:
        return context
    error = DeadlineExceeded() if view.cancelled == str(DeadlineExceeded()) else Canceled(view.cancelled)
    if not isinstance(context, Linked) and not hasattr(context, "end"):
        context, _ = with_cancel(context)
    end: Callable[[BaseException, BaseException | None], None] = context.end
    end(error, Canceled(view.cause) if view.cause else None)
    return context


def _with_values(context: Context, values: Mapping[str, JSON]) -> Context:
    for key, value in values.items():
        context = with_value(context, key, value)
    return context


def described(context: Context, began_ns: int) -> ContextView:
    """How a context is right now. It may be anybody's, so it must be shielded already; nothing raises here."""
    values: dict[str, JSON] = {}
    known: tuple[object, ...] = contained(lambda: tuple(itertools.islice(context.known(), MOST_VALUES)), ())
    for key in known:
        if type(key) is not object:
            values.setdefault(key_shown(key), _shown_of(context, key))
    signal, deadline = contained(context.done, None), contained(context.deadline, None)
    err, cause = contained(context.err, None), contained(context.cause, None)
    return ContextView(
        dict(reversed(values.items())),
        signal is not None,
        None if deadline is None else _ms(deadline - began_ns),
        "" if err is None else text_of(err),
        "" if cause is None or cause is err else text_of(cause),
    )


def _shown_of(context: Context, key: object) -> JSON:
    return contained(lambda: value_shown(context.value(key)), "<raises when it is looked up>")


def _ms(ns: int) -> float:
    """Nanoseconds as milliseconds, and no further away than can be shown."""
    return max(-FURTHEST_MS, min(FURTHEST_MS, ns // NS_PER_MS)) if abs(ns) > _EXACT_NS else ns / NS_PER_MS


# -- from JSON -------------------------------------------------------------------------------------------------------


def context_from_json(view: JSON, path: str) -> ContextView:
    """The description that JSON gives; raises BadInput that names the path."""
    members = _object(view, path, _KEYS)
    return ContextView(
        _object(members.get("values", {}), f"{path}.values", None),
        _bool(members.get("cancellable", False), f"{path}.cancellable")
        or "deadline_ms" in members
        or bool(members.get("cancelled")),
        _number(members.get("deadline_ms"), f"{path}.deadline_ms"),
        _str(members.get("cancelled", ""), f"{path}.cancelled"),
        _str(members.get("cause", ""), f"{path}.cause"),
    )


def given_from_json(view: JSON, path: str) -> Given:
    """The same for what a begin gave."""
    members = _object(view, path, ("kind", "values", "own_signal", "deadline_ms", "cancelled", "handle"))
    kind = members.get("kind", ContextKind.SAME.value)
    if not isinstance(kind, str) or kind not in {each.value for each in ContextKind}:
        raise BadInput(f"{path}.kind: {kind!r} is none; there are {', '.join(ContextKind)}")
    return Given(
        ContextKind(kind),
        _object(members.get("values", {}), f"{path}.values", None),
        _bool(members.get("own_signal", False), f"{path}.own_signal"),
        _number(members.get("deadline_ms"), f"{path}.deadline_ms"),
        _str(members.get("cancelled", ""), f"{path}.cancelled"),
        _str(members.get("handle", ""), f"{path}.handle"),
    )


def _object(value: JSON, path: str, keys: tuple[str, ...] | None) -> dict[str, JSON]:
    if not isinstance(value, dict):
        raise BadInput(f"{path}: a JSON object is needed")
    for key in value:
        if keys is not None and key not in keys:
            raise BadInput(f"{path}: no key {key!r}; there are {', '.join(keys)}")
    return value


def _bool(value: JSON, path: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{path}: true or false is needed")
    return value


def _str(value: JSON, path: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{path}: text is needed")
    return value


def _number(value: JSON, path: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not -FURTHEST_MS <= value <= FURTHEST_MS:
        raise BadInput(f"{path}: a number of milliseconds is needed, at most {FURTHEST_MS:.0e} of them")
    return value
