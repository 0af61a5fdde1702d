"""What a plugin may know of our environment: little. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kernel.reach import GoPlugin, Secret

INHERITED: Final = ("PATH", "HOME", "TMPDIR")
"""The only variables of ours that a plugin gets, where they are set."""
MIN_PORT: Final = 10000
MAX_PORT: Final = 25000


def plugin_environment(reach: GoPlugin, ours: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a plugin; what the handshake needs wins over what was configured."""
    name, value = reach.cookie
    return {
        **{variable: ours[variable] for variable in INHERITED if variable in ours},
        **{variable: given.reveal() if isinstance(given, Secret) else given for variable, given in reach.env},
        name: value,
        "PLUGIN_MIN_PORT": str(MIN_PORT),
        "PLUGIN_MAX_PORT": str(MAX_PORT),
        "PLUGIN_PROTOCOL_VERSIONS": str(reach.protocol_version),
    }
