"""Of what a dispatch is a fork, and where somebody went back in it, in words. Pure."""

from __future__ import annotations

from debugger.trace import DispatchTrace


def in_short(trace: DispatchTrace) -> str:
    """Of which dispatch it is a fork, and what was changed; empty for one in its own right."""
    fork = trace.opened.fork
    if fork is None:
        return ""
    return f"⑂ {'' if trace.fork_of is None else f'#{trace.fork_of} '}{fork.words}"


def back(trace: DispatchTrace) -> str:
    """To before whom somebody went back in it; empty where nobody did."""
    return f"↶{_to(trace).removeprefix(', to')}" if trace.rewinds else ""


def origins(trace: DispatchTrace) -> tuple[str, ...]:
    """Every way in which it did not simply begin and go on, a sentence each, without a full stop."""
    told = []
    fork = trace.opened.fork
    if fork is not None:
        of = f"#{trace.fork_of}" if trace.fork_of is not None else f"another dispatch ({fork.dispatch})"
        at = "" if fork.step is None else f" from step {fork.step}"
        told.append(f"⑂ fork of {of}{at}: {fork.words}")
    if trace.rewinds:
        times = "" if trace.rewinds == 1 else f" {trace.rewinds} times"
        told.append(f"↶ somebody went back{times}{_to(trace)}: what came after it was asked again")
    return tuple(told)


def _to(trace: DispatchTrace) -> str:
    if trace.rewound_to is None:
        return ""
    try:
        step = trace.step(trace.rewound_to)
    except KeyError:
        return f", to before step {trace.rewound_to}"
    return f", to before {step.subscription.name}, step {trace.rewound_to}"
