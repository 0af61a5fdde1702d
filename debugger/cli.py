"""The command line: arguments become a request, the result becomes text and an exit code. Wiring only.

Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from debugger.opening import Opening
from debugger.version import VERSION

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON


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

ANSWERS = click.Choice(["once", "session", "always", "deny", "deny-session", "deny-always"])
"""What can be answered to a question."""

OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Record the run in a new FILE, for `replay`, `diff` and `open` (docs/recordings.md).",
)

REDACT = click.option(
    "--redact", "is_redacted", is_flag=True, help="Keep no secret that is recognised in FILE (docs/redaction.md)."
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


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("point")
@click.option("--payload", metavar="FILE|-", help="JSON to fire; from standard input for -. Default: the prepared one.")
@click.option("--json", "is_json", is_flag=True, help="One fact a line, as JSON (docs/facts.md).")
@click.option(
    "--answer",
    type=ANSWERS,
    help="Answer this where the chain leaves it to a person. Default: ask at the terminal; without one, deny.",
)
@SWITCH
@OUTPUT
@REDACT
@reading
@click.pass_context
def fire(
    context: click.Context,
    config: Path,
    point: str,
    payload: str | None,
    is_json: bool,
    answer: str | None,
    switches: tuple[str, ...],
    output: Path | None,
    is_redacted: bool,
    options: dict[str, JSON],
) -> None:
    """Dispatch once, without the application: fire CONFIG at POINT.

    Prints the chain, what each transform changed, the result and why. Exits with 0 when the chain let the payload
    pass, 1 when it said no or was aborted, 2 for input that cannot be used, 3 when something broke on our side.
    """
    from debugger.fire import Request
    from debugger.fire import fire as run

    context.exit(run(Request(config, point, payload, is_json, switches, options, answer, output, is_redacted)))


@cli.command()
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


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="One record a line, as JSON (docs/state-files.md).")
@click.option("--kind", metavar="KIND", help="List only events of this kind, such as hook_error.")
@click.option("--limit", type=click.IntRange(1, 2**31), metavar="N", help="List only the newest N events.")
def state(file: Path, is_json: bool, kind: str | None, limit: int | None) -> None:
    """Print what the agent stored about a session: FILE is its .sqlite file, which is only read.

    Shows the session, its events, hook errors in full, who decided about plan items, and what the models cost. The
    agent may go on writing meanwhile.
    """
    from debugger.state import Request, show

    show(Request(file, kind, limit, is_json))


@cli.command()
@click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="One scenario a line, as JSON (docs/scenarios.md).")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write JUnit XML too.")
@click.option("-k", "only", metavar="SUBSTRING", default="", help="Only scenarios with this in their name.")
@click.pass_context
def run(context: click.Context, paths: tuple[Path, ...], is_json: bool, junit: Path | None, only: str) -> None:
    """Run scenario files and judge them; of a folder every *.scenario.yaml in it.

    Prints expected beside actual for each expectation that does not hold. Exits with 0 when all of them held, 1 when
    one failed, 2 for files that cannot be used, 3 when something broke on our side.
    """
    from debugger.scenario.command import Request, run_files

    context.exit(run_files(Request(paths, is_json, junit, only)))


@cli.command()
@click.argument("rule", required=False)
@click.option("--all", "is_all", is_flag=True, help="Every rule of every dialect.")
@click.pass_context
def explain(context: click.Context, rule: str | None, is_all: bool) -> None:
    """Say what a rule means, and where it comes from: explain PL-VETO-TIMEOUT."""
    from debugger.explain import explain as run

    if (rule is None) is not is_all:
        raise click.UsageError("name a rule, or say --all")
    context.exit(run(rule))


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("session", type=click.Path(path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="One fact a line, as JSON (docs/facts.md).")
@click.option(
    "--answer",
    type=ANSWERS,
    help="Answer this to everything that is asked. Default: what the session describes, and deny for the rest.",
)
@OUTPUT
@REDACT
@reading
@click.pass_context
def play(
    context: click.Context,
    config: Path,
    session: Path,
    is_json: bool,
    answer: str | None,
    output: Path | None,
    is_redacted: bool,
    options: dict[str, JSON],
) -> None:
    """Play a described session through the hooks of CONFIG: SESSION is a JSON file (docs/sessions.md).

    Model, tools and people do as described; every hook is a real dispatch. Prints the story turn by turn. Exits with 0
    when the session completed, 1 when it ended with another status, 2 for input that cannot be used.
    """
    from debugger.play import Request
    from debugger.play import play as run

    context.exit(run(Request(config, session, is_json, answer, options, output)))


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--json", "is_json", is_flag=True, help="One problem a line, then one chain a line (docs/configuration.md)."
)
@reading
def check(paths: tuple[Path, ...], is_json: bool, options: dict[str, JSON]) -> None:
    """Look at configurations without running anything: every problem at once, with line, column and a way out.

    Then the chain of each point, and where each of its members was declared. Exits with 0 when there is nothing worse
    than a warning, 1 when there is an error, 2 for a PATH that cannot be read.
    """
    from debugger.check import Request, run

    click.get_current_context().exit(run(Request(paths, is_json, options)))


@cli.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--live", multiple=True, metavar="NAME", help="Ask this subscriber for real; the others as recorded.")
@click.option("--refire", is_flag=True, help="Ask everybody for real: only the inputs are as recorded.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="Where live subscribers come from. Default: as recorded."
)
@click.option("--json", "is_json", is_flag=True, help="One dispatch a line, as JSON (docs/recordings.md).")
@reading
@click.pass_context
def replay(
    context: click.Context,
    recording: Path,
    live: tuple[str, ...],
    refire: bool,
    config: Path | None,
    is_json: bool,
    options: dict[str, JSON],
) -> None:
    """Run RECORDING again and say where it parts from what was recorded.

    Without options nobody is asked and no process is started: every fact is told anew from what was recorded of calls
    and people. Exits with 0 when everything is as recorded, 1 when something is not, 2 for a file that cannot be used.
    """
    from debugger.replay.command import Request, run

    if live and refire:
        raise click.UsageError("--refire asks everybody already")
    context.exit(run(Request(recording, VERSION, live, refire, config, is_json, options)))


@cli.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="One pair of dispatches a line, as JSON (docs/recordings.md).")
@click.pass_context
def diff(context: click.Context, first: Path, second: Path, is_json: bool) -> None:
    """Compare two recordings dispatch by dispatch: where they part first, and why.

    Exits with 0 when they are alike, 1 when they are not, 2 for files that cannot be used.
    """
    from debugger.replay.command import compare_files

    context.exit(compare_files(first, second, is_json=is_json))


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--fault", "kinds", multiple=True, metavar="KIND", help="Only this kind; can be given several times.")
@click.option(
    "--timeout-ms",
    type=click.IntRange(1, 600_000),
    default=1000,
    show_default=True,
    help="Longer deadlines are cut to this, so that whoever hangs does not hang for long.",
)
@click.option("--json", "is_json", is_flag=True, help="One fault a line, as JSON (docs/faults.md).")
@reading
@click.pass_context
def chaos(
    context: click.Context,
    config: Path,
    kinds: tuple[str, ...],
    timeout_ms: int,
    is_json: bool,
    options: dict[str, JSON],
) -> None:
    """Try every fault at every subscriber of every point, and say where the rule that must apply did not.

    Exits with 0 when everything was as the rules say, 1 when something was not, 2 for input that cannot be used.
    """
    from debugger.chaos.command import Request
    from debugger.chaos.command import chaos as run

    context.exit(run(Request(config, kinds, timeout_ms, is_json, options)))


@cli.command()
@click.option("-o", "out", type=click.Path(path_type=Path), metavar="FILE", help="Store the spans in FILE as well.")
@click.option("--json", "is_json", is_flag=True, help="One trace a line, as JSON.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; your own machine unless you ask."
)
@click.option("--grpc-port", type=click.IntRange(0, 65535), default=4317, show_default=True, help="0: any free one.")
@click.option("--http-port", type=click.IntRange(0, 65535), default=4318, show_default=True, help="0: any free one.")
@click.option("--no-grpc", is_flag=True, help="Listen over HTTP only.")
@click.option("--no-http", is_flag=True, help="Listen over gRPC only.")
@click.option(
    "--most-spans", type=click.IntRange(0), default=1_000_000, show_default=True, help="In FILE; 0: no limit."
)
@click.pass_context
def listen(
    context: click.Context,
    out: Path | None,
    is_json: bool,
    host: str,
    grpc_port: int,
    http_port: int,
    no_grpc: bool,
    no_http: bool,
    most_spans: int,
) -> None:
    """Receive OpenTelemetry traces over gRPC and HTTP, and print one line for each (docs/opentelemetry.md).

    Says on standard error what to put into the environment of the program that is to be heard.
    """
    from debugger.otlp.command import Request
    from debugger.otlp.command import listen as run

    ports = None if no_grpc else grpc_port, None if no_http else http_port
    context.exit(run(Request(out, is_json, host, *ports, most_spans)))


FORMS = ("html", "markdown", "mermaid", "svg", "jsonl", "scenario", "pytest")
VIEWS = (
    *("all", "dispatches", "chain", "spans", "diff", "sides", "blame", "payload", "answer", "why", "span", "output"),
    "story",
)


@cli.command("export")
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--as", "form", required=True, type=click.Choice(FORMS), help="The format.")
@click.option("-o", "out", metavar="FILE", type=click.Path(path_type=Path), help="Default: standard output.")
@click.option("--dispatch", "dispatches", multiple=True, metavar="N|N-M|ID", help="Only these; several times for more.")
@click.option("--no-redact", "is_redacted", flag_value=False, default=True, help="Leave secrets as they are.")
@click.option("--redact-rules", "rules", metavar="FILE", type=click.Path(path_type=Path), help="See docs/redaction.md.")
@click.option("--preview", "is_preview", is_flag=True, help="Say what would be replaced and where; write nothing.")
@click.option("--view", default="all", show_default=True, type=click.Choice(VIEWS), help="For svg: what to draw.")
@click.option("--step", default="", metavar="NAME|N", help="For svg: a subscriber.")
@click.option("--width", default=100, show_default=True, help="For svg: in cells.")
@click.option("--force", "is_forced", is_flag=True, help="Replace FILE if it is there.")
@click.pass_context
def export_command(
    context: click.Context,
    recording: Path,
    form: str,
    out: Path | None,
    dispatches: tuple[str, ...],
    is_redacted: bool,
    rules: Path | None,
    is_preview: bool,
    view: str,
    step: str,
    width: int,
    is_forced: bool,
) -> None:
    """Turn RECORDING, or some dispatches of it, into something for people and programs elsewhere (docs/exports.md).

    Secrets are replaced by placeholders unless one says otherwise.
    """
    from debugger.export.command import Request, export
    from debugger.export.formats import Format
    from debugger.export.pictures import View, Wish

    wish = Wish(View(view), step, width)
    context.exit(
        export(
            Request(
                recording,
                Format(form),
                wish=wish,
                out=out,
                dispatches=dispatches,
                is_redacted=is_redacted,
                rules=rules,
                is_preview=is_preview,
                is_forced=is_forced,
            )
        )
    )


@cli.command()
@click.option("--config", type=click.Path(path_type=Path), help="Only those of this configuration's dialect.")
@click.option("--json", "is_json", is_flag=True, help="One fault a line, as JSON (docs/faults.md).")
def faults(config: Path | None, is_json: bool) -> None:
    """List the fault catalogue: what can be made to go wrong, with which settings, and which rule it exercises."""
    from debugger.fault_list import catalogue

    catalogue(config, is_json=is_json)


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


if __name__ == "__main__":
    main()
