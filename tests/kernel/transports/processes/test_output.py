"""Who is told what a plugin prints."""

from plugin_runs import Heard

from kernel.transports.processes.output import Output


def test_lines_go_to_every_call_in_progress_or_else_to_whoever_started_the_plugin() -> None:
    """A line belongs to all calls during which it was printed, and to nobody's call between them."""
    between, first, second = Heard(), Heard(), Heard()
    output = Output(between)
    stderr = output.source("stderr")
    stderr(b"before\n")
    with output.during(first):
        stderr(b"one\n")
        with output.during(second):
            stderr(b"both\n")
        stderr(b"one again\n")
    stderr(b"after\n")
    assert between.lines("stderr") == ["before", "after"]
    assert first.lines("stderr") == ["one", "both", "one again"]
    assert second.lines("stderr") == ["both"]


def test_an_unfinished_line_is_told_where_it_was_printed() -> None:
    """A line without an end does not slip from one call into the next."""
    between, heard = Heard(), Heard()
    output = Output(between)
    stderr, stdout = output.source("stderr"), output.source("stdout")
    stderr(b"before ")
    with output.during(heard):
        stderr(b"dur")
        stdout(b"out")
        stderr(b"ing")
    stderr(b" after\n")
    assert between == [("stderr", "before "), ("stderr", " after")]
    assert heard == [("stderr", "during"), ("stdout", "out")]


def test_a_call_that_prints_the_same_as_another_is_still_its_own() -> None:
    """Two calls may share one listener; each end takes away one."""
    heard = Heard()
    output = Output(Heard())
    stderr = output.source("stderr")
    with output.during(heard):
        with output.during(heard):
            pass
        stderr(b"line\n")
    assert heard.lines("stderr") == ["line"]
