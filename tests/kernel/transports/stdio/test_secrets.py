"""What was told in confidence stays out of what is told to everybody."""

from __future__ import annotations

from kernel.reach import Secret, StdioExtension
from kernel.transports.stdio.secrets import hiding


def test_secrets_are_hidden_wherever_they_stand() -> None:
    """Also one that is part of another; what is no secret stays."""
    config = (("a", Secret("hunter2")), ("b", Secret("hunter2-long")), ("c", "plain"), ("d", Secret("abc")))
    hide = hiding(StdioExtension("ext", "run", config=config))
    assert hide("hunter2 and hunter2-long!hunter2") == "<hidden> and <hidden>!<hidden>"
    assert hide("plain, abc") == "plain, abc", "three characters are part of too many words"
    assert hiding(StdioExtension("ext", "run"))("anything") == "anything"
