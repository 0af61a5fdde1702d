"""Payloads that lie beside a configuration: `payloads/POINT.json`, and `payloads/POINT.NAME.json` for further ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from debugger.json_text import decode, place_in
from debugger.views.text import visible
from kernel.dialect import Dialect
from kernel.dialects import REGISTRY, load_session, load_setup, named
from kernel.errors import BadInput
from kernel.playing import Playable
from kernel.setup import Setup
from kernel.values import JSON, Payload

FOLDER = "payloads"


@dataclass(frozen=True, slots=True)
class Sample:
    """A payload that somebody prepared."""

    point: str
    name: str
    """What tells it from others for its point; empty for the usual one."""
    path: Path


def samples(setup: Setup) -> tuple[Sample, ...]:
    """Every prepared payload, by point in the order of the dialect, the usual one of each point first."""
    folder = (setup.path if setup.path.is_dir() else setup.path.parent) / FOLDER
    found = []
    for path in folder.glob("*.json"):
        point, _, name = path.stem.partition(".")
        if point in setup.dialect.points:
            found.append(Sample(point, name, path))
    return tuple(sorted(found, key=lambda sample: (setup.dialect.points.index(sample.point), sample.name)))


def load(path: Path) -> JSON:
    """What a JSON file says; raises BadInput that names file, line and column."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return decode(text, str(path))


_INSIDE = re.compile(r"\$(?:\.[^.\[\]:`\s]+|\[[0-9]+\])*")
_NO_KEY = re.compile(r": no key '([^']*)'")


def session(config: Path, path: Path, options: Mapping[str, JSON]) -> Playable:
    """The session that a JSON file describes, to be played under a configuration.

    Raises BadInput that names file, line and column; a mistake in the configuration names its own.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    view = decode(text, str(path))
    try:
        return load_session(config, view, str(path), options)
    except BadInput as error:
        raise _placed(error, text, str(path)) from error


def _placed(error: BadInput, text: bytes, name: str) -> BadInput:
    """The same complaint with its place in a text, if it says where in there it is."""
    said = error.message.removeprefix(f"{name}: ")
    inside = _INSIDE.search(said)
    if error.place is not None or inside is None or said == error.message:
        return error
    key = _NO_KEY.match(said, inside.end())
    return BadInput(said, place=place_in(text, name, inside[0], key[1] if key else ""), fix=error.fix)


def read(dialect: Dialect, point: str, path: Path) -> Payload:
    """The payload in a JSON file; raises BadInput that names file, line and column, or the path inside."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return parse(dialect, point, text, str(path))


def parse(dialect: Dialect, point: str, text: bytes, name: str) -> Payload:
    """The payload that a text says as JSON; `name` is what errors call the text."""
    try:
        return dialect.payload_from_view(point, decode(text, name))
    except BadInput as error:
        raise error if error.place else BadInput(f"{name}: {error}") from error


def editable(view: JSON) -> str:
    """JSON for a person to edit: what cannot be seen, or could steer the terminal, is written as an escape."""
    lines = json.dumps(view, indent=2, ensure_ascii=False).split("\n")
    return "\n".join(line if visible(line) == line else _escaped(line) for line in lines)


def _escaped(line: str) -> str:
    return "".join(each if visible(each) == each else json.dumps(each)[1:-1] for each in line)


def default(setup: Setup, point: str) -> Payload:
    """The payload to fire when nobody named one: the usual prepared one, or else a generated one."""
    for sample in samples(setup):
        if sample.point == point:
            return read(setup.dialect, point, sample.path)
    return setup.dialect.sample_payload(point)


def dialect_with(point: str) -> Dialect:
    """The dialect that has a point of this name; raises BadInput with the points that there are."""
    dialects = [named(registered.name) for registered in REGISTRY]
    for dialect in dialects:
        if point in dialect.points:
            return dialect
    known = "; ".join(f"{dialect.name} has {', '.join(dialect.points)}" for dialect in dialects)
    raise BadInput(f"no point {point!r}; {known}")


def generated(config: Path | None, point: str, seed: int) -> str:
    """A payload made up for a point, as JSON to edit and to fire.

    The configuration says whose point it is; without one, the first dialect that has it does.
    """
    dialect = dialect_with(point) if config is None else load_setup(config).dialect
    if point not in dialect.points:
        raise dialect.staging.no_point(point)
    return json.dumps(dialect.sample_payload(point, seed).view, indent=2, ensure_ascii=False)
