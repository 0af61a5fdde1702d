"""HashiCorp's own HCL parser, as WebAssembly under Node: the oracle of the differential tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = "@cdktf/hcl2json"
VERSION: Final = "0.21.0"

_SCRIPT = """
const {parse} = require(process.argv[1]);
require('readline').createInterface({input: process.stdin}).on('line', async (line) => {
  let answer;
  try { answer = {value: await parse('f.hcl', JSON.parse(line))}; } catch (error) { answer = {error: String(error)}; }
  process.stdout.write(JSON.stringify(answer) + '\\n');
});
"""


class Unavailable(Exception):
    """The oracle cannot be had here; says why."""


class Hcl2Json:
    """One Node process that answers a line for a line."""

    def __init__(self, folder: Path) -> None:
        """Installs the package into the folder if it is not there yet; raises Unavailable."""
        node, npm = shutil.which("node"), shutil.which("npm")
        if node is None or npm is None:
            raise Unavailable("node and npm are needed for the comparison with HashiCorp's parser")
        package = folder / "node_modules" / PACKAGE
        if not (package / "package.json").exists():
            flags = ("--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder))
            done = subprocess.run(
                [npm, "install", *flags, f"{PACKAGE}@{VERSION}"],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            if done.returncode != 0:
                raise Unavailable(f"npm could not install {PACKAGE}: {done.stderr.strip()[-200:]}")
        self._process = subprocess.Popen(
            [node, "-e", _SCRIPT, str(package)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def parse(self, text: str) -> tuple[bool, Any]:
        """Whether it is HCL, and its value as JSON; None for what has no form as JSON."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            return "parse config" not in answer["error"], None
        return True, answer["value"]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()
