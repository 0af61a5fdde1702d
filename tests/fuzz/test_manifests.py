"""Whatever a manifest or a config file holds: no traceback, a report that can be printed, and one verdict everywhere.

`HOOKSCOPE_FUZZ=100` looks a hundred times as long.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hookbus_manifests import write_plugin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debugger.check import to_json, told
from kernel.dialects.hookbus.config import load_setup
from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.lint import check_setup
from kernel.dialects.hookbus.manifest.codes import CODES
from kernel.dialects.hookbus.manifest.values import WHITE_SPACE
from kernel.dialects.hookbus.permissions import PERMISSIONS
from kernel.dialects.hookbus.settings import read_file
from kernel.errors import BadInput
from kernel.values import JSON

DEPTH = float(os.environ.get("HOOKSCOPE_FUZZ", "1"))
if DEPTH > 1:
    pytestmark = pytest.mark.timeout(int(120 * DEPTH))


def fuzzed(examples: int) -> settings:
    """So many examples, times the depth that was asked for."""
    return settings(
        max_examples=max(1, int(examples * DEPTH)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


TEXT = st.text(max_size=6) | st.sampled_from(
    ["", " ", "a.b", "../x", "~/x", "\0", "/", "python3", "#fff", "é", "x" * 300]
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def objects(**members: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Objects with some of these members, mostly of the right kind, and now and then something else altogether."""
    mixed = {
        name: values | ANY if name == "x" else st.one_of(values, values, values, ANY)
        for name, values in members.items()
    }
    right = st.fixed_dictionaries({}, optional=mixed)
    return st.one_of(right, right, right, right, ANY)


MATCH = objects(input_contains=TEXT | st.sampled_from(['"a": 1', '"b":1,"a":2', "\n"]), input_equals=ANY, x=ANY)
HOOK = objects(hook=st.sampled_from([*KINDS, "BeforeToolCall"]), tool=TEXT, match=MATCH, x=ANY)
KEY = objects(
    key=TEXT,
    type=st.sampled_from(["string", "bool", "number", "integer"]),
    required=st.booleans(),
    default=ANY,
    secret_env=TEXT,
    host_context=st.just("project_root"),
)
DECLARED = objects(
    name=TEXT, id=TEXT, description=TEXT, input_schema=ANY, models=st.lists(objects(id=TEXT), max_size=2)
)
BLOCK = objects(
    protocol_version=st.sampled_from([1, 1, 2]),
    runtime=st.just("process"),
    command=TEXT,
    args=st.lists(TEXT, max_size=2),
    setup=TEXT,
    prebuilt=st.dictionaries(TEXT, objects(url=TEXT, sha256=TEXT), max_size=1),
    permissions=st.lists(st.sampled_from([*PERMISSIONS, "x"]), max_size=4),
    hooks=st.lists(HOOK, max_size=3),
    config=st.lists(KEY, max_size=2),
    theme_tokens=st.dictionaries(TEXT, TEXT, max_size=2),
    deferred=objects(
        tools=st.lists(DECLARED, max_size=2),
        providers=st.lists(DECLARED, max_size=2),
        lifecycle=st.sampled_from(["hook", "user"]),
    ),
    x=ANY,
)


@contextmanager
def plugin(text: bytes) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        path = write_plugin(Path(folder) / "guard", "")
        (path / ".synaps-plugin" / "plugin.json").write_bytes(text)
        yield path


def judge(text: bytes) -> None:
    """Check and load agree, everything can be printed, and a refusal has a known code."""
    with plugin(text) as path:
        report = check_setup(path)
        lines = list(told(path, report))
        assert all(line.isprintable() for line in lines)
        json.dumps(list(to_json(path, report)))
        assert {problem.code for problem in report.problems} <= set(CODES)
        if not report.chains:
            with pytest.raises(BadInput):
                load_setup(path)
        else:
            assert report.is_fine
            assert load_setup(path).chains == report.chains


@given(BLOCK)
@fuzzed(250)
def test_any_block_has_one_verdict(block: JSON) -> None:
    """Whatever is JSON and looks like a manifest."""
    judge(json.dumps({"extension": block}).encode())


@given(st.data())
@fuzzed(150)
def test_any_bytes_have_one_verdict(data: st.DataObject) -> None:
    """A manifest with a few bytes changed, and what is none at all."""
    whole = json.dumps({"extension": data.draw(BLOCK)}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 5)))
    judge(
        whole[:start]
        + data.draw(st.binary(max_size=4) | st.sampled_from([b'"', b"{", b"]", b"\\u", b"\r\n"]))
        + whole[end:]
    )


@given(st.binary(max_size=80))
@fuzzed(100)
def test_any_config_file_is_read_or_refused(text: bytes) -> None:
    """And what stands in it is in no message."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "config"
        path.write_bytes(text)
        if text != text.decode(errors="ignore").encode():
            with pytest.raises(BadInput, match=f"^{path} is not UTF-8$"):
                read_file(path)
        else:
            assert all(key == key.strip(WHITE_SPACE) for key in read_file(path))
