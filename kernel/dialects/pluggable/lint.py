"""Everything that is wrong with a configuration, at once (spec C.4's order within a place, the text's order between).

The checks are those that loading runs; this module is the one that does not stop. It starts nothing, and what
`env()` stands for is looked for and not looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from kernel.dialects.pluggable.agent_hcl import advice, later, odd_numbers, overrides, provider_body, registry
from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.options import Options, options_of
from kernel.dialects.pluggable.agent_hcl.reading import Reading, read_agent
from kernel.dialects.pluggable.agent_hcl.schema import AGENT, SECRET_BLOCKS, argument_names
from kernel.dialects.pluggable.config import files_of
from kernel.errors import BadInput
from kernel.hcl import Body, Source, parse, text_of
from kernel.problems import Note, Problem, Report
from kernel.values import JSON, Chain, Place

_FOUND = re.compile(r"^found `([^`]*)`")
_NAMED = re.compile(r'(?:\s*provider\s+(?:"[\w.-]*"|[\w-]+)\s*\{|\s*[\w-]+\s*\{)?\s*[\w-]+\s*=')
"""What may be shown of a line that sets an argument."""
_ANY_HEADER = re.compile(r'\s*([\w-]+)(?:\s+(?:"[^"]*"|[\w-]+))*\s*\{\s*\}?\s*')
_ARGUMENT = re.compile(r"\s*([\w-]+)\s*=")
_HEADER = re.compile(
    r"(?:[ \t]*(provider|registry_mirror|environment)\b|([\w-]+))(?:[ \t]+(?:\"[^\"\n]*\"|[\w-]+))*[ \t]*\{"
)
_BARE_LINE = re.compile(
    r"[\s{}]*|\s*provider\s+(?:\"[\w.-]*\"|[\w-]+)\s*\{\s*\}?\s*|\s*[\w-]+\s*\{\s*\}?\s*"
    r"|\s*[\w-]+\s*=\s*env\(\"\w*\"\)\s*"
)
"""A line in which nothing can be secret: braces, the header of a block with no label too many, a variable's name."""


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
    _advise(reading, problems, programs or {}, options, is_whole=is_whole)
    files_read = [*agent, program_file] if program_file else agent
    notes = tuple(_context(reading)) if len(bodies) == len(agent) else ()
    return _report(files_read, problems, chains if len(bodies) == len(agent) else {}, notes)


def _context(reading: Reading) -> Iterator[Note]:
    """Who is asked at context-assemble, which is no chain of hooks and has an order all the same (spec B.11)."""
    deadline = f"{reading.config.settings.default_hook_timeout_ms} ms"
    rows = tuple(
        (str(number), each.name, deadline, str(each.place))
        for number, each in enumerate(registry.context_providers(reading.config), 1)
    )
    if rows:
        yield Note("context-assemble, through ContextService.Contribute", ("number", "name", "deadline", "place"), rows)


def _file(path: Path, problems: list[Problem]) -> _Text:
    """A file as far as it can be read; raises BadInput if it cannot be read at all."""
    text = None
    try:
        text = text_of(path)
        body = parse(text, str(path))
    except BadInput as error:
        if error.place is None:
            raise
        if text is None:  # not UTF-8; what can be read of it is shown all the same
            text = path.read_bytes().decode(errors="replace")
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
    problems += (each for each in found if is_whole or each.code not in ("ErrNotFound", "unknown-option"))
    return chains


def _advise(
    reading: Reading,
    problems: list[Problem],
    programs: Mapping[str, overrides.Program],
    options: Options,
    *,
    is_whole: bool,
) -> None:
    config, environ = reading.config, os.environ
    later.check_settings(config.settings, problems.append)
    problems += advice.of_settings(config)
    problems += odd_numbers.of_numbers(config)
    problems += advice.of_hooks(config)
    problems += advice.of_policies(config, knows_providers=is_whole)
    for provider in config.providers:
        provider_body.check(provider, options.config_schema.get(provider.name), environ, problems.append)
    if is_whole:
        later.check_tools(config, options.tools, problems.append)
        problems += advice.of_profiles(config)
        problems += advice.of_context(config)
        problems += advice.of_programs(config, programs, environ)


# -- the text that problems point at -----------------------------------------------------------------------------


def _report(
    files: list[_Text], problems: list[Problem], chains: Mapping[str, Chain], notes: tuple[Note, ...] = ()
) -> Report:
    ranks = {file.source.file: rank for rank, file in enumerate(files)}
    sources = {file.source.file: file.source for file in files}
    covered = {file.source.file: _covered(file) for file in files}
    for each in problems:
        if each.place is not None and each.code in ("unsupported-argument", "unsupported-block"):
            covered[each.place.file] |= _unknown_lines(files[ranks[each.place.file]], each.place)
    told = [
        _told(each, sources[each.place.file], covered[each.place.file]) if each.place else each for each in problems
    ]
    told.sort(key=lambda each: _order(each, ranks))
    lines: dict[tuple[str, int], str] = {}
    items = {file.source.file: set(_starts(file.body)) for file in files if file.body is not None}
    for file, line in ((each.place.file, each.place.line) for each in told if each.place):
        text = sources[file].line(line)
        is_item = line in items.get(file, {line})  # other lines go on with a value, whatever they look like
        lines[file, line] = _cover(text, is_item=is_item) if line in covered[file] else text
    return Report(tuple(dict.fromkeys(told)), chains, lines, notes)


def _order(each: Problem, ranks: Mapping[str, int]) -> tuple[int, int, int]:
    place = each.place
    return (-1, 0, 0) if place is None else (ranks[place.file], place.line, place.column)


def _told(each: Problem, source: Source, covered: set[int]) -> Problem:
    """A problem that knows how much of its line is meant, and does not say what must not be read there."""
    assert each.place is not None, "what stands nowhere has no length"
    message = _FOUND.sub(_found, each.message) if each.place.line in covered else each.message
    return replace(each, length=source.length_at(each.place), message=message)


def _found(found: re.Match[str]) -> str:
    """What sort of thing was found: a sign cannot be a secret, a word or a number can."""
    what = found[1]
    if len(what) == 1 and not what.isalnum():
        return found[0]
    return "found a number" if what[:1].isdigit() else "found a word"


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
    stray = set() if file.body else {number for number in range(1, last + 1) if _is_unknown(file.source.line(number))}
    return stray | {
        number
        for (start, is_secret), end in zip(starts, ends, strict=False)
        if is_secret
        for number in range(start, end)
    }


def _is_unknown(line: str) -> bool:
    """Whether a line of a text that is not HCL sets an argument that nobody knows."""
    argument = _ARGUMENT.match(line)
    return argument is not None and argument[1] not in argument_names(AGENT)


def _unknown_lines(file: _Text, place: Place) -> set[int]:
    """The lines of what nobody knows at a place, up to the next item: it may be a secret that went astray."""
    assert file.body is not None, "what is not HCL has no names in it"
    end = next((start for start in sorted(_starts(file.body)) if start > place.line), file.source.text.count("\n") + 2)
    header = _ANY_HEADER.fullmatch(file.source.line(place.line))
    is_header = header is not None and header[1] not in SECRET_BLOCKS
    return set(range(place.line + is_header, end))


def _starts(body: Body) -> Iterator[int]:
    """The lines on which attributes and blocks begin, at any depth."""
    yield from (attribute.place.line for attribute in body.attributes)
    for block in body.blocks:
        yield block.place.line
        yield from _starts(block.body)


def _cover(line: str, *, is_item: bool) -> str:
    """A line of which no value can be read: as long as it was, so that what points into it still does."""
    if _BARE_LINE.fullmatch(line):
        return line
    named = _NAMED.match(line) if is_item else None
    shown = named.group() if named else ""
    return shown + re.sub(r"\S.*", lambda found: "*" * len(found.group()), line[len(shown) :])
