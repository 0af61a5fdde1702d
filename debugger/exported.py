"""Sending what a command dispatches to a collector while it happens: `--otlp URL`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from debugger.views.text import visible
from kernel.probe import Probe
from kernel.setup import Setup


@contextmanager
def exported(
    setup: Setup, url: str | None, *, tell: Callable[[str], None] | None = None
) -> Iterator[tuple[Probe, ...]]:
    """A probe that sends spans for the length of the block, none without a URL; raises BadInput before anything runs.

    What there is to say goes to `tell`, from any thread; by default to standard error. Secrets are replaced. Of a
    collector that takes nothing it is told, and such a one holds nothing up but the end: for seconds.
    """
    tell = tell or _tell
    if url is None:
        yield ()
        return
    from debugger.otlp.collector import collector
    from debugger.otlp.outward import LiveExport, delivery, live
    from debugger.redaction import RedactingProbe, Rules, secrets_of

    to = collector(url)
    way = delivery(to.url, to.protocol, on_trouble=tell)
    export = LiveExport({setup.dialect.name: setup.dialect}, live(way))
    try:
        with RedactingProbe(export, Rules().knowing(secrets_of(setup)), on_trouble=tell) as redacting:
            yield (redacting,)
    finally:
        export.close()
    if not way.dropped:
        tell(f"sent {way.delivered} {'span' if way.delivered == 1 else 'spans'} to {to.url}")


def _tell(sentence: str) -> None:
    print(visible(f"hookscope: {sentence}"), file=sys.stderr)
