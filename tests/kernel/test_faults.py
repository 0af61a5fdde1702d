"""Claims about faults as data: settings are checked before anything goes wrong, and mistakes name the way out."""

from __future__ import annotations

import math

import pytest
from dispatch_runs import chain
from pluggable_payloads import payload

from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.faults import COMMON, Die, FarSide, Fault, FaultKind, Hang, Late, LateBy, find
from kernel.values import JSON, Ask


def ask() -> Ask:
    walk, _ = PLUGGABLE.open(chain("session-end", "A:o"), payload("session-end"))
    return walk.asks[0]


@pytest.mark.parametrize(
    ("kind", "params", "act"),
    [
        ("hang", {}, Hang()),
        ("delay", {}, Late(100)),
        ("delay", {"ms": 0}, Late(0)),
        ("delay", {"ms": 2.5}, Late(2.5)),
        ("late_answer", {}, LateBy(50)),
        ("late_answer", {"by_ms": 7}, LateBy(7)),
        ("crash", {}, Die(9)),
        ("crash", {"signal": 15}, Die(15)),
    ],
)
def test_a_fault_becomes_the_act_it_describes(kind: str, params: dict[str, JSON], act: FarSide) -> None:
    """Settings that are left out have the defaults of the catalogue."""
    assert find(COMMON, kind).plan(Fault(kind, params))(ask()) == act


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("hang", {"ms": 1}, "fault 'hang' has no setting 'ms'; it has none"),
        ("delay", {"msec": 1}, "fault 'delay' has no setting 'msec'; it has ms"),
        ("delay", {"ms": "1"}, "ms must be a number of milliseconds, not '1'"),
        ("delay", {"ms": True}, "ms must be"),
        ("delay", {"ms": None}, "ms must be"),
        ("delay", {"ms": -1}, "ms must be"),
        ("delay", {"ms": math.nan}, "ms must be"),
        ("delay", {"ms": math.inf}, "ms must be"),
        ("delay", {"ms": [1]}, "ms must be"),
        ("late_answer", {"by_ms": -0.5}, "by_ms must be"),
        ("crash", {"signal": 0}, "signal must be a signal number, not 0"),
        ("crash", {"signal": 65}, "signal must be"),
        ("crash", {"signal": 9.0}, "signal must be"),
        ("crash", {"signal": True}, "signal must be"),
        ("crash", {"signal": "KILL"}, "signal must be"),
    ],
)
def test_settings_are_checked(kind: str, params: dict[str, JSON], message: str) -> None:
    """Unknown settings and values out of range are refused, by name."""
    with pytest.raises(BadInput, match=message):
        find(COMMON, kind).plan(Fault(kind, params))


def test_an_unknown_kind_names_the_kinds() -> None:
    """Whoever mistypes one sees what there is."""
    with pytest.raises(BadInput, match=r"no fault 'hangs'; there are hang, delay, late_answer, crash$"):
        find(COMMON, "hangs")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("hang"), "hang"),
        (Fault("delay", {"ms": 30}), "delay (ms=30)"),
        (Fault("grpc_status", {"code": "ABORTED", "message": "no"}), "grpc_status (code=ABORTED, message=no)"),
    ],
)
def test_a_fault_reads_like_a_call(fault: Fault, text: str) -> None:
    """Its text is its kind with the settings that were given."""
    assert str(fault) == text


@pytest.mark.parametrize("entry", PLUGGABLE.faults, ids=lambda entry: entry.kind)
def test_every_entry_can_be_found_and_has_a_line_for_people(entry: FaultKind) -> None:
    """Kinds are unique, so finding one by its kind gives it back, with a summary."""
    assert find(PLUGGABLE.faults, entry.kind) is entry
    assert entry.summary
    assert entry.summary[0].islower()
