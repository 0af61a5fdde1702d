"""Bytes become lines, however they arrive, and never more than a bounded part of them is held."""

import pytest

from kernel.transports.processes.lines import MAX_LINE, LineCutter


@pytest.mark.parametrize(
    ("data", "lines", "rest"),
    [
        (b"one\ntwo\n", ["one", "two"], []),
        (b"one\ntwo", ["one"], ["two"]),
        (b"\n\n", ["", ""], []),
        (b"windows\r\n", ["windows"], []),
        ("grün\n".encode(), ["grün"], []),
        (b"half \xc3\nbad \xff\n", ["half \\xc3", "bad \\xff"], []),
        (b"", [], []),
        (b"x" * (MAX_LINE + 5) + b"\nshort\n", ["x" * MAX_LINE + " [5 more bytes cut]", "short"], []),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 4096, 100000])
def test_lines_do_not_depend_on_how_the_bytes_arrive(data: bytes, lines: list[str], rest: list[str], size: int) -> None:
    """The same bytes in pieces of any size give the same lines."""
    cutter = LineCutter()
    got = [line.text for start in range(0, len(data), size) for line in cutter.feed(data[start : start + size])]
    assert (got, [line.text for line in cutter.flush()]) == (lines, rest)


def test_a_line_without_an_end_is_held_only_in_part() -> None:
    """A plugin that never writes a newline cannot make us hold more than one line."""
    cutter = LineCutter()
    for _ in range(1000):
        assert cutter.feed(b"x" * 10_000) == []
    (line,) = cutter.flush()
    assert line.text == "x" * MAX_LINE + f" [{10_000_000 - MAX_LINE} more bytes cut]"
    assert line.size == MAX_LINE
