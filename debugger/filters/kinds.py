"""The kinds of fields: what each may be compared with, and what comparing means.

A kind turns an operator and values into a test of one thing that was read from a trace. It refuses values that make no
sense for it, with the way out; nothing here knows where in a text they stood.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

from debugger.filters.gist import Keyed, Searchable, TextKey
from debugger.filters.globs import glob
from debugger.filters.paths import is_changed, path_pattern
from debugger.filters.patterns import check_pattern, searcher
from debugger.filters.problems import Unfit, nearest
from debugger.filters.sight import Sight
from debugger.filters.syntax import Op, Value
from debugger.query import NoAnswer, NoQuery, Selector, query
from kernel.facts import Changed
from kernel.values import JSON

Truth: TypeAlias = bool | None
"""Whether a claim holds; None is not known, so that only what is known to hold counts as true."""
Test: TypeAlias = Callable[[Any], Truth]
"""Of one thing that was read from a trace, which is of whatever type the kind of field has."""

EQUAL: Final = (Op.HAS, Op.IS, Op.OTHER)
MEASURING: Final = (Op.MORE, Op.LESS, Op.AT_LEAST, Op.AT_MOST)
MOST_EXPRESSION: Final = 1000
"""Characters of one JMESPath expression."""


class Kind(ABC):
    """What one kind of field may be compared with."""

    ops: ClassVar[tuple[Op, ...]]
    has_patterns: ClassVar[bool] = True
    """Whether `*` stands for any text."""

    @property
    def offered(self) -> tuple[str, ...]:
        """Values worth offering, whatever was seen."""
        return ()

    @abstractmethod
    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        """The comparison with one value; raises Unfit. `op` is one of `ops`, and never OTHER."""

    def tests(self, op: Op, values: Sequence[Value], sight: Sight) -> Test:
        """The comparison with any of several values; raises Unfit."""
        plain = Op.HAS if op is Op.OTHER else op
        tests = [_presence if is_any(value) else self.test(plain, value, sight) for value in values]
        any_of = tests[0] if len(tests) == 1 else _any_of(tests)
        return _other(any_of) if op is Op.OTHER else any_of

    def check(self, op: Op, values: Sequence[Value]) -> None:
        """Raises Unfit for a comparison that makes no sense."""
        if op not in self.ops:
            signs = " ".join(self.ops)
            raise Unfit(f"{op} makes no sense here", f"it can be compared with {signs}")
        if op in MEASURING and len(values) > 1:
            raise Unfit("more or less than several values at once", "compare with one")
        if op is Op.OTHER and any(is_any(value) for value in values):
            raise Unfit("nothing is other than anything", "write ! in front of the field where it should have no value")


def is_any(value: Value) -> bool:
    return value.is_pattern and not value.text.strip("*")


def _presence(thing: object) -> Truth:
    return True


def _any_of(tests: Sequence[Test]) -> Test:
    def test(thing: object) -> Truth:
        truths = [each(thing) for each in tests]
        return True if True in truths else None if None in truths else False

    return test


def _other(inner: Test) -> Test:
    def test(thing: object) -> Truth:
        truth = inner(thing)
        return None if truth is None else not truth

    return test


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """What people read. `:` looks for a part; capital letters count only where some are written."""

    is_name: bool = False
    """A short text that is one of not too many: a pattern has to fit all of it, and what was seen is worth offering."""
    ops = (*EQUAL, Op.MATCHES)

    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        if op is Op.MATCHES:
            search = searcher(value.text, sight.give_up)
            return _remembering(lambda text: search(_raw(text)))
        return _remembering(self._plain(op, value))

    def _plain(self, op: Op, value: Value) -> Test:
        wanted = value.text
        is_exact = op is Op.IS
        is_folded = not is_exact and wanted == wanted.lower()
        if value.is_pattern:
            pattern = glob(wanted.casefold() if is_folded else wanted)
            finds = pattern.fits if is_exact or self.is_name else pattern.is_in
            return lambda text: finds(_folded(text) if is_folded else _raw(text))
        if is_exact:
            return lambda text: _raw(text) == wanted
        if is_folded:
            folded = wanted.casefold()
            return lambda text: folded in _folded(text)
        return lambda text: wanted in _raw(text)

    def check(self, op: Op, values: Sequence[Value]) -> None:
        Kind.check(self, op, values)
        if op is Op.MATCHES:
            for value in values:
                check_pattern(value.text)
        elif any(value.text == "" and not value.is_pattern for value in values) and op is not Op.IS:
            raise Unfit("every text has the empty one in it", "write := for a text that is empty")


def _remembering(test: Test) -> Test:
    """The same test, which knows short texts again: most are said many times."""
    known: dict[str, Truth] = {}

    def test_again(text: str | Searchable) -> Truth:
        if not isinstance(text, str) or len(text) > _SHORT:
            return test(text)
        truth = known.get(text)
        if truth is None:
            truth = test(text)
            if len(known) < _MOST_KNOWN:
                known[text] = truth
        return truth

    return test_again


_SHORT: Final = 200
_MOST_KNOWN: Final = 20_000


def _raw(text: str | Searchable) -> str:
    return text if isinstance(text, str) else text.raw


def _folded(text: str | Searchable) -> str:
    return text.casefold() if isinstance(text, str) else text.folded


@dataclass(frozen=True, slots=True)
class Words(Kind):
    """One of a closed set of words."""

    about: str
    words: tuple[str, ...]
    aliases: MappingProxyType[str, str] = field(default_factory=lambda: MappingProxyType({}))
    passing: frozenset[str] = frozenset()
    """Words for what is so only for now: never what `:!` finds to be another one."""
    ops = EQUAL

    @property
    def offered(self) -> tuple[str, ...]:
        return tuple(each.replace(" ", "-") for each in self.words)

    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        return self._word(value).__eq__

    def tests(self, op: Op, values: Sequence[Value], sight: Sight) -> Test:
        if op is not Op.OTHER:
            return Kind.tests(self, op, values, sight)
        ours = {self._word(value) for value in values} | self.passing
        return lambda word: word not in ours

    def check(self, op: Op, values: Sequence[Value]) -> None:
        Kind.check(self, op, values)
        for value in values:
            if not is_any(value):
                self._word(value)

    def _word(self, value: Value) -> str:
        wanted = _compact(value.text)
        for word in self.words:
            if _compact(word) == wanted:
                return word
        if (alias := self.aliases.get(wanted)) is not None:
            return alias
        ways = (*self.words, *self.aliases)
        may_grow = any(_compact(word).startswith(wanted) for word in ways)
        close = nearest(value.text, self.offered)
        raise Unfit(f"no {self.about} {value.text!r}", close, may_grow=may_grow)


def _compact(text: str) -> str:
    return re.sub(r"[\s_-]", "", text).lower()


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """Yes or no. The compiler makes `no` a negation, so that it is never asked for here."""

    ops = (Op.HAS, Op.IS)
    has_patterns = False

    @property
    def offered(self) -> tuple[str, ...]:
        return ("yes", "no")

    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        return bool

    def check(self, op: Op, values: Sequence[Value]) -> None:
        Kind.check(self, op, values)
        if len(values) > 1:
            raise Unfit("yes or no is always so", "leave it out")
        is_yes(values[0])


def is_yes(value: Value) -> bool:
    """What a flag is compared with; raises Unfit."""
    said = value.text.lower()
    if said in ("yes", "true"):
        return True
    if said in ("no", "false"):
        return False
    grows = any(each.startswith(said) for each in ("yes", "no", "true", "false"))
    raise Unfit(f"{value.text!r} is neither yes nor no", "write yes or no", may_grow=grows)


@dataclass(frozen=True, slots=True)
class Query(Kind):
    """A JMESPath expression over JSON: fits where it gives anything but false, null or something empty."""

    ops = (Op.HAS, Op.OTHER)
    has_patterns = False

    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        expression = _compiled(value.text)

        known: dict[TextKey, bool] = {}

        def test(keyed: Keyed) -> Truth:
            key, thing = keyed
            truth = known.get(key)
            if truth is None:
                truth = _gives_something(expression, sight.view_of(key, thing))
                if len(known) < _MOST_KNOWN:
                    known[key] = truth
            return truth

        return test

    def check(self, op: Op, values: Sequence[Value]) -> None:
        Kind.check(self, op, values)
        for value in values:
            _compiled(value.text)


def _gives_something(expression: Selector, view: JSON) -> bool:
    try:
        found = expression.of(view)
    except NoAnswer:
        return False
    return not (found is None or found is False or found in ("", [], {}))


def _compiled(text: str) -> Selector:
    if len(text) > MOST_EXPRESSION:
        raise Unfit(f"an expression of {len(text)} characters", f"{MOST_EXPRESSION} are read")
    try:
        return query(text)
    except NoQuery as error:
        grows = error.may_grow or not text
        raise Unfit(
            f"not JMESPath: {error.short}", 'see jmespath.org; in quotes, \\" is a quote', may_grow=grows
        ) from None


@dataclass(frozen=True, slots=True)
class Place(Kind):
    """A JSON path at which the payload changed."""

    ops = EQUAL
    has_patterns = False

    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        pattern = path_pattern(value.text)
        keys = pattern.prefix

        def test(change: Changed) -> Truth:
            found = sight.diff(change.before, change.after, keys)
            return is_changed(pattern, found, change.after.view, is_exact=op is Op.IS)

        return test

    def tests(self, op: Op, values: Sequence[Value], sight: Sight) -> Test:
        if op is not Op.OTHER:
            return Kind.tests(self, op, values, sight)
        patterns = [path_pattern(value.text) for value in values]

        def test(change: Changed) -> Truth:
            """Whether anything changed that none of the paths names."""
            after = change.after.view
            found = sight.diff(change.before, change.after, ())
            return any(
                not any(is_changed(pattern, type(found)((each,)), after, is_exact=False) for pattern in patterns)
                for each in found.changes
            )

        return test

    def check(self, op: Op, values: Sequence[Value]) -> None:
        Kind.check(self, op, values)
        for value in values:
            path_pattern(value.text)


NAME: Final = Text(is_name=True)
TEXT: Final = Text()
FLAG: Final = Flag()
QUERY: Final = Query()
PLACE: Final = Place()
