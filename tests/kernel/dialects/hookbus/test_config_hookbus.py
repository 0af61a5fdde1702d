"""Plugins as chains: who sits where, how they are reached, and what becomes of those that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hookbus_manifests import BEFORE, MINIMAL, block, manifest, write_plugin

from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.config import load_setup
from kernel.dialects.hookbus.matching import missed
from kernel.dialects.hookbus.payload import event
from kernel.errors import BadInput
from kernel.reach import StdioExtension


def test_chains_follow_the_folders_and_then_the_lists(tmp_path: Path) -> None:
    """V111: directory order between plugins, the manifest's order within one; every entry is a record."""
    hooks = [{**BEFORE, "tool": "write"}, {"hook": "after_tool_call"}, BEFORE]
    write_plugin(tmp_path / "plugins" / "b-guard", manifest(block(hooks=hooks)))
    write_plugin(tmp_path / "plugins" / "a-modify", manifest(MINIMAL))
    setup = load_setup(tmp_path)
    assert list(setup.chains) == list(HOOKBUS.points)
    seats = [(seat.name, seat.id) for seat in setup.chains["before_tool_call"].subscriptions]
    assert seats == [("a-modify", ""), ("b-guard", ""), ("b-guard", "b-guard-2")]
    assert [seat.name for seat in setup.chains["after_tool_call"].subscriptions] == ["b-guard"]
    assert setup.files == tuple(
        tmp_path / "plugins" / name / ".synaps-plugin" / "plugin.json" for name in ("a-modify", "b-guard")
    )


def test_a_seat_carries_what_its_entry_says(tmp_path: Path) -> None:
    """Filter, matcher and permissions, the place of the entry, 5 seconds."""
    hooks = [
        {**BEFORE, "tool": "bash", "match": {"input_contains": "rm", "input_equals": None}},
        {**BEFORE, "match": {}},
    ]
    permissions = ["tools.transform_output", "tools.intercept", "tools.intercept"]
    write_plugin(tmp_path, manifest(block(hooks=hooks, permissions=permissions)))
    one, other = load_setup(tmp_path).chains["before_tool_call"].subscriptions
    granted = ["tools.intercept", "tools.transform_output"]
    assert dict(one.options) == {"tool": "bash", "match": {"input_contains": "rm"}, "permissions": granted}
    assert dict(other.options) == {"match": {}, "permissions": granted}
    assert (one.mode, one.timeout_ms, one.place and one.place.line) == ("handle", 5000, 12)
    harmless, harmful = (event("before_tool_call", tool_name="bash", tool_input={"command": c}) for c in ("ls", "rm x"))
    assert missed(one.options, harmful) is None
    assert missed(one.options, harmless) is not None
    assert missed(other.options, harmless) is None


def test_a_plugin_is_reached_as_its_block_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One reach for all of its seats, with an absolute folder even if the path was relative."""
    hooks = [BEFORE, {"hook": "after_tool_call"}]
    extension = block(command="python3", args=["main.py"], hooks=hooks, config=[{"key": "k", "default": 1}])
    write_plugin(tmp_path / "guard", manifest(extension))
    monkeypatch.chdir(tmp_path)
    setup = load_setup(Path("guard"))
    reaches = {seat.reach for chain in setup.chains.values() for seat in chain.subscriptions}
    assert reaches == {
        StdioExtension(
            "guard", "python3", ("main.py",), str(tmp_path / "guard"), frozenset({"tools.intercept"}), (("k", 1),)
        )
    }


def test_one_bad_plugin_does_not_stop_the_others(tmp_path: Path) -> None:
    """What the host reports of it is there for whoever asks."""
    write_plugin(tmp_path / "a-bad", "{")
    write_plugin(tmp_path / "b-worse", manifest(block(command="", protocol_version=2)))
    write_plugin(tmp_path / "c-good", manifest(MINIMAL))
    write_plugin(tmp_path / "d-skills", "{}")
    setup = load_setup(tmp_path)
    assert [seat.name for seat in setup.chains["before_tool_call"].subscriptions] == ["c-good"]
    assert [problem.code for problem in setup.refused] == ["syntax", "protocol-version"]


def test_the_first_of_two_with_one_id_stays(tmp_path: Path) -> None:
    """V109: the second is refused; one that was refused itself is not in the way."""
    first, second = (write_plugin(tmp_path / name / "guard", manifest(MINIMAL)) for name in ("one", "two"))
    setup = load_setup(first, {"plugins": [str(second)]})
    [seat] = setup.chains["before_tool_call"].subscriptions
    assert isinstance(seat.reach, StdioExtension)
    assert seat.reach.plugin_dir == str(first)
    assert [problem.message for problem in setup.refused] == ["Extension 'guard' is already loaded"]
    write_plugin(first, manifest(block(command="")))
    setup = load_setup(first, {"plugins": [str(second)]})
    [seat] = setup.chains["before_tool_call"].subscriptions
    assert isinstance(seat.reach, StdioExtension)
    assert seat.reach.plugin_dir == str(second)


def test_a_plugin_that_hooks_nothing_is_started_too(tmp_path: Path) -> None:
    """For its tools; it sits in no chain."""
    write_plugin(tmp_path / "tools", manifest(block(permissions=["tools.register"], hooks=[])))
    write_plugin(tmp_path / "guard", manifest(MINIMAL))
    setup = load_setup(tmp_path)
    assert list(setup.others) == ["tools"]
    assert all(seat.name == "guard" for chain in setup.chains.values() for seat in chain.subscriptions)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{,", r"plugin\.json:1:2: a name in quotes"),
        ("{}", "no plugin with an extension"),
        (manifest(block(permissions=[])), r"plugin\.json:9:17: Extension 'guard' lacks permission"),
        (manifest(block(hooks=[{**BEFORE, "match": {"input_regex": "x"}}])), r"plugin\.json:13:11: .*input_regex"),
    ],
)
def test_a_single_plugin_that_is_refused_is_an_error(text: str, says: str, tmp_path: Path) -> None:
    """With file, line and column of what is wrong."""
    with pytest.raises(BadInput, match=says):
        load_setup(write_plugin(tmp_path / "guard", text))


def test_an_unreadable_manifest_is_an_error(tmp_path: Path) -> None:
    """A folder in its place, for example; and text that is none."""
    (tmp_path / "guard" / ".synaps-plugin" / "plugin.json").mkdir(parents=True)
    with pytest.raises(BadInput, match="cannot be read"):
        load_setup(tmp_path / "guard")
    folder = write_plugin(tmp_path / "other", "")
    (folder / ".synaps-plugin" / "plugin.json").write_bytes(b'{"\xff"}')
    with pytest.raises(BadInput, match=r"plugin\.json:1:3: byte 0xff is not UTF-8"):
        load_setup(folder)


def test_protocol_2_comes_with_its_dialect(tmp_path: Path) -> None:
    """The kinds of the fork can be fired then."""
    extension = block(protocol_version=2, permissions=["privacy.llm_content"], hooks=[{"hook": "on_usage"}])
    setup = load_setup(write_plugin(tmp_path, manifest(extension)), {"protocol_2": True})
    assert len(setup.chains["on_usage"].subscriptions) == 1
    assert setup.dialect.switches["protocol_2"]
