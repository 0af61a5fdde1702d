"""Commands over OpenTelemetry traces: `listen`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
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
