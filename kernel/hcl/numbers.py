"""HCL's numbers: as exact as 512 binary digits are, and written with as few decimal ones as tell them apart. Pure."""

from __future__ import annotations

import decimal
import re
from fractions import Fraction
from typing import Final, TypeAlias

Number: TypeAlias = int | Fraction
"""A whole number is always an int."""

PRECISION: Final = 512
"""Binary digits that are kept of a number that has more."""
MAX_DIGITS: Final = 400
"""Of one number as it is written; no configuration needs more."""
MAX_EXPONENT: Final = 3500
"""Decimal digits before or behind the point; Python refuses to write a few more than that."""

_LITERAL = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE]([+-]?[0-9]+))?")
_SIZE: Final = 10**MAX_EXPONENT


class NumberError(Exception):
    """There is no such number; says in a few words why."""


def read(digits: str) -> Number:
    """The number that a literal without a sign means; raises NumberError."""
    if len(digits) > MAX_DIGITS:
        raise NumberError(f"a number of {len(digits)} characters is too long")
    literal = _LITERAL.fullmatch(digits)
    if literal is None:
        raise NumberError("a number has one point and one exponent at most")
    if abs(int(literal[1] or "0")) > MAX_EXPONENT:
        raise NumberError(f"{digits} is too large or too small a number")
    return rounded(Fraction(digits))


def rounded(exact: Fraction | int) -> Number:
    """The nearest number that has no more than 512 binary digits; raises NumberError beyond every sensible size."""
    if isinstance(exact, int) and exact.bit_length() <= PRECISION:
        return exact
    over, under = abs(exact.numerator), exact.denominator
    if over > _SIZE * under or (over and over * _SIZE < under):
        raise NumberError("the result is too large or too small a number")
    shift = PRECISION - over.bit_length() + under.bit_length()
    shift -= _quotient(over, under, shift)[0].bit_length() - PRECISION
    digits, rest, half = _quotient(over, under, shift)
    digits += rest > half or (rest == half and digits % 2 == 1)
    value = Fraction(digits) / 2**shift if shift >= 0 else Fraction(digits * 2**-shift)
    value = -value if exact < 0 else value
    return value.numerator if value.denominator == 1 else value


def _quotient(over: int, under: int, shift: int) -> tuple[int, Fraction, Fraction]:
    """Whole part of `over / under * 2**shift`, what is left, and how much would be the half."""
    over, under = (over << shift, under) if shift >= 0 else (over, under << -shift)
    whole, rest = divmod(over, under)
    return whole, Fraction(rest), Fraction(under, 2)


def text(number: Number) -> str:
    """A number in decimal digits without an exponent, as few as give the same number again."""
    if isinstance(number, int) and number.bit_length() <= PRECISION:
        return str(number)
    fewest, most = 1, PRECISION // 3
    while fewest < most:
        middle = (fewest + most) // 2
        if rounded(Fraction(_to_digits(number, middle))) == number:
            most = middle
        else:
            fewest = middle + 1
    return f"{_to_digits(number, fewest):f}"


def _to_digits(number: Number, digits: int) -> decimal.Decimal:
    context = decimal.Context(prec=digits, Emin=-100_000, Emax=100_000)
    return context.divide(decimal.Decimal(number.numerator), decimal.Decimal(number.denominator)).normalize(context)
