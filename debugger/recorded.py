"""Keeping what a command dispatches: `-o FILE`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from debugger.store.provenance import provenance
from debugger.store.writer import Writer
from debugger.version import VERSION
from debugger.views.text import visible
from kernel.errors import BadInput
from kernel.probe import Probe
from kernel.setup import Setup


@contextmanager
def recorded(
    setup: Setup, path: Path | None, *, is_redacted: bool = False, tell: Callable[[str], None] | None = None
) -> Iterator[tuple[Probe, ...]]:
    """A probe that records for the length of the block, none without a path; raises BadInput before anything runs.

    What it records has the secrets of the configuration covered, redacted or not. What there is to say goes to `tell`,
    from any thread; by default to standard error.
    """
    tell = tell or _tell
    if path is None:
        if is_redacted:
            raise BadInput("there is nothing to redact", fix="name a file to record in with -o")
        yield ()
        return
    with Writer(path, about=provenance(setup, VERSION).as_rows(), on_trouble=tell) as writer:
        if not is_redacted:
            from debugger.covering import covered_events_of

            yield (covered_events_of(setup).in_front_of(writer),)
        else:
            from debugger.redaction import RedactingProbe, Rules, secrets_of

            with RedactingProbe(writer, Rules().knowing(secrets_of(setup))) as redacting:
                yield (redacting,)
    kept = writer.kept
    if not kept.trouble:
        tell(f"recorded {kept.dispatches} {'dispatch' if kept.dispatches == 1 else 'dispatches'} in {path}")


def _tell(sentence: str) -> None:
    print(visible(f"hookscope: {sentence}"), file=sys.stderr)
