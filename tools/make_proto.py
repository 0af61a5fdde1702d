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
    """Some .proto files and where what is made from them belongs."""

    root: Path
    """Where their import paths begin."""
    pattern: str
    """Which files, from there."""
    target: Path
    """Where the made modules' import paths begin."""
    package: str
    """Python package of that place; empty for the repository itself."""


TREES = (
    Tree(
        ROOT / "kernel/dialects/pluggable/wire/proto",
        "pluggableharness/**/*.proto",
        ROOT / "kernel/dialects/pluggable/wire",
        "kernel.dialects.pluggable.wire",
    ),
    Tree(ROOT, "kernel/transports/goplugin/wire/*.proto", ROOT, ""),
)


def generate(tree: Tree, out: Path) -> list[Path]:
    """Run protoc over one tree, make the result importable from its package, and say which files were made."""
    sources = sorted(str(path.relative_to(tree.root)) for path in tree.root.glob(tree.pattern))
    well_known = str(files("grpc_tools") / "_proto")
    arguments = ["protoc", f"-I{tree.root}", f"-I{well_known}", f"--python_out={out}", f"--pyi_out={out}", *sources]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc failed")
    stems = [source.removesuffix(".proto") for source in sources]
    made = [out / f"{stem}_pb2{ending}" for stem in stems for ending in (".py", ".pyi")]
    for path in made:
        text = path.read_text()
        if tree.package:
            text = re.sub(r"^from pluggableharness\.", f"from {tree.package}.pluggableharness.", text, flags=re.M)
        path.write_text(text)
        for folder in path.relative_to(out).parents[:-1]:
            (out / folder / "__init__.py").touch()
    return made


def main() -> None:
    for tree in TREES:
        if "--check" not in sys.argv[1:]:
            generate(tree, tree.target)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            for made in generate(tree, Path(scratch)):
                kept = tree.target / made.relative_to(scratch)
                if not kept.exists() or kept.read_text() != made.read_text():
                    raise SystemExit(f"{kept.relative_to(ROOT)} is not what its .proto says: run `make proto`")


if __name__ == "__main__":
    main()
