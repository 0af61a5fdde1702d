"""Everything that is wrong with plugins, at once, and what the host would report of it (spec 4.12, 5).

The checks are those that loading runs, and the advice that nobody else gives. Nothing is started. Of a config value
nothing is told but where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from kernel.dialects.hookbus.config import Examined, chains, dialect_of, examine_all
from kernel.dialects.hookbus.discovery import Discovery, Options, discover, options_of
from kernel.dialects.hookbus.manifest import advice as manifest_advice
from kernel.dialects.hookbus.manifest.codes import Finding
from kernel.dialects.hookbus.manifest.reading import block_of
from kernel.dialects.hookbus.manifest.text import Node
from kernel.problems import Note, Problem, Report
from kernel.values import JSON


def check_setup(path: Path, words: Mapping[str, JSON] = MappingProxyType({})) -> Report:
    """The report on a manifest, a plugin's folder, a folder of plugins, or a base directory.

    Raises BadInput when there is nothing that can be looked at.
    """
    options = options_of(words)
    discovery = discover(path, options)
    examined = examine_all(discovery, options)
    problems = [problem for each in examined for problem in _problems(each, discovery, options)]
    loaded = [each for each in examined if each.is_loaded]
    built = chains(loaded, dialect_of(options)) if loaded else {}
    return Report(tuple(problems), built, _lines(examined, problems), tuple(_notes(examined, discovery)))


def _problems(examined: Examined, discovery: Discovery, options: Options) -> Sequence[Problem]:
    """The problems of one plugin in the order of its text."""
    findings = [*examined.findings, *_advice(examined, discovery, options)]
    problems = dict.fromkeys(each.problem for each in findings)
    return sorted(problems, key=lambda each: (each.place.line, each.place.column) if each.place else (0, 0))


def _advice(examined: Examined, discovery: Discovery, options: Options) -> Iterator[Finding]:
    if examined.root is not None:
        wants_extension = discovery.is_single
        yield from manifest_advice.of_root(examined.root, examined.plugin.id, wants_extension=wants_extension)
    if examined.extension is not None:
        yield from manifest_advice.of_extension(examined.extension, options.environ)


# -- beside the problems -----------------------------------------------------------------------------------------


def _notes(examined: Sequence[Examined], discovery: Discovery) -> Iterator[Note]:
    refused = [(each.plugin.id, str(each.first.code), each.first.message) for each in examined if each.first]
    if refused:
        yield Note("the host reports", ("plugin", "code", "message"), tuple(refused))
    silent = [(each.plugin.id, "it has no extension") for each in examined if _is_silent(each)]
    silent += [(each.plugin.id, f"{each.why} ({each.plugin.folder})") for each in discovery.passed]
    if silent:
        yield Note("not loaded, without a word", ("plugin", "why"), tuple(silent))
    for each in examined:
        rows = tuple((one.key, str(one.origin), one.where) for one in each.resolutions)
        if rows:
            yield Note(f"config of {each.plugin.id}", ("key", "source", "name"), rows)


def _is_silent(examined: Examined) -> bool:
    return examined.root is not None and block_of(examined.root) is None


# -- the text that problems point at -----------------------------------------------------------------------------


def _lines(examined: Sequence[Examined], problems: Sequence[Problem]) -> Mapping[tuple[str, int], str]:
    texts = {each.text.file: each.text for each in examined if each.text is not None}
    hidden = {each.text.file: _hidden(each) for each in examined if each.text is not None}
    places = {(each.place.file, each.place.line) for each in problems if each.place is not None}
    return {
        (file, line): _covered(texts[file].line(line), line, hidden[file]) for file, line in places if file in texts
    }


def _hidden(examined: Examined) -> Sequence[Node]:
    """The values that are not shown: what stands in for secrets."""
    return () if examined.root is None else tuple(_secret_values(examined.root))


def _secret_values(node: Node) -> Iterator[Node]:
    if node.get("secret_env") is not None:
        members = (*node.members.values(), *node.overwritten)
        yield from (member.value for member in members if member.name == "default")
    for inner in (*node.items, *(member.value for member in node.members.values())):
        yield from _secret_values(inner)


def _covered(line: str, number: int, hidden: Sequence[Node]) -> str:
    """A line as long as it was, with stars for what is not shown."""
    for node in hidden:
        place = node.span.place
        if place.line == number:
            start, end = place.column - 1, place.column - 1 + node.span.length
            line = line[:start] + "*" * (end - start) + line[end:]
    return line
