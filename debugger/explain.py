"""The named rules of every dialect, said to whoever asks."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping

from kernel import dialects
from kernel.dialect import Rule
from kernel.errors import BadInput


def explain(rule: str | None) -> int:
    """Print one rule, or every rule for None; gives the exit code. Raises BadInput with the nearest rule there is."""
    rules = catalogue()
    if rule is not None and rule.upper() not in rules:
        close = difflib.get_close_matches(rule.upper(), rules, 1)
        remedy = f"did you mean {close[0]}?" if close else "`hookscope explain --all` lists them"
        raise BadInput(f"no rule {rule!r}; {remedy}")
    chosen = rules.values() if rule is None else [rules[rule.upper()]]
    sys.stdout.write("\n".join("".join(_lines(*each)) for each in chosen))
    return 0


def catalogue() -> Mapping[str, tuple[str, Rule]]:
    """Every rule by its id, with the name of its dialect."""
    return {
        rule.id: (registered.name, rule)
        for registered in dialects.REGISTRY
        for rule in dialects.named(registered.name).rules.values()
    }


def _lines(dialect: str, rule: Rule) -> Iterator[str]:
    yield f"{rule.id}\n"
    yield f"  {rule.text}\n"
    yield f"  {dialect}, {rule.source}\n"
