"""Who handles the records of one kind. Where several have one id, the record says which one is meant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kernel.dialects.hookbus.handlers import AnyHandler, subscriber_of
from kernel.subscriber import Call, Subscriber
from kernel.values import Outcome, Subscription


class Handlers:
    """The handlers of one kind, by the id of the extension and that of the record."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, Subscriber]] = {}
        self._known: dict[int, tuple[AnyHandler, Subscriber]] = {}
        """By the identity of a handler, which is kept with it so that nobody else gets that."""
        self._alone: Mapping[str, Subscriber] | None = MappingProxyType({})
        """By id, where each has one handler; None where one has more."""

    def add(self, seat: Subscription, handler: AnyHandler) -> None:
        """Have a record handled by somebody."""
        _, subscriber = self._known.setdefault(id(handler), (handler, subscriber_of(handler)))
        self._of.setdefault(seat.name, {})[seat.id] = subscriber
        self._alone = self._each_alone()

    def remove(self, extension: str) -> None:
        """Forget all of one id."""
        for subscriber in self._of.pop(extension, {}).values():
            self._known = {key: known for key, known in self._known.items() if known[1] is not subscriber}
        self._alone = self._each_alone()

    def _each_alone(self) -> Mapping[str, Subscriber] | None:
        if any(len({id(subscriber) for subscriber in records.values()}) > 1 for records in self._of.values()):
            return None
        return MappingProxyType({name: next(iter(records.values())) for name, records in self._of.items()})

    @property
    def subscribers(self) -> Mapping[str, Subscriber]:
        """Somebody for each id, as they are now: for one dispatch."""
        if self._alone is not None:
            return self._alone
        return {name: _OfRecord(dict(records)) for name, records in self._of.items()}


class _OfRecord:
    """One id with several handlers."""

    def __init__(self, records: Mapping[str, Subscriber]) -> None:
        self._records = records

    async def answer(self, call: Call) -> Outcome:
        return await self._records[call.seat].answer(call)
