"""Everything that is wrong with a configuration, at once (spec C.4's order within a place, the text's order between).

The checks are those that loading runs; this module is the one that does not stop. It starts nothing, and what
`env()` stands for is looked for and not looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kernel.dialects.pluggable import advice, later, overrides, provider_body, registry
from kernel.dialects.pluggable.codes import problem
from kernel.dialects.pluggable.config import files_of
from kernel.dialects.pluggable.options import Options, options_of
from kernel.dialects.pluggable.reading import Reading, read_agent
from kernel.errors import BadInput
from kernel.hcl import Body, Source, parse, text_of
from kernel.problems import Problem, Report
from kernel.values import JSON, Chain

SECRET_BLOCKS: Final = ("provider", "registry_mirror")
"""Types of blocks whose values are not shown: passwords stand in them."""

_FOUND = re.compile(r"^found `[^`]*`")
_HEADER = re.compile(r"(?:[ \t]*(provider|registry_mirror)|([\w-]+))(?:[ \t]+(?:\"[^\"\n]*\"|[\w-]+))*[ \t]*\{")
_BARE_LINE = re.compile(r"[\s{}]*|\s*[\w-]+(?:\s+\"[^\"]*\")*\s*\{\s*\}?\s*|\s*[\w-]+\s*=\s*env\(\"\w*\"\)\s*")
"""A line in which nothing can be secret: braces, the header of a block, the name of a variable."""


@dataclass(frozen=True, slots=True)
class _Text:
    """One file, and what became of it."""

    source: Source
    body: Body | None
    """None when it is not HCL."""


def check_setup(path: Path, words: Mapping[str, JSON] = MappingProxyType({})) -> Report:
    """The report on an agent.hcl, on a folder's files together, or on a config.hcl alone.

    Raises BadInput when there is nothing that can be looked at.
    """
    options = options_of(words)
    problems: list[Problem] = []
    files = files_of(path)
    if [file.name for file in files] == [overrides.FILE]:
        return _report([_program_file(files[0], problems)[0]], problems, {})
    agent = [_file(file, problems) for file in files]
    found = overrides.find(files[0].parent)
    program_file, programs = (None, {}) if found is None else _program_file(found, problems)
    bodies = [(text.source.file, text.body) for text in agent if text.body is not None]
    reading = read_agent(bodies, programs or {}, problems.append, options)
    is_whole = len(bodies) == len(agent) and programs is not None
    chains = _check_chains(reading, problems, options, is_whole=is_whole)
    _advise(reading, problems, programs or {}, is_whole=is_whole)
    files_read = [*agent, program_file] if program_file else agent
    return _report(files_read, problems, chains if len(bodies) == len(agent) else {})


def _file(path: Path, problems: list[Problem]) -> _Text:
    """A file as far as it can be read; raises BadInput if it cannot be read at all."""
    text = ""
    try:
        text = text_of(path)
        body = parse(text, str(path))
    except BadInput as error:
        if error.place is None:
            raise
        problems.append(problem("syntax", error.message, error.place, fix=error.fix))
        return _Text(Source(text, str(path)), None)
    return _Text(Source(text, str(path)), body)


def _program_file(path: Path, problems: list[Problem]) -> tuple[_Text, Mapping[str, overrides.Program] | None]:
    """A config.hcl and its programs; None for them when it does not say."""
    file = _file(path, problems)
    if file.body is None:
        return file, None
    return file, overrides.programs(file.body, path.parent.absolute(), problems.append)


def _check_chains(
    reading: Reading, problems: list[Problem], options: Options, *, is_whole: bool
) -> Mapping[str, Chain]:
    """The chains, and what is wrong with them. Who is missing cannot be said as long as a file is not read."""
    found: list[Problem] = []
    for draft in reading.unfinished:
        entry = registry.Entry(
            draft.provider, draft.point, draft.mode, draft.timeout_ms, draft.place, draft.position, draft.places
        )
        registry.check_entry(entry, found.append)
        providers = {provider.name: provider for provider in reading.config.providers}
        registry.check_provider(entry, providers, options, found.append)
    chains = registry.assemble(reading.config, options, found.append)
    problems += (each for each in found if is_whole or each.code != "ErrNotFound")
    return chains


def _advise(
    reading: Reading, problems: list[Problem], programs: Mapping[str, overrides.Program], *, is_whole: bool
) -> None:
    config, environ = reading.config, os.environ
    later.check_settings(config.settings, problems.append)
    problems += advice.of_settings(config)
    problems += advice.of_hooks(config)
    problems += advice.of_policies(config, knows_providers=is_whole)
    for provider in config.providers:
        provider_body.check_expressions(provider.body, environ, problems.append)
    if is_whole:
        later.check_tools(config, {}, problems.append)
        problems += advice.of_profiles(config)
        problems += advice.of_programs(config, programs, environ)


# -- the text that problems point at -----------------------------------------------------------------------------


def _report(files: list[_Text], problems: list[Problem], chains: Mapping[str, Chain]) -> Report:
    ranks = {file.source.file: rank for rank, file in enumerate(files)}
    sources = {file.source.file: file.source for file in files}
    covered = {file.source.file: _covered(file) for file in files}
    told = [
        _told(each, sources[each.place.file], covered[each.place.file]) if each.place else each for each in problems
    ]
    told.sort(key=lambda each: _order(each, ranks))
    lines: dict[tuple[str, int], str] = {}
    for file, line in ((each.place.file, each.place.line) for each in told if each.place):
        text = sources[file].line(line)
        lines[file, line] = _cover(text) if line in covered[file] else text
    return Report(tuple(dict.fromkeys(told)), chains, lines)


def _order(each: Problem, ranks: Mapping[str, int]) -> tuple[int, int, int]:
    place = each.place
    return (-1, 0, 0) if place is None else (ranks[place.file], place.line, place.column)


def _told(each: Problem, source: Source, covered: set[int]) -> Problem:
    """A problem that knows how much of its line is meant, and does not say what must not be read there."""
    assert each.place is not None, "what stands nowhere has no length"
    message = _FOUND.sub("found something", each.message) if each.place.line in covered else each.message
    return replace(each, length=source.length_at(each.place), message=message)


def _covered(file: _Text) -> set[int]:
    """Numbers of the lines in which a secret may stand: from the header of such a block to the next item outside."""
    last = file.source.text.count("\n") + 1
    if file.body is None:
        headers = [(number, _HEADER.match(file.source.line(number))) for number in range(1, last + 1)]
        starts = [(number, bool(header[1])) for number, header in headers if header]
    else:
        items = [(attribute.place.line, False) for attribute in file.body.attributes]
        items += ((block.place.line, block.type in SECRET_BLOCKS) for block in file.body.blocks)
        starts = sorted(items)
    ends = [number for number, _ in starts[1:]] + [last + 1]
    return {
        number
        for (start, is_secret), end in zip(starts, ends, strict=False)
        if is_secret
        for number in range(start, end)
    }


def _cover(line: str) -> str:
    """A line of which no value can be read: as long as it was, so that what points into it still does."""
    if _BARE_LINE.fullmatch(line):
        return line
    name, equals, value = line.partition("=")
    shown, hidden = (name + equals, value) if equals else ("", line)
    return shown + re.sub(r"\S.*", lambda found: "*" * len(found.group()), hidden)
