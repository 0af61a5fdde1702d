"""A filter as text, so that reading it gives the same filter. What can stand without quotes does."""

from __future__ import annotations

from typing import assert_never

from debugger.filters.lexer import Kind, tokens
from debugger.filters.parser import takes_patterns
from debugger.filters.syntax import And, Every, Everything, Expression, Filter, Not, Op, Or, Saved, Some, Term, Value


def printed(filter_: Filter) -> str:
    """The text of a filter; the empty text for everything."""
    match filter_:
        case Everything():
            return ""
        case Or(operands):
            return " | ".join(map(printed, operands))
        case And(operands):
            return " ".join(_enclosed(each, Or) for each in operands)
        case Not(operand):
            return f"!{_enclosed(operand, And, Or)}"
        case Some(operand):
            return f"some({printed(operand)})"
        case Every(operand):
            return f"every({printed(operand)})"
        case Saved(name):
            return f"@{name}"
        case Term():
            return _term(filter_)
        case never:
            assert_never(never)


def _enclosed(expression: Expression, *kinds: type[Expression]) -> str:
    text = printed(expression)
    return f"({text})" if isinstance(expression, kinds) else text


def _term(term: Term) -> str:
    if len(term.values) > 1:
        return _group(term)
    [value] = term.values
    if term.field == "text" and term.op is Op.HAS and (word := _word(value)) is not None:
        return word
    text = f"{term.field}{term.op}{value.text}"
    match tokens(text):
        case (head, read) if (
            (head.kind, head.text, head.op) == (Kind.HEAD, term.field, term.op)
            and (read.kind, read.text, read.is_quoted) == (Kind.VALUE, value.text, False)
            and _is_plain(value, term)
        ):
            return text
    return _group(term) if value.is_pattern else f"{term.field}{term.op}{quoted(value.text)}"


def _word(value: Value) -> str | None:
    """A text to look for, as a word without a field; None where it cannot be one."""
    if _is_plain(value, None):
        match tokens(value.text):
            case (only,) if only.kind is Kind.WORD and only.text == value.text and not only.is_quoted:
                return value.text
    return None if value.is_pattern else quoted(value.text)


def _group(term: Term) -> str:
    return f"{term.field}{term.op}({' | '.join(_in_group(value, term) for value in term.values)})"


def _in_group(value: Value, term: Term) -> str:
    match tokens(f"x:({value.text})"):
        case (_, _, only, _) if (only.kind, only.text, only.is_quoted) == (Kind.VALUE, value.text, False) and (
            _is_plain(value, term)
        ):
            return value.text
    return quoted(value.text)


def _is_plain(value: Value, term: Term | None) -> bool:
    """Whether a text without quotes would be read as this value, as far as stars go."""
    may_be_pattern = term is None or takes_patterns(term.field, term.op)
    return value.is_pattern == (may_be_pattern and "*" in value.text)


def quoted(text: str) -> str:
    """A text in quotes: the plain ones where nothing has to be escaped."""
    if "'" not in text and ("\\" in text or '"' in text) and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    match character:
        case '"' | "\\":
            return f"\\{character}"
        case "\n":
            return "\\n"
        case "\t":
            return "\\t"
        case "\r":
            return "\\r"
        case _ if character.isprintable() or character == "\u3000" or "\ud800" <= character <= "\udfff":
            return character
        case _:
            return f"\\u{{{ord(character):x}}}"
