"""What the two tell each other first (hookbus spec 4.4, 4.5, 1.6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kernel.reach import Secret, StdioExtension
from kernel.transports.stdio.handshake import Capability, Provider, Refused, Tool, capabilities, initialize_params

ALL = frozenset({"tools.register", "providers.register", "tools.intercept"})
REACH = StdioExtension("ext", "run", plugin_dir="/p", permissions=ALL)


def reply(**offered: Any) -> bytes:
    return json.dumps({"protocol_version": 1, "capabilities": offered}).encode()


def tool(**more: Any) -> dict[str, Any]:
    return {"name": "t", "description": "d", "input_schema": {}, **more}


def provider(**more: Any) -> dict[str, Any]:
    return {"id": "p-1_x", "display_name": "P", "description": "d", "models": [{"id": "m"}], **more}


def refusal(result: bytes, reach: StdioExtension = REACH) -> str:
    with pytest.raises(Refused) as refused:
        capabilities(result, reach)
    return str(refused.value)


def test_an_extension_is_told_who_it_is_and_its_configuration() -> None:
    """Secrets in the clear: these bytes go to its stdin and nowhere else."""
    config = (("key", Secret("hunter2")), ("level", 3), ("list", [1, None]))
    reach = StdioExtension("ext", "run", plugin_dir="/p", config=config, host_version="0.11.1")
    assert json.loads(initialize_params(reach)) == {
        "synaps_version": "0.11.1",
        "extension_protocol_version": 1,
        "plugin_id": "ext",
        "plugin_root": "/p",
        "config": {"key": "hunter2", "level": 3, "list": [1, None]},
    }


@pytest.mark.parametrize(
    "result",
    [
        b'{"protocol_version":1}',
        b'{"protocol_version":1,"capabilities":{}}',
        b'{"protocol_version":1,"capabilities":[]}',
        b'{"protocol_version":1,"hooks":["before_tool_call"],"name":5,"commands":{}}',
        b'{"protocol_version":1,"capabilities":{"tools":[],"providers":[],"capabilities":[],"hooks":7}}',
    ],
)
def test_replies_that_offer_nothing(result: bytes) -> None:
    """Members that nobody knows are no offer; an empty array passes for an empty object."""
    assert not capabilities(result, StdioExtension("ext", "run"))


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (b'{"action":"continue"}', "invalid initialize response: it has no protocol_version"),
        (b"{}", "invalid initialize response: it has no protocol_version"),
        (b"null", "invalid initialize response: it is null, not an object"),
        (b"[1]", "invalid initialize response: it is an array, not an object"),
        (b'"1"', "invalid initialize response: it is text"),
        (b'{"protocol_version":"1"}', "invalid initialize response: protocol_version is text, not an unsigned integer"),
        (b'{"protocol_version":null}', "invalid initialize response: protocol_version is null"),
        (b'{"protocol_version":true}', "invalid initialize response: protocol_version is a boolean"),
        (b'{"protocol_version":1.0}', "invalid initialize response: protocol_version is the number 1.0"),
        (b'{"protocol_version":-1}', "invalid initialize response: protocol_version is the number -1"),
        (b'{"protocol_version":4294967296}', "invalid initialize response: protocol_version is the number 4294967296"),
        (b'{"protocol_version":0}', "unsupported protocol_version 0 (supported: 1)"),
        (b'{"protocol_version":2}', "unsupported protocol_version 2 (supported: 1)"),
        (b'{"protocol_version":1,"capabilities":null}', "capabilities is null, not an object"),
        (b'{"protocol_version":1,"capabilities":[[]]}', "capabilities is an array, not an object"),
        (b'{"protocol_version":1,"capabilities":"all"}', "capabilities is text, not an object"),
    ],
)
def test_replies_that_are_none(result: bytes, message: str) -> None:
    """A version of another kind is no response; another version is one that is not supported, naming both."""
    assert message in refusal(result)


def test_an_offer_is_read() -> None:
    """Tools get the name by which their host knows them."""
    offered = capabilities(
        reply(
            tools=[tool(input_schema={"type": "object"}), tool(name="ü-2")],
            providers=[provider(models=[{"id": "m/1"}, {"id": "m2", "x": 1}], config_schema={})],
            capabilities=[{"kind": "audio", "name": "mic", "permissions": ["tools.intercept"], "params": [1]}],
        ),
        REACH,
    )
    assert offered.tools == (Tool("t", "ext:t", "d", {"type": "object"}), Tool("ü-2", "ext:ü-2", "d", {}))
    assert offered.providers == (Provider("p-1_x", "P", "d", ("m/1", "m2")),)
    assert offered.others == (Capability("audio", "mic", ("tools.intercept",), [1]),)


def test_names_are_measured_in_bytes() -> None:
    """64 of them."""
    assert capabilities(reply(tools=[tool(name="x" * 64)]), REACH).tools
    assert "longer than 64 bytes" in refusal(reply(tools=[tool(name="ü" * 32 + "x")]))


@pytest.mark.parametrize(
    ("offered", "message"),
    [
        ({"tools": {}}, "capabilities.tools must be an array"),
        ({"tools": ["t"]}, "capabilities.tools[0] must be an object, not text"),
        ({"tools": [tool(name="")]}, "capabilities.tools[0].name must not be blank"),
        ({"tools": [tool(name=" ")]}, "name must not be blank"),
        ({"tools": [tool(name=5)]}, "name must be text, not the number 5"),
        ({"tools": [{"description": "d", "input_schema": {}}]}, "capabilities.tools[0].name is missing"),
        ({"tools": [tool(), tool()]}, "capabilities.tools[1].name is 't' a second time"),
        ({"tools": [tool(name="a:b")]}, "must have no ':'"),
        ({"tools": [tool(name="a b")]}, "no whitespace"),
        ({"tools": [tool(name="a\u00a0b")]}, "no whitespace"),
        ({"tools": [tool(name="a\x07b")]}, "no control characters"),
        ({"tools": [tool(name="a\x85b")]}, "must have no"),
        ({"tools": [tool(name="a\x7fb")]}, "no control characters"),
        ({"tools": [tool(description=" \n")]}, "description must not be blank"),
        ({"tools": [tool(description=None)]}, "description must be text, not null"),
        ({"tools": [tool(input_schema=[])]}, "input_schema must be an object, not an array"),
        ({"tools": [{"name": "t", "description": "d"}]}, "input_schema must be an object, not null"),
        ({"providers": [provider(id="P")]}, "must be of lower-case letters"),
        ({"providers": [provider(id="p.x")]}, "must be of lower-case letters"),
        ({"providers": [provider(id="ü")]}, "must be of lower-case letters"),
        ({"providers": [provider(), provider()]}, "is 'p-1_x' a second time"),
        ({"providers": [provider(models=[])]}, "must name at least one model"),
        ({"providers": [{key: value for key, value in provider().items() if key != "models"}]}, "at least one model"),
        ({"providers": [provider(models=[{"id": "m"}, {"id": "m"}])]}, "models[1].id is 'm' a second time"),
        ({"providers": [provider(models=[{"name": "m"}])]}, "models[0].id is missing"),
        ({"providers": [provider(config_schema=[])]}, "config_schema must be an object"),
        ({"providers": [provider(display_name="")]}, "display_name must not be blank"),
        ({"capabilities": [{"kind": " ", "name": "n"}]}, "kind must not be blank"),
        ({"capabilities": [{"kind": "k"}]}, "name is missing"),
        ({"capabilities": [{"kind": "k", "name": "n", "permissions": ["audio.input"]}]}, "'audio.input', which"),
        ({"capabilities": [{"kind": "k", "name": "n", "permissions": [1]}]}, "must hold text"),
        ({"capabilities": [{"kind": "k", "name": "n", "permissions": "x"}]}, "permissions must be an array"),
    ],
)
def test_offers_that_are_refused(offered: dict[str, Any], message: str) -> None:
    """Each with the place."""
    assert message in refusal(reply(**offered))


def test_registering_takes_a_permission() -> None:
    """Tools and providers each need their own."""
    poor = StdioExtension("ext", "run", permissions=frozenset({"tools.intercept"}))
    assert refusal(reply(tools=[tool()]), poor) == (
        "Extension 'ext' registered tools but lacks permission 'tools.register'"
    )
    assert refusal(reply(providers=[provider()]), poor) == (
        "Extension 'ext' registered providers but lacks permission 'providers.register'"
    )
