"""Where a recording comes from, and what of that is another by now. Runs nothing, starts nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from debugger.store.provenance import LARGEST, file_hash, from_rows
from kernel.errors import BadInput

MOST_FILES: Final = 200
"""Of a recording that are looked at: a stranger's may name any number."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a recording says of itself, beside what there is now."""

    version: str = ""
    config: str = ""
    switches: Mapping[str, bool] = field(default_factory=dict)
    differences: tuple[str, ...] = ()
    """What has changed since, a sentence each."""


def origin_of(about: Mapping[str, str], version: str) -> Origin:
    """Compares what a recording says with the files that are there, of our `version`; never raises."""
    try:
        then = from_rows(about, "")
    except BadInput:
        return Origin()
    told = [] if then.version == version else [f"recorded by hookscope {then.version}, this is {version}"]
    switches = {str(name): bool(is_on) for name, is_on in then.switches.items()}
    for name, found in list(then.hashes.items())[:MOST_FILES]:
        try:
            path = Path(name)
            if not path.is_file():
                told.append(f"{name} is gone")
            elif path.stat().st_size <= LARGEST and file_hash(path) != found:
                told.append(f"{name} was changed since")
        except (OSError, ValueError):
            told.append(f"{json.dumps(str(name))} cannot be read")
    return Origin(then.version, then.config, switches, tuple(told))
