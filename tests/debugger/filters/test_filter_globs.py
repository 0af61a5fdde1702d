"""Stars."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from debugger.filters.globs import glob


@given(st.text(alphabet="ab*", max_size=8), st.text(alphabet="ab", max_size=10))
def test_a_star_is_any_text(pattern: str, text: str) -> None:
    """As the regular expression says that it stands for, for the whole and for a part."""
    expression = re.compile(".*".join(map(re.escape, pattern.split("*"))))
    assert glob(pattern).fits(text) is (expression.fullmatch(text) is not None)
    assert glob(pattern).is_in(text) is (expression.search(text) is not None)
