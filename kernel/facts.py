"""What happened during a dispatch, told once: trace, spans, screen, recordings and expectations are folded from these.

The loop of `kernel/dispatch.py` tells Opened, Asked, Replied, Steered, Rewound, cancelled steps and Ended; the walk
tells what it makes of them; a transport tells Printed and Late. A fact that applies a rule of the dialect carries
the rule's id.

Where a host does more than dispatch (a session, a turn, an operation), that is a stretch: Entered and Left are its
ends, Decided what the host itself decides meanwhile, and dispatches and further stretches inside name it as parent.
`kernel/stretch.py` tells these three. Decided may also follow the end of a dispatch: what the host made of its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kernel.faults import Fault
from kernel.values import JSON, Chain, Effect, Outcome, Payload, Result, Status, Subscription


@dataclass(frozen=True, slots=True)
class Fork:
    """Of what a dispatch is a fork: another one, run again with one thing changed."""

    dispatch: str
    """Id of the other one."""
    step: int | None
    """The step at which something is changed; None where it is the whole dispatch."""
    words: str
    """The change, for people: `without policy-b`."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A dispatch began."""

    dialect: str
    chain: Chain
    payload: Payload
    wall_ns: int
    """Nanoseconds since the epoch at the moment of this fact; the other facts only have the dispatch's clock."""
    parent: str = ""
    """Id of the stretch or dispatch in which it happens; empty for a dispatch of its own."""
    switches: Mapping[str, bool] = field(default_factory=dict)
    """Those of the dialect that were thrown for this dispatch only."""
    fork: Fork | None = None
    """None for a dispatch in its own right."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A subscriber is being asked."""

    step: int
    subscription: Subscription
    payload: Payload
    request: bytes
    timeout_ms: int | None
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Replied:
    """The asking is over, one way or another."""

    step: int
    outcome: Outcome
    took_ns: int = 0
    """Nanoseconds that the call really took; goes on counting where a sibling's hold stops the dispatch's clock."""


@dataclass(frozen=True, slots=True)
class Steered:
    """Whoever steers changed the course: a person, a script, an armed fault."""

    step: int
    by: str
    what: str
    """`edited payload`, `answered`, `answered as recorded` (with what the subscriber itself gave once), `replaced
    answer`, `skipped`, `asked again`, `fault` or `stopped`."""
    detail: str = ""
    outcome: Outcome | None = None
    """What took the place of the subscriber's own outcome, where something did."""
    subscription: Subscription | None = None
    """Whose step it is; the dispatch loop always says it."""
    fault: Fault | None = None
    """The fault that befell the call, where one did: enough to have it befall another."""


@dataclass(frozen=True, slots=True)
class Rewound:
    """Whoever steers went back: what this dispatch told from a number on does not count any more."""

    since: int
    """Number of the first event that does not count."""
    by: str
    step: int | None = None
    """The step that comes next again; None where several do."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The dialect's verdict on one step."""

    step: int
    subscription: Subscription
    status: Status
    effect: Effect
    rule: str
    why: str
    """One sentence with the particulars of this case."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The payload of the chain is another one from here on."""

    step: int
    by: str
    """The subscriber's name, or who edited: the payload before it was asked, or its answer afterwards."""
    before: Payload
    after: Payload
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Raised:
    """An error record in the dialect's terms."""

    step: int
    subscription: Subscription
    category: str
    message: str
    rule: str


@dataclass(frozen=True, slots=True)
class NotReached:
    """A subscriber that is not asked in this dispatch, and because of whom."""

    subscription: Subscription
    because_of: str
    rule: str


@dataclass(frozen=True, slots=True)
class Printed:
    """A subscriber's process wrote a line while it was asked (or while nobody asked it: `step` is None)."""

    subscriber: str
    stream: str
    """`stderr` or `stdout`."""
    text: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Late:
    """An answer came when nobody waited for it any more: it counts for nothing, and may be told after the end."""

    step: int
    subscription: Subscription
    outcome: Outcome
    took_ns: int
    """Nanoseconds from the question until it came, or would have come from whoever held it back."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A dispatch is over."""

    result: Result


@dataclass(frozen=True, slots=True)
class Entered:
    """A stretch of the host's own work began. Several may be open side by side: nothing here is a stack."""

    dialect: str
    kind: str
    """In the dialect's words: `session`, `turn`, `tool.execute`."""
    name: str
    """Which one of its kind, for people."""
    parent: str
    """Id of the stretch or dispatch around it; empty for the outermost."""
    wall_ns: int
    """Nanoseconds since the epoch at the moment of this fact."""
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    """What is known of it, under the dialect's keys. Spans carry those that the host publishes."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The host decided something itself: outside of any chain during a stretch, or because of a dispatch's result."""

    subject: str
    """What the decision is about, for people."""
    decision: str
    by: str
    """In the host's own notation, where it has one."""
    rule: str
    why: str
    """One sentence with the particulars of this case."""


@dataclass(frozen=True, slots=True)
class Left:
    """A stretch is over."""

    error: str = ""
    """What ended it badly; empty when nothing did."""
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    """What is known only now."""


Fact: TypeAlias = (
    Opened
    | Asked
    | Replied
    | Steered
    | Rewound
    | Resolved
    | Changed
    | Raised
    | NotReached
    | Printed
    | Late
    | Ended
    | Entered
    | Decided
    | Left
)
"""A closed set: matching it must be exhaustive."""


@dataclass(frozen=True, slots=True)
class Event:
    """One fact with its place in time. Within a dispatch or a stretch, `number` counts from 0 without a gap."""

    dispatch: str
    """Id of the dispatch; of the stretch, where the fact is about one."""
    number: int
    at_ns: int
    """Nanoseconds on the dispatch's own clock, which stands still while the dispatch is held.

    A stretch and whatever happens inside it share one clock.
    """
    fact: Fact
