"""What the application is opened on, as the command line hands it over; and what a file is, by its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # loading the kernel takes time that the first frame does not have
    from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Opening:
    """A configuration, and how to begin with it."""

    path: Path
    fire_first: tuple[str, ...] = ()
    """Points to fire once the subscribers run: for the demonstration."""
    switches: tuple[str, ...] = ()
    """Switches of the dialect to turn on."""
    play: Path | None = None
    """A described session to play at once."""
    state: Path | None = None
    """A session file of the agent, to be read beside our own traces."""
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How the configuration is read, in the dialect's words."""
    output: Path | None = None
    """A new file to record in."""
    is_redacted: bool = False
    """Whether no secret that is recognised gets into that file."""
    limits: tuple[str, ...] = ()
    """How much that file keeps, as `--keep` has it; empty for everything."""
    otlp: str | None = None
    """The URL of a collector that is sent the spans; None for none."""

    @property
    def title(self) -> str:
        """What the screen calls it: the file, and the folder that it is in."""
        return _title(self.path)


@dataclass(frozen=True, slots=True)
class RecordingOpening:
    """A recording of ours: dispatches that are over, or that somebody is still writing."""

    path: Path

    @property
    def title(self) -> str:
        return _title(self.path)


@dataclass(frozen=True, slots=True)
class SpansOpening:
    """Spans of any program: OpenTelemetry or Jaeger files, or a recording with spans that were received."""

    path: Path
    is_recording: bool = False
    name: str = ""
    """What it is called where that is not its file: standard input."""

    @property
    def title(self) -> str:
        return self.name or _title(self.path)


AnyOpening: TypeAlias = Opening | RecordingOpening | SpansOpening


def _title(path: Path) -> str:
    folder = path.parent.name
    return f"{folder}/{path.name}" if folder else path.name


def ways_out() -> str:
    """What can be opened, for whoever named something else."""
    from kernel.dialects import REGISTRY

    files = ", ".join(pattern for registered in REGISTRY for pattern in registered.files)
    return (
        f"it opens a configuration ({files}, or a folder with one), a recording (-o FILE of any command), "
        "OTLP JSON or JSON Lines, or Jaeger JSON"
    )


def recognised(path: Path) -> AnyOpening | None:
    """What a file is if it is a recording or has spans; None for anything else, which may be a configuration.

    By its beginning and not by its name. Raises BadInput for a file that is neither, or cannot be read.
    """
    if path.is_dir():
        return None
    from kernel.dialects import REGISTRY
    from kernel.errors import BadInput

    if any(registered.claims(path) for registered in REGISTRY):
        return None
    if _is_sqlite(path):  # the quick way: the other one has to bring in what reads spans
        return _recording(path)
    from debugger.otlp.files import FileKind, sniff

    match sniff(path):
        case FileKind.RECORDING:
            return _recording(path)
        case FileKind.OTLP_JSON | FileKind.OTLP_LINES | FileKind.OTLP_PROTOBUF | FileKind.JAEGER:
            return SpansOpening(path)
        case FileKind.OTHER_SIGNAL:
            raise BadInput(f"{path} holds metrics or logs, and hookscope shows traces", fix="export the traces")
        case FileKind.UNKNOWN:
            raise BadInput(f"{path} is nothing that hookscope opens", fix=ways_out())


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False  # whoever looks further says why


def _recording(path: Path) -> AnyOpening:
    """Dispatches, if there are any, or may be; else the spans."""
    from debugger.store.recording import Recording, is_recording
    from kernel.errors import BadInput

    if not is_recording(path):
        raise BadInput(f"{path} is an SQLite file, but not a recording of hookscope", fix=ways_out())
    with Recording(path) as recording:
        has_dispatches = recording.standing.dispatches > 0
        has_spans = recording.has_spans
    return RecordingOpening(path) if has_dispatches or not has_spans else SpansOpening(path, is_recording=True)
