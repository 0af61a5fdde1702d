"""What a constant expression comes to, as HCL has it: nothing else is known than what stands in it.

Variables have no value and functions only where the caller has some. What goes wrong is told with its place, in words
that never show a value, for it may be a secret; and whatever is made of it afterwards is unknown and told no more.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias, assert_never

from kernel.hcl import numbers
from kernel.hcl.unify import NoConversion, Type, common, convert, kind, members, type_of
from kernel.hcl.values import (
    Call,
    Conditional,
    Entry,
    Expression,
    For,
    Index,
    Joined,
    ListOf,
    Member,
    Name,
    ObjectOf,
    Operation,
    Parentheses,
    Path,
    Scalar,
    Splat,
    Step,
    Template,
    Unary,
    Unknown,
    Value,
)
from kernel.values import Place

Tell: TypeAlias = Callable[[str, Place, str], None]
"""Takes what is wrong, as something that can be said about an argument ("divides by 0"), its place and the way out."""
Function: TypeAlias = Callable[[Call, tuple[Value, ...], Tell], Value]
"""Gives the value of a call, and tells what is wrong with it: not to the caller, for the value may not be needed."""

MAX_STEPS: Final = 100_000
"""Nodes that are looked at for one value: loops within loops grow fast."""
MAX_TEXT: Final = 1 << 20
"""Characters of one text that is put together."""

_NOTHING: Final[Mapping[str, Value]] = MappingProxyType({})
_FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType({})


def evaluate(expression: Expression, tell: Tell, functions: Mapping[str, Function] = _FUNCTIONS) -> Value:
    """The value of an expression, each piece of it where it was written; unknown if something about it was told."""
    try:
        return _Evaluation(tell, functions).value(expression, _NOTHING)
    except _TooMuchError:
        tell("comes to more than anybody could want", expression.place, "")
    except RecursionError:
        tell("is nested too deeply", expression.place, "")
    return Unknown(expression.place)


class _TooMuchError(Exception):
    """An expression that would take too long."""


class _Evaluation:
    def __init__(self, tell: Tell, functions: Mapping[str, Function]) -> None:
        self._tell = tell
        self._functions = functions
        self._steps = 0

    def value(self, expression: Expression, scope: Mapping[str, Value]) -> Value:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _TooMuchError
        match expression:
            case Scalar() | Unknown():
                return expression
            case ListOf(items, place):
                return ListOf(tuple(self.value(item, scope) for item in items), place)
            case ObjectOf():
                return self._object(expression, scope)
            case Name():
                return self._name(expression, scope)
            case Call():
                return self._call(expression, scope)
            case Parentheses(inner):
                return self.value(inner, scope)
            case Path(root, steps):
                return self._steps_into(self.value(root, scope), steps, scope)
            case Unary():
                return self._unary(expression, scope)
            case Operation():
                return self._operation(expression, scope)
            case Conditional():
                return self._conditional(expression, scope)
            case For():
                return self._for(expression, scope)
            case Joined(texts, place):
                found = self._for(texts, scope)
                return self._text(found.items, place) if isinstance(found, ListOf) else Unknown(place)  # type: ignore[arg-type]
            case Template(parts, is_wrapper, place):
                values = tuple(self.value(part, scope) for part in parts)
                return values[0] if is_wrapper else self._text(values, place)
            case _:
                assert_never(expression)

    # -- names and calls -----------------------------------------------------------------------------------------

    def _name(self, name: Name, scope: Mapping[str, Value]) -> Value:
        if name.name in scope:
            return scope[name.name]
        fix = f"put {'it' if self._functions else name.name} in quotes if it is text"  # with env() it may be a secret
        return self._problem("names a variable, but there are none here", name.place, fix)

    def _call(self, call: Call, scope: Mapping[str, Value]) -> Value:
        function = self._functions.get(call.name)
        if function is not None:
            return function(call, tuple(self.value(argument, scope) for argument in call.arguments), self._tell)
        if self._functions:
            fix = f"{' and '.join(f'{name}()' for name in self._functions)} is the only function there is"
            return self._problem("calls a function that does not exist", call.place, fix)
        return self._problem(f"calls {call.name}(), but functions cannot be called here", call.place)

    # -- collections ---------------------------------------------------------------------------------------------

    def _object(self, expression: ObjectOf, scope: Mapping[str, Value]) -> Value:
        entries: list[Entry] = []
        is_known = True
        for entry in expression.entries:
            key = self._key(entry.key, scope)
            value = self.value(entry.value, scope)
            if isinstance(key, Unknown):
                is_known = False
            else:
                entries.append(Entry(key, value, entry.place))
        return ObjectOf(tuple(entries), expression.place) if is_known else Unknown(expression.place)

    def _key(self, key: Expression, scope: Mapping[str, Value]) -> Value:
        match key:
            case Path(Name(), steps) if not any(isinstance(step, Splat) for step in steps):
                fix = "put the key in quotes, or in parentheses if it is to be evaluated"
                return self._problem("has a key that may be a name or an expression", key.place, fix)
            case _:
                return self._key_text(self.value(key, scope))

    def _key_text(self, value: Value) -> Value:
        if isinstance(value, Scalar) and value.value is None:
            return self._problem("has null as a key", value.place)
        return self._converted(value, "text")

    def _steps_into(self, value: Value, steps: tuple[Step, ...], scope: Mapping[str, Value]) -> Value:
        for step in steps:
            match step:
                case Member(name, place):
                    value = self._member(value, name, place)
                case Index(key, place):
                    value = self._index(value, self.value(key, scope), place)
                case Splat(each, place):
                    value = self._splat(value, each, place, scope)
        return value

    def _member(self, value: Value, name: str, place: Place) -> Value:
        match value:
            case Unknown():
                return value
            case ObjectOf():
                found = members(value)
                return found[name] if name in found else self._problem("asks for a member that is not there", place)
            case _:
                return self._problem(f"asks for a member of what has none: {kind(value)}", place)

    def _index(self, value: Value, key: Value, place: Place) -> Value:
        match value, key:
            case (Unknown(), _) | (_, Unknown()):
                return Unknown(place)
            case Scalar(), _:
                return self._problem(f"asks for an element of what has none: {kind(value)}", place)
            case _, Scalar(None):
                return self._problem("asks for an element by null", place)
            case ListOf(items), _:
                match self._converted(key, "number"):
                    case Scalar(int() as index) if 0 <= index < len(items):
                        return items[index]  # type: ignore[return-value]
                    case Unknown():
                        return Unknown(place)
                    case _:
                        return self._problem("asks for an element that is not there", place)
            case ObjectOf(), _:
                match self._converted(key, "text"):
                    case Scalar(str() as name):
                        found = members(value)
                        return (
                            found[name]
                            if name in found
                            else self._problem("asks for a member that is not there", place)
                        )
                    case unknown:
                        return unknown

    def _splat(self, value: Value, steps: tuple[Step, ...], place: Place, scope: Mapping[str, Value]) -> Value:
        match value:
            case Unknown():
                return value
            case Scalar(None):
                return ListOf((), place)
            case ListOf(items):
                return ListOf(tuple(self._steps_into(item, steps, scope) for item in items), place)  # type: ignore[arg-type]
            case _:
                return ListOf((self._steps_into(value, steps, scope),), place)

    # -- operators -----------------------------------------------------------------------------------------------

    def _unary(self, expression: Unary, scope: Mapping[str, Value]) -> Value:
        wanted = "number" if expression.operator == "-" else "bool"
        match self._operand(self.value(expression.operand, scope), wanted):
            case Scalar(bool() as flag):
                return Scalar(not flag, expression.place)
            case Scalar(int() | Fraction() as number):
                return Scalar(-number, expression.place)
            case _:
                return Unknown(expression.place)

    def _operation(self, expression: Operation, scope: Mapping[str, Value]) -> Value:
        result = self.value(expression.first, scope)
        for sign, operand in expression.rest:
            result = self._binary(sign, result, self.value(operand, scope), expression.place)
        return result

    def _binary(self, sign: str, left: Value, right: Value, place: Place) -> Value:
        if sign in ("==", "!="):
            if isinstance(left, Unknown) or isinstance(right, Unknown):
                return Unknown(place)
            return Scalar(same(left, right) == (sign == "=="), place)
        wanted = "bool" if sign in ("&&", "||") else "number"
        left, right = self._operand(left, wanted), self._operand(right, wanted)
        match left, right:
            case Scalar(bool() as one), Scalar(bool() as other):
                return Scalar(one and other if sign == "&&" else one or other, place)
            case Scalar(int() | Fraction() as one), Scalar(int() | Fraction() as other):
                if sign in _COMPARISONS:
                    return Scalar(bool(_COMPARISONS[sign](one, other)), place)
                return self._calculated(sign, one, other, place)
            case _:
                return Unknown(place)

    def _calculated(self, sign: str, one: numbers.Number, other: numbers.Number, place: Place) -> Value:
        if sign == "/" and other == 0:
            return self._problem("divides by 0", place)
        try:
            return Scalar(_CALCULATIONS[sign](one, other), place)
        except numbers.NumberError:
            return self._problem("comes to a number that is too large or too small", place)

    def _operand(self, value: Value, wanted: str) -> Value:
        if isinstance(value, Scalar) and value.value is None:
            return self._problem("has an operator on null", value.place)
        return self._converted(value, wanted)

    def _conditional(self, expression: Conditional, scope: Mapping[str, Value]) -> Value:
        """The branch that is chosen, as the type that both have; what is wrong with the other does not matter."""
        told_yes: list[tuple[str, Place, str]] = []
        told_no: list[tuple[str, Place, str]] = []
        yes = self._aside(expression.yes, scope, told_yes)
        no = self._aside(expression.no, scope, told_no)
        type_ = common((type_of(yes), type_of(no)))
        for is_null, other in ((yes, no), (no, yes)):
            if isinstance(is_null, Scalar) and is_null.value is None:
                type_ = type_of(other)
        if type_ is None:
            return self._problem(f"is {kind(yes)} or {kind(no)}, which have nothing in common", expression.place)
        condition = self.value(expression.condition, scope)
        if isinstance(condition, Scalar) and condition.value is None:
            return self._problem("has null as a condition", expression.condition.place)
        match self._converted(condition, "bool"):
            case Scalar(bool() as is_true):
                for told in told_yes if is_true else told_no:
                    self._tell(*told)
                return self._converted(yes if is_true else no, type_)
            case _:
                return Unknown(expression.place)

    def _aside(
        self,
        expression: Expression,
        scope: Mapping[str, Value],
        told: list[tuple[str, Place, str]],
        type_: Type = "dynamic",
    ) -> Value:
        """A value of a type; what is wrong with it goes into a list."""
        tell, self._tell = self._tell, lambda message, place, fix: told.append((message, place, fix))
        try:
            return self._converted(self.value(expression, scope), type_)
        finally:
            self._tell = tell

    # -- loops and text ------------------------------------------------------------------------------------------

    def _for(self, loop: For, scope: Mapping[str, Value]) -> Value:
        collection = self.value(loop.collection, scope)
        items: list[tuple[Value, Value]]
        match collection:
            case Unknown():
                return Unknown(loop.place)
            case ListOf(found):
                items = [(Scalar(index, item.place), item) for index, item in enumerate(found)]  # type: ignore[misc]
            case ObjectOf(place=place):
                items = [(Scalar(key, place), item) for key, item in sorted(members(collection).items())]
            case _:
                return self._problem(f"goes through what has no elements: {kind(collection)}", loop.collection.place)
        unknown: dict[str, Value] = {name: Unknown(loop.place) for name in loop.names}
        told: list[tuple[str, Place, str]] = []
        if loop.condition is not None:  # it has to make sense even where there is nothing to go through
            self._aside(loop.condition, {**scope, **unknown}, told, "bool")
        if told:
            self._tell(*told[0])
            return Unknown(loop.place)
        rounds: list[tuple[Value, Value]] = []
        is_known = True
        for key, item in items:
            inner = {**scope, **dict(zip(reversed(loop.names), (item, key), strict=False))}
            match self._is_wanted(loop, inner):
                case True:
                    made = Scalar(None, loop.place) if loop.key is None else self._key_text(self.value(loop.key, inner))
                    rounds.append((made, self.value(loop.value, inner)))
                    is_known = is_known and not isinstance(made, Unknown)
                case None:
                    is_known = False
                case False:
                    pass
        if not is_known:
            return Unknown(loop.place)
        if loop.key is None:
            return ListOf(tuple(value for _, value in rounds), loop.place)
        return self._for_object(loop, rounds)

    def _is_wanted(self, loop: For, scope: Mapping[str, Value]) -> bool | None:
        if loop.condition is None:
            return True
        condition = self.value(loop.condition, scope)
        if isinstance(condition, Scalar) and condition.value is None:
            self._problem("has null as a condition", loop.condition.place)
            return None
        match self._converted(condition, "bool"):
            case Scalar(bool() as is_true):
                return is_true
            case _:
                return None

    def _for_object(self, loop: For, rounds: list[tuple[Value, Value]]) -> Value:
        found: dict[str, list[Value]] = {}
        for key, value in rounds:
            assert isinstance(key, Scalar), "unknown keys have been sorted out"
            found.setdefault(str(key.value), []).append(value)
        if not loop.is_grouped and any(len(values) > 1 for values in found.values()):
            return self._problem(
                "makes two members of one key", loop.place, "write `...` after the value for a list of both"
            )
        return ObjectOf(
            tuple(
                Entry(
                    Scalar(key, loop.place),
                    ListOf(tuple(values), loop.place) if loop.is_grouped else values[0],
                    loop.place,
                )
                for key, values in found.items()
            ),
            loop.place,
        )

    def _text(self, parts: tuple[Value, ...], place: Place) -> Value:
        texts: list[str] = []
        for part in parts:
            if isinstance(part, Scalar) and part.value is None:
                self._problem("has null in a text", part.place)
                continue
            match self._converted(part, "text"):
                case Scalar(str() as text):
                    texts.append(text)
                case _:
                    pass
        if sum(map(len, texts)) > MAX_TEXT:
            raise _TooMuchError
        return Scalar("".join(texts), place) if len(texts) == len(parts) else Unknown(place)

    # -- what goes wrong -----------------------------------------------------------------------------------------

    def _converted(self, value: Value, type_: Type) -> Value:
        try:
            return convert(value, type_)
        except NoConversion as error:
            return self._problem(f"has {error}", value.place)

    def _problem(self, message: str, place: Place, fix: str = "") -> Unknown:
        self._tell(message, place, fix)
        return Unknown(place)


def same(one: Value, other: Value) -> bool:
    """Whether two values are equal, which values of two types never are."""
    match one, other:
        case Scalar(None), Scalar(None):
            return True
        case Scalar(left), Scalar(right):
            return type_of(one) == type_of(other) and left == right
        case ListOf(items), ListOf(others):
            return len(items) == len(others) and all(map(same, items, others))  # type: ignore[arg-type]
        case ObjectOf(), ObjectOf():
            ours, theirs = members(one), members(other)
            return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
        case _:
            return False


def _remainder(one: numbers.Number, other: numbers.Number) -> numbers.Number:
    """What division towards zero leaves over; of a division by zero everything."""
    if other == 0:
        return one
    quotient = numbers.rounded(Fraction(one) / Fraction(other))
    return numbers.rounded(one - Fraction(other) * int(quotient))


_COMPARISONS: Final = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
_CALCULATIONS: Final[Mapping[str, Callable[[numbers.Number, numbers.Number], numbers.Number]]] = {
    "+": lambda one, other: numbers.rounded(one + other),
    "-": lambda one, other: numbers.rounded(one - other),
    "*": lambda one, other: numbers.rounded(one * other),
    "/": lambda one, other: numbers.rounded(Fraction(one) / Fraction(other)),
    "%": _remainder,
}
