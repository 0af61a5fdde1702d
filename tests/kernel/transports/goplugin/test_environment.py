"""What a plugin may know of our environment."""

import dataclasses

from kernel.reach import GoPlugin, Secret
from kernel.transports.goplugin.environment import plugin_environment

REACH = GoPlugin(("plugin",), "/a.B/C", ("COOKIE", "value"), env=(("TOKEN", Secret("secret")), ("HOME", "/elsewhere")))
HANDSHAKE = {
    "COOKIE": "value",
    "PLUGIN_MIN_PORT": "10000",
    "PLUGIN_MAX_PORT": "25000",
    "PLUGIN_PROTOCOL_VERSIONS": "1",
}


def test_only_listed_variables_of_ours_are_passed_on() -> None:
    """Everything else of our environment stays with us, and what is not set stays unset."""
    ours = {"PATH": "/bin", "HOME": "/home/me", "LANG": "C", "AWS_SECRET_ACCESS_KEY": "x", "PYTHONPATH": "/x"}
    assert plugin_environment(REACH, ours) == {"PATH": "/bin", "HOME": "/elsewhere", "TOKEN": "secret", **HANDSHAKE}


def test_a_temporary_folder_is_passed_on_where_it_is_set() -> None:
    """TMPDIR says where a plugin puts its socket."""
    assert plugin_environment(REACH, {"TMPDIR": "/var/tmp"})["TMPDIR"] == "/var/tmp"


def test_the_handshake_wins_over_what_is_configured() -> None:
    """A configured variable cannot break the handshake."""
    reach = dataclasses.replace(REACH, env=(("COOKIE", "other"), ("PLUGIN_PROTOCOL_VERSIONS", "9")), protocol_version=3)
    assert plugin_environment(reach, {}) == {**HANDSHAKE, "PLUGIN_PROTOCOL_VERSIONS": "3"}
