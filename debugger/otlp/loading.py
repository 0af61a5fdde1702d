"""A file of spans into a sink, for whoever wants to page through it: `open` of a file is `listen` to a file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from debugger.otlp.files import Piece, Trouble, pieces
from debugger.otlp.sink import Batch, Refused, Sink
from kernel.errors import BadInput

WAIT_S: Final = 0.02
"""How long to wait before a sink is tried again that had no room."""
GIVE_UP_S: Final = 30.0
"""After so long without room nobody makes any."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of a file."""

    spans: int = 0
    troubles: int = 0
    """Parts that could not be used. Each is with the sink, as something that was refused."""


def load(
    path: Path,
    sink: Sink,
    *,
    stop: threading.Event | None = None,
    on_progress: Callable[[Loaded], None] = lambda loaded: None,
) -> Loaded:
    """Hand everything of a file to a sink, piece by piece, as fast as it takes it; until `stop`, if that comes first.

    The first piece is there after a moment, however large the file. Raises BadInput for a file of another kind, and
    where the sink has no room for good.
    """
    return _fed(str(path), pieces(path), sink, stop or threading.Event(), on_progress)


def _fed(
    source: str, found: Iterable[Piece], sink: Sink, stop: threading.Event, on_progress: Callable[[Loaded], None]
) -> Loaded:
    loaded = Loaded()
    for piece in found:
        if stop.is_set():
            break
        if isinstance(piece, Trouble):
            sink.refuse(Refused(source, time.time_ns(), 0, str(piece)))
            loaded = Loaded(loaded.spans, loaded.troubles + 1)
        else:
            _put(sink, Batch(piece, source, 0, time.time_ns()), stop)
            loaded = Loaded(loaded.spans + len(piece), loaded.troubles)
        on_progress(loaded)
    return loaded


def _put(sink: Sink, batch: Batch, stop: threading.Event) -> None:
    until = time.monotonic() + GIVE_UP_S
    while not sink.take(batch):
        if time.monotonic() > until:
            raise BadInput(f"{batch.source}: there is no room for its spans")
        if stop.wait(WAIT_S):
            return
