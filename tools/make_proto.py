"""Make the Python code of our .proto files: `python tools/make_proto.py`, or with `--check` say whether it is stale.

protoc names the generated modules after the folders of the .proto files. Ours live inside our own package, so the
imports between generated modules are rewritten to say so; nothing else is touched.
"""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree of .proto files and the Python package that holds what is made from it."""

    protos: Path
    package: str

    @property
    def target(self) -> Path:
        return ROOT / self.package.replace(".", "/")


TREES = (
    Tree(ROOT / "kernel/dialects/pluggable/wire/proto", "kernel.dialects.pluggable.wire"),
    Tree(ROOT / "kernel/transports/goplugin/wire/proto", "kernel.transports.goplugin.wire"),
)


def generate(tree: Tree, out: Path) -> None:
    """Run protoc over one tree and make the result importable from its package."""
    sources = sorted(str(path.relative_to(tree.protos)) for path in tree.protos.rglob("*.proto"))
    well_known = str(files("grpc_tools") / "_proto")
    arguments = ["protoc", f"-I{tree.protos}", f"-I{well_known}", f"--python_out={out}", f"--pyi_out={out}", *sources]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc failed")
    for path in sorted([*out.rglob("*_pb2.py"), *out.rglob("*_pb2.pyi")]):
        text = path.read_text()
        path.write_text(re.sub(r"^from pluggableharness\.", f"from {tree.package}.pluggableharness.", text, flags=re.M))
    for folder in {path.parent for path in out.rglob("*_pb2.py")}:
        while folder != out:
            (folder / "__init__.py").touch()
            folder = folder.parent


def generated(folder: Path) -> dict[str, str]:
    """Generated modules below a folder, by relative path."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for pattern in ("*_pb2.py", "*_pb2.pyi")
        for path in folder.rglob(pattern)
    }


def main() -> None:
    is_check = "--check" in sys.argv[1:]
    for tree in TREES:
        if not tree.protos.exists():
            continue
        if not is_check:
            generate(tree, tree.target)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            generate(tree, Path(scratch))
            if generated(Path(scratch)) != generated(tree.target):
                raise SystemExit(f"{tree.package} is not what its .proto files say: run `make proto`")


if __name__ == "__main__":
    main()
