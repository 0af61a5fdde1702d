"""What faulthandler writes, read back."""

from __future__ import annotations

import faulthandler
import tempfile
import threading
import time

import pytest

from debugger.lockwatch.stacks import dumps, has_stood_still, inside

WRITTEN = """Timeout (0:00:01)!
Thread 0x00007fed8c3c8e10 (most recent call first):
  File "/a/holds.py", line 7 in endless
  File "/k/callback_threads.py", line 99 in _work

Thread 0x0000000000000001 (most recent call first):
  File "/usr/lib/selectors.py", line 468 in select
"""


def test_each_thread_has_its_stack_outermost_first() -> None:
    """By the identity that Python gives threads."""
    [dump] = dumps(WRITTEN)
    assert dump[0x7FED8C3C8E10] == ("/k/callback_threads.py:99 in _work", "/a/holds.py:7 in endless")
    assert dump[1] == ("/usr/lib/selectors.py:468 in select",)
    assert inside(dump[0x7FED8C3C8E10], "/k/callback_threads.py") == ("/a/holds.py:7 in endless",)
    assert inside(dump[1], "/k/callback_threads.py") == dump[1]


@pytest.mark.parametrize("length", range(0, len(WRITTEN), 7))
def test_what_is_cut_short_is_read_as_far_as_it_goes(length: int) -> None:
    """The other process may look while it is being written."""
    assert len(dumps(WRITTEN + WRITTEN[:length])) in (1, 2)


def test_only_a_thread_that_did_not_move_stands_still() -> None:
    """One dump says nothing yet."""
    moved = WRITTEN.replace("line 468", "line 469")
    assert not has_stood_still(dumps(WRITTEN), 1)
    assert has_stood_still(dumps(WRITTEN + WRITTEN), 1)
    assert not has_stood_still(dumps(WRITTEN + moved), 1)
    assert has_stood_still(dumps(WRITTEN + moved), 0x7FED8C3C8E10)
    assert not has_stood_still(dumps(WRITTEN + WRITTEN), 2)


def test_a_real_dump() -> None:
    """Of this very thread, by its identity."""
    with tempfile.TemporaryFile() as file:
        faulthandler.dump_traceback_later(0.05, repeat=True, file=file)
        try:
            time.sleep(0.4)
        finally:
            faulthandler.cancel_dump_traceback_later()
        file.seek(0)
        seen = dumps(file.read().decode())
    assert len(seen) >= 2
    assert seen[-1][threading.get_ident()][-1].endswith(" in test_a_real_dump")
    assert has_stood_still(seen, threading.get_ident())
