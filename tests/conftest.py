"""Makes the shared helpers in this folder importable from every test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
