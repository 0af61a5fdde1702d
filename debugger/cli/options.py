"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON

SWITCH = click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME",
    help="Turn on a switch of the dialect, such as concurrent_observe. Can be given several times.",
)

ANSWERS = click.Choice(["once", "session", "always", "deny", "deny-session", "deny-always"])
"""What can be answered to a question."""

OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Record the run in a new FILE, for `replay`, `diff` and `open` (docs/recordings.md).",
)

KEEP = click.option(
    "--keep",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="How much FILE keeps: dispatches=1000, spans=5M, bytes=500MB or time=2h; repeatable. The oldest go first.",
)

REDACT = click.option(
    "--redact", "is_redacted", is_flag=True, help="Keep no secret that is recognised in FILE (docs/redaction.md)."
)

OTLP = click.option(
    "--otlp", metavar="URL", help="Send the spans to an OpenTelemetry collector, as they end (docs/opentelemetry.md)."
)

Command = TypeVar("Command", bound=Callable[..., Any])


def reading(command: Command) -> Command:
    """The options of every command that reads a configuration: how it is read. They arrive as `options`."""
    option = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_options,
        help="How to read the configuration, in the dialect's words (docs/configuration.md). VALUE is JSON, or text.",
    )
    lenient = click.option(
        "--lenient",
        multiple=True,
        metavar="NAME",
        is_eager=True,
        expose_value=False,
        callback=_lenient,
        help="Let something through that the host refuses, such as repeated_subscriptions: --option NAME=true.",
    )
    return option(lenient(command))


def _lenient(context: click.Context, _: click.Parameter, names: tuple[str, ...]) -> None:
    context.meta["lenient"] = dict.fromkeys(names, True)


def _options(context: click.Context, _: click.Parameter, pairs: tuple[str, ...]) -> dict[str, JSON]:
    options: dict[str, JSON] = dict(context.meta["lenient"])  # there before: that option is eager
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{pair!r} is not NAME=VALUE")
        options[name] = _value(value)
    return options


def _value(text: str) -> JSON:
    import json

    from debugger.json_text import decode
    from kernel.errors import BadInput

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    try:
        return decode(text.encode("utf-8", "surrogateescape"), "value")
    except BadInput as error:
        raise click.BadParameter(str(error)) from None
