"""Lets no request out that is larger than the budget allows."""

from __future__ import annotations

from kernel.dialects.rig import Call, ConfigError, Context, Denial, new_denial

MOST_TOKENS = 8192


def check(context: Context, call: Call) -> Denial | ConfigError | None:
    """Look at what the request may cost at most."""
    request = call.inference.request if call.inference is not None else None
    sampling = request.model.sampling if request is not None else None
    wanted = sampling.max_tokens if sampling is not None else None
    if wanted is not None and wanted > MOST_TOKENS:
        return new_denial("budget.tokens", f"{wanted} tokens are more than {MOST_TOKENS}")
    return None
