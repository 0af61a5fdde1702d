"""JSON values as YAML that says the same to every reader: whatever a reader could take for something else is quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import yaml

from debugger.views.text import visible
from kernel.values import JSON

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*")
_TAKEN: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "inf", "nan"))
"""Words that some version of YAML takes for something else."""


class _Dumper(yaml.SafeDumper):
    """Writes lists inside of mappings indented, and never an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        """Letters of any script as they are, but nothing that hides or turns the reading direction."""
        self.allow_unicode = visible(text.replace("\n", "")) == text.replace("\n", "")
        super().write_double_quoted(text, split)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) is not None and text.casefold() not in _TAKEN
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_representer(str, _text)


def dumped(value: JSON) -> str:
    """A value as one document, keys in their order."""
    written: str = yaml.dump(
        _plain(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
    return written


def _plain(value: JSON) -> JSON:
    """The same without enumerations, which YAML does not know."""
    match value:
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case str():
            return str(value)
        case _:
            return value


def comment(text: str) -> Iterator[str]:
    """A remark of ours, a line each."""
    yield from (f"# {line}\n" for line in text.splitlines())
