"""A secret stays one, whatever is done with the value that holds it."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import asdict, astuple

import msgspec
import pytest

from kernel.reach import GoPlugin, Secret, StdioExtension

SECRET = Secret("hunter2")
EXTENSION = StdioExtension("e", "run", config=(("token", SECRET), ("plain", "x")))
PLUGIN = GoPlugin(("g",), "/m", ("C", "c"), env=(("TOKEN", SECRET), ("PLAIN", "x")))


@pytest.mark.parametrize(
    "show",
    [
        str,
        repr,
        "{}".format,
        "%s".__mod__,
        lambda value: f"{value} {value!r} {value!s}",
        lambda value: json.dumps(value, default=str),
        lambda value: str(vars(type(value))),
        lambda value: str(value.env) if isinstance(value, GoPlugin) else "",
        lambda value: str((asdict(value), astuple(value))) if isinstance(value, GoPlugin | StdioExtension) else "",
        lambda value: str(value.config) if isinstance(value, StdioExtension) else "",
    ],
)
@pytest.mark.parametrize("value", [SECRET, PLUGIN, EXTENSION, [SECRET], {"a": SECRET}])
def test_no_way_of_showing_gives_it_away(show: Callable[[object], str], value: object) -> None:
    """By itself, in a container, in the value that it travels in."""
    assert "hunter2" not in show(value)


@pytest.mark.parametrize("write", [json.dumps, msgspec.json.encode, pickle.dumps, msgspec.msgpack.encode])
def test_no_way_of_writing_it_down_works(write: Callable[[object], object]) -> None:
    """A recording that would hold it is an error, and not a recording."""
    with pytest.raises(TypeError):
        write({"a": SECRET})


def test_only_asking_for_it_reveals_it() -> None:
    """And equality works, so that values that hold secrets can be compared."""
    assert SECRET.reveal() == "hunter2"
    assert copy.deepcopy(SECRET) == Secret("hunter2")
    assert len({SECRET, Secret("hunter2"), Secret("other")}) == 2
    assert SECRET != "hunter2"
