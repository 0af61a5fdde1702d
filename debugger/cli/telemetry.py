"""Commands over OpenTelemetry traces: `listen`."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.option("-o", "out", type=click.Path(path_type=Path), metavar="FILE", help="Store the spans in FILE as well.")
@click.option("--screen", "is_on_screen", is_flag=True, help="Show the traces on the screen (docs/traces.md).")
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
    is_on_screen: bool,
    is_json: bool,
    host: str,
    grpc_port: int,
    http_port: int,
    no_grpc: bool,
    no_http: bool,
    most_spans: int,
) -> None:
    """Receive OpenTelemetry traces over gRPC and HTTP (docs/opentelemetry.md): print one line for each, or show them.

    Says on standard error what to put into the environment of the program that is to be heard.
    """
    if is_on_screen and is_json:
        raise click.UsageError("--json prints, and --screen does not: one of them")
    if is_on_screen and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("the screen needs a terminal; without --screen each trace is printed")
    from debugger.otlp.wishes import Request

    ports = None if no_grpc else grpc_port, None if no_http else http_port
    request = Request(out, is_json, host, *ports, most_spans)
    if is_on_screen:
        from debugger.traces.listening import listen as show

        context.exit(show(request))
    from debugger.otlp.command import listen as run

    context.exit(run(request))
