"""Claims about what is imported when: in a fresh interpreter, because a graph cannot see a deferral."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernel
from kernel.dialects import REGISTRY

ROOT = Path(__file__).parent.parent
HEAVY = ("grpc", "grpc_health", "hcl2", "lark", "opentelemetry", "textual", "rich", "google.protobuf", "msgspec")


def loaded_by(statement: str) -> set[str]:
    """Names of the modules that a statement leaves loaded in a new interpreter."""
    code = f"import sys\n{statement}\nimport json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout))


def intruders(loaded: set[str], unwanted: set[str]) -> set[str]:
    return {name for name in loaded for heavy in unwanted if name == heavy or name.startswith(f"{heavy}.")}


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import kernel", set()),
        ("import kernel.dialects", set()),
        ("import kernel.reach, kernel.subscriber, kernel.walk, kernel.dialect, kernel.errors", set()),
        ("import kernel.transports.stub, kernel.transports.in_process", set()),
        ("import kernel.dialects.pluggable", {"google.protobuf"}),
        ("import kernel.telemetry", {"opentelemetry"}),
    ],
)
def test_a_part_brings_only_what_it_needs(statement: str, allowed: set[str]) -> None:
    """Values and the loop are plain Python; a dialect knows protobuf, telemetry OpenTelemetry, and nobody more."""
    loaded = loaded_by(statement)
    assert statement.split()[1].rstrip(",") in loaded
    assert intruders(loaded, set(HEAVY) - allowed) == set()
    assert not intruders(loaded, {"debugger"})


def test_importing_the_kernel_loads_no_dialect_and_no_transport() -> None:
    """They are there when somebody asks for them."""
    assert intruders(loaded_by("import kernel"), {"kernel.dialects", "kernel.transports", "kernel.hcl"}) == set()


def test_the_public_names_of_the_kernel_are_known() -> None:
    """One more or one less is a decision, made here too."""
    assert kernel.__all__ == [
        "Caller",
        "Chain",
        "HeldClock",
        "Probe",
        "Probes",
        "RealClock",
        "Result",
        "Subscription",
        "VirtualClock",
        "dispatch",
    ]
    assert all(hasattr(kernel, name) for name in kernel.__all__)


def test_the_import_contracts_hold() -> None:
    """The arrows of .importlinter point the way they should."""
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every word of a module with its line: names, texts, comments. A transport may cite the spec that it follows."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        for word in re.findall(r"\w+", re.sub(r"\w+ spec \d", "", token.string)):
            yield token.start[0], word


def test_no_dialect_is_named_outside_its_own_folder() -> None:
    """Another one is a folder and a line in the registry: nothing else knows which ones there are."""
    names = {"pluggable", "hookbus", "rig"} | {registered.name for registered in REGISTRY}
    dialects = ROOT / "kernel" / "dialects"
    outside = [*ROOT.glob("debugger/**/*.py"), *ROOT.glob("kernel/**/*.py")]
    outside = [path for path in outside if dialects not in path.parents and not path.stem.endswith("_pb2")]
    assert len(outside) > 100
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in outside
        for line, word in words_of(path)
        if word.lower() in names
    ]
    assert found == []
