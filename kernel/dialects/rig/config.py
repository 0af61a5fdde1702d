"""A set file from its text to chains that can be relied on: the first error is raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kernel.dialects.rig.dialect import RIG
from kernel.dialects.rig.live import CALLBACK_VIA
from kernel.dialects.rig.seats import AROUND, GUARD, OPERATION, arranged, seat_id
from kernel.dialects.rig.set_file import Entry, SetFile, check, read, text_of
from kernel.errors import BadInput
from kernel.problems import Problem, raise_first
from kernel.reach import Callback
from kernel.setup import Setup
from kernel.values import JSON, Chain, Subscription

PATTERN: Final = "*.rig.yaml"


def load_setup(path: Path, options: Mapping[str, JSON] = MappingProxyType({})) -> Setup:
    """The chains that a set file, or the one set file of a folder, comes to; raises BadInput. Runs nobody's code."""
    for name in options:
        raise BadInput(f"no option {name!r}: a set file is read in one way")
    file = file_of(path)
    problems: list[Problem] = []
    found = read(text_of(file), str(file), problems.append)
    check(found, file.parent, problems.append)
    raise_first(problems)
    return Setup(path, (file, *_sources(found, file.parent)), RIG, chains(found, file.parent))


def revision_of(path: Path) -> str:
    """The policy revision that a set file declares; raises BadInput."""
    file = file_of(path)
    return read(text_of(file), str(file), lambda problem: None).revision


def file_of(path: Path) -> Path:
    """The set file that is meant; raises BadInput."""
    if not path.is_dir():
        return path
    files = sorted(path.glob(PATTERN))
    if len(files) != 1:
        held = ", ".join(file.name for file in files) or "none"
        raise BadInput(f"{path} holds {held}", fix=f"name the one {PATTERN} that is meant")
    return files[0]


def chains(found: SetFile, folder: Path) -> Mapping[str, Chain]:
    """A chain for every operation: arounds, guards, and the operation itself where anybody takes part."""
    seats: dict[str, list[Subscription]] = {point: [] for point in RIG.points}
    names = _Names()
    for mode in (AROUND, GUARD):
        for index, entry in enumerate(found.of_mode(mode)):
            if 1 <= entry.operation <= 8 and entry.target:
                point = RIG.points[entry.operation - 1]
                seats[point].append(_seat(entry, point, index, folder, names))
    return MappingProxyType({point: arranged(point, tuple(each)) for point, each in seats.items()})


def _seat(entry: Entry, point: str, index: int, folder: Path, names: _Names) -> Subscription:
    reach = Callback(_absolute(entry.target, folder), CALLBACK_VIA)
    name = names.unique(entry.name or entry.target.rpartition(":")[2], point, reach)
    return Subscription(name, point, entry.mode, reach=reach, place=entry.place, id=seat_id(entry.mode, index))


class _Names:
    """Gives a name to one callback only, and to one seat of an operation only."""

    def __init__(self) -> None:
        self._reaches: dict[str, Callback] = {OPERATION: Callback("", "")}
        self._seated: set[tuple[str, str]] = set()

    def unique(self, wanted: str, point: str, reach: Callback) -> str:
        name, number = wanted, 2
        while self._reaches.get(name, reach) != reach or (point, name) in self._seated:
            name, number = f"{wanted}-{number}", number + 1
        self._reaches[name] = reach
        self._seated.add((point, name))
        return name


def _absolute(target: str, folder: Path) -> str:
    module, _, attribute = target.rpartition(":")
    return f"{(folder / module).absolute()}:{attribute}" if module.endswith(".py") else target


def _sources(found: SetFile, folder: Path) -> Iterable[Path]:
    """The files that callbacks stand in, each once: a change of one of them is a change of the configuration."""
    modules = (entry.target.rpartition(":")[0] for entry in found.entries)
    return dict.fromkeys((folder / module).absolute() for module in modules if module.endswith(".py"))
