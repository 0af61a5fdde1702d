"""Rules of the host around its hooks, by name: each is cited where a played session applies it."""

from __future__ import annotations

from typing import Final

from kernel.dialect import Rule

HOST_RULES: Final = (
    Rule(
        "RG-TURN-BLOCKED",
        "A turn that a guard blocked is rejected for one reason, internal, whether it was denied or the guard failed.",
        "D.3",
    ),
    Rule(
        "RG-INFERENCE-BLOCKED",
        "A request that a guard blocked is never sent, and the step and the turn around it fail: they wrap no denial.",
        "D.3",
    ),
    Rule("RG-CALL-DENIED", "A denied call of a tool gives the model the reason and hides the code.", "D.3, D.5"),
    Rule("RG-CALL-BLOCKED", "A call whose guard failed gives the model a fixed text.", "D.3, D.5"),
    Rule(
        "RG-COMPACTION-BLOCKED",
        "A compaction that was denied is rejected as unavailable (7), one whose guard failed as internal (12).",
        "D.3",
    ),
    Rule(
        "RG-ERROR-DECIDES",
        "An outcome comes from the error alone: a deadline in it makes an operation canceled under a live context.",
        "D.2",
    ),
    Rule(
        "RG-COMMIT-REFUSED",
        "A step whose commit is refused has failed, and yet its turn ends as one that was interrupted.",
        "D.4",
    ),
    Rule("RG-RAISE-GOES-ON", "What a step raises goes on after its finish, which is told that it panicked.", "D.4"),
    Rule("RG-CAPTURE-FAILED", "A review that cannot be captured fails its step, which is finished.", "D.4, G 189"),
    Rule(
        "RG-CAPTURE-LEAK",
        "The original never finishes a step, or its calls, whose review cannot be captured: a leak, no rule.",
        "D.4, G 189",
    ),
    Rule(
        "RG-HARD-KILL",
        "A turn that says nothing after a hard kill is over when the drain limit is; what it began may end later.",
        "D.4",
    ),
    Rule("RG-HARD-LIMIT", "At the hard limit of its input a turn that cannot be compacted fails.", "D.3"),
    Rule("RG-ACCESS", "Access that is evaluated without a question opens no gate.", "D.5, D.7"),
    Rule("RG-GATE-ANSWERED", "A reply that fits completes the wait, whether it approves or denies.", "D.4, D.7"),
    Rule("RG-GATE-MISMATCH", "A reply that is one to another gate fails the wait; the call goes on as refused.", "D.4"),
    Rule(
        "RG-GATE-ABANDONED",
        "Where only the wait's own context ends, the gate is closed first, and the call goes on as refused.",
        "D.7",
    ),
    Rule(
        "RG-VALUES-LOST",
        "Under a detached context a tool lacks what the host hands down, and can ask nobody.",
        "E.3 I4",
    ),
    Rule(
        "RG-EXECUTION-DENIED",
        "A tool that returns a hook's denial makes its execution one that was denied, although nothing guards it.",
        "D.4",
    ),
    Rule(
        "RG-COMPACTION-SEALED",
        "After a cancelled wait nothing that the compactor reports counts; a lost rejection makes it a failure.",
        "D.4",
    ),
    Rule("RG-HUSTLE", "A compaction that a hustle drives has no operation of inference.", "D.9"),
    Rule("RG-JOURNAL-WRAPPED", "Observing appends hides that the journal could append idempotently.", "D.8"),
    Rule("RG-JOURNAL-PASSES", "Record, number and error of an append pass through its operation untouched.", "D.8"),
    Rule("RG-JOURNAL-BYPASS", "A record that cannot be read safely is appended without anybody being asked.", "D.8"),
    Rule(
        "RG-FENCE",
        "The middleware around a fence calls the real append exactly once, or the session stays closed.",
        "D.8",
    ),
    Rule(
        "RG-DRIFT", "A changed policy revision is a drift of severity warn, which rejects a restore by default.", "D.9"
    ),
    Rule("RG-REPLAY", "What is replayed from the log is never dispatched, and turns count from 0 again.", "D.9"),
    Rule("RG-FOREIGN", "A loop of another engine never receives the hooks.", "D.9"),
)
