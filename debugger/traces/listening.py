"""`hookscope listen --screen`: what comes is shown until the reader leaves. Gives the exit code.

The screen stands before it listens, so that nobody waits for it in front of nothing.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from debugger.traces.app import run
from kernel.errors import BadInput

if TYPE_CHECKING:  # what listens takes time that a first frame does not have
    from debugger.otlp.intake import Intake
    from debugger.otlp.span_writer import SpanWriter
    from debugger.otlp.wishes import Request
    from debugger.traces.seam import SpanSource


def listen(request: Request) -> int:
    """0, or 1 where not everything could be stored. Without a file, what came goes with the screen.

    Raises BadInput where there is nothing to listen on, or nothing to store in.
    """
    if request.grpc_port is None and request.http_port is None:
        raise BadInput("neither gRPC nor HTTP is left to listen on")
    with _Listening(request) as listening:
        code = run(listening.source, title="hookscope  listening ...")
        return code or listening.summed_up()


class _Listening:
    """Receives from when it is asked for its source."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._storing = ExitStack()
        self._receiving = ExitStack()
        self._intake: Intake | None = None
        self._writer: SpanWriter | None = None

    def __enter__(self) -> _Listening:
        return self

    def __exit__(self, *error: object) -> None:
        self._receiving.close()
        self._storing.close()

    def source(self) -> SpanSource:
        """What it receives, as it comes; raises BadInput where it cannot."""
        from debugger.otlp.intake import Intake, Limits
        from debugger.otlp.receivers import Receivers, Wish
        from debugger.otlp.span_writer import SpanCaps, SpanWriter
        from debugger.traces.loaded import GrowingSource

        request = self._request
        writer = self._storing.enter_context(SpanWriter(request.out, caps=SpanCaps(spans=request.most_spans)))
        self._writer, self._intake = writer, Intake(writer, Limits(request.most_bytes))
        wish = Wish(request.host, request.grpc_port, request.http_port)
        endpoints = self._receiving.enter_context(Receivers(self._intake, wish)).start()
        where = ", ".join(f"{endpoint.protocol} {endpoint.host}:{endpoint.port}" for endpoint in endpoints)
        exports = (
            f"export {variable}" for variable in endpoints[0].environment.split()
        )  # on a line each: it may be 80 wide
        invitation = "\n".join(("no trace so far. In the sender's shell:", "", *exports))
        return GrowingSource(writer, f"listening: {where}", invitation=invitation)

    def summed_up(self) -> int:
        """Say what was kept, once nobody sends any more; 1 where not everything was."""
        from debugger.otlp.command import sum_up

        self._receiving.close()
        if self._writer is None or self._intake is None:
            return 0
        self._writer.settle()
        kept = self._writer.kept
        sum_up(self._intake.tally, None if self._request.out is None else kept)
        return int(bool(kept.trouble))
