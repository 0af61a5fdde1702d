"""What agent.hcl and config.hcl may hold, as tables, and the one check that compares a body with its table.

HCL decides what text is a body; this module decides which blocks, labels and arguments a body may have. What values
they take is said by `arguments`, what they mean by neither.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.hcl import Block, Body
from kernel.problems import Complain, Problem
from kernel.values import Place


@dataclass(frozen=True, slots=True)
class Shape:
    """What one kind of block may hold."""

    labels: tuple[str, ...] = ()
    """What each label names."""
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    blocks: Mapping[str, Shape] = field(default_factory=dict)
    unique: tuple[str, ...] = ()
    """Types of blocks of which there is one at most: one in all, or one with the same labels."""
    last_counts: tuple[str, ...] = ()
    """Types of blocks that may come again, and then only the last one is used."""
    is_free: bool = False
    """Whether arguments may have any other name."""
    has_free_blocks: bool = False
    """Whether blocks of any other type are somebody else's business."""


def check(body: Body, shape: Shape, complain: Complain, *, inside: str, place: Place | None) -> None:
    """Tell everything in a body that its shape does not allow."""
    for attribute in body.attributes:
        if not shape.is_free and attribute.name not in shape.arguments:
            complain(_unsupported("argument", attribute.name, shape, inside, attribute.place))
    for block in body.blocks:
        inner = shape.blocks.get(block.type)
        if inner is not None:
            _check_labels(block, inner, complain)
            check(block.body, inner, complain, inside=f"{a(block.type)} block", place=block.place)
        elif not shape.has_free_blocks:
            complain(_unsupported("block", block.type, shape, inside, block.place))
    check_unique((block for block in body.blocks if block.type in shape.unique), complain)
    for name in shape.last_counts:
        for ignored in body.of_type(name)[:-1]:
            complain(problem("repeated-block", f"this {name} block is ignored, the last one counts", ignored.place))
    missing = [name for name in shape.required if body.attribute(name) is None]
    if missing:
        complain(problem("missing-argument", f"{inside} needs {listed(missing, 'and')}", place))


def check_unique(blocks: Iterable[Block], complain: Complain) -> None:
    """Tell about each block that has the type and the labels of one before it."""
    seen: dict[tuple[str, ...], Place] = {}
    for block in blocks:
        name = (block.type, *(label.text for label in block.labels))
        if name in seen:
            shown = " ".join((a(block.type), *(f'"{label}"' for label in name[1:2])))
            message = f"there is already {shown} block at {seen[name]}"
            complain(problem("ErrDuplicateBlock", message, block.place, fix="merge the two, or remove one"))
        else:
            seen[name] = block.place


def nearest(name: str, names: Iterable[str]) -> str:
    """The way out of a wrong name: the one that was probably meant, or all that there are."""
    known = tuple(names)
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean {str(close[0])!r}?"
    return f"there is {listed(known, 'and')}" if known else ""


def listed(names: Iterable[str], word: str) -> str:
    """Names as a sentence has them: a, b and c."""
    each = tuple(names)
    return f" {word} ".join(filter(None, (", ".join(each[:-1]), *each[-1:])))


def a(noun: str) -> str:
    """A noun with its article."""
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def argument_names(shape: Shape) -> frozenset[str]:
    """The names of all arguments that there are in a shape, at any depth."""
    return frozenset(shape.arguments).union(*map(argument_names, shape.blocks.values()))


def _check_labels(block: Block, shape: Shape, complain: Complain) -> None:
    given, wanted = len(block.labels), len(shape.labels)
    if given < wanted:
        header = " ".join((block.type, *(f'"<{label}>"' for label in shape.labels)))
        message = f"{a(block.type)} block needs a label: {listed(shape.labels[given:], 'and')}"
        complain(problem("missing-label", message, block.place, fix=f"write {header} {{"))
    for surplus in block.labels[wanted:]:
        allowed = "no label" if wanted == 0 else "one label" if wanted == 1 else f"{wanted} labels"
        shown = "this" if block.type in SECRET_BLOCKS else repr(surplus.text)
        message = f"{a(block.type)} block has {allowed}; {shown} is one too many"
        complain(problem("extra-label", message, surplus.place))


def _unsupported(kind: str, name: str, shape: Shape, inside: str, place: Place) -> Problem:
    """The complaint about a name that is not in a shape; an argument and a block may have been mixed up."""
    code = f"unsupported-{kind}"
    if kind == "argument" and name in shape.blocks:
        return problem(code, f"{name!r} is a block in {inside}", place, fix="write it without `=`")
    if kind == "block" and name in shape.arguments:
        return problem(code, f"{name!r} is an argument in {inside}", place, fix="write it with `=`")
    names = shape.arguments if kind == "argument" else shape.blocks
    return problem(code, f"unsupported {kind} {name!r} in {inside}", place, fix=nearest(name, names))


_RETRY = ("base_delay_ms", "backoff_factor", "max_retries")
_OBSERVABILITY = (
    "endpoint",
    "protocol",
    "sampling_ratio",
    "traces_enabled",
    "metrics_enabled",
    "logs_enabled",
    "export_interval_ms",
    "service_name",
)
_SETTINGS = ("default_frontend", "log_level", "telemetry")
_SETTINGS_BLOCKS = {
    "retry": Shape(arguments=_RETRY, required=_RETRY),
    "observability": Shape(arguments=(*_OBSERVABILITY, "resource_attrs"), required=_OBSERVABILITY),
    "event_bus": Shape(arguments=("subscribe_queue_bound",)),
    "doom_loop": Shape(arguments=("window_size", "threshold")),
}
_MODEL = Shape(arguments=("provider", "id"), required=("provider", "id"))

AGENT = Shape(
    blocks={
        "required_providers": Shape(is_free=True),
        "provider": Shape(
            labels=("local name",),
            is_free=True,
            blocks={"environment": Shape(is_free=True)},
            unique=("environment",),
            has_free_blocks=True,
        ),
        "hook": Shape(labels=("point",), arguments=("provider", "mode", "timeout_ms"), required=("provider", "mode")),
        "settings": Shape(
            arguments=(*_SETTINGS, "default_hook_timeout_ms", "default_tool_timeout_ms", "max_depth"),
            required=_SETTINGS,
            blocks=_SETTINGS_BLOCKS,
            last_counts=tuple(_SETTINGS_BLOCKS),
        ),
        "policy": Shape(labels=("rule name",), arguments=("match", "action"), required=("match", "action")),
        "agent_profile": Shape(
            labels=("name",),
            arguments=(
                "tools",
                "slash_commands",
                "max_turns",
                "max_cost_usd",
                "max_wall_clock_s",
                "max_depth",
                "max_concurrent_subagents",
            ),
            blocks={"model": Shape(blocks={"primary": _MODEL, "fallback": _MODEL}, unique=("primary",))},
            last_counts=("model",),
        ),
    },
)
"""agent.hcl."""

SECRET_BLOCKS = ("provider", "registry_mirror", "environment")
"""Types of blocks whose values are not shown: passwords stand in them."""

UNIQUE = ("required_providers", "provider", "settings", "agent_profile")
"""Types of blocks of which all files of an agent together hold one, or one with the same label."""

GLOBAL = Shape(
    blocks={
        "dev_overrides": Shape(is_free=True),
        "registry_mirror": Shape(arguments=("default",), blocks={"mirror": Shape(arguments=("prefix", "url", "auth"))}),
    },
    unique=("dev_overrides",),
)
"""config.hcl."""
