"""What a recording was made of: the configuration and the programs of its subscribers, each with its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from kernel.errors import BadInput
from kernel.reach import Callback, GoPlugin, InProcess, StdioExtension
from kernel.setup import Setup

LARGEST = 256 * 2**20
"""Bytes of a file beyond which it is not hashed: a subscriber may come with data of any size."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a recording comes from."""

    version: str
    """Of hookscope."""
    config: str
    dialect: str
    switches: Mapping[str, bool]
    hashes: Mapping[str, str]
    """SHA-256 of each file, by its path as it was then."""

    def as_rows(self) -> dict[str, str]:
        """As a recording keeps it."""
        return {
            "version": self.version,
            "config": self.config,
            "dialect": self.dialect,
            "switches": json.dumps(dict(self.switches)),
            "hashes": json.dumps(dict(self.hashes)),
        }


def provenance(setup: Setup, version: str) -> Provenance:
    """What a setup is made of at this moment."""
    files = [path for path in (*setup.files, *_programs(setup)) if path.is_file()]
    hashes = {str(path): file_hash(path) for path in dict.fromkeys(files) if path.stat().st_size <= LARGEST}
    return Provenance(version, str(setup.path), setup.dialect.name, dict(setup.dialect.switches), hashes)


def from_rows(rows: Mapping[str, str], name: str) -> Provenance:
    """As a recording tells it; raises BadInput, in which `name` is the recording."""
    try:
        switches, hashes = json.loads(rows["switches"]), json.loads(rows["hashes"])
        return Provenance(rows["version"], rows["config"], rows["dialect"], dict(switches), dict(hashes))
    except (KeyError, ValueError, TypeError) as error:
        raise BadInput(f"{name} does not say where it comes from") from error


def differences(then: Provenance, now: Provenance) -> Iterator[str]:
    """What has changed since, a sentence each."""
    if then.version != now.version:
        yield f"recorded by hookscope {then.version}, this is {now.version}"
    for path, found in then.hashes.items():
        if path not in now.hashes:
            yield f"{path} is gone, or no longer part of the configuration"
        elif now.hashes[path] != found:
            yield f"{path} was changed"
    for path in now.hashes:
        if path not in then.hashes:
            yield f"{path} is new"
    for switch, is_on in now.switches.items():
        if then.switches.get(switch, is_on) != is_on:
            yield f"{switch} was {'off' if is_on else 'on'}"


def _programs(setup: Setup) -> Iterator[Path]:
    """Whatever the command lines of subscribers name, and the files of callables; not all of it need be there."""
    for chain in setup.chains.values():
        for seat in chain.subscriptions:
            match seat.reach:
                case GoPlugin(argv, cwd=cwd):
                    yield from (Path(cwd or ".") / word for word in argv)
                case StdioExtension(command=command, args=args, plugin_dir=folder):
                    yield from (Path(folder) / word for word in (command, *args))
                case Callback(target):
                    yield Path(target.rpartition(":")[0])
                case InProcess() | None:
                    pass
                case never:
                    assert_never(never)


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
