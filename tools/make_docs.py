"""Write the pages that are made from the tables of the code; with `--check`, say whether they are stale."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from debugger.fault_list import exercised
from debugger.runcontrol import TRANSITIONS, RunState
from debugger.scenario.schema import schema
from kernel.dialect import Dialect
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.answers import MEMBERS
from kernel.dialects.hookbus.kinds import KINDS, Action
from kernel.dialects.hookbus.manifest.codes import CODES as HOOKBUS_CODES
from kernel.dialects.hookbus.permissions import PERMISSIONS
from kernel.dialects.hookbus.session.schema import schema as hookbus_session_schema_of
from kernel.dialects.hookbus.traits import TEXTS as SWITCHES
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.agent_hcl.codes import CODES
from kernel.dialects.pluggable.faults import FAULTS
from kernel.dialects.pluggable.points import POINTS
from kernel.dialects.pluggable.session.schema import schema as session_schema_of
from kernel.dialects.rig.session.schema import schema as rig_session_schema_of
from kernel.faults import FaultKind
from kernel.problems import Code

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
    yield "| fault | the subscriber | settings | modes | resolved by |"
    yield "|---|---|---|---|---|"
    for fault in FAULTS:
        settings = ", ".join(f"{key}={value!r}" for key, value in fault.defaults.items()) or "none"
        modes = "all" if fault.modes is None else ", ".join(sorted(fault.modes))
        yield f"| {fault.kind} | {fault.summary} | {settings} | {modes} | {_resolved_by(PLUGGABLE, fault)} |"


def _resolved_by(dialect: Dialect, fault: FaultKind) -> str:
    """The rules that a fault exercises; of one that nobody may notice, that there is none of its own."""
    return " ".join(exercised(dialect, fault)) or "the rule of the step as it would have gone"


HOOKBUS_OPEN = (
    (
        "Q1",
        "The kinds that only notify are not published by name; `notification` stands for them and is in no manifest.",
    ),
    ("Q2", "Messages of merged confirms are joined by a blank line."),
    ("Q3", "`sources` and `modified_by` have one entry for each record that confirmed or modified."),
    ("Q4", "A `modify` whose input is null is taken."),
    ("Q5", "Keys are sorted by their bytes in the text that `input_contains` looks into."),
    ("Q6", "`context_phase` is decoded and accepted by no kind."),
    ("Q9", "A concurrent emit does not look at the actions of the kind; *why* says where it would have mattered."),
    ("Q10", "Filters and matchers hold for each event of a delivery."),
    ("Q11", "`on_usage` is there with the switch `protocol_2` only."),
    ("Q12", "The load generation moves with each unload of an extension that was known."),
    ("Q13", "An exception of a handler in process counts as continue; with `panics_propagate` it ends the emit."),
    ("Q16", "After the first confirm, later records are matched against the input as it stood then."),
    (
        "",
        "A played session ends under a budget of 2 s where its host is interactive and the description says nothing: "
        "the host's own number is not published.",
    ),
    ("", "A compaction leaves the latch as it is, and an injection of the session's start with the old id."),
    ("", "An answer for the session and one for always come to the same: the latch holds for the conversation."),
    ("", "A handler that is cut off within a delivery is logged once, even if there was no further event to send."),
    ("", "Replies that are no JSON at all are calls that failed: a real host never sees them, its reader does."),
)


def hookbus() -> Iterable[str]:
    """The hookbus dialect's tables."""
    yield "# The hookbus dialect"
    yield ""
    yield "Extension hooks of SynapsCLI: extensions are processes that speak JSON-RPC on stdio, `plugin.json` says"
    yield "which events they hook. The tables are made from the kernel's own by `make docs`; how plugins are found and"
    yield "read is in [configuration-hookbus.md](../configuration-hookbus.md)."
    yield ""
    yield "Everybody in a chain has the mode `handle`. What an extension may answer follows from the kind of the event"
    yield "and from its permissions; which events it is asked about follows from its tool filter and its matcher."
    yield ""
    yield "## Kinds"
    yield ""
    yield "| kind | permission | answers | tool filter | called by | fired when |"
    yield "|---|---|---|---|---|---|"
    for kind in KINDS.values():
        answers = ", ".join(action for action in Action if action in kind.actions)
        permission = f"`{kind.permission}`" if kind.permission else "none"
        yield f"| `{kind.name}` | {permission} | {answers} | {'yes' if kind.allows_tool_filter else 'no'} | " + (
            f"`{kind.style}` | {kind.fired_when} |"
        )
    yield ""
    yield "## Answers"
    yield ""
    yield "As an extension sends them, and as a stub of a scenario says them."
    yield ""
    yield "| action | on the wire | in words |"
    yield "|---|---|---|"
    for action, member in MEMBERS.items():
        wire = f'{{"action":"{action}"}}' if member is None else f'{{"action":"{action}","{member}":...}}'
        yield f"| {action} | `{wire}` | `{action if member is None else f'{{{action}: {member}}}'}` |"
    yield ""
    yield "## Options of a seat"
    yield ""
    yield "| option | meaning |"
    yield "|---|---|"
    yield "| `tool` | the one tool, by API name or runtime name |"
    yield "| `match` | `input_contains` (text) and `input_equals` (JSON), both of which have to hold |"
    yield "| `permissions` | what the extension holds; absent: what the kind needs |"
    yield "| `generation` | how often it was unloaded before; absent: never |"
    yield ""
    yield "## Permissions"
    yield ""
    yield "| permission | grants |"
    yield "|---|---|"
    for each in PERMISSIONS.values():
        yield f"| `{each.name}` | {each.grants} |"
    yield ""
    yield "## Switches"
    yield ""
    yield "| switch | at first | when it is on |"
    yield "|---|---|---|"
    for name, is_on in HOOKBUS.switches.items():
        yield f"| `{name}` | {'on' if is_on else 'off'} | {SWITCHES[name]} |"
    yield ""
    yield "## Rules"
    yield ""
    yield "| rule | what it says | specification |"
    yield "|---|---|---|"
    for rule in HOOKBUS.rules.values():
        yield f"| {rule.id} | {rule.text} | {rule.source} |"
    yield ""
    yield "## Faults"
    yield ""
    yield "| fault | the extension | settings | resolved by |"
    yield "|---|---|---|---|"
    for fault in HOOKBUS.faults:
        settings = ", ".join(f"{key}={value!r}" for key, value in fault.defaults.items()) or "none"
        yield f"| {fault.kind} | {fault.summary} | {settings} | {_resolved_by(HOOKBUS, fault)} |"
    yield ""
    yield "## What the specification leaves open"
    yield ""
    for number, decision in HOOKBUS_OPEN:
        yield f"- {f'{number}: ' if number else ''}{decision}"


def scenario_schema() -> Iterable[str]:
    """The format of scenario files, for editors."""
    yield json.dumps(schema(), indent=2)


def session_schema() -> Iterable[str]:
    """The format of session descriptions, for editors."""
    yield json.dumps(session_schema_of(), indent=2)


def hookbus_session_schema() -> Iterable[str]:
    """The same for sessions of the hookbus dialect."""
    yield json.dumps(hookbus_session_schema_of(), indent=2)


def rig_session_schema() -> Iterable[str]:
    """The same for sessions of the rig dialect."""
    yield json.dumps(rig_session_schema_of(), indent=2)


CODES_BEGIN, CODES_END = "<!-- codes: made by `make docs` -->", "<!-- end of codes -->"


def configuration(name: str, codes: Mapping[str, Code]) -> Iterable[str]:
    """A page about configurations, with its table of codes made anew."""
    before, _, rest = (DOCS / name).read_text().partition(CODES_BEGIN)
    after = rest.partition(CODES_END)[2].removesuffix("\n")
    yield before + CODES_BEGIN
    yield ""
    yield "| code | severity | what it says | the host finds it when |"
    yield "|---|---|---|---|"
    for code in codes.values():
        yield f"| `{code.id}` | {code.severity} | {code.text} | {code.found or 'never'} |"
    yield ""
    yield CODES_END + after


PAGES = {
    DOCS / "configuration.md": partial(configuration, "configuration.md", CODES),
    DOCS / "configuration-hookbus.md": partial(configuration, "configuration-hookbus.md", HOOKBUS_CODES),
    DOCS / "run-states.md": run_states,
    DOCS / "scenario.schema.json": scenario_schema,
    DOCS / "session.schema.json": session_schema,
    DOCS / "session-hookbus.schema.json": hookbus_session_schema,
    DOCS / "session-rig.schema.json": rig_session_schema,
    DOCS / "dialects" / "hookbus.md": hookbus,
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
