"""The environment block of a provider: variables for its process (spec C.6). No message shows a value."""

from __future__ import annotations

from collections.abc import Iterator

from kernel import hcl
from kernel.dialects.pluggable.agent_hcl import provider_body
from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.settings import Variable
from kernel.hcl import Attribute, Body, Scalar, Unknown
from kernel.problems import Complain, Problem
from kernel.reach import Secret


def without(body: Body) -> Body:
    """A provider's body without the block that the host keeps for itself."""
    return Body(body.attributes, tuple(block for block in body.blocks if block.type != "environment"))


def variables(body: Body, complain: Complain) -> Iterator[Variable]:
    """The variables in a provider's body; tells about those that cannot be had whatever the machine."""
    for block in body.of_type("environment")[:1]:
        for attribute in block.body.attributes:
            if variable := _variable(attribute, complain):
                yield variable


def _variable(attribute: Attribute, complain: Complain) -> Variable | None:
    problems: list[Problem] = []
    value, needs_ours = provider_body.evaluated(attribute, None, problems.append)
    for each in problems:
        complain(each)
    place = attribute.expression.place
    if problems:
        return None
    if needs_ours:
        return Variable(attribute.name, None, attribute, place)
    text = usable(attribute.name, value, complain)
    return None if text is None else Variable(attribute.name, text, None, place)


def usable(name: str, value: hcl.Value, complain: Complain) -> Secret | None:
    """A value as a variable can have it; None, and told, where it cannot. What is unknown has been told already."""
    match value:
        case Scalar(str() as text) if "\0" in text:
            complain(problem("ErrEnvValueUnusable", f"the value of {name} holds a NUL character", value.place))
        case Scalar(str() as text):
            return Secret(text)
        case Scalar(None):
            complain(problem("ErrEnvValueUnusable", f"the value of {name} is null", value.place))
        case Unknown():
            pass
        case _:
            message = f"the value of {name} is not text"
            complain(problem("ErrEnvValueNotString", message, value.place, fix="put it in quotes"))
    return None
