"""The key that answers on a subscriber's behalf."""

from __future__ import annotations

from debugger.desk.place import Deeds, Place
from debugger.session.legality import of_answer
from kernel.values import JSON, Outcome


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def answer() -> None:
        await _answer(place)

    return {"answer": answer}


async def _answer(place: Place) -> None:
    from debugger import dialogs
    from debugger.lenses.picker import Choice, Picker
    from debugger.standing_in import answers, start_of

    hold, session = place.choosing.any_hold(place.seen), place.session
    if hold is None or session is None:
        return
    dialect = session.setup.dialect
    offered = answers(hold, dialect)
    choices = [Choice(str(number), each.words, each.meets) for number, each in enumerate(offered)]
    choices.append(Choice("json", "JSON ...", "any answer, as it is sent"))
    picked = await place.host.push_screen_wait(Picker(f"What does {hold.subscriber} answer?", choices))
    if picked is None:
        return
    outcome: Outcome
    if picked == "json":

        def warn(view: JSON) -> str:
            met = of_answer(hold, dialect.answer_from_view(hold.ask, view))
            return "" if met is None or met.is_fine else f"✓ can be sent, and meets {met}"

        edited = await dialogs.edited(
            place.host,
            f"What {hold.subscriber} answers",
            dialect.answer_view(start_of(hold, dialect)),
            lambda view: dialect.answer_from_view(hold.ask, view),
            warn,
            shape=dialect.answer_shape(hold.ask),
        )
        if edited is None:
            return
        outcome = dialect.answer_from_view(hold.ask, edited[0])
    else:
        outcome = offered[int(picked)].outcome
    place.wish(lambda session: session.answer(hold.dispatch, hold.step, outcome))
