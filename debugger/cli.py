"""The command line: arguments become a request, the result becomes text and an exit code. Wiring only.

Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import os
import sys
from enum import IntEnum
from pathlib import Path

import click

from debugger.opening import Opening

VERSION = "0.1.0"


class ExitCode(IntEnum):
    """What the exit code of every command means."""

    FINE = 0
    """It worked, and what was judged is as it should be."""
    FAILED = 1
    """The judged thing failed: the chain was aborted or said no."""
    WRONG_USE = 2
    """The arguments or the input cannot be used."""
    OURS = 3
    """Something broke on our side."""


SWITCH = click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME",
    help="Turn on a switch of the dialect, such as concurrent_observe. Can be given several times.",
)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="hookscope")
@click.pass_context
def cli(context: click.Context) -> None:
    """An oscilloscope for hook chains.

    Without a command, opens the built-in demonstration.
    """
    if context.invoked_subcommand is None:
        from sample_configs import FIRST_CHAIN

        context.exit(_open(Opening(FIRST_CHAIN, ("plan-ready", "pre-model-call"), ("concurrent_observe",))))


@cli.command("open")
@click.argument("config", type=click.Path(path_type=Path))
@SWITCH
@click.pass_context
def open_command(context: click.Context, config: Path, switches: tuple[str, ...]) -> None:
    """Open the application on a configuration and start its subscribers."""
    if not config.exists():
        raise click.UsageError(f"{config} does not exist")
    context.exit(_open(Opening(config.absolute(), (), switches)))


def _open(opening: Opening) -> int:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("the application needs a terminal; `hookscope fire` needs none")
    from debugger.app import run

    code, problem = run(opening)
    if problem:
        click.echo(f"hookscope: {problem}", err=True)
    return code


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("point")
@click.option("--payload", metavar="FILE|-", help="JSON to fire; from standard input for -. Default: the prepared one.")
@click.option("--json", "is_json", is_flag=True, help="One fact a line, as JSON (docs/facts.md).")
@SWITCH
@click.pass_context
def fire(
    context: click.Context, config: Path, point: str, payload: str | None, is_json: bool, switches: tuple[str, ...]
) -> None:
    """Dispatch once, without the application: fire CONFIG at POINT.

    Prints the chain, what each transform changed, the result and why. Exits with 0 when the chain let the payload
    pass, 1 when it said no or was aborted, 2 for input that cannot be used, 3 when something broke on our side.
    """
    from debugger.fire import Request
    from debugger.fire import fire as run

    context.exit(run(Request(config, point, payload, is_json, switches)))


def main() -> None:
    """The console command. Turns what we raise on purpose into a sentence and an exit code, in this one place."""
    try:
        cli(standalone_mode=True)
    except BrokenPipeError:  # whoever read our output has enough of it
        sys.stderr.close()
        sys.exit(ExitCode.FINE)
    except Exception as error:  # the last seam: a bug of ours becomes a sentence, and a traceback on request
        from kernel.errors import HookscopeError  # importing the kernel takes time that a screen does not have

        if isinstance(error, HookscopeError):
            click.echo(f"hookscope: {error}", err=True)
            sys.exit(ExitCode.WRONG_USE)
        if os.environ.get("HOOKSCOPE_TRACEBACK"):
            raise
        click.echo(f"hookscope: something broke on our side: {error!r}", err=True)
        click.echo("Please report it with what HOOKSCOPE_TRACEBACK=1 prints in the same place.", err=True)
        sys.exit(ExitCode.OURS)


if __name__ == "__main__":
    main()
