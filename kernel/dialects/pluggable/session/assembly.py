"""The context of each turn of a played session: providers are asked one after the other (spec B.11, D.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kernel.clock import NS_PER_MS, Limit
from kernel.dialects.pluggable import context_wire, sections
from kernel.dialects.pluggable.sections import (
    Accepted,
    ContextRequest,
    ContributeError,
    Contribution,
    Contributor,
    Section,
    late,
)
from kernel.dialects.pluggable.session.contributing import ContextPlugin, GaveUp, Link, PluginContext, capabilities
from kernel.dialects.pluggable.session.conversation import Conversation
from kernel.dialects.pluggable.session.described import ContextProvider, Model
from kernel.dialects.pluggable.session.ground import Ground, SessionEnded
from kernel.dialects.pluggable.session.scripted import DescribedContext
from kernel.dialects.pluggable.session.stops import Status, Stop, usable
from kernel.stretch import Stretch
from kernel.values import JSON

FALLBACK_REASON: Final = "provider_absent"
"""Why texts are counted by their length: the models of a played session have no process that could count better."""


class Assembly:
    """The context of one session. What it holds is replaced once per turn."""

    def __init__(
        self,
        ground: Ground,
        conversation: Conversation,
        plugins: Sequence[ContextPlugin],
        described: Sequence[ContextProvider],
        timeout_ms: int,
        contributors: Sequence[Contributor] | None = None,
    ) -> None:
        """`contributors` take the place of all others: for whoever has them in code.

        `timeout_ms` is for those that are no plugins; a plugin brings its own.
        """
        self._ground = ground
        self._conversation = conversation
        self._plugins = plugins
        self._timeout_ms = timeout_ms
        self._described = {each.name: each for each in described}
        self._contributors = None if contributors is None else tuple(contributors)
        self._sections: tuple[Section, ...] = ()

    async def assemble(self, parent: Stretch, model: Model, files_touched: Sequence[str]) -> None:
        """Ask every provider; raises SessionEnded where one fails."""
        self._ground.go_on()
        if self._contributors is None:
            self._contributors = await self._brought_up(parent)
        if not self._contributors:
            return
        known: dict[str, JSON] = {"turn.id": self._ground.turn_id}
        with self._ground.stretches.entered("context.assemble", "context", parent, known) as stretch:
            last_turn = total(self._sections)
            self._sections = ()
            for contributor in self._contributors:
                request = self._request(contributor, model, last_turn, files_touched)
                await self._contribute(stretch, contributor, request)
            stretch.note({"sections": len(self._sections), "tokens": total(self._sections)})

    async def _brought_up(self, parent: Stretch) -> tuple[Contributor, ...]:
        """Plugins in the order of their provider blocks, then those that are only described.

        A description of the name of a plugin stands in for it.
        """
        left = dict(self._described)
        found: list[Contributor] = []
        for plugin in self._plugins:
            stand_in = left.pop(plugin.name, None)
            found.append(await self._introduced(parent, plugin) if stand_in is None else self._scripted(stand_in))
        return (*found, *map(self._scripted, left.values()))

    def _scripted(self, described: ContextProvider) -> Contributor:
        return DescribedContext(described, self._ground.stage.clock, self._conversation.new_id)

    async def _introduced(self, parent: Stretch, plugin: ContextPlugin) -> Contributor:
        """A plugin, once it has said what it is."""
        stage = self._ground.stage
        link = Link(stage.bring, stage.clock, stage.caller)
        known = {"provider.local_name": plugin.name, **_whose(plugin)}
        with self._ground.stretches.entered("pluginhost.provider.bringup", plugin.name, parent, known) as stretch:
            try:
                found = await capabilities(plugin, link)
            except ContributeError as error:
                raise _failed(stretch, plugin.name, error) from error
            except GaveUp:
                raise self._ground.cancelled() from None
            stretch.note({"token_budget": found.token_budget, "is_compactor": found.is_compactor})
        return PluginContext(plugin, link, found)

    def _request(
        self, contributor: Contributor, model: Model, last_turn: int, files_touched: Sequence[str]
    ) -> ContextRequest:
        ground, messages = self._ground, self._conversation.messages
        return ContextRequest(
            session_id=ground.session,
            turn_id=ground.turn_id,
            working_directory=ground.working_directory,
            token_budget=contributor.token_budget,
            model=model.id,
            prior=self._sections,
            history_tokens=self._conversation.tokens,
            tokens_last_turn=last_turn,
            history=tuple(dict(each) for each in messages) if contributor.is_compactor else None,
            parent_session_id=ground.parent,
            context_window=model.context_window,
            effective_ceiling=usable(model.context_window),
            files_touched=tuple(files_touched),
        )

    async def _contribute(self, parent: Stretch, contributor: Contributor, request: ContextRequest) -> None:
        known: dict[str, JSON] = {"producer.category": "CATEGORY_CONTEXT", "producer.name": contributor.name}
        known |= {"token_budget": contributor.token_budget, "is_compactor": contributor.is_compactor}
        if isinstance(contributor, PluginContext):
            known |= {**_whose(contributor.plugin), "rpc.method": "Contribute"}
        with self._ground.stretches.entered("context.contribute", contributor.name, parent, known) as stretch:
            try:
                answer = await self._ground.unless_cancelled(self._answer(contributor, request))
            except ContributeError as error:
                raise _failed(stretch, contributor.name, error) from error
            except GaveUp:
                raise self._ground.cancelled() from None
            accepted = sections.accept(self._sections, answer, contributor)
            self._take(stretch, accepted, contributor)
            stretch.note({"answer": context_wire.contribution_view(answer)})
            if answer.printed:
                stretch.note({"printed": list(answer.printed)})

    async def _answer(self, contributor: Contributor, request: ContextRequest) -> Contribution:
        """What a provider says in time, plugin or not; raises ContributeError, GaveUp."""
        if isinstance(contributor, PluginContext):
            return await contributor.contribute(request)
        stage = self._ground.stage
        with Limit(stage.clock, stage.clock.now_ns() + self._timeout_ms * NS_PER_MS, stage.caller) as limit:
            return await contributor.contribute(request)
        if limit.given_up:
            raise GaveUp(str(stage.caller.reason))
        raise late(self._timeout_ms)

    def _take(self, stretch: Stretch, accepted: Accepted, contributor: Contributor) -> None:
        """Go on from what counts of a contribution, and tell what does not."""
        for violation in accepted.violations:
            by = f"context:{violation.reason}"
            stretch.decided(violation.subject, "dropped", by=by, rule=violation.rule, why=violation.why)
        self._sections = accepted.sections
        own = [section for section in accepted.sections if section.provider == contributor.name]
        stretch.note({"sections": len(own), "tokens": total(own)})
        if accepted.counted:
            stretch.note({"token_count.fallbacks": {FALLBACK_REASON: accepted.counted}})
        if accepted.history is not None:
            self._conversation.rewrite(tuple(each for each in accepted.history if isinstance(each, dict)))
            stretch.note({"rewrote_history": True})


def total(chain: Sequence[Section]) -> int:
    """Tokens of a chain of sections."""
    return sum(section.tokens for section in chain)


def _whose(plugin: ContextPlugin) -> dict[str, JSON]:
    producer = plugin.producer
    return {
        "producer.category": "CATEGORY_CONTEXT",
        "producer.name": producer.name,
        "producer.version": producer.version,
    }


def _failed(stretch: Stretch, name: str, error: ContributeError) -> SessionEnded:
    """What a failing provider comes to: the end of its chain, of the turn and of the session."""
    known: dict[str, JSON] = {"failure": error.failure, "category": error.category, "printed": list(error.printed)}
    stretch.note({key: value for key, value in known.items() if value})
    return SessionEnded(Stop(Status.FAILED, "", error.rule, f"{name} failed: {error}"))
