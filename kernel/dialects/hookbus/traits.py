"""Where hosts differ, as switches: by version (spec 0.2), by kind of host, and where the original's way is a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from kernel.dialects.hookbus.kinds import KINDS, Action, Kind, Style
from kernel.errors import BadInput


@dataclass(frozen=True, slots=True)
class Traits:
    """What one host is like. The defaults are the newest version's."""

    worker_view: bool = False
    """Dispatch as the bus of a subagent's worker does: only holders of tools.transform_output see tool outputs."""
    ends_on_first: bool = False
    """The first block, confirm or modify before a tool call ends the chain (up to 0.10.2)."""
    session_start_inject: bool = True
    """Handlers of on_session_start may inject; older hosts accept nothing there."""
    concurrent_session_end: bool = True
    """on_session_end is emitted to everybody at once; some headless paths go one by one."""
    concurrent: bool = False
    """Emit to everybody at once whatever the kind: the bus refuses that for three kinds."""
    panics_propagate: bool = False
    """An exception of a handler in process ends the dispatch, as a panic does in the original (Q13)."""
    protocol_2: bool = False
    """Manifests of protocol 2, and with them on_usage, are known (one fork; Q11)."""
    auto_approve: bool = False
    """Every confirm is approved without a question."""

    def switched(self, name: str, is_on: bool) -> Traits:
        """The same with one thrown; raises BadInput that names those that there are."""
        if name not in NAMES:
            raise BadInput(f"hookbus has no switch {name!r}; it has {', '.join(NAMES)}")
        return replace(self, **{name: is_on})

    def style_of(self, kind: Kind) -> Style:
        """How this host calls the handlers of a kind."""
        if kind.is_notification:
            return kind.style
        if self.concurrent:
            return Style.CONCURRENT
        if kind.style is Style.CONCURRENT and not self.concurrent_session_end:
            return Style.SEQUENTIAL
        return kind.style

    def accepts(self, kind: Kind, action: Action) -> bool:
        """Whether a handler of this kind may answer so."""
        if kind.name == "on_session_start" and not self.session_start_inject:
            return action is Action.CONTINUE
        return action in kind.actions

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that this host fires."""
        return tuple(name for name, kind in KINDS.items() if kind.protocol == 1 or self.protocol_2)


NAMES = tuple(field.name for field in fields(Traits))

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "worker_view": "the bus of a subagent's worker: only after tool calls, only holders of both permissions",
        "ends_on_first": "the first block, confirm or modify ends a chain (up to 0.10.2)",
        "session_start_inject": "handlers of on_session_start may inject",
        "concurrent_session_end": "on_session_end is emitted to everybody at once",
        "concurrent": "everything is emitted to everybody at once, which the bus refuses for three kinds",
        "panics_propagate": "an exception of a handler in process ends the dispatch",
        "protocol_2": "on_usage is a kind (one fork)",
        "auto_approve": "confirms are approved without a question",
    }
)
"""What each switch means, for people."""
