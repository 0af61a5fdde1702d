"""Commands that ask subscribers: `fire` one dispatch, `play` a described session; `payload` to begin from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from debugger.cli.options import ANSWERS, KEEP, OTLP, OUTPUT, REDACT, SWITCH, reading

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("point")
@click.option("--payload", metavar="FILE|-", help="JSON to fire; from standard input for -. Default: the prepared one.")
@click.option("--only", multiple=True, metavar="NAME", help="Start and ask nobody but this subscriber; repeatable.")
@click.option("--json", "is_json", is_flag=True, help="One fact a line, as JSON (docs/facts.md).")
@click.option(
    "--answer",
    type=ANSWERS,
    help="Answer this where the chain leaves it to a person. Default: ask at the terminal; without one, deny.",
)
@SWITCH
@OUTPUT
@KEEP
@REDACT
@OTLP
@reading
@click.pass_context
def fire(
    context: click.Context,
    config: Path,
    point: str,
    payload: str | None,
    only: tuple[str, ...],
    is_json: bool,
    answer: str | None,
    switches: tuple[str, ...],
    output: Path | None,
    limits: tuple[str, ...],
    is_redacted: bool,
    otlp: str | None,
    options: dict[str, JSON],
) -> None:
    """Dispatch once, without the application: fire CONFIG at POINT.

    Prints the chain, what each transform changed, the result and why. Exits with 0 when the chain let the payload
    pass, 1 when it said no or was aborted, 2 for input that cannot be used, 3 when something broke on our side.
    """
    from debugger.fire import Request
    from debugger.fire import fire as run

    context.exit(
        run(
            Request(config, point, payload, is_json, switches, options, answer, output, is_redacted, otlp, limits, only)
        )
    )


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("session", type=click.Path(path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="One fact a line, as JSON (docs/facts.md).")
@click.option(
    "--answer",
    type=ANSWERS,
    help="Answer this to everything that is asked. Default: what the session describes, and deny for the rest.",
)
@SWITCH
@OUTPUT
@KEEP
@REDACT
@OTLP
@reading
@click.pass_context
def play(
    context: click.Context,
    config: Path,
    session: Path,
    is_json: bool,
    answer: str | None,
    switches: tuple[str, ...],
    output: Path | None,
    limits: tuple[str, ...],
    is_redacted: bool,
    otlp: str | None,
    options: dict[str, JSON],
) -> None:
    """Play a described session through the hooks of CONFIG: SESSION is a JSON file (docs/sessions.md).

    Model, tools and people do as described; every hook is a real dispatch. Prints the story turn by turn. Exits with 0
    when the session completed, 1 when it ended with another status, 2 for input that cannot be used.
    """
    from debugger.play import Request
    from debugger.play import play as run

    context.exit(run(Request(config, session, is_json, answer, options, output, is_redacted, otlp, switches, limits)))


@click.command()
@click.argument("point")
@click.option("--config", type=click.Path(path_type=Path), help="Whose point it is; needed where dialects share names.")
@click.option("--seed", default=0, show_default=True, help="Another number, another payload.")
def payload(point: str, config: Path | None, seed: int) -> None:
    """Print a valid, realistic payload for POINT as JSON (docs/payloads.md).

    The same seed gives the same payload, and the payloads of one seed belong to one session. To begin from one:
    hookscope payload plan-ready > payloads/plan-ready.json
    """
    from debugger.payloads import generated
    from debugger.printing import say

    say(generated(config, point, seed) + "\n")
