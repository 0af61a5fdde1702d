"""Claims about covers: whatever is shown has no secret in it, and everything else is as it was."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.covering.covering import Covering

TOKEN = "TOKSECRET123456"
COVER = "<hidden*******>"


def test_a_secret_is_covered_wherever_it_stands() -> None:
    """In a sentence, twice, and inside of a longer word."""
    covering = Covering([TOKEN])
    assert covering.text(f"unknown action 'explode {TOKEN}'") == f"unknown action 'explode {COVER}'"
    assert covering.text(f"{TOKEN},x{TOKEN}x") == f"{COVER},x{COVER}x"
    untouched = "nothing to see"
    assert covering.text(untouched) is untouched


def test_covers_have_the_length_of_what_they_cover() -> None:
    """In bytes, so that lengths that were told stay true; different secrets have different covers."""
    secrets = ["TOKSECRET123456", "TOKSECRET654321", "schlüssel-42", "abcd", "wxyz"]
    covering = Covering(secrets)
    covers = [covering.text(secret) for secret in secrets]
    assert [len(each.encode()) for each in covers] == [len(each.encode()) for each in secrets]
    assert len(set(covers)) == len(secrets)
    assert not set(covers) & set(secrets)


@pytest.mark.parametrize(
    "written",
    [
        TOKEN,
        base64.b64encode(TOKEN.encode()).decode(),
        TOKEN.encode().hex(),
        TOKEN.encode().hex().upper(),
    ],
)
def test_a_secret_in_another_coding_is_covered_in_it(written: str) -> None:
    """Of the same length, and no other coding gives it away."""
    found = Covering([TOKEN]).text(f"<{written}>")
    assert written not in found
    assert len(found) == len(written) + 2


@pytest.mark.parametrize("secret", ['a "quoted" one', "back\\slash and more", "it's\nin two lines", "grün & blau/+ 7"])
def test_a_secret_with_something_to_quote_is_found_as_it_is_quoted(secret: str) -> None:
    """By JSON, by JSON inside of JSON, and by Python; what is quoted has the cover of what it stands for."""
    covering = Covering([secret])
    cover = covering.text(secret)
    for written in (json.dumps(secret), json.dumps(secret, ensure_ascii=False), repr(secret)):
        assert covering.text(written).strip("'\"") == cover
    body = json.dumps({"text": json.dumps({"in": secret}), "plain": secret}).encode()
    assert json.loads(covering.body(body)) == {"text": json.dumps({"in": cover}), "plain": cover}


def test_what_is_left_of_a_secret_where_a_text_was_cut_is_covered() -> None:
    """Where it says that it was cut, and at its end; a cut that follows a cover is what the cut cover would be."""
    covering = Covering([TOKEN])
    assert covering.text(f"unknown action '{TOKEN[:9]}…; skipped") == f"unknown action '{COVER[:9]}…; skipped"
    assert covering.text(f"{TOKEN[:5]}...") == f"{COVER[:5]}..."
    assert covering.text(f"a line of {TOKEN[:12]}") == f"a line of {COVER[:12]}"
    assert covering.text("a line of TOKS") == "a line of TOKS", "so little stands there by chance"


@pytest.mark.parametrize("secret", ["plainpassword1234567890", "pässwörd-12345678", 's3"cr\\et-välue9'])
@pytest.mark.parametrize("size", [6, 8, 10, 12])
def test_what_is_left_of_a_printed_line_is_covered(secret: str, size: int) -> None:
    """Also where it was cut in the middle of a character."""
    left = secret.encode()[:size].decode("utf-8", "backslashreplace")
    covered = Covering([secret]).text(f"xx{left} [9 more bytes cut]")
    assert secret[:4] not in covered
    assert covered.startswith("xx<hid")
    assert covered.endswith(" [9 more bytes cut]")


@pytest.mark.parametrize("secret", ["pässwörd-12345678", 's3"cr\\et-välue9', "plain-enough"])
@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("inner", [True, False])
def test_json_inside_of_json_is_covered(secret: str, outer: bool, inner: bool) -> None:
    """However either of them writes what is not ASCII."""
    text = json.dumps({"b": json.dumps({"a": secret}, ensure_ascii=inner)}, ensure_ascii=outer)
    covered = json.loads(json.loads(Covering([secret]).text(text))["b"])["a"]
    assert covered.startswith("<hidden")
    assert secret[-6:] not in covered


def test_a_line_of_a_secret_is_covered_by_itself() -> None:
    """As where a key is printed line by line; whole, it has one cover."""
    covering = Covering(["-----BEGIN KEY-----\nMIIEvQIBADANBg\nend\n"])
    assert covering.text("MIIEvQIBADANBg, end") == "<hidden3*****>, end"
    assert covering.text("-----BEGIN KEY-----\nMIIEvQIBADANBg\nend\n") == f"<hidden{'*' * 31}>"


def test_one_secret_inside_of_another_does_not_spoil_it() -> None:
    """The longer one counts; where two overlap, nothing of either is left."""
    covering = Covering(["secret", "the-secret-key", "keyring-99"])
    assert covering.text("the-secret-key") == covering.text("the-secret-key").replace("secret", "")
    found = covering.text("the-secret-keyring-99")
    assert len(found) == len("the-secret-keyring-99")
    assert "ring" not in found
    assert "secret" not in found


def test_words_of_the_protocol_and_short_values_are_no_secrets() -> None:
    """A configuration may well have `block` as a value."""
    covering = Covering(["block", "abc", ""], ["block"])
    assert not covering
    assert covering.text("block abc") == "block abc"
    assert covering.body(b'{"action":"block"}') == b'{"action":"block"}'


def test_json_stays_json_byte_for_byte_elsewhere() -> None:
    """Odd numbers, spaces, repeated keys and escapes are kept; keys, numbers and unusual escapes are looked into."""
    covering = Covering([TOKEN, "80801"])
    body = b'{ "a": 1e400, "a": 1.0, "b\\/": "\\u0054OKSECRET123456", "TOKSECRET123456": [80801, 180801, "\\u00e9"] }'
    assert (
        covering.body(body)
        == b'{ "a": 1e400, "a": 1.0, "b\\/": "<hidden*******>", "<hidden*******>": ["****2", 180801, "\\u00e9"] }'
    )


def test_half_a_character_beside_a_secret_is_kept() -> None:
    """JSON can have it, escaped; so can what is made of it."""
    body = Covering([TOKEN]).body(b'{"a": "\\ud800 TOKSECRET123456"}')
    assert body == b'{"a": "\\ud800 <hidden*******>"}'


def test_what_nobody_can_read_is_covered_by_its_bytes() -> None:
    """JSON that is broken, too deep, or not UTF-8."""
    covering = Covering([TOKEN])
    for around in (b'{"a": %b', b"\xff{%b", b"[" * 100_000 + b'"%b"' + b"]" * 100_000):
        assert covering.body(around.replace(b"%b", TOKEN.encode())) == around.replace(b"%b", COVER.encode())


def test_bytes_that_are_no_json_keep_their_length() -> None:
    """So a message in protobuf stays one."""
    covering = Covering(["grün-und-blau"])
    body = b"\x0a\x10" + "grün-und-blau".encode() + b"\x00\xff"
    found = covering.body(body)
    assert len(found) == len(body)
    assert b"blau" not in found
    assert (found[:2], found[-2:]) == (body[:2], body[-2:])


def test_text_that_is_base64_of_something_with_a_secret_is_covered() -> None:
    """As in a header for basic authorization."""
    covering = Covering([TOKEN])
    said = base64.b64encode(f"someone:{TOKEN}".encode()).decode()
    found = covering.json({"authorization": said})
    assert isinstance(found, dict)
    assert base64.b64decode(str(found["authorization"])) == f"someone:{COVER}".encode()


def test_what_is_made_of_something_covered_gets_its_secrets_back() -> None:
    """In JSON with its quoting, and in other bytes; covers that are too short to be told from stars stay."""
    covering = Covering([TOKEN, 'q"uoted-secret', "abcd"])
    body = json.dumps({"a": f"x {TOKEN}", 'q"uoted-secret': ["abcd"]}).encode()
    covered = covering.body(body)
    again = json.loads(covering.uncovered_body(covered))
    assert again == {"a": f"x {TOKEN}", 'q"uoted-secret': [covering.text("abcd")]}
    assert covering.uncovered(json.loads(covered)) == again
    raw = b"\x0a\x0f" + TOKEN.encode()
    assert covering.uncovered_body(covering.body(raw)) == raw


@given(st.text(min_size=4, max_size=30), st.text(max_size=20), st.text(max_size=20))
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    """Whatever it is and wherever it stands: not in the text, not in what JSON makes of it."""
    covering = Covering([secret])
    found = covering.text(before + secret + after)
    assert secret not in found or set(secret) <= set("<hidden>*1")
    body = covering.body(json.dumps({"in": before + secret + after, "k": [secret]}).encode())
    assert len(json.loads(body)["k"][0].encode()) == len(secret.encode(errors="surrogatepass"))
    assert len(json.loads(body)["in"].encode()) == len((before + secret + after).encode(errors="surrogatepass"))
