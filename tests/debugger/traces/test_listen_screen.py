"""`hookscope listen --screen` as a person runs it: a real program sends, a real terminal shows."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

from otlp_made import made
from plugin_runs import ROOT
from test_terminal import terminal

from debugger.otlp import protobuf
from debugger.otlp.span_reader import SpanReader
from debugger.otlp.spans import Span


def send(port: str, *spans: Span) -> None:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/traces",
        protobuf.encoded(spans),
        {"Content-Type": "application/x-protobuf"},
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        assert response.status == 200


def test_what_is_sent_shows_up_and_is_kept(tmp_path: Path) -> None:
    """It says where to send; what comes is listed, opens, and is in the file afterwards."""
    kept = tmp_path / "kept.hookscope"
    with terminal("listen", "--screen", "--no-grpc", "--http-port", "0", "-o", str(kept), columns=80) as shown:
        shown.wait_for("no trace so far", "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")
        found = re.search(r"export OTEL_EXPORTER_OTLP_ENDPOINT=http://127\.0\.0\.1:(\d+)", shown.text)
        assert found is not None
        send(found[1], made(1, name="from-afar", took=5_000_000), made(2, 1, name="inside"))
        shown.wait_for("from-afar")
        shown.press("\r")
        shown.wait_for("inside", "of the wait is")
        shown.press("qq")
        assert shown.end() == 0
        assert shown.modes == shown.modes_before
    with SpanReader(kept) as reader:
        assert [span.name for span in reader.spans()] == ["from-afar", "inside"]


def test_a_screen_needs_a_terminal() -> None:
    """And prints no JSON."""
    for arguments, words in ((["--screen"], "needs a terminal"), (["--screen", "--json"], "one of them")):
        command = [sys.executable, "-m", "debugger.cli", "listen", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
        )
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr
