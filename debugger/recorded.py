"""Keeping what a command dispatches: `-o FILE`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from debugger.store.caps import caps
from debugger.store.provenance import provenance
from debugger.store.writer import Writer
from debugger.version import VERSION
from debugger.views.text import visible
from kernel.errors import BadInput
from kernel.probe import Probe
from kernel.setup import Setup


@contextmanager
def recorded(
    setup: Setup,
    path: Path | None,
    *,
    is_redacted: bool = False,
    limits: Collection[str] = (),
    tell: Callable[[str], None] | None = None,
    on_begun: Callable[[Writer], None] = lambda writer: None,
) -> Iterator[tuple[Probe, ...]]:
    """A probe that records for the length of the block, none without a path; raises BadInput before anything runs.

    `limits` are those of `--keep`. What it records has the secrets of the configuration covered, redacted or not. What
    there is to say goes to `tell`, from any thread; by default to standard error. `on_begun` is given what writes.
    """
    tell = tell or _tell
    keeping = caps(limits)
    if path is None:
        if is_redacted or limits:
            nothing = "redact" if is_redacted else "limit"
            raise BadInput(f"there is nothing to {nothing}", fix="name a file to record in with -o")
        yield ()
        return
    about = provenance(setup, VERSION).as_rows()
    with Writer(path, about=about, caps=keeping, on_trouble=tell, on_full=tell) as writer:
        on_begun(writer)
        if not is_redacted:
            from debugger.covering import covered_events_of

            yield (covered_events_of(setup).in_front_of(writer),)
        else:
            from debugger.redaction import RedactingProbe, Rules, secrets_of

            with RedactingProbe(writer, Rules().knowing(secrets_of(setup))) as redacting:
                yield (redacting,)
    kept = writer.kept
    if not kept.trouble:
        gone = f"; {kept.dropped} older {_dispatches(kept.dropped)} had to go" if kept.dropped else ""
        gone += f"; {kept.lost} came faster than they could be written, and are lost" if kept.lost else ""
        tell(f"recorded {kept.dispatches} {_dispatches(kept.dispatches)} in {path}{gone}")


def _dispatches(number: int) -> str:
    return "dispatch" if number == 1 else "dispatches"


def _tell(sentence: str) -> None:
    print(visible(f"hookscope: {sentence}"), file=sys.stderr)
