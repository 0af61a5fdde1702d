"""The session's log: every append is an operation where somebody observes appends, and just happens otherwise (D.8)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.session.choices import Form, Middleware
from kernel.dialects.rig.session.described import AppendTrouble, Record
from kernel.dialects.rig.session.errors import HostRaise, SessionEnded, made
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.owner import Close, Inside
from kernel.dialects.rig.snapshot import JournalAppendPayload
from kernel.values import JSON

FALLBACK: Final = "/fallback_queued"
EVENT, COMMAND, GATE_PREPARED, FENCE = "event", "command", "gate_prepared", "fence"


class AppendFailed(Exception):
    """The log took nothing; the cause is its error, as it was."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.__cause__ = error
        self.error = error


@dataclass(frozen=True, slots=True)
class Entry:
    """What is appended."""

    family: str
    id: str
    name: str
    """For people: which event, which command."""
    trouble: AppendTrouble | None = None
    """What the log makes of it, beside taking it."""
    sequence: int | None = None
    """The number that the log gives; the next one if nothing is said."""
    is_bypassed: bool = False
    """Its kind or its id cannot be read safely, so nobody is asked."""

    @property
    def identity(self) -> str:
        """By what observers know it."""
        return self.id


class Journal:
    """The log of one session. Sequence numbers count from 1."""

    def __init__(self, ground: Ground, session: Identity) -> None:
        self._ground = ground
        self._identity = Identity("", session.session)
        self._seen: Counter[str] = Counter()
        self.tip = 0
        """Number of the last record."""

    @property
    def is_observed(self) -> bool:
        """Whether the log is decorated at all."""
        return self._ground.handles(Operation.JOURNAL_APPEND)

    async def append(self, entry: Entry, inside: Inside) -> int:
        """The sequence number; raises AppendFailed with the log's own error, and HostRaise with what it raised."""
        trouble = entry.trouble or self._trouble(entry)
        if not self.is_observed or entry.is_bypassed:
            return self._taken(entry, trouble)
        taken: list[int] = []
        failed: list[BaseException] = []

        async def act(derived: Inside) -> Close:
            try:
                taken.append(self._taken(entry, trouble))
            except AppendFailed as failure:
                failed.append(failure.error)
                ended = inside.context.err() is not None or derived.context.err() is not None
                return Close(failure.error, outcome=Outcome.CANCELED if ended else Outcome.FAILED)
            return Close()  # what is in the log is in the log, whatever became of the context

        call = self._ground.call(
            Operation.JOURNAL_APPEND, self._identity, JournalAppendPayload(entry.family, entry.identity)
        )
        ended = await self._ground.operate(call, inside, act)
        if failed:
            raise AppendFailed(failed[0])
        if taken:
            return taken[0]
        if ended.error is not None:  # somebody else played the log
            raise AppendFailed(ended.error)
        return self._taken(entry, None)

    def _trouble(self, entry: Entry) -> AppendTrouble | None:
        for key in {entry.name, entry.family}:
            self._seen[key] += 1
        for each in self._ground.described.journal:
            if each.record in (entry.name, entry.family) and each.nth in (0, self._seen[each.record]):
                return each
        return None

    def _taken(self, entry: Entry, trouble: AppendTrouble | None) -> int:
        """The real append."""
        self._ground.counts["appends"] += 1
        if trouble is not None and trouble.raises:
            raise HostRaise(trouble.raises)
        if trouble is not None and trouble.fails:
            raise AppendFailed(made(trouble.fails, trouble.error_kind))
        self.tip = self.tip + 1 if entry.sequence is None else entry.sequence
        return self.tip

    async def event(self, name: str, inside: Inside, **more: JSON) -> None:
        """Append an event, then publish it. Raises AppendFailed and HostRaise; then nobody hears of it."""
        record = str(self._ground.new_id("event"))
        sequence = await self.append(Entry(EVENT, record, name), inside)
        self._ground.note(inside, "event", name, {"id": record, "sequence": sequence, **more})

    def told(self, name: str, inside: Inside, **more: JSON) -> None:
        """Publish an event that is not journaled."""
        self._ground.note(inside, "event", name, {**more, "journaled": False})

    async def command(self, name: str, record: str, inside: Inside) -> None:
        """Append the intent of a command."""
        sequence = await self.append(Entry(COMMAND, record, name), inside)
        self._ground.note(inside, "command", name, {"id": record, "sequence": sequence})

    async def fence(self, epoch: int, middleware: Middleware, inside: Inside) -> None:
        """Fence the log off from earlier owners; raises SessionEnded where the middleware appends 0 or 2 times.

        What the middleware gives back is of no interest.
        """
        times = {Middleware.CALLS_ONCE: 1, Middleware.CALLS_TWICE: 2}.get(middleware, 0)
        written = 0
        for _ in range(min(times, 1)):  # a second call of the real append writes nothing
            try:
                written = await self.append(Entry(FENCE, str(epoch), FENCE), inside)
            except (AppendFailed, HostRaise) as error:
                raise SessionEnded("not opened", "RG-FENCE", f"the fence could not be appended: {error}") from None
        self._ground.note(inside, "fence", f"epoch {epoch}", {"tip": self.tip, "appends": times})
        if times != 1 or not written:
            how = {Middleware.NULL: "there is none", Middleware.SKIPS: "it never calls it"}.get(
                middleware, "it calls it twice"
            )
            why = f"the fence's middleware has to call the real append exactly once, and {how}; the tip is {self.tip}"
            raise SessionEnded("not opened", "RG-FENCE", why)

    async def direct(self, record: Record, inside: Inside) -> None:
        """Append a record as described, and tell what came back, unchanged."""
        entry = self._entry(record)
        subject = f"append {entry.name}"
        try:
            sequence = await self.append(entry, inside)
        except AppendFailed as failure:
            rule, outcome = "RG-JOURNAL-PASSES", f"error: {failure.error}"
            why = "the log's own error came back as it was"
        except HostRaise as raised:
            rule, outcome, why = "RG-JOURNAL-PASSES", f"raised: {raised}", "what the log raised was raised again"
        else:
            rule, outcome = "RG-JOURNAL-PASSES", f"sequence {sequence}"
            why = "the log's own number came back as it was"
        if entry.is_bypassed:
            rule, why = "RG-JOURNAL-BYPASS", f"a record that is {record.form} cannot be read safely: nobody is asked"
        self._ground.decided(inside, subject, outcome, by="journal", rule=rule, why=why)

    def _entry(self, record: Record) -> Entry:
        made_up = str(self._ground.described.epoch) if record.family == FENCE else str(self._ground.new_id("record"))
        trouble = None
        if record.fails or record.raises:
            trouble = AppendTrouble(record.family, fails=record.fails, raises=record.raises)
        return Entry(
            record.family,
            (record.id.lower() or made_up) + (FALLBACK if record.is_fallback else ""),
            record.family,
            trouble or AppendTrouble(record.family),
            record.sequence,
            is_bypassed=record.form in (Form.NULL, Form.TYPED_NULL, Form.ZERO),
        )
