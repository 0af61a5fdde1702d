"""Spans that are still coming: a file that is being read, or a receiver that listens. Both are written to a recording,
a temporary one unless somebody wants to keep it, and shown from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from debugger.otlp.files import FileKind, sniff
from debugger.otlp.loading import Loaded, load
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Span
from debugger.traces.hooks import Hook
from debugger.traces.seam import SpanSource, Standing, TraceRow, Wish
from debugger.traces.skeleton import Skeleton
from debugger.traces.stored import StoredSpans
from kernel.errors import BadInput


class GrowingSource:
    """What a writer has written so far. `close` ends the writer too, unless somebody else does."""

    def __init__(
        self,
        writer: SpanWriter,
        title: str,
        progress: Callable[[], str] = lambda: "",
        *,
        is_growing: Callable[[], bool] = lambda: True,
        invitation: str = "",
    ) -> None:
        self._writer = writer
        self._title = title
        self._progress = progress
        self._is_growing = is_growing
        self._invitation = invitation
        self._stored = StoredSpans(writer.kept.path)

    @property
    def title(self) -> str:
        return self._title

    @property
    def file(self) -> Path:
        """Where everything is written to."""
        return self._stored.path

    def changes(self) -> int:
        return self._stored.changes()

    def standing(self) -> Standing:
        kept = self._writer.kept
        found = replace(self._stored.standing(), is_growing=self._is_growing(), progress=self._progress())
        return replace(found, trouble=kept.trouble, dropped=kept.dropped_traces, invitation=self._invitation)

    def order(self, wish: Wish) -> Sequence[int]:
        return self._stored.order(wish)

    def rows(self, handles: Sequence[int]) -> tuple[TraceRow | None, ...]:
        return self._stored.rows(handles)

    def skeleton(self, handle: int, most: int | None = None) -> Skeleton:
        return self._stored.skeleton(handle, most)

    def hooks(self, skeleton: Skeleton, places: Sequence[int]) -> Mapping[int, Hook]:
        return self._stored.hooks(skeleton, places)

    def all_hooks(self, skeleton: Skeleton) -> Mapping[int, Hook]:
        return self._stored.all_hooks(skeleton)

    def span(self, skeleton: Skeleton, place: int) -> Span | None:
        return self._stored.span(skeleton, place)

    def refusals(self) -> tuple[str, ...]:
        return self._stored.refusals()

    def close(self) -> None:
        self._stored.close()


class FileSource(GrowingSource):
    """A file that is read on a thread of its own. What cannot be used of it is among the refusals."""

    def __init__(self, path: Path) -> None:
        writer = SpanWriter()
        self._path = path
        self._loaded = Loaded()
        self._trouble = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name=f"reading {path.name}", daemon=True)
        super().__init__(writer, path.name, self._said, is_growing=self._thread.is_alive)
        self._thread.start()

    def standing(self) -> Standing:
        found = super().standing()
        return replace(found, trouble=self._trouble or found.trouble)

    def settle(self, seconds: float = 60.0) -> bool:
        """Wait until the whole file is there; False if that takes longer."""
        self._thread.join(seconds)
        return not self._thread.is_alive() and self._writer.settle(seconds)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        super().close()
        self._writer.close()

    def _read(self) -> None:
        try:
            load(self._path, self._writer, stop=self._stop, on_progress=self._count)
        except BadInput as error:
            self._trouble = str(error)

    def _count(self, loaded: Loaded) -> None:
        self._loaded = loaded

    def _said(self) -> str:
        return f"reading: {self._loaded.spans:,} spans so far" if self._thread.is_alive() else ""


def loaded_source(path: Path) -> SpanSource:
    """A file as a source, whatever kind it is; raises BadInput where it holds no spans."""
    match sniff(path):
        case FileKind.RECORDING:
            from debugger.traces.recorded import RecordedSource

            return RecordedSource(path)
        case FileKind.OTHER_SIGNAL:
            raise BadInput(f"{path} holds metrics or logs", fix="hookscope shows traces only")
        case FileKind.UNKNOWN:
            raise BadInput(f"{path} holds no spans in a form that is known", fix="OTLP JSON, JSON Lines, Jaeger")
        case _:
            return FileSource(path)
