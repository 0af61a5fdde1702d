"""How a session is opened, anew or again: the fence first, then whether it may go on under these hooks (spec D.9)."""

from __future__ import annotations

import hashlib
from typing import Final

from kernel.dialects.rig.session.choices import Decider
from kernel.dialects.rig.session.described import Restored
from kernel.dialects.rig.session.errors import SessionEnded
from kernel.dialects.rig.session.ground import Ground
from kernel.dialects.rig.session.journal import Journal
from kernel.dialects.rig.session.owner import Inside

MANIFEST_SCHEMA: Final = 3
HOOK_POLICY, WARN = "hook_policy", "warn"


def fingerprint(agent: str, model: str, revision: str) -> str:
    """Of a session's manifest. Callbacks and arounds are no part of it, the policy's revision is."""
    return hashlib.sha256(f"{MANIFEST_SCHEMA}\n{agent}\n{model}\n{revision}".encode(errors="replace")).hexdigest()


class Opening:
    """Opens one session."""

    def __init__(self, ground: Ground, journal: Journal, revision: str) -> None:
        self._ground = ground
        self._journal = journal
        self._revision = revision

    async def opened(self) -> None:
        """Raises SessionEnded where it stays closed, and whatever an append raises."""
        described, inside = self._ground.described, self._ground.outside()
        if self._journal.is_observed:
            why = "an observed log is wrapped, and the wrapper hides that it could append idempotently"
            self._ground.session.decided("journal", "wrapped", by="host", rule="RG-JOURNAL-WRAPPED", why=why)
        await self._journal.fence(described.epoch, described.fence, inside)
        if described.restored is not None:
            await self._restored(described.restored, inside)
            return
        manifest = fingerprint(described.agent, described.model.name, self._revision)
        await self._journal.event(
            "SessionStarted",
            inside,
            hook_policy_rev=self._revision,
            manifest_schema=MANIFEST_SCHEMA,
            fingerprint=manifest,
        )
        await self._journal.event("LoopStarted", inside, agent=described.agent, engine=described.engine.value)

    async def _restored(self, restored: Restored, inside: Inside) -> None:
        session = self._ground.session
        why = f"{restored.turns} turns came back from the log, and nothing of them is dispatched"
        session.decided("restore", "replayed", by="host", rule="RG-REPLAY", why=why)
        is_drifted = restored.policy_revision != self._revision
        if is_drifted and restored.decider is Decider.DEFAULT:
            await self._journal.event("RestoreErrored", inside, category=HOOK_POLICY, severity=WARN)
            why = self._drift(
                restored, "any drift of severity warn rejects a restore, unless somebody decides otherwise"
            )
            raise SessionEnded("rejected", "RG-DRIFT", why)
        await self._journal.event("RestoreStarted", inside, replayed_turns=restored.turns)
        if is_drifted:
            why = self._drift(restored, f"{restored.decider.value} lets it go on")
            session.decided(f"drift {HOOK_POLICY} ({WARN})", "adopted", by="decider", rule="RG-DRIFT", why=why)
            await self._journal.event(
                "ConfigurationAdopted",
                inside,
                category=HOOK_POLICY,
                severity=WARN,
                old=restored.policy_revision,
                new=self._revision,
            )
        await self._journal.event("RestoreDone", inside)

    def _drift(self, restored: Restored, why: str) -> str:
        return f"the policy was {restored.policy_revision!r} and is {self._revision!r} now; {why}"
