"""Small configurations with real plugins, written into a folder of the test's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

HANGS = """
import time
from pathlib import Path
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("sleeper")

@plugin.veto("plan-ready")
def judge(payload):
    print("now it hangs", flush=True)
    Path(__file__).with_name("asked").touch()
    time.sleep(3600)
    return True

if __name__ == "__main__":
    plugin.serve()
"""
"""Takes a plan, says so with a file beside it, and never judges."""
ASKED = "asked"


def write_config(folder: Path, point: str, hooks: dict[str, tuple[str, str]], *, timeout_ms: int = 60_000) -> Path:
    """An agent.hcl with a hook for each name: its mode, and the Python text of its plugin."""
    agent, overrides = ["required_providers {"], ["dev_overrides {"]
    for name, (_, script) in hooks.items():
        program = folder / f"{name}_{folder.name}.py"  # a name that finds its processes
        program.write_text(script)
        agent.append(f'  {name} = {{\n    source  = "test/{name}"\n    version = "1.0.0"\n  }}')
        overrides.append(f"  {name} = {json.dumps([sys.executable, str(program)])}")
    agent.append("}")
    agent += [f'provider "{name}" {{}}' for name in hooks]
    for name, (mode, _) in hooks.items():
        agent.append(
            f'hook "{point}" {{\n  provider   = "{name}"\n  mode       = "{mode}"\n  timeout_ms = {timeout_ms}\n}}'
        )
    overrides.append("}")
    (folder / "agent.hcl").write_text("\n".join(agent) + "\n")
    (folder / "config.hcl").write_text("\n".join(overrides) + "\n")
    return folder / "agent.hcl"


SPEAKS = """
import sys
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("speaker")
SAID = "[bold red]loud[/] \\x1b[31mred\\x1b[2J \\x9b5m end"

@plugin.transform("pre-model-call")
def speak(payload):
    print(SAID, file=sys.stderr)
    payload.messages[0].content[0].text.text = SAID

if __name__ == "__main__":
    plugin.serve()
"""
"""Puts markup and escape sequences into the first message, and prints them too."""
SPOKEN = "[bold red]loud[/] ␛[31mred␛[2J \\x9b5m end"
"""The same as it has to be shown."""
