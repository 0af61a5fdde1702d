"""Filters that were used in a project, from one run to the next. Nobody has to look after the file.

It lies in the user's state directory, not in the project: nobody wants to commit what was looked for. What cannot be
read or written is told once by whoever asks, and costs nothing but the memory of earlier runs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from debugger.filters.keeping import MOST_HISTORY, load_history, remembered, save_history
from kernel.errors import BadInput


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where this user's programs keep what they would rather not forget: `$XDG_STATE_HOME`, where it is absolute."""
    named = environment.get("XDG_STATE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "hookscope"
    return Path(environment.get("HOME", "~")).expanduser() / ".local" / "state" / "hookscope"


def history_file(project: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """The history of the project in a folder."""
    name = hashlib.sha256(os.fsencode(os.path.abspath(project))).hexdigest()[:16]
    return state_folder(environment) / "filters" / f"{project.resolve().name or 'root'}-{name}.json"


class History:
    """The filters of one project, the newest first and each once. Loading and keeping are for a thread."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.problem = ""
        """Why it is not kept beyond this run; empty while it is."""
        self._earlier: tuple[str, ...] = ()
        """As they are in the file."""
        self._used: tuple[str, ...] = ()
        """In this run."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that is remembered."""
        return _merged(self._used, self._earlier)

    def use(self, text: str) -> None:
        """Remember a filter in this run."""
        self._used = remembered(self._used, text)

    def load(self) -> None:
        """Take in what earlier and other runs have used; what was used in this one stays in front."""
        self.problem = ""
        try:
            self._earlier = load_history(self.file)
        except BadInput as error:
            self.problem = str(error)

    def keep(self) -> None:
        """Write it for the runs to come, beside what others have written meanwhile. What cannot be read stays."""
        self.load()
        if self.problem:
            return
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            save_history(self.file, self.texts)
        except (BadInput, OSError) as error:
            self.problem = f"cannot write {self.file}: {error.strerror}" if isinstance(error, OSError) else str(error)


def _merged(first: tuple[str, ...], rest: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *rest)))[:MOST_HISTORY]
