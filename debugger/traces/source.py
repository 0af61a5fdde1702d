"""Opening files as sources for the trace screens; with the seam itself, for whoever opens one."""

from __future__ import annotations

from pathlib import Path

from debugger.traces.seam import SortKey, SpanSource, Standing, TraceRow, Wish

__all__ = ["SortKey", "SpanSource", "Standing", "TraceRow", "Wish", "otlp_source", "recording_source"]


def otlp_source(path: Path) -> SpanSource:
    """A file of spans that others wrote: it is read in the background, and shown meanwhile.

    Raises BadInput for a file that holds none.
    """
    from debugger.traces.loaded import loaded_source

    return loaded_source(path)


def recording_source(path: Path) -> SpanSource:
    """A recording: its dispatches and stretches as spans, and the spans that it was sent.

    Raises BadInput for a file that is none.
    """
    from debugger.traces.recorded import RecordedSource

    return RecordedSource(path)
