"""The first line of a plugin: where it listens, or why it cannot be used."""

import pytest

from kernel.transports.goplugin.handshake import MAX_HANDSHAKE, HandshakeError, parse_handshake


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("1|1|unix|/tmp/plugin123|grpc|", "unix:/tmp/plugin123"),
        ("1|1|unix|/tmp/plugin123|grpc", "unix:/tmp/plugin123"),
        ("1|1|unix|/tmp/plugin123|grpc||true", "unix:/tmp/plugin123"),
        (" 1|1|unix|/tmp/with space|grpc|\r", "unix:/tmp/with space"),
        ("1|1|tcp|127.0.0.1:10000|grpc|", "ipv4:127.0.0.1:10000"),
        ("1|1|tcp|localhost:10000|grpc|", "ipv4:127.0.0.1:10000"),
        ("1|1|tcp|[::1]:10000|grpc|", "ipv6:[::1]:10000"),
        ("1|1|unix|/s|grpc|legacy extra", "unix:/s"),
    ],
)
def test_a_good_line_says_where_to_connect(line: str, target: str) -> None:
    """Both networks, with and without the fields that newer plugins add."""
    assert parse_handshake(line, 1).target == target


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "it printed '' where the handshake line belongs"),
        ("hello", "it printed 'hello' where the handshake line belongs"),
        ("x" * 500, "it printed '" + "x" * 200 + "…' where"),
        ("\x1b[2J", r"it printed '\x1b[2J' where"),
        ("1|1|unix", "it printed '1|1|unix' where"),
        ("one|1|unix|/s|grpc|", "it printed 'one|1|unix|/s|grpc|' where"),
        ("2|1|unix|/s|grpc|", "it speaks core protocol 2"),
        ("1|2|unix|/s|grpc|", "it serves protocol version '2', and version 1 is asked"),
        ("1|1|unix|/s", "no protocol, which means net/rpc"),
        ("1|1|unix|/s|netrpc|", "names 'netrpc'; only 'grpc'"),
        ("1|1|pipe|/s|grpc|", "names the network 'pipe'"),
        ("1|1|unix||grpc|", "socket path '' is not absolute"),
        ("1|1|unix|s|grpc|", "socket path 's' is not absolute"),
        ("1|1|tcp|10.0.0.1:10000|grpc|", "'10.0.0.1:10000', which is not a loopback address"),
        ("1|1|tcp|0.0.0.0:10000|grpc|", "not a loopback address"),
        ("1|1|tcp|example.org:10000|grpc|", "not an IP address with a port"),
        ("1|1|tcp|:10000|grpc|", "not an IP address with a port"),
        ("1|1|tcp|127.0.0.1|grpc|", "not an IP address with a port"),
        ("1|1|tcp|127.0.0.1:0|grpc|", "no usable port"),
        ("1|1|tcp|127.0.0.1:99999|grpc|", "no usable port"),
        ("1|1|unix|/s|grpc|" + "A" * 100, "insists on TLS"),
        ("1|1|unix|/" + "s" * MAX_HANDSHAKE + "|grpc|", "its first line is longer than 4096 bytes"),
    ],
)
def test_a_line_that_cannot_be_used_gets_a_sentence(line: str, sentence: str) -> None:
    """Each refusal says which part of the line it is about."""
    with pytest.raises(HandshakeError) as refusal:
        parse_handshake(line, 1)
    assert sentence in str(refusal.value)


def test_the_version_asked_for_is_the_one_that_counts() -> None:
    """The version is an argument, not a constant."""
    assert parse_handshake("1|7|unix|/s|grpc|", 7).target == "unix:/s"
