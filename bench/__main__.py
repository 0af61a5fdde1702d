"""`python -m bench [NAME...]`: measure, print the table, write results.json beside this file."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.measure import Row

BENCHES: Final[Mapping[str, str]] = {
    "kernel": "bench.kernel_bench",
    "grpc": "bench.goplugin_bench",
    "hookbus": "bench.hookbus_bench",
    "stdio": "bench.stdio_bench",
    "startup": "bench.startup_bench",
    "diff": "bench.diff_bench",
    "filters": "bench.filter_bench",
    "travel": "bench.travel_bench",
    "rig": "bench.rig_bench",
    "otlp": "bench.otlp_bench",
    "writing": "bench.writing_bench",
    "recording": "bench.recording_bench",
    "traces": "bench.traces_bench",
    "memory": "bench.memory_bench",
}
"""What can be named, and the module whose `rows()` measures it."""
RESULTS: Final = Path(__file__).with_name("results.json")


def main(names: Sequence[str]) -> int:
    """Run what is named, or everything. A target that does not hold is shown, and is not an error: machines differ."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    print(header(), flush=True)
    measured: list[Row] = []
    for name in names or BENCHES:
        rows: list[Row] = importlib.import_module(BENCHES[name]).rows()
        for row in rows:
            print(line(row), flush=True)
        measured += rows
    write(measured)
    return 0


def header() -> str:
    """The first line of the table."""
    return f"{'':46}{'figure':>11}{'floor':>11}     {'ratio':>7}  {'target':>9}"


def line(row: Row) -> str:
    """A row of the table."""
    verdict = "holds" if row.holds else "DOES NOT HOLD"
    return (
        f"{row.name:46}{row.figure:11.3f}{row.floor:11.3f} {row.unit:3}{row.ratio:8.2f}  {row.target!s:>9}  {verdict}"
    )


def write(rows: Sequence[Row]) -> None:
    """Keep the rows as JSON."""
    about = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    kept = [
        {
            "name": row.name,
            "unit": row.unit,
            "figure": row.figure,
            "floor": row.floor,
            "ratio": row.ratio,
            "target": str(row.target),
            "holds": row.holds,
        }
        for row in rows
    ]
    RESULTS.write_text(json.dumps({"machine": about, "rows": kept}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
