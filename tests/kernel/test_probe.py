"""Claims about watching: everybody is told, nobody can disturb."""

from __future__ import annotations

import logging

import pytest

from kernel import Probes
from kernel.facts import Event, Printed


def event(number: int) -> Event:
    return Event("d", number, number * 10, Printed("A", "stderr", f"line {number}"))


class Watcher:
    """Notes the numbers of the events that it saw, and does something at one of them."""

    def __init__(self, at: int | None = None, do: object = None) -> None:
        self.saw: list[int] = []
        self._at, self._do = at, do

    def see(self, event: Event) -> None:
        self.saw.append(event.number)
        if event.number == self._at and callable(self._do):
            self._do()


def tell(probes: Probes, *numbers: int) -> None:
    for number in numbers:
        probes.see(event(number))


def test_every_probe_sees_every_event_in_order() -> None:
    """Those given at the start and those added later see what happens while they watch."""
    first, second = Watcher(), Watcher()
    probes = Probes(first)
    tell(probes, 0)
    undo = probes.add(second)
    tell(probes, 1, 2)
    undo()
    tell(probes, 3)
    assert (first.saw, second.saw) == ([0, 1, 2, 3], [1, 2])


def test_probes_are_true_while_somebody_watches() -> None:
    """The loop makes no events for nobody."""
    probes = Probes()
    assert not probes
    undo = probes.add(Watcher())
    assert probes
    undo()
    undo()
    assert not probes


def test_a_probe_that_fails_is_dropped_loudly_and_alone(caplog: pytest.LogCaptureFixture) -> None:
    """The others go on watching, the log names the culprit with its traceback, and the dispatch goes on."""

    class Broken(Watcher):
        def __repr__(self) -> str:
            return "<the broken one>"

    def fail() -> None:
        raise RuntimeError("a bug in a watcher")

    broken, sound = Broken(1, fail), Watcher()
    probes = Probes(broken, sound)
    with caplog.at_level(logging.ERROR):
        tell(probes, 0, 1, 2)
    assert (broken.saw, sound.saw) == ([0, 1], [0, 1, 2])
    [record] = caplog.records
    assert "<the broken one>" in record.getMessage()
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "a bug in a watcher"


def test_a_probe_may_leave_or_bring_others_while_it_is_told() -> None:
    """Adding and dropping during an event counts from the next one on."""
    newcomer, bystander = Watcher(), Watcher()
    probes = Probes()
    leaving = Watcher(1, lambda: undo())
    undo = probes.add(leaving)
    bringing = Watcher(1, lambda: probes.add(newcomer))
    probes.add(bringing)
    probes.add(bystander)
    tell(probes, 0, 1, 2)
    assert (leaving.saw, bringing.saw, bystander.saw, newcomer.saw) == ([0, 1], [0, 1, 2], [0, 1, 2], [2])


def test_what_is_not_an_exception_is_not_kept_from_the_dispatch() -> None:
    """Only a watcher's errors stay with it: somebody who wants to end the program may."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tell(Probes(Watcher(0, interrupt)), 0)
