"""What extensions tell their host unasked, and who inside of it listens (spec 4.10). Touches no pipe."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from kernel.transports.stdio.messages import Notification
from kernel.values import JSON

ROOM: Final = 8
"""Notifications that wait for one listener. With one more, the extension's stdout is not read until there is room."""
KEPT: Final = 200
"""Of those that came last, for whoever looks later; older ones are forgotten."""
POSITION: Final = "top_right"

Wanted: TypeAlias = Callable[[Notification], bool]
"""Whether a listener is the one that a notification is for."""


class Listener:
    """A bounded queue of the notifications that somebody waits for."""

    def __init__(self, wanted: Wanted, at_room: Callable[[], None]) -> None:
        self.wanted = wanted
        self._at_room = at_room
        self._queue: deque[Notification] = deque()
        self._news = asyncio.Event()
        self._is_over = False

    @property
    def is_full(self) -> bool:
        return len(self._queue) >= ROOM

    def put(self, notification: Notification) -> None:
        self._queue.append(notification)
        self._news.set()

    def end(self) -> None:
        """Nothing more will come: the extension's process is gone, or nobody listens."""
        self._is_over = True
        self._news.set()

    async def next(self) -> Notification | None:
        """The next one, waiting for it; None once there will be none."""
        while not self._queue:
            if self._is_over:
                return None
            self._news.clear()
            await self._news.wait()
        notification = self._queue.popleft()
        self._at_room()
        return notification


class Notifications:
    """Everything of the kind from one extension."""

    def __init__(self) -> None:
        self.kept: deque[Notification] = deque(maxlen=KEPT)
        self.widgets: dict[str, Mapping[str, JSON]] = {}
        """Those that are shown, by id, as they were last told."""
        self._listeners: tuple[Listener, ...] = ()

    def listen(self, wanted: Wanted, at_room: Callable[[], None]) -> Listener:
        listener = Listener(wanted, at_room)
        self._listeners += (listener,)
        return listener

    def unlisten(self, listener: Listener) -> None:
        listener.end()
        self._listeners = tuple(each for each in self._listeners if each is not listener)

    def drop_listeners(self) -> None:
        """The process is gone, and with it whoever could have told them more."""
        for listener in self._listeners:
            listener.end()
        self._listeners = ()

    def take(self, notification: Notification) -> bool:
        """Hand one out; False when somebody who wants it has no room, and it must be offered again."""
        takers = [listener for listener in self._listeners if listener.wanted(notification)]
        if any(listener.is_full for listener in takers):
            return False
        for listener in takers:
            listener.put(notification)
        self.kept.append(notification)
        self._note_widget(notification)
        return True

    def _note_widget(self, notification: Notification) -> None:
        params = notification.params
        if not isinstance(params, dict) or not isinstance(identity := params.get("id"), str):
            return
        if notification.method == "widget.upsert" and isinstance(params.get("lines"), list):
            if identity in self.widgets or len(self.widgets) < KEPT:
                self.widgets[identity] = {"position": POSITION, **params}
        elif notification.method == "widget.dismiss":
            self.widgets.pop(identity, None)


@dataclass(frozen=True, slots=True)
class Command:
    """Wants what belongs to one `command.invoke`: its output, and the tasks that run meanwhile."""

    request_id: str

    def __call__(self, notification: Notification) -> bool:
        if notification.method == "command.output":
            return isinstance(notification.params, dict) and notification.params.get("request_id") == self.request_id
        return notification.method in ("task.start", "task.update", "task.log", "task.done")


def stream(notification: Notification) -> bool:
    """Wants the events of a running `provider.stream` that are well-formed."""
    return notification.method == "provider.stream.event" and event(notification.params) is not None


def event(params: JSON) -> Mapping[str, JSON] | None:
    """The event of a notification, nested or flat; None when it is malformed."""
    if not isinstance(params, dict):
        return None
    inner = params.get("event", params)
    if not isinstance(inner, dict):
        return None
    kind = inner.get("type", inner.get("kind"))
    return inner if isinstance(kind, str) else None
