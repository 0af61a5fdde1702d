"""Facts as JSON Lines: docs/facts.md. With `redacted`, where wire bytes had to be replaced."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import msgspec

from debugger.export.material import Material, dialect_of
from debugger.fact_json import to_json
from debugger.redaction.events import REDACTED
from kernel.facts import Entered, Opened
from kernel.values import JSON

_MARK = f'{{"{REDACTED}":'.encode()


def jsonl(material: Material) -> Iterator[str]:
    """One line for each fact, in the order in which they were told; then what readers said of dispatches."""
    spoken: dict[str, str] = {}
    default = next(iter(material.switches), "")
    for event in material.events:
        if isinstance(event.fact, Opened | Entered):
            spoken[event.dispatch] = event.fact.dialect
        told = to_json(event, dialect_of(spoken.get(event.dispatch) or default, material.switches))
        yield _encoded(told | _replaced(told)) + "\n"
    for remark in material.remarks.values():
        said: dict[str, JSON] = {"dispatch": remark.dispatch, "fact": "remarked"}
        said |= {"is_marked": remark.is_marked, "text": remark.text, "wall_ns": remark.wall_ns}
        yield _encoded(said) + "\n"


def _replaced(told: dict[str, JSON]) -> dict[str, JSON]:
    """Which members hold JSON in the place of what went over the wire."""
    outcome = told.get("outcome")
    wires = {"request": told.get("request"), "wire": outcome.get("wire") if isinstance(outcome, dict) else None}
    names: list[JSON] = [name for name, wire in wires.items() if isinstance(wire, str) and _is_replaced(wire)]
    return {"redacted": names} if names else {}


def _is_replaced(wire: str) -> bool:
    return base64.b64decode(wire[: (len(_MARK) + 3) // 3 * 4]).startswith(_MARK)


def _encoded(told: dict[str, JSON]) -> str:
    try:
        return msgspec.json.encode(told).decode()
    except (UnicodeEncodeError, ValueError):  # half of a surrogate pair, which JSON can say and UTF-8 cannot
        import json

        return json.dumps(told)
