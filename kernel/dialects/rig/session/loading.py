"""From a document to a described session: the only way in from outside."""

from __future__ import annotations

from kernel.describing import converted
from kernel.dialects.rig.session.checks import problems
from kernel.dialects.rig.session.described import Described
from kernel.errors import BadInput
from kernel.values import JSON


def load(view: JSON, name: str) -> Described:
    """The session that a JSON or YAML document describes; raises BadInput with `name` and the path inside."""
    described = converted(view, Described, name)
    for problem in problems(described):
        raise BadInput(f"{name}: {problem}")
    return described
