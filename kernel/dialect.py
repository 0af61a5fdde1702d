"""What a family of semantics offers to everybody else. The registry is `kernel/dialects/__init__.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kernel.asking import Answer, Question
from kernel.errors import BadInput
from kernel.facts import Asked, Decided, Entered, Fact, Opened, Resolved
from kernel.faults import FaultKind
from kernel.measures import Measure
from kernel.reach import Reach
from kernel.shapes import Shape
from kernel.subscriber import Subscriber
from kernel.values import JSON, Answered, Ask, Chain, Outcome, Payload, Result, Subscription
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule of a dialect."""

    id: str
    text: str
    """One sentence."""
    source: str
    """Section of the dialect's specification."""


class Spans(Protocol):
    """How a dialect's host names what it traces."""

    @property
    def scope(self) -> str:
        """Instrumentation scope."""
        ...

    def dispatch_span(self, opened: Opened) -> tuple[str, Mapping[str, str]]:
        """Name and attributes of the span of a dispatch."""
        ...

    def step_span(self, asked: Asked) -> tuple[str, Mapping[str, str]]:
        """Name and attributes of the span of one step."""
        ...

    def step_error(self, resolved: Resolved) -> str | None:
        """Message of the span's error, None when its status is OK."""
        ...

    def step_outcome(self, outcome: Outcome, resolved: Resolved) -> Mapping[str, str | int | float | bool]:
        """Attributes of the span of one step that are known at its end; nothing where the host publishes none."""
        ...

    def stretch_span(self, entered: Entered) -> tuple[str, bool]:
        """Name of the span of a stretch, and whether it is a call out of the host (kind client)."""
        ...

    def stretch_attributes(self, attributes: Mapping[str, JSON]) -> Mapping[str, str | int | float | bool]:
        """Those attributes of a stretch that the host publishes, under the names it gives them."""
        ...

    def dispatch_error(self, result: Result) -> str | None:
        """Message of the span's error, None when its status is OK."""
        ...

    def measures(self, about: Opened | Entered, fact: Fact, took_ns: int) -> Iterable[Measure]:
        """What the host counts and times because of a fact; nothing where it publishes no metric.

        The fact is told of the dispatch or stretch that began with `about`, `took_ns` after it did (held time apart).
        Entered is among them, Opened is not, nor is anything of a payload that is refused outright.
        """
        ...


class Staging(Protocol):
    """What it takes to set a chain up by hand: seats, programs, and stubs that answer in the dialect's words."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every code with which a transport can end a call; empty where it can be any text."""
        ...

    @property
    def words(self) -> frozenset[str]:
        """Words of the protocol, which say nothing of anybody's secrets even where a configuration has them, too."""
        ...

    @property
    def unseats_failures(self) -> bool:
        """Whether the host registers only who has started: then whoever cannot be started sits in no chain."""
        ...

    def as_started(self, chain: Chain, absent: Mapping[str, str]) -> Chain:
        """The chain as it is dispatched where these of its subscribers could not be started, by name and why.

        The chain itself where the host finds that out when it asks them.
        """
        ...

    @property
    def default_deadline(self) -> frozenset[str]:
        """Options of seats that have the deadline of those that name none, and never one of their own."""
        ...

    def no_point(self, point: str) -> BadInput:
        """What to say to whoever names a point that there is not, as the host's registry would."""
        ...

    def check_default(self, timeout_ms: int) -> None:
        """Raise BadInput where the host would not take this as the deadline of seats that name none."""
        ...

    def seated(self, chain: Chain, subscription: Subscription, options: Mapping[str, JSON]) -> Chain:
        """The chain with one more seat, defaults filled in; raises BadInput as the host's registry would."""
        ...

    def program(self, argv: tuple[str, ...], cwd: str, env: Mapping[str, str]) -> Reach:
        """How to reach a subscriber that is a program; raises BadInput where there are none."""
        ...

    def answer_in_words(self, words: JSON, mode: str) -> Callable[[bytes], bytes | None]:
        """From a request to the answer that the words describe, proper or odd; None = comes back with nothing.

        Raises BadInput for words that it does not know, and when called, where they do not fit the request.
        """
        ...

    def usual(self, subscription: Subscription, phase: str = "") -> tuple[JSON, ...]:
        """What is usually answered in a seat, in words; the first one lets the chain go on."""
        ...

    def answer_in_json(self, view: JSON) -> bytes:
        """Any answer, as JSON of its wire form; raises BadInput that names the path."""
        ...


PathInView: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the root; `"*"` stands for any."""


@dataclass(frozen=True, slots=True)
class HostTimes:
    """Where a host writes what its clock says: places at which two runs that are alike differ all the same."""

    payload: tuple[PathInView, ...] = ()
    request: tuple[PathInView, ...] = ()
    answer: tuple[PathInView, ...] = ()


def thrown(dialect: Dialect, switches: Mapping[str, bool]) -> Dialect:
    """The same dialect with these switches as they say; raises BadInput for one that it does not have."""
    for name, is_on in switches.items():
        dialect = dialect.switched(name, is_on)
    return dialect


class Dialect(Protocol):
    """A family of semantics: pure, so one instance serves any number of dispatches."""

    @property
    def name(self) -> str: ...

    @property
    def points(self) -> tuple[str, ...]:
        """Every point that can be dispatched, in the order of the host's loop."""
        ...

    @property
    def rules(self) -> Mapping[str, Rule]: ...

    @property
    def spans(self) -> Spans: ...

    @property
    def staging(self) -> Staging: ...

    @property
    def faults(self) -> tuple[FaultKind, ...]:
        """The fault catalogue for subscribers of this dialect."""
        ...

    def exercises(self, kind: str, subscription: Subscription) -> frozenset[str]:
        """Rules of which one has to resolve a step that this fault befalls, with its usual settings.

        Empty for a fault that this seat may not notice: then the step goes as it would have gone.
        """
        ...

    def sorts_of_seats(self) -> Iterable[Subscription]:
        """A seat without a name of every sort that the rules tell apart."""
        ...

    def counts(self, subscription: Subscription) -> bool:
        """Whether anything that comes of asking this seat, trouble included, can change what a dispatch comes to, or
        what is asked of others.
        """
        ...

    def takes_ms(self, kind: str, subscription: Subscription) -> int:
        """Milliseconds that the host itself may take over a step that this fault befalls, to start a process anew.

        A shorter deadline proves nothing. 0 where the host only waits for an answer.
        """
        ...

    @property
    def own(self) -> Mapping[str, Subscriber]:
        """Those in a chain that the host itself plays, by name; whoever dispatches may bring others in their place."""
        ...

    @property
    def host_times(self) -> HostTimes:
        """Places of payloads, questions and answers as JSON that hold the host's clock; `diff` does not count them."""
        ...

    @property
    def switches(self) -> Mapping[str, bool]:
        """What can be had one way or the other where hosts differ, and how it is now."""
        ...

    def switched(self, name: str, is_on: bool) -> Dialect:
        """The same dialect with one switch thrown; raises BadInput that names the switches there are."""
        ...

    def open(self, chain: Chain, payload: Payload) -> tuple[Walk, tuple[Fact, ...]]:
        """Begin a dispatch."""
        ...

    def question(self, dispatch: str, result: Result) -> Question | None:
        """What somebody has to decide before the host can act on the result of this dispatch; None = nothing."""
        ...

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        """What the host then does, None where it does nothing beyond the result.

        `answer` is None where nothing was asked, and where nobody could be.
        """
        ...

    def payload_from_view(self, point: str, view: JSON) -> Payload:
        """The payload that a person wrote as JSON; raises BadInput that names the path."""
        ...

    def payload_from_body(self, point: str, body: bytes) -> Payload:
        """The payload that was kept; raises BadInput."""
        ...

    def sample_payload(self, point: str, seed: int = 0) -> Payload:
        """A valid, realistic payload, the same for the same seed; raises BadInput where there is no such point."""
        ...

    def payload_shape(self, point: str) -> Shape:
        """What can be written in a payload of a point; raises BadInput where there is no such point."""
        ...

    def answer_shape(self, ask: Ask) -> Shape:
        """What can be written in an answer to this question, whether or not it would be taken well."""
        ...

    def request_view(self, request: bytes) -> JSON:
        """A question as JSON for people, as it is on the wire; bytes that cannot be read are shown as such."""
        ...

    def answer_view(self, answer: Answered) -> JSON:
        """An answer as JSON for people, as it was on the wire; bytes that cannot be read are shown as such."""
        ...

    def beside(self, request: bytes) -> Mapping[str, JSON]:
        """What a question says to a subscriber beside the payload, for people; often nothing. Raises nothing."""
        ...

    def proposed(self, given: Payload, answer: Answered) -> JSON:
        """The payload that an answer proposes, as JSON, whether or not it is acceptable; None where it has none.

        `given` is what was asked about.
        """
        ...

    def answer_from_view(self, ask: Ask, view: JSON) -> Answered:
        """The answer that a person wrote as JSON; raises BadInput that names the path."""
        ...
