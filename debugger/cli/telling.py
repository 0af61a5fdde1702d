"""Commands that tell what there is: `explain` rules, list `faults`, show the `state` that an agent stored."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("rule", required=False)
@click.option("--all", "is_all", is_flag=True, help="Every rule of every dialect.")
@click.pass_context
def explain(context: click.Context, rule: str | None, is_all: bool) -> None:
    """Say what a rule means, and where it comes from: explain PL-VETO-TIMEOUT."""
    from debugger.explain import explain as run

    if (rule is None) is not is_all:
        raise click.UsageError("name a rule, or say --all")
    context.exit(run(rule))


@click.command()
@click.option("--config", type=click.Path(path_type=Path), help="Only those of this configuration's dialect.")
@click.option("--json", "is_json", is_flag=True, help="One fault a line, as JSON (docs/faults.md).")
def faults(config: Path | None, is_json: bool) -> None:
    """List the fault catalogue: what can be made to go wrong, with which settings, and which rule it exercises."""
    from debugger.fault_list import catalogue

    catalogue(config, is_json=is_json)


@click.command()
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
