"""Commands that judge: configurations with `check`, scenarios with `run`, subscribers with `chaos`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from debugger.cli.options import reading

if TYPE_CHECKING:  # loading the kernel takes time that `--version` does not have
    from kernel.values import JSON


@click.command()
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


@click.command()
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


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--fault", "kinds", multiple=True, metavar="KIND", help="Only this kind; can be given several times.")
@click.option(
    "--timeout-ms",
    type=click.IntRange(1, 600_000),
    default=1000,
    show_default=True,
    help="Longer deadlines are cut to this, so that whoever hangs does not hang for long.",
)
@click.option(
    "--payload",
    "given",
    multiple=True,
    metavar="POINT=FILE",
    help="Fire this at a point instead of what lies beside the configuration; may be given for several points.",
)
@click.option("--json", "is_json", is_flag=True, help="One fault a line, as JSON (docs/faults.md).")
@reading
@click.pass_context
def chaos(
    context: click.Context,
    config: Path,
    kinds: tuple[str, ...],
    timeout_ms: int,
    given: tuple[str, ...],
    is_json: bool,
    options: dict[str, JSON],
) -> None:
    """Try every fault at every subscriber of every point, and say where the rule that must apply did not.

    Exits with 0 when everything was as the rules say, 1 when something was not, 2 for input that cannot be used.
    """
    from debugger.chaos.command import Request
    from debugger.chaos.command import chaos as run

    context.exit(run(Request(config, kinds, timeout_ms, is_json, options, given)))
