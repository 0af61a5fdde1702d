"""Many rows with one statement."""

from __future__ import annotations

import sqlite3

from debugger.store import schema
from debugger.store.rows import MOST_BYTES, Rows


def made() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    schema.create(connection)
    return connection


def test_rows_arrive_in_order_and_once() -> None:
    """However many statements they take; what is there already is left alone where the table says so."""
    connection, rows, said = made(), Rows(), list[str]()
    for number in range(1, 1001):
        rows.add("events", (number, f"d{number}", 0, number, b"body"))
        rows.add("uses", ("d", f"p{number % 10}"))
    connection.set_trace_callback(said.append)
    rows.write(connection)
    rows.write(connection)
    found = connection.execute("SELECT id, scope, at_ns FROM events ORDER BY id").fetchall()
    assert found == [(number, f"d{number}", number) for number in range(1, 1001)]
    assert connection.execute("SELECT count(*) FROM uses").fetchone() == (10,)
    assert sum(each.startswith("INSERT") for each in said) < 20


def test_large_values_are_not_put_together() -> None:
    """A statement holds a copy of its values."""
    connection, rows, said = made(), Rows(), list[str]()
    for number in range(5):
        rows.add("payloads", (f"p{number}", "x", "y", b"z" * (MOST_BYTES // 2)))
    connection.set_trace_callback(lambda sql: said.append(sql[:6]))
    rows.write(connection)
    assert connection.execute("SELECT count(*) FROM payloads").fetchone() == (5,)
    assert said.count("INSERT") == 3
