"""Runnable examples, one folder a story. `FIRST_CHAIN` is what hookscope opens when it is told nothing else."""

from pathlib import Path

FIRST_CHAIN = Path(__file__).parent / "first_chain" / "agent.hcl"
