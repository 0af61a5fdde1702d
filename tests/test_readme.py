"""The README's example is run as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_example_of_the_readme_prints_what_the_readme_says(tmp_path: Path) -> None:
    """Whoever copies the example gets the output that stands below it."""
    found = re.search(r"<!-- tested: .* -->\n```python\n(.*?)```\n\nIt prints `(.*?)`", README, re.S)
    assert found is not None
    script = tmp_path / "example.py"
    script.write_text(found[1])
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (run.stdout.strip(), run.stderr) == (found[2], "")


def test_the_readme_shows_the_two_commands() -> None:
    """A newcomer finds how to run it and how to test it."""
    assert "make run" in README
    assert "make test" in README
