"""The command line: arguments become a request, the result becomes text and an exit code. Wiring only.

Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from enum import IntEnum

import click

from debugger.cli import application, asking, judging, recordings, telemetry, telling
from debugger.version import VERSION


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


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="hookscope")
@click.pass_context
def cli(context: click.Context) -> None:
    """An oscilloscope for hook chains.

    Without a command, opens the built-in demonstration.
    """
    if context.invoked_subcommand is None:
        context.exit(application.demonstrate())


for command in (
    application.open_command,
    *(asking.fire, asking.play, asking.payload),
    *(judging.check, judging.run, judging.chaos),
    *(telling.explain, telling.faults, telling.state),
    *(recordings.replay, recordings.diff, recordings.export_command, recordings.send),
    telemetry.listen,
):
    cli.add_command(command)


def main() -> None:
    """The console command. Turns what we raise on purpose into a sentence and an exit code, in this one place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # whatever can be said is better than a refusal to say it
    logging.getLogger().addHandler(logging.NullHandler())  # what we have to say, we say in sentences
    try:
        cli(standalone_mode=True)
    except BrokenPipeError:  # whoever read our output has enough of it
        sys.stderr.close()
        sys.exit(ExitCode.FINE)
    except Exception as error:  # the last seam: a bug of ours becomes a sentence, and a traceback on request
        from kernel.errors import HookscopeError  # importing the kernel takes time that a screen does not have

        if isinstance(error, HookscopeError):
            from debugger.views.text import visible

            for line in f"hookscope: {error}".split("\n"):
                click.echo(visible(line), err=True)  # it may quote what somebody else wrote
            sys.exit(ExitCode.WRONG_USE)
        if os.environ.get("HOOKSCOPE_TRACEBACK"):
            raise
        click.echo(f"hookscope: something broke on our side: {error!r}", err=True)
        click.echo("Please report it with what HOOKSCOPE_TRACEBACK=1 prints in the same place.", err=True)
        sys.exit(ExitCode.OURS)
