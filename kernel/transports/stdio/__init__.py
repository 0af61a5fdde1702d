"""Subscribers that are SynapsCLI extensions: programs that speak JSON-RPC in frames on their stdin and stdout.

    messages, handshake, restarts    pure: what bodies say, what is agreed first, how often one starts again
    program                          how its program is started, and what it may know of us
    services, notifications          what it may ask of its host, and what it says unasked
    relay                            a far side of ours, for trouble made on the real wire
    connection                       one process and the conversation with it
    opening                          from a reach to a connection, or to a sentence saying why not
    outcomes, watchdog               what deliveries of a call come to; deadlines without a timer each
    secrets                          keeps what it was told in confidence out of what is told to everybody
    subscriber                       the live extension, over all its processes

The frames themselves are cut by `kernel/transports/framing.py`. Knows no dialect: it carries the bytes of an event to
the bytes of a result.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from kernel.errors import LaunchError
from kernel.reach import StdioExtension
from kernel.transports.processes.output import Output, Printed
from kernel.transports.stdio.handshake import Refused
from kernel.transports.stdio.opening import NotStarted
from kernel.transports.stdio.outcomes import tool_output
from kernel.transports.stdio.program import placed
from kernel.transports.stdio.restarts import Restarts, State
from kernel.transports.stdio.secrets import hiding
from kernel.transports.stdio.services import Store
from kernel.transports.stdio.subscriber import NO_SPAWN, StdioSubscriber

__all__ = ["NO_SPAWN", "Restarts", "State", "StdioSubscriber", "Store", "start", "tool_output"]

KEPT_LINES: Final = 200
"""Of what an extension printed before it failed to start: the last ones usually say why."""


async def start(name: str, reach: StdioExtension, *, on_output: Printed, store: Store | None = None) -> StdioSubscriber:
    """Start an extension and shake hands; raises LaunchError, and leaves nothing behind, when that fails.

    `on_output` is told (stream, line) between calls: `stderr` is the extension's own, `host` what its host did and
    dropped, `late` are answers that nobody waits for any more. `store` is what it finds when it asks for its memory.
    """
    printed: deque[str] = deque(maxlen=KEPT_LINES)
    hide = hiding(reach)

    def keep_and_tell(stream: str, line: str) -> None:
        if stream == "stderr":
            printed.append(hide(line))
        on_output(stream, hide(line))

    output = Output(keep_and_tell)
    subscriber = StdioSubscriber(placed(reach), output, Store() if store is None else store, hide)
    try:
        await subscriber.open()
    except (NotStarted, Refused) as refusal:
        raise LaunchError(name, hide(str(refusal)), printed="\n".join(printed)) from None
    output.tell_others(lambda stream, line: on_output(stream, hide(line)))
    return subscriber
