"""Claims about faults as data: settings are checked before anything goes wrong, and mistakes name the way out."""

from __future__ import annotations

import math

import pytest
from dispatch_runs import chain
from pluggable_payloads import payload

from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.faults import COMMON, Die, Draw, FarSide, Fault, FaultKind, Hang, Late, LateBy, find
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
        ("delay", {"of_deadline": 80}, Late(800)),
        ("delay", {"of_deadline": 120.5, "ms": 3}, Late(1205)),
        ("delay", {"ms": 7, "jitter_ms": 3}, Late(7)),
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
        ("delay", {"of_deadline": -1}, "of_deadline must be a number of per cent"),
        ("delay", {"of_deadline": "half"}, "of_deadline must be"),
        ("delay", {"jitter_ms": "much"}, "jitter_ms must be"),
        ("delay", {"spread": "wide"}, "spread must be uniform or normal, not 'wide'"),
        ("delay", {"of_deadline": 50, "jitter_ms": 5}, "jitter_ms goes with ms"),
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


@pytest.mark.parametrize(("spread", "most"), [("uniform", 20), ("normal", 100)])
def test_a_jitter_is_another_delay_for_each_call_and_the_same_for_the_same_call(spread: str, most: float) -> None:
    """Drawn from the seed and the number of the call; what is told is the delay that came of it."""
    entry = find(COMMON, "delay")
    fault = Fault("delay", {"ms": 50, "jitter_ms": 20, "spread": spread})
    found = [entry.settled(fault, Draw(1, 7, call)) for call in range(1, 400)]
    assert found == [entry.settled(fault, Draw(1, 7, call)) for call in range(1, 400)]
    assert found != [entry.settled(fault, Draw(1, 8, call)) for call in range(1, 400)]
    delays = [float(str(each.params["ms"])) for each in found]
    assert all(ms >= 0 and abs(ms - 50) <= most for ms in delays)
    assert abs(sum(delays) / len(delays) - 50) < 5
    assert len(set(delays)) > 300
    assert found[3].draw == Draw(1, 7, 4)
    assert entry.plan(found[3])(ask()) == Late(delays[3])
    assert entry.settled(found[3], Draw(1, 9, 1)) == found[3]


def test_what_leaves_nothing_to_chance_stays_as_it_is() -> None:
    """Without a jitter, and of any other kind."""
    for fault in (Fault("delay", {"ms": 5}), Fault("hang"), Fault("crash", {"signal": 15})):
        assert find(COMMON, fault.kind).settled(fault, Draw(0.5, 1, 1)) is fault


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
