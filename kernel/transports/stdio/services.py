"""What an extension may ask of its host: a memory and its configuration (spec 4.9). Touches no pipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import msgspec

from kernel.reach import Secret, StdioExtension
from kernel.transports.stdio.messages import NO_METHOD, NO_PARAMS, NO_STORE, Request
from kernel.values import JSON

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of what is kept for one extension: a run is looked at, not lived in."""
KEY_SIGNS: Final = ("/", ".", " ")


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that an extension wanted to be remembered."""

    timestamp_ms: int
    content: str
    tags: tuple[str, ...]
    meta: JSON


@dataclass(slots=True)
class Store:
    """What is kept for one extension as long as the run lasts, however often its process is started."""

    records: list[Record] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    """What it has set by itself."""
    size: int = 0
    """Bytes, roughly."""

    def make_room(self, size: int) -> None:
        """Raises Refusal when there is none."""
        if self.size + size > MOST_BYTES:
            raise Refusal(NO_STORE, f"the store of this run is full: it holds {MOST_BYTES} bytes")
        self.size += size


Wall: TypeAlias = Callable[[], int]
"""Milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Services:
    """The host as one extension sees it."""

    reach: StdioExtension
    store: Store
    wall_ms: Wall

    def answer(self, request: Request) -> JSON:
        """Serve one request; raises Refusal."""
        match request.method:
            case "memory.append":
                return self._append(self._params(request, "memory.write"))
            case "memory.query":
                return self._query(self._params(request, "memory.read"))
            case "config.get":
                return {"value": self._setting(_text(self._params(request), "key"))}
            case "config.set":
                return self._set(self._params(request, "config.write"))
            case "config.subscribe":
                self._check_permission("config.subscribe")
                return {"ok": True}
            case _:
                raise Refusal(NO_METHOD, f"Method not found: {request.method}")

    def _params(self, request: Request, permission: str | None = None) -> Mapping[str, JSON]:
        if permission is not None:
            self._check_permission(permission)
        if not isinstance(request.params, dict):
            raise Refusal(NO_PARAMS, "params must be an object")
        return request.params

    def _check_permission(self, permission: str) -> None:
        if permission not in self.reach.permissions:
            raise Refusal(NO_PARAMS, f"Extension '{self.reach.id}' lacks permission '{permission}'")

    def _append(self, params: Mapping[str, JSON]) -> JSON:
        self._check_namespace(params)
        content, meta = _text(params, "content"), params.get("meta")
        record = Record(self.wall_ms(), content, _tags(params), meta)
        self.store.make_room(len(content.encode()) + sum(len(tag) for tag in record.tags) + len(_json(meta)))
        self.store.records.append(record)
        return {"ok": True, "timestamp_ms": record.timestamp_ms}

    def _query(self, params: Mapping[str, JSON]) -> JSON:
        self._check_namespace(params)
        contains, prefix = _text_or_none(params, "content_contains"), _text_or_none(params, "tag_prefix")
        since, until = _count_or_none(params, "since_ms"), _count_or_none(params, "until_ms")
        limit = _count_or_none(params, "limit")
        found: list[JSON] = [
            {
                "namespace": self.reach.id,
                "timestamp_ms": record.timestamp_ms,
                "content": record.content,
                "tags": list(record.tags),
                "meta": record.meta,
            }
            for record in self.store.records
            if (contains is None or contains in record.content)
            and (prefix is None or any(tag.startswith(prefix) for tag in record.tags))
            and (since is None or record.timestamp_ms >= since)
            and (until is None or record.timestamp_ms <= until)
        ]
        return {"records": found if limit is None else found[:limit]}

    def _check_namespace(self, params: Mapping[str, JSON]) -> None:
        namespace = _text(params, "namespace")
        if namespace != self.reach.id:
            raise Refusal(NO_PARAMS, f"namespace {namespace!r} is not that of the extension '{self.reach.id}'")

    def _setting(self, key: str) -> str | None:
        _check_key(key)
        if key in self.store.settings:
            return self.store.settings[key]
        value = dict(self.reach.config).get(key)
        match value:
            case Secret():
                return value.reveal()
            case str() | None:
                return value
            case _:
                return _json(value).decode()

    def _set(self, params: Mapping[str, JSON]) -> JSON:
        key, value = _text(params, "key"), _text(params, "value")
        _check_key(key)
        self.store.make_room(len(key.encode()) + len(value.encode()))
        self.store.settings[key] = value
        return {"ok": True}


def _check_key(key: str) -> None:
    if not key.strip() or any(sign in key for sign in KEY_SIGNS):
        raise Refusal(NO_PARAMS, f"invalid config key {key!r}")


def _text(params: Mapping[str, JSON], key: str) -> str:
    value = params.get(key)
    if not isinstance(value, str):
        raise Refusal(NO_PARAMS, f"missing or invalid param '{key}': it must be text")
    return value


def _text_or_none(params: Mapping[str, JSON], key: str) -> str | None:
    return None if params.get(key) is None else _text(params, key)


def _count_or_none(params: Mapping[str, JSON], key: str) -> int | None:
    value = params.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Refusal(NO_PARAMS, f"invalid param '{key}': it must be an unsigned integer")
    return value


def _tags(params: Mapping[str, JSON]) -> tuple[str, ...]:
    value = params.get("tags")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise Refusal(NO_PARAMS, "invalid param 'tags': it must be an array of text")
    return tuple(str(tag) for tag in value)


def _json(value: JSON) -> bytes:
    return msgspec.json.encode(value)
