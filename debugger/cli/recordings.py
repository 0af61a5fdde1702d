"""Commands over recordings: `replay`, `diff`, and `export` for people and programs elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from debugger.cli.options import reading
from debugger.version import VERSION

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--live", multiple=True, metavar="NAME", help="Ask this subscriber for real; the others as recorded.")
@click.option("--refire", is_flag=True, help="Ask everybody for real: only the inputs are as recorded.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="Where live subscribers come from. Default: as recorded."
)
@click.option("--where", default="", metavar="FILTER", help="Only dispatches that fit (docs/filters.md).")
@click.option("--json", "is_json", is_flag=True, help="One dispatch a line, as JSON (docs/recordings.md).")
@reading
@click.pass_context
def replay(
    context: click.Context,
    recording: Path,
    live: tuple[str, ...],
    refire: bool,
    config: Path | None,
    where: str,
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
    context.exit(run(Request(recording, VERSION, live, refire, config, is_json, options, where)))


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="One pair of dispatches a line, as JSON (docs/recordings.md).")
@click.option(
    "--ignore",
    multiple=True,
    metavar="PLACE",
    help="Not to look at: $.turn_id, or plan-ready $.items[*].id; repeatable.",
)
@click.pass_context
def diff(context: click.Context, first: Path, second: Path, is_json: bool, ignore: tuple[str, ...]) -> None:
    """Compare two recordings dispatch by dispatch: where they part first, and why.

    Exits with 0 when they are alike, 1 when they are not, 2 for files that cannot be used.
    """
    from debugger.replay.command import compare_files

    context.exit(compare_files(first, second, is_json=is_json, ignore=ignore))


FORMS = ("html", "markdown", "mermaid", "svg", "jsonl", "scenario", "pytest", "otlp")
VIEWS = (
    *("all", "dispatches", "chain", "spans", "diff", "sides", "blame", "payload", "answer", "why", "span", "output"),
    "story",
)


@click.command("export")
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


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--to", metavar="URL", help="Default: OTEL_EXPORTER_OTLP_ENDPOINT, or http://127.0.0.1:4317.")
@click.option("--dispatch", "dispatches", multiple=True, metavar="N|N-M|ID", help="Only these; several times for more.")
@click.option("--no-redact", "is_redacted", flag_value=False, default=True, help="Leave secrets as they are.")
@click.option("--redact-rules", "rules", metavar="FILE", type=click.Path(path_type=Path), help="See docs/redaction.md.")
@click.pass_context
def send(
    context: click.Context,
    recording: Path,
    to: str | None,
    dispatches: tuple[str, ...],
    is_redacted: bool,
    rules: Path | None,
) -> None:
    """Send RECORDING, or some dispatches of it, to an OpenTelemetry collector (docs/opentelemetry.md).

    Exits with 0 when all spans were taken, 1 when some were rejected, 2 where no collector takes them.
    """
    from debugger.export.otlp import Request, send_recording

    context.exit(send_recording(Request(recording, to, dispatches, is_redacted, rules)))
