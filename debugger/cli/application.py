"""Commands that open the application: on whatever a file is with `open`, on the demonstration without a word."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debugger.cli.options import KEEP, OTLP, OUTPUT, REDACT, SWITCH, reading
from debugger.opening import AnyOpening, Opening, SpansOpening, recognised

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON


def demonstrate() -> int:
    """Open the built-in demonstration; gives the exit code."""
    from sample_configs import FIRST_CHAIN

    return _open(Opening(FIRST_CHAIN, ("plan-ready", "pre-model-call"), ("concurrent_observe",)))


@click.command("open")
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--play", type=click.Path(path_type=Path), help="A described session to play at once (docs/sessions.md).")
@click.option("--state", type=click.Path(path_type=Path), help="A session file of the agent to read beside; key D.")
@SWITCH
@OUTPUT
@KEEP
@REDACT
@OTLP
@reading
@click.pass_context
def open_command(
    context: click.Context,
    path: Path,
    play: Path | None,
    state: Path | None,
    switches: tuple[str, ...],
    output: Path | None,
    limits: tuple[str, ...],
    is_redacted: bool,
    otlp: str | None,
    options: dict[str, JSON],
) -> None:
    """Open the application on PATH: what it is, is seen from its content.

    A configuration: its subscribers are started. A recording (-o FILE of any command, or of `listen`), OTLP JSON or
    JSON Lines, Jaeger JSON, also gzipped: nobody is started. - reads OTLP or Jaeger JSON from standard input.
    """
    if str(path) == "-":
        context.exit(_open_stream())
    for each in (path, play, state):
        if each is not None and not each.exists():
            raise click.UsageError(f"{each} does not exist")
    found = recognised(path.absolute())
    if found is None:
        found = Opening(path.absolute(), (), switches, play, state, options, output, is_redacted, limits, otlp)
    elif play or state or switches or options or output or is_redacted or limits or otlp:
        raise click.UsageError(f"{path} is no configuration: nobody runs, and only a configuration takes options")
    context.exit(_open(found))


def _open_stream() -> int:
    """Whatever standard input has to say, to its end; then the keyboard is read from the terminal."""
    import os
    import shutil
    import tempfile
    from dataclasses import replace

    if sys.stdin.isatty():
        raise click.UsageError("standard input is the terminal; pipe OTLP JSON into `hookscope open -`")
    with tempfile.TemporaryDirectory(prefix="hookscope-") as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        from kernel.errors import BadInput

        try:
            found = recognised(path)
        except BadInput as error:
            raise BadInput(error.message.replace(str(path), "standard input"), fix=error.fix) from error
        if not isinstance(found, SpansOpening):
            raise click.UsageError("what was piped in is a recording; name its file instead")
        try:
            terminal = os.open("/dev/tty", os.O_RDWR)
        except OSError:
            raise click.UsageError("the application needs a terminal; `hookscope listen` needs none") from None
        os.dup2(terminal, 0)
        os.close(terminal)
        return _open(replace(found, name="standard input"))


def _open(opening: AnyOpening) -> int:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("the application needs a terminal; `hookscope fire` needs none")
    from debugger.app import run

    code, problem = run(opening)
    if problem:
        click.echo(f"hookscope: {problem}", err=True)
    return code
