"""A filter, ready to be asked about dispatches, steps and stretches.

What a claim about a field means:

* of a step: what was read from this step fits; a field that only dispatches have is read from its dispatch;
* of a dispatch: it fits the dispatch itself, or some step of it. Claims side by side are about one and the same step,
  negated ones too, as long as one beside them is not negated; `!` in front of everything else says that no step fits;
* bare text looks at the whole dispatch where dispatches are asked about, at one step where steps are.

Every answer is true, false or not known, by Kleene's rules: what is true now can be false later only where a word
such as `running` says so, and never was known where it was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from debugger.filters.combined import (
    OfAll,
    OfOne,
    all_of_all,
    all_of_one,
    any_of_all,
    any_of_one,
    every_step,
    negated_all,
    negated_one,
    some_step,
    some_subject,
)
from debugger.filters.fields import FIELDS, Field, Known
from debugger.filters.gist import APART, TextKey
from debugger.filters.kinds import Test, Truth
from debugger.filters.printer import printed
from debugger.filters.problems import BadFilter, Unfit
from debugger.filters.shape import by_cost, cost, flipped, is_no, is_only_of_steps, is_positive
from debugger.filters.sight import Sight
from debugger.filters.stretches import OfStretch, of_stretch
from debugger.filters.syntax import And, Every, Everything, Expression, Filter, Not, Op, Or, Saved, Some, Term, terms
from debugger.trace import DispatchTrace, StepTrace, StretchTrace


class Predicate:
    """A compiled filter. Stateless but for what its sight keeps."""

    def __init__(self, filter_: Filter, sight: Sight) -> None:
        self.filter = filter_
        self._of_dispatch: OfAll = _yes
        self._of_step: OfOne = _yes
        self._of_stretch: OfStretch = _yes
        if not isinstance(filter_, Everything):
            self._of_dispatch = _Compiler(sight, is_of_dispatch=True).of_all(filter_)
            self._of_step = _Compiler(sight, is_of_dispatch=False).of_one(filter_)
            self._of_stretch = of_stretch(filter_, sight)

    def matches(self, dispatch: DispatchTrace) -> Truth:
        """Whether a dispatch fits. True only where that is known, so a plain `if` never takes a guess for an answer."""
        return self._of_dispatch(dispatch)

    def matches_step(self, dispatch: DispatchTrace, step: StepTrace) -> Truth:
        """Whether one step of a dispatch fits."""
        return self._of_step(dispatch, step)

    def matches_stretch(self, stretch: StretchTrace) -> Truth:
        """Whether a stretch fits; of what only dispatches and steps have, it has nothing."""
        return self._of_stretch(stretch)


def compiled(filter_: Filter, sight: Sight) -> Predicate:
    """A filter ready to be asked; raises BadFilter for saved names that are not resolved, and for values that no text
    could have given (`parse` never does).
    """
    for term in terms(filter_):
        if term.field not in FIELDS:
            raise BadFilter(f"no field {term.field!r}", printed(filter_), term.at)
        try:
            FIELDS[term.field].kind.check(term.op, term.values)
        except Unfit as unfit:
            raise BadFilter(f"{term.field}: {unfit.message}", printed(filter_), term.at, fix=unfit.fix) from None
    return Predicate(filter_, sight)


def known_from(filter_: Filter) -> Known:
    """From when on everything that it reads of a step is known: a breakpoint in front of a step that needs more may be
    undecided there.
    """
    return max((_known(FIELDS[term.field]) for term in terms(filter_)), default=Known.ALWAYS)


def _known(field: Field) -> Known:
    return field.known if field.of_step is not None else field.known_of_dispatch


def _yes(*of: object) -> Truth:
    return True


class _Compiler:
    """Makes closures. `is_of_dispatch`: for questions about dispatches, in which bare text looks at all of them."""

    def __init__(self, sight: Sight, *, is_of_dispatch: bool) -> None:
        self._sight = sight
        self._is_of_dispatch = is_of_dispatch

    def of_all(self, expression: Expression) -> OfAll:
        """The question whether a dispatch fits."""
        match expression:
            case Term() if is_no(expression):
                return negated_all(self.of_all(flipped(expression)))
            case Term():
                return self._term_of_all(expression)
            case Not(operand):
                return negated_all(self.of_all(operand))
            case Or(operands):
                return any_of_all([self.of_all(each) for each in by_cost(operands)])
            case And(operands):
                return self._and_of_all(operands)
            case Some() | Every():
                of_one = self.of_one(expression)
                return lambda dispatch: of_one(dispatch, None)
            case Saved(name, at):
                raise BadFilter(f"@{name} is not resolved", printed(expression), at)
            case never:
                assert_never(never)

    def _term_of_all(self, term: Term) -> OfAll:
        field = FIELDS[term.field]
        if field.of_step is None or (field.is_of_whole and self._is_of_dispatch):
            of_one = self.of_one(term)
            return lambda dispatch: of_one(dispatch, None)
        return some_subject(self.of_one(term), has_own=field.of_dispatch is not None)

    def _and_of_all(self, operands: Sequence[Expression]) -> OfAll:
        of_steps = [each for each in operands if self._is_about_steps(each)]
        if not any(is_positive(each) for each in of_steps):
            return all_of_all([self.of_all(each) for each in by_cost(operands)])
        rest = [(cost(each), self.of_all(each)) for each in by_cost(operands) if each not in of_steps]
        together = all_of_one([self.of_one(each) for each in by_cost(of_steps)])
        has_own = any(not is_only_of_steps(each) for each in of_steps)
        steps = (min(map(cost, of_steps)), some_subject(together, has_own=has_own))
        return all_of_all([ask for _, ask in sorted([*rest, steps], key=lambda each: each[0])])

    def _is_about_steps(self, expression: Expression) -> bool:
        """Whether it claims something of one step, so that what stands beside it is about the same one."""
        match expression:
            case Term(name):
                field = FIELDS[name]
                return field.of_step is not None and not (field.is_of_whole and self._is_of_dispatch)
            case Not(operand):
                return self._is_about_steps(operand)
            case And(operands) | Or(operands):
                return any(map(self._is_about_steps, operands))
            case Some() | Every() | Saved():
                return False
            case never:
                assert_never(never)

    def of_one(self, expression: Expression) -> OfOne:
        """The question whether one step fits, or the dispatch itself beside its steps."""
        match expression:
            case Term() if is_no(expression):
                return self.of_one(Not(flipped(expression)))
            case Term():
                return self._term_of_one(expression)
            case Not(operand):
                return negated_one(self.of_one(operand), says_nothing_of_own=is_only_of_steps(operand))
            case And(operands):
                return all_of_one([self.of_one(each) for each in by_cost(operands)])
            case Or(operands):
                return any_of_one([self.of_one(each) for each in by_cost(operands)])
            case Some(operand):
                return some_step(_Compiler(self._sight, is_of_dispatch=False).of_one(operand))
            case Every(operand):
                return every_step(_Compiler(self._sight, is_of_dispatch=False).of_one(operand))
            case Saved(name, at):
                raise BadFilter(f"@{name} is not resolved", printed(expression), at)
            case never:
                assert_never(never)

    def _term_of_one(self, term: Term) -> OfOne:
        field = FIELDS[term.field]
        test = field.kind.tests(term.op, term.values, self._sight)
        if field.is_of_whole and self._is_of_dispatch:
            in_all = _in_all(field, test, self._sight)
            return _in_gist(test, self._sight, in_all) if _is_plain_search(term) else in_all
        return _in_one(field, test, self._sight)


def _in_one(field: Field, test: Test, sight: Sight) -> OfOne:
    """A claim about what one step has, or the dispatch itself."""
    of_step, of_dispatch, known = field.of_step, field.of_dispatch, field.known
    is_always = field.known_of_dispatch is Known.ALWAYS

    def ask(dispatch: DispatchTrace, step: StepTrace | None) -> Truth:
        if step is not None and of_step is not None:
            is_settled = known is Known.ALWAYS or is_known(known, dispatch, step)
            things = of_step(sight, dispatch, step)
        elif of_dispatch is not None:
            is_settled = is_always or dispatch.result is not None
            things = of_dispatch(sight, dispatch)
        else:
            return False if known is Known.ALWAYS or dispatch.result is not None else None
        for thing in things:
            if (truth := test(thing)) is True:
                return True
            if truth is None:
                is_settled = False
        return False if is_settled else None

    return ask


def _in_all(field: Field, test: Test, sight: Sight) -> OfOne:
    """A claim about what a dispatch or any step of it has."""
    ask = some_subject(_in_one(field, test, sight), has_own=True)
    return lambda dispatch, step: ask(dispatch)


def _is_plain_search(term: Term) -> bool:
    """Whether it looks for mere pieces of text: those are found wherever texts are put together too."""
    return term.op is Op.HAS and not any(value.is_pattern or APART in value.text for value in term.values)


def _in_gist(test: Test, sight: Sight, in_all: OfOne) -> OfOne:
    """The same claim as `in_all` about all text of a dispatch, much faster where the dispatch is over."""
    gists = sight.gists
    known: dict[TextKey, Truth] = {}

    def ask(dispatch: DispatchTrace, step: StepTrace | None) -> Truth:
        if dispatch.result is None:
            return in_all(dispatch, step)
        gist = gists.of(dispatch)
        if test(gist.words):
            return True
        for key, thing in gist.things.items():
            truth = known.get(key)
            if truth is None:
                truth = known[key] = test(sight.text_of_thing(key, thing))
            if truth:
                return True
        return False

    return ask


def is_known(known: Known, dispatch: DispatchTrace, step: StepTrace) -> bool:
    """Whether everything of this sort is known of a step."""
    if dispatch.result is not None:
        return True
    if known is not Known.ENDED and (step.verdict is not None or step.not_reached is not None):
        return True
    match known:
        case Known.ALWAYS:
            return True
        case Known.ASKED:
            return step.given is not None
        case Known.ANSWERED:
            return step.outcome is not None
        case _:
            return False
