"""What spans spent themselves, and what whoever is below them spent. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton


def own_times(skeleton: Skeleton) -> list[int]:
    """Of each place the nanoseconds during which nothing below it was under way. Looks at every span once.

    What lies outside of the parent does not count: clocks differ, or nobody waited for it.
    """
    starts, ends, parents = skeleton.starts, skeleton.ends, skeleton.parents
    own = [end - start for start, end in zip(starts, ends, strict=True)]
    covered_until = list(starts)
    for place, parent in enumerate(parents):  # children come in the order of their beginning
        if parent < 0:
            continue
        begin, end = starts[place], ends[place]
        if begin < covered_until[parent]:
            begin = covered_until[parent]
        if end > ends[parent]:
            end = ends[parent]
        if end > begin:
            own[parent] -= end - begin
            covered_until[parent] = end
    return own


@dataclass(frozen=True, slots=True)
class Split:
    """Of a dispatch or a step: who had the time, in nanoseconds. None for what nobody can tell apart."""

    host_ns: int
    """Outside of any call: the host's own work."""
    transport_ns: int | None
    """On the way, where the subscriber tells spans of its own."""
    subscriber_ns: int | None
    call_ns: int
    """Both of them: between question and answer."""


def split(skeleton: Skeleton, place: int, own: Sequence[int], hooks: Mapping[int, Hook]) -> Split | None:
    """None for a span that is no part of a hook chain. `hooks` has those of the place and of what is right below."""
    hook = hooks.get(place)
    if hook is None or not hook.point:
        return None
    if hook.is_step:
        return _of_steps(skeleton, [place], own, 0)
    steps = [child for child in skeleton.below(place) if child in hooks and hooks[child].is_step]
    return _of_steps(skeleton, steps, own, own[place])


def _of_steps(skeleton: Skeleton, steps: Sequence[int], own: Sequence[int], host_ns: int) -> Split:
    call = sum(skeleton.took(step) for step in steps)
    if not steps or not all(skeleton.children[step] for step in steps):
        return Split(host_ns, None, None, call)
    transport = sum(own[step] for step in steps)
    return Split(host_ns, transport, call - transport, call)
