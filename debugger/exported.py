"""Sending what a command dispatches to a collector while it happens: `--otlp URL`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from debugger.views.text import visible
from kernel.probe import Probe
from kernel.setup import Setup


@contextmanager
def exported(setup: Setup, url: str | None) -> Iterator[tuple[Probe, ...]]:
    """A probe that sends spans for the length of the block, none without a URL; raises BadInput before anything runs.

    Secrets are replaced. A collector that takes nothing is told of, and holds nothing up but the end: for seconds.
    """
    if url is None:
        yield ()
        return
    from debugger.otlp.collector import collector
    from debugger.otlp.outward import LiveExport, delivery, live
    from debugger.redaction import RedactingProbe, Rules, secrets_of

    to = collector(url)
    way = delivery(to.url, to.protocol, on_trouble=_tell)
    export = LiveExport({setup.dialect.name: setup.dialect}, live(way))
    try:
        with RedactingProbe(export, Rules().knowing(secrets_of(setup)), on_trouble=_tell) as redacting:
            yield (redacting,)
    finally:
        export.close()
    if not way.dropped:
        _tell(f"sent {way.delivered} {'span' if way.delivered == 1 else 'spans'} to {to.url}")


def _tell(sentence: str) -> None:
    print(visible(f"hookscope: {sentence}"), file=sys.stderr)
