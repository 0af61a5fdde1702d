"""The trace screens on a file, as a process of their own; or with a number the floor: a bare list of so many lines."""

from __future__ import annotations

import sys
from pathlib import Path


def main(what: str) -> int:
    """A path for the trace screens, a number of lines for the floor."""
    if not what.isdigit():
        from debugger.traces.app import run
        from debugger.traces.source import recording_source

        return run(lambda: recording_source(Path(what)))
    from bench.bare_list import BareList

    BareList(int(what)).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
