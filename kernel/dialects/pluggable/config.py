"""agent.hcl from its files to a configuration that can be relied on: the first error is raised.

Reading files and building chains are two stages, as in the host: what a block may hold is said while loading, what
hooks may do together once all of them are known. `lint` runs the same two and tells everything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from kernel.dialects.pluggable.agent_hcl import overrides
from kernel.dialects.pluggable.agent_hcl.options import PARITY, Options, options_of
from kernel.dialects.pluggable.agent_hcl.overrides import Program
from kernel.dialects.pluggable.agent_hcl.reading import read_agent
from kernel.dialects.pluggable.agent_hcl.registry import chains, context_reaches
from kernel.dialects.pluggable.agent_hcl.settings import AgentConfig
from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.errors import BadInput
from kernel.hcl import Body, read
from kernel.problems import Problem, raise_first
from kernel.setup import Setup
from kernel.values import JSON


def load(path: Path, options: Options = PARITY) -> AgentConfig:
    """The configuration in an agent.hcl, or in all *.hcl files of a folder together; raises BadInput.

    Programs come from the config.hcl beside it, or else from the user's ($XDG_CONFIG_HOME/agent/config.hcl).
    """
    files = files_of(path)
    found = overrides.find(files[0].parent)
    programs = {} if found is None else programs_of(read(found), found.parent)
    return config_of([(str(file), read(file)) for file in files], programs, options)


def load_setup(path: Path, words: Mapping[str, JSON] = MappingProxyType({})) -> Setup:
    """What the registry of dialects asks for: everything up to the chains. `files` has the config.hcl as well."""
    options = options_of(words)
    config = load(path, options)
    files = tuple(map(Path, config.files))
    found = overrides.find(files[0].parent)
    every = files if found is None else (*files, found)
    missing: dict[str, BadInput] = {}
    built, others = chains(config, options, missing=missing), context_reaches(config, missing=missing)
    return Setup(path, every, PLUGGABLE, built, others, missing=MappingProxyType(missing))


def files_of(path: Path) -> list[Path]:
    """The files that make the configuration of an agent, in the order of their rank; raises BadInput."""
    try:
        if not path.exists():
            raise BadInput(f"{path} does not exist", fix="name an agent.hcl or a folder that holds one")
        if not path.is_dir():
            return [path]
        found = sorted(name for name in os.listdir(path) if name.endswith(".hcl") and not name.startswith("."))
        names = [name for name in found if not (path / name).is_dir()]
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    files = [path / name for name in names if name != overrides.FILE]
    if not files:
        raise BadInput(f"{path} holds no configuration", fix="put an agent.hcl into it, or name another folder")
    return files


def config_of(
    files: Sequence[tuple[str, Body]], programs: Mapping[str, Program], options: Options = PARITY
) -> AgentConfig:
    """The configuration that files (name and body, in order of their rank) make together; raises BadInput."""
    problems: list[Problem] = []
    reading = read_agent(files, programs, problems.append, options)
    raise_first(problems)
    return reading.config


def programs_of(body: Body, folder: Path) -> Mapping[str, Program]:
    """The programs that the config.hcl in a folder names, by the provider's local name; raises BadInput."""
    problems: list[Problem] = []
    programs = overrides.programs(body, folder.absolute(), problems.append)
    raise_first(problems)
    return programs
