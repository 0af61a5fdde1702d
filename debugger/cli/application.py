"""Commands that open the application: on a configuration with `open`, on the demonstration without a word."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debugger.cli.options import SWITCH, reading
from debugger.opening import Opening

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON


def demonstrate() -> int:
    """Open the built-in demonstration; gives the exit code."""
    from sample_configs import FIRST_CHAIN

    return _open(Opening(FIRST_CHAIN, ("plan-ready", "pre-model-call"), ("concurrent_observe",)))


@click.command("open")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--play", type=click.Path(path_type=Path), help="A described session to play at once (docs/sessions.md).")
@click.option("--state", type=click.Path(path_type=Path), help="A session file of the agent to read beside; key D.")
@SWITCH
@reading
@click.pass_context
def open_command(
    context: click.Context,
    config: Path,
    play: Path | None,
    state: Path | None,
    switches: tuple[str, ...],
    options: dict[str, JSON],
) -> None:
    """Open the application on a configuration and start its subscribers."""
    for path in (config, play, state):
        if path is not None and not path.exists():
            raise click.UsageError(f"{path} does not exist")
    context.exit(_open(Opening(config.absolute(), (), switches, play, state, options)))


def _open(opening: Opening) -> int:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("the application needs a terminal; `hookscope fire` needs none")
    from debugger.app import run

    code, problem = run(opening)
    if problem:
        click.echo(f"hookscope: {problem}", err=True)
    return code
