"""From a reach to a connection that has shaken hands, or to a sentence that says why there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from kernel.clock import Caller, Clock, Limit
from kernel.reach import StdioExtension
from kernel.transports.processes.output import Output
from kernel.transports.processes.process import launch
from kernel.transports.processes.refusals import why_not_launched, why_not_run
from kernel.transports.stdio.connection import Connection, LateAnswer, Lost, Numbers
from kernel.transports.stdio.handshake import Capabilities, capabilities, initialize_params
from kernel.transports.stdio.messages import ErrorReply, Reply
from kernel.transports.stdio.notifications import Notifications
from kernel.transports.stdio.program import argv, environment
from kernel.transports.stdio.services import Services, Store


class NotStarted(Exception):
    """There is no process to talk to; says why, as what follows `it` or stands alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Door:
    """Everything that one process of an extension after the other is connected with."""

    reach: StdioExtension
    output: Output
    store: Store
    numbers: Numbers
    notifications: Notifications
    hear_late: Callable[[LateAnswer], None]

    def launched(self) -> Connection:
        """A connection to a new process that has said nothing yet; raises NotStarted."""
        command = argv(self.reach)
        try:
            process = launch(command, cwd=self.reach.plugin_dir, env=environment(os.environ), is_fed=True)
        except (OSError, ValueError) as error:
            raise NotStarted(why_not_launched(command, self.reach.plugin_dir, error)) from None
        services = Services(self.reach, self.store, lambda: time.time_ns() // 1_000_000)
        return Connection(process, self.output, self.numbers, services, self.notifications, self.hear_late)

    async def shake_hands(self, connection: Connection, clock: Clock) -> Capabilities:
        """Initialize it, within the time there is; raises NotStarted, or Refused for a reply that will not do."""
        limit_ns = clock.now_ns() + round(self.reach.start_timeout_s * 1e9)
        with Limit(clock, limit_ns, Caller()), clock.outside():
            try:
                await connection.process.started
            except OSError as error:
                raise NotStarted(why_not_run(argv(self.reach)[0], error)) from None
            match await connection.ask("initialize", initialize_params(self.reach)):
                case Reply(_, result):
                    return capabilities(result, self.reach)
                case ErrorReply(_, _, message):
                    raise NotStarted(f"it answered initialize with an error: {message}")
                case Lost(reason):
                    raise NotStarted(f"{reason} before it had answered initialize")
        raise NotStarted(f"it has not answered initialize within {self.reach.start_timeout_s:g} s")
