"""Claims about how a host takes a set: vectors 179 and 187 as far as the definition goes, and spec B.1."""

from __future__ import annotations

import pytest

from kernel.dialects.rig.definition import DefinitionError, define, with_hooks
from kernel.dialects.rig.errors import ConfigError
from kernel.dialects.rig.hook_set import Around, Guard, Set


def begin(context: object, call: object) -> None:
    return None


def test_a_guard_without_its_check_is_an_invalid_definition() -> None:
    """Vector 187: the config error is the cause."""
    with pytest.raises(DefinitionError) as raised:
        define(with_hooks(Set("v1", [Guard(1, None)])))
    assert raised.value.kind == "invalid_hooks"
    assert isinstance(raised.value.__cause__, ConfigError)
    assert raised.value.__cause__.kind == "nil_guard"


def test_hooks_are_given_once() -> None:
    """Twice is refused, whatever is in them."""
    for second in (Set(), Set("bad")):
        with pytest.raises(DefinitionError) as raised:
            define(with_hooks(Set()), with_hooks(second))
        assert raised.value.kind == "duplicate_option"


def test_the_lists_are_copied_when_the_option_is_made() -> None:
    """Later edits have no effect."""
    arounds = [Around(1, begin)]
    option = with_hooks(Set("", [], arounds))
    arounds[0] = Around(99, begin)
    arounds.append(Around(2, None))
    runner = define(option).runner
    assert runner is not None
    assert runner.handles(1)
    assert not runner.handles(2)


def test_a_definition_is_known_by_the_revision_of_its_policy() -> None:
    """Vector 179: not by its arounds."""
    assert define(with_hooks(Set("v7", [Guard(1, begin)]))).hook_policy_rev == "v7"
    assert define(with_hooks(Set("", [], [Around(1, begin)]))).hook_policy_rev == ""
    assert define().runner is None
