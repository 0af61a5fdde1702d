"""What agent.hcl and config.hcl may hold, as tables, and the one check that compares a body with its table.

HCL decides what text is a body; this module decides which blocks, labels and arguments a body may have and which
kind of value each argument takes. What the values mean is not said here.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias, assert_never

from kernel.dialects.pluggable.points import Mode
from kernel.errors import BadInput
from kernel.hcl import Attribute, Block, Body, Call, Expression, ListOf, ObjectOf, Other, Scalar
from kernel.values import Place

Reader: TypeAlias = Callable[[Attribute], object]
"""Takes the value out of an argument, or raises BadInput at its place."""

LOG_LEVELS = ("trace", "debug", "info", "warn", "error")


@dataclass(frozen=True, slots=True)
class Shape:
    """What one kind of block may hold."""

    labels: tuple[str, ...] = ()
    """What each label names."""
    arguments: Mapping[str, Reader] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    blocks: Mapping[str, Shape] = field(default_factory=dict)
    unique: tuple[str, ...] = ()
    """Types of blocks of which there is one at most: one in all, or one with the same labels."""
    others: Reader | None = None
    """Reads arguments of any other name; None when there must be none."""
    has_free_blocks: bool = False
    """Whether blocks of any other type are somebody else's business."""


def check(body: Body, shape: Shape, *, inside: str, place: Place | None) -> None:
    """Raise BadInput, at its place, for the first thing in a body that its shape does not allow."""
    for attribute in body.attributes:
        reader = shape.arguments.get(attribute.name, shape.others)
        if reader is None:
            raise _unsupported("argument", attribute.name, shape, inside, attribute.place)
        reader(attribute)
    for block in body.blocks:
        inner = shape.blocks.get(block.type)
        if inner is not None:
            _check_labels(block, inner)
            check(block.body, inner, inside=f"a {block.type} block", place=block.place)
        elif not shape.has_free_blocks:
            raise _unsupported("block", block.type, shape, inside, block.place)
    check_unique(block for block in body.blocks if block.type in shape.unique)
    missing = [name for name in shape.required if body.attribute(name) is None]
    if missing:
        raise BadInput(f"{inside} needs {_and(missing)}", place=place)


def check_unique(blocks: Iterable[Block]) -> None:
    """Raise BadInput at the second of two blocks with one type and equal labels."""
    seen: dict[tuple[str, ...], Place] = {}
    for block in blocks:
        name = (block.type, *(label.text for label in block.labels))
        if name in seen:
            shown = " ".join((block.type, *(f'"{label}"' for label in name[1:])))
            raise BadInput(f"ErrDuplicateBlock: there is already a {shown} block at {seen[name]}", place=block.place)
        seen[name] = block.place


def nearest(name: str, names: Iterable[str]) -> str:
    """The end of a message about a wrong name: the one that was probably meant, or all that there are."""
    known = tuple(names)
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; there is {_and(known)}" if known else ""


def text(attribute: Attribute) -> str:
    """An argument that is text."""
    value = _scalar(attribute, "text in quotes")
    return value if isinstance(value, str) else _refuse(attribute, "text in quotes")


def whole_number(attribute: Attribute) -> int:
    """An argument that is a whole number; a fraction is cut off, as the host does."""
    return int(number(attribute))


def number(attribute: Attribute) -> int | float:
    """An argument that is a number."""
    value = _scalar(attribute, "a number")
    return _refuse(attribute, "a number") if isinstance(value, bool | str | None) else value


def flag(attribute: Attribute) -> bool:
    """An argument that is true or false."""
    value = _scalar(attribute, "true or false")
    return value if isinstance(value, bool) else _refuse(attribute, "true or false")


def choice(*names: str) -> Reader:
    """A reader of text that has to be one of these names."""

    def read(attribute: Attribute) -> str:
        value = _scalar(attribute, _or(names))
        return value if isinstance(value, str) and value in names else _refuse(attribute, _or(names))

    return read


def mode(attribute: Attribute) -> Mode:
    """An argument that is one of the three modes."""
    names = tuple(Mode)
    value = _scalar(attribute, _or(names))
    return Mode(value) if isinstance(value, str) and value in names else _refuse(attribute, _or(names))


def text_map(attribute: Attribute) -> Mapping[str, str]:
    """An argument that is an object whose values are text."""
    if not isinstance(attribute.expression, ObjectOf):
        _refuse(attribute, "an object")
    entries = attribute.expression.entries
    return {entry.key: text(Attribute(entry.key, entry.value, entry.place)) for entry in entries}


def anything(attribute: Attribute) -> Expression:
    """An argument that somebody else will read."""
    return attribute.expression


def _scalar(attribute: Attribute, wanted: str) -> str | int | float | bool | None:
    match attribute.expression:
        case Scalar(value):
            return value
        case Call(name, place=place):
            raise BadInput(f"{attribute.name} calls {name}(), but functions cannot be called here", place=place)
        case Other("variable", source, place):
            raise BadInput(
                f"{attribute.name} names a variable, but there are none here; if text is meant, put {source} in quotes",
                place=place,
            )
        case Other(kind, place=place):
            raise BadInput(f"{attribute.name} is {_a(kind)}, which is not evaluated; write {wanted} out", place=place)
        case ListOf() | ObjectOf():
            return _refuse(attribute, wanted)
        case never:
            assert_never(never)


def _refuse(attribute: Attribute, wanted: str) -> NoReturn:
    raise BadInput(
        f"ErrInvalidValue: {attribute.name} must be {wanted}, not {_shown(attribute.expression)}",
        place=attribute.expression.place,
    )


def _shown(expression: Expression) -> str:
    match expression:
        case Scalar(bool() as value):
            return "true" if value else "false"
        case Scalar(None):
            return "null"
        case Scalar(str() as value):
            return f'"{value}"' if len(value) <= 40 else f"a text of {len(value)} characters"
        case Scalar(value):
            return f"{value}"
        case ListOf():
            return "a list"
        case ObjectOf():
            return "an object"
        case _:
            return "an expression"


def _check_labels(block: Block, shape: Shape) -> None:
    given, wanted = len(block.labels), len(shape.labels)
    if given < wanted:
        header = " ".join((block.type, *(f'"<{label}>"' for label in shape.labels)))
        missing = _and(shape.labels[given:])
        raise BadInput(f"a {block.type} block needs a label: {missing}; write {header} {{", place=block.place)
    if given > wanted:
        surplus = block.labels[wanted]
        allowed = "no label" if wanted == 0 else "one label" if wanted == 1 else f"{wanted} labels"
        raise BadInput(f"a {block.type} block has {allowed}; {surplus.text!r} is one too many", place=surplus.place)


def _unsupported(kind: str, name: str, shape: Shape, inside: str, place: Place) -> BadInput:
    """The complaint about a name that is not in a shape; an argument and a block may have been mixed up."""
    if kind == "argument" and name in shape.blocks:
        return BadInput(f"{name!r} is a block in {inside}; write it without `=`", place=place)
    if kind == "block" and name in shape.arguments:
        return BadInput(f"{name!r} is an argument in {inside}; write it with `=`", place=place)
    names = shape.arguments if kind == "argument" else shape.blocks
    return BadInput(f"unsupported {kind} {name!r} in {inside}{nearest(name, names)}", place=place)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _and(names: Iterable[str]) -> str:
    return _listed(tuple(names), "and")


def _or(names: Iterable[str]) -> str:
    return _listed(tuple(names), "or")


def _listed(names: tuple[str, ...], word: str) -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


_RETRY = {"base_delay_ms": whole_number, "backoff_factor": number, "max_retries": whole_number}
_OBSERVABILITY = {
    "endpoint": text,
    "protocol": choice("grpc", "http"),
    "sampling_ratio": number,
    "traces_enabled": flag,
    "metrics_enabled": flag,
    "logs_enabled": flag,
    "export_interval_ms": whole_number,
    "service_name": text,
}
_SETTINGS = Shape(
    arguments={
        "default_frontend": text,
        "log_level": choice(*LOG_LEVELS),
        "telemetry": flag,
        "default_hook_timeout_ms": whole_number,
        "default_tool_timeout_ms": whole_number,
        "max_depth": whole_number,
    },
    required=("default_frontend", "log_level", "telemetry"),
    blocks={
        "retry": Shape(arguments=_RETRY, required=tuple(_RETRY)),
        "observability": Shape(
            arguments={**_OBSERVABILITY, "resource_attrs": text_map}, required=tuple(_OBSERVABILITY)
        ),
        "event_bus": Shape(arguments={"subscribe_queue_bound": whole_number}),
        "doom_loop": Shape(arguments={"window_size": whole_number, "threshold": whole_number}),
    },
)
_MODEL = Shape(arguments={"provider": anything, "id": anything})
_PROFILE_ARGUMENTS = (
    "tools",
    "slash_commands",
    "max_turns",
    "max_cost_usd",
    "max_wall_clock_s",
    "max_depth",
    "max_concurrent_subagents",
)

AGENT = Shape(
    blocks={
        "required_providers": Shape(others=anything),
        "provider": Shape(
            labels=("local name",),
            others=anything,
            blocks={"environment": Shape(others=anything)},
            unique=("environment",),
            has_free_blocks=True,
        ),
        "hook": Shape(
            labels=("point",),
            arguments={"provider": text, "mode": mode, "timeout_ms": whole_number},
            required=("provider", "mode"),
        ),
        "settings": _SETTINGS,
        "policy": Shape(
            labels=("rule name",),
            arguments={"match": anything, "action": anything},
            required=("match", "action"),
        ),
        "agent_profile": Shape(
            labels=("name",),
            arguments=dict.fromkeys(_PROFILE_ARGUMENTS, anything),
            blocks={"model": Shape(blocks={"primary": _MODEL, "fallback": _MODEL})},
        ),
    },
    unique=("required_providers", "provider", "settings", "agent_profile"),
)
"""agent.hcl. Policies and profiles are checked for their names only: what they say is read elsewhere."""

GLOBAL = Shape(
    blocks={
        "dev_overrides": Shape(others=anything),
        "registry_mirror": Shape(
            arguments={"default": anything},
            blocks={"mirror": Shape(arguments=dict.fromkeys(("prefix", "url", "auth"), anything))},
        ),
    },
    unique=("dev_overrides",),
)
"""config.hcl."""
