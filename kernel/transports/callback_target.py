"""From the name of a callable to the callable. Runs the code of its module."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast


def loaded(target: str) -> Callable[..., object]:
    """What `module:attribute` or `file.py:attribute` names.

    Raises ValueError for other names, TypeError for what cannot be called, and whatever the module raises.
    """
    name, _, attribute = target.rpartition(":")
    if not name or not attribute:
        raise ValueError("it is neither module:attribute nor file.py:attribute")
    found: object = _module(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    for part in attribute.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError("it cannot be called")
    return cast(Callable[..., object], found)


def _module(path: Path) -> ModuleType:
    """The module in a file, read anew. Files beside it can be imported while it loads."""
    spec = importlib.util.spec_from_file_location(f"_hookscope_callback_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look there for their own module
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module
