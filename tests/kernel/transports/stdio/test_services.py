"""What an extension may ask of its host (hookbus spec 4.9)."""

from __future__ import annotations

import itertools

import pytest

from kernel.reach import Secret, StdioExtension
from kernel.transports.stdio.messages import Request
from kernel.transports.stdio.services import MOST_BYTES, Refusal, Services, Store
from kernel.values import JSON

ALL = frozenset({"memory.read", "memory.write", "config.write", "config.subscribe"})


def services(*permissions: str, store: Store | None = None) -> Services:
    times = itertools.count(1000, 10)
    config = (("token", Secret("hunter2")), ("level", "high"), ("on", True), ("none", None))
    reach = StdioExtension("ext", "run", permissions=frozenset(permissions) or ALL, config=config)
    return Services(reach, Store() if store is None else store, lambda: next(times))


def code_of(host: Services, method: str, params: JSON) -> int:
    with pytest.raises(Refusal) as refused:
        host.answer(Request(7, method, params))
    assert refused.value.message
    return refused.value.code


def ask(host: Services, method: str, params: JSON = None) -> JSON:
    return host.answer(Request(7, method, params))


def append(host: Services, content: str, **more: JSON) -> JSON:
    return ask(host, "memory.append", {"namespace": "ext", "content": content, **more})


def query(host: Services, **more: JSON) -> list[JSON]:
    answer = ask(host, "memory.query", {"namespace": "ext", **more})
    assert isinstance(answer, dict)
    records = answer["records"]
    assert isinstance(records, list)
    return [record["content"] for record in records if isinstance(record, dict)]


def test_what_is_appended_is_found() -> None:
    """With its time, by content, tag, time and number."""
    host = services()
    assert append(host, "one", tags=["a/x"], meta={"k": 1}) == {"ok": True, "timestamp_ms": 1000}
    assert append(host, "two", tags=["b", "a/y"]) == {"ok": True, "timestamp_ms": 1010}
    append(host, "three")
    assert ask(host, "memory.query", {"namespace": "ext", "limit": 1}) == {
        "records": [{"namespace": "ext", "timestamp_ms": 1000, "content": "one", "tags": ["a/x"], "meta": {"k": 1}}]
    }
    assert query(host) == ["one", "two", "three"]
    assert query(host, content_contains="t") == ["two", "three"]
    assert query(host, tag_prefix="a/") == ["one", "two"]
    assert query(host, since_ms=1010) == ["two", "three"]
    assert query(host, until_ms=1010) == ["one", "two"]
    assert query(host, since_ms=1010, until_ms=1010, tag_prefix=None) == ["two"]
    assert query(host, limit=0) == []


def test_memory_outlives_the_services_of_one_process() -> None:
    """It is the store that lasts."""
    store = Store()
    append(services(store=store), "kept")
    assert query(services(store=store)) == ["kept"]


def test_settings() -> None:
    """What it has set counts before what it was configured with; text stays text."""
    host = services()
    assert ask(host, "config.get", {"key": "token"}) == {"value": "hunter2"}
    assert ask(host, "config.get", {"key": "level"}) == {"value": "high"}
    assert ask(host, "config.get", {"key": "on"}) == {"value": "true"}
    assert ask(host, "config.get", {"key": "none"}) == {"value": None}
    assert ask(host, "config.get", {"key": "missing"}) == {"value": None}
    assert ask(host, "config.set", {"key": "level", "value": "low"}) == {"ok": True}
    assert ask(host, "config.get", {"key": "level"}) == {"value": "low"}
    assert ask(host, "config.subscribe") == {"ok": True}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("memory.append", {"namespace": "other", "content": "x"}, -32602),
        ("memory.append", {"content": "x"}, -32602),
        ("memory.append", {"namespace": "ext"}, -32602),
        ("memory.append", {"namespace": "ext", "content": 5}, -32602),
        ("memory.append", {"namespace": "ext", "content": "x", "tags": "t"}, -32602),
        ("memory.append", {"namespace": "ext", "content": "x", "tags": [1]}, -32602),
        ("memory.append", None, -32602),
        ("memory.append", ["ext", "x"], -32602),
        ("memory.query", {"namespace": "other"}, -32602),
        ("memory.query", {}, -32602),
        ("memory.query", {"namespace": "ext", "limit": -1}, -32602),
        ("memory.query", {"namespace": "ext", "limit": 1.5}, -32602),
        ("memory.query", {"namespace": "ext", "since_ms": True}, -32602),
        ("memory.query", {"namespace": "ext", "tag_prefix": 1}, -32602),
        ("config.get", {}, -32602),
        ("config.get", {"key": "a.b"}, -32602),
        ("config.get", {"key": "a/b"}, -32602),
        ("config.get", {"key": "a b"}, -32602),
        ("config.get", {"key": ""}, -32602),
        ("config.set", {"key": "k", "value": 5}, -32602),
        ("config.set", {"key": "k"}, -32602),
        ("config.set", {"key": "a.b", "value": "x"}, -32602),
        ("memory.append", {"namespace": "ext", "content": "x" * (MOST_BYTES + 1)}, -32000),
        ("config.set", {"key": "k", "value": "x" * (MOST_BYTES + 1)}, -32000),
        ("tool.invoke", {}, -32601),
        ("", {}, -32601),
        ("hook.handle", {}, -32601),
    ],
)
def test_refusals(method: str, params: JSON, code: int) -> None:
    """By their code."""
    assert code_of(services(), method, params) == code


@pytest.mark.parametrize(
    ("method", "params", "permission"),
    [
        ("memory.append", {"namespace": "ext", "content": "x"}, "memory.write"),
        ("memory.query", {"namespace": "ext"}, "memory.read"),
        ("config.set", {"key": "k", "value": "v"}, "config.write"),
        ("config.subscribe", None, "config.subscribe"),
    ],
)
def test_each_service_takes_its_own_permission(method: str, params: JSON, permission: str) -> None:
    """No other will do."""
    assert code_of(services(*(ALL - {permission})), method, params) == -32602
    ask(services(permission), method, params)
