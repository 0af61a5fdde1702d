"""Write the pages that are made from the tables of the code; with `--check`, say whether they are stale."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from debugger.runcontrol import TRANSITIONS, RunState
from debugger.scenario.schema import schema
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.codes import CODES
from kernel.dialects.pluggable.faults import FAULTS
from kernel.dialects.pluggable.points import POINTS

DOCS = Path(__file__).resolve().parent.parent / "docs"


def run_states() -> Iterable[str]:
    """The state machine of a dispatch under a debugger."""
    yield "# Run states"
    yield ""
    yield "Made from the table in `debugger/runcontrol.py` by `make docs`."
    yield ""
    yield "```mermaid"
    yield "stateDiagram-v2"
    yield f"    [*] --> {RunState.IDLE}"
    for state, moves in TRANSITIONS.items():
        for move, target in moves.items():
            yield f"    {state} --> {target}: {move}"
    yield "```"
    yield ""
    yield "| state | move | leads to |"
    yield "|---|---|---|"
    for state, moves in TRANSITIONS.items():
        for move, target in moves.items():
            yield f"| {state} | {move} | {target} |"


def pluggable() -> Iterable[str]:
    """The pluggable dialect's tables."""
    yield "# The pluggable dialect"
    yield ""
    yield "Hook dispatch of pluggableharness: plugins are go-plugin processes, `agent.hcl` says who is asked where."
    yield "The tables are made from the kernel's own by `make docs`."
    yield ""
    yield "## Points"
    yield ""
    yield "| point | number | a transform may change | veto |"
    yield "|---|---|---|---|"
    for point in POINTS:
        mutable = ", ".join(f"`{name}`" for name in sorted(point.mutable)) or "nothing"
        yield f"| {point.label} | {point.number} | {mutable} | {'yes' if point.bears_veto else 'no'} |"
    yield ""
    yield "## Rules"
    yield ""
    yield "| rule | what it says | specification |"
    yield "|---|---|---|"
    for rule in PLUGGABLE.rules.values():
        yield f"| {rule.id} | {rule.text} | {rule.source} |"
    yield ""
    yield "## Faults"
    yield ""
    yield "| fault | the subscriber | settings | modes |"
    yield "|---|---|---|---|"
    for fault in FAULTS:
        settings = ", ".join(f"{key}={value!r}" for key, value in fault.defaults.items()) or "none"
        modes = "all" if fault.modes is None else ", ".join(sorted(fault.modes))
        yield f"| {fault.kind} | {fault.summary} | {settings} | {modes} |"


def scenario_schema() -> Iterable[str]:
    """The format of scenario files, for editors."""
    yield json.dumps(schema(), indent=2)


CODES_BEGIN, CODES_END = "<!-- codes: made by `make docs` -->", "<!-- end of codes -->"


def configuration() -> Iterable[str]:
    """The page about configurations, with its table of codes made anew."""
    before, _, rest = (DOCS / "configuration.md").read_text().partition(CODES_BEGIN)
    after = rest.partition(CODES_END)[2].removesuffix("\n")
    yield before + CODES_BEGIN
    yield ""
    yield "| code | severity | what it says | the host finds it when |"
    yield "|---|---|---|---|"
    for code in CODES.values():
        yield f"| `{code.id}` | {code.severity} | {code.text} | {code.found or 'never'} |"
    yield ""
    yield CODES_END + after


PAGES = {
    DOCS / "configuration.md": configuration,
    DOCS / "run-states.md": run_states,
    DOCS / "scenario.schema.json": scenario_schema,
    DOCS / "dialects" / "pluggable.md": pluggable,
}


def main() -> None:
    for path, page in PAGES.items():
        text = "\n".join(page()) + "\n"
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            raise SystemExit(f"{path.name} is not what the code's tables say: run `make docs`")


if __name__ == "__main__":
    main()
