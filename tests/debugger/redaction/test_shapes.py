"""Claims about secrets in running text: what gives itself away, and what only looks as if."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.redaction.shapes import BUILT_IN, Hit, hits, merged

KEY40 = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0"


def found(text: str, *, in_bytes: bool = False) -> list[tuple[str, str]]:
    return [(hit.rule, text[hit.start : hit.end]) for hit in hits(text, BUILT_IN, in_bytes=in_bytes)]


@pytest.mark.parametrize(
    ("text", "rule", "secret"),
    [
        ("password=hunter2", "assigned", "hunter2"),
        ("PASSWORD: hunter2, and so on", "assigned", "hunter2"),
        ('{"db_password": "pa ss"}', "assigned", "pa ss"),
        ('say {\\"password\\": \\"hunter2\\"} now', "assigned", "hunter2"),
        ('DB_PASSWORD="pa\\"ss word" x', "assigned", 'pa\\"ss word'),
        ("Password=a;b&c;Server=x", "assigned", "a;b&c"),
        ("(password=p{a}ss)", "assigned", "p{a}ss"),
        ("the password is Tr0ub4dor&3.", "assigned", "Tr0ub4dor&3"),
        ("?api_key=abc123&x=1", "assigned", "abc123"),
        ("token => 'abcdef'", "assigned", "abcdef"),
        ("export CLIENT_SECRET=q9w8e7", "assigned", "q9w8e7"),
        ("run --api-key abcd -v", "assigned", "abcd"),
        ("curl -u bob:s3cret http://x", "assigned", "s3cret"),
        ("Authorization: Bearer abcdef123", "bearer", "abcdef123"),
        ("authorization: Token abcdef123", "assigned", "abcdef123"),
        ("Basic dXNlcjpwYXNz", "bearer", "dXNlcjpwYXNz"),
        ("redis://:p4ss@host:1/0", "url-password", "p4ss"),
        ("-----BEGIN EC PRIVATE KEY-----\nab\n-----END EC PRIVATE KEY-----x", "private-key", "\nab\n"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nab", "private-key", "\nab"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\\nab\\n-----END PGP", "private-key", "\\nab\\n-----END PGP"),
        (f"aws_secret_access_key {KEY40}", "aws-key", KEY40),
        ("id ASIAQYLPMN5HFIQR7XYA.", "aws-key", "ASIAQYLPMN5HFIQR7XYA"),
        ("a key that is x9K2mQ7vL4nR8tY1zW5c0", "entropy", "x9K2mQ7vL4nR8tY1zW5c0"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "jwt", "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln"),
        (
            "bot 123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
            "api-key",
            "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
        ),
    ],
)
def test_a_secret_is_found_with_its_exact_bounds(text: str, rule: str, secret: str) -> None:
    """Not a character less, and of what stands around it nothing."""
    assert (rule, secret) in found(text)
    assert len(found(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "token: expected identifier",
        "the token-counter said 5",
        "max_tokens=4096 input_tokens: 17",
        "secret: none",
        "password: <hidden>",
        "password: ********",
        "the password is wrong",
        "bearer of good news",
        "basic usage-examples",
        "https://example.com:8080/path@x",
        "sk-1 and sk-short",
        "a skeleton-key-for-everything",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "messages[0].content",
        "HB-TOKEN-RULE and PL-VETO-DENY",
        "",
    ],
)
def test_what_only_looks_like_one_is_left(text: str) -> None:
    """Sentences about secrets, counts, hashes and words that begin alike."""
    assert found(text) == []


def test_in_bytes_a_length_may_stand_right_in_front() -> None:
    """The length of a string in protobuf can be a letter."""
    assert found("zsk-ant-api03-abcdefghijklmnop") == []
    assert found("zsk-ant-api03-abcdefghijklmnop", in_bytes=True) == [("api-key", "sk-ant-api03-abcdefghijklmnop")]


def test_what_overlaps_is_one() -> None:
    """Under the name of the one that begins first; nothing of either is left over."""
    assert merged([Hit(3, 9, "b"), Hit(0, 5, "a"), Hit(0, 2, "c"), Hit(9, 10, "d")]) == [
        Hit(0, 9, "a"),
        Hit(9, 10, "d"),
    ]


@given(st.text(alphabet="keysprdtoken=:\"'\\ \n-.AZ09/@", max_size=200))
def test_any_text_is_looked_through(text: str) -> None:
    """Hits are in order, in bounds and apart."""
    ends = [0]
    for hit in hits(text, BUILT_IN):
        assert ends[-1] <= hit.start < hit.end <= len(text)
        ends.append(hit.end)


EXAMPLES = {
    "api-key": [
        "sk-proj-Q1w2E3r4T5y6U7i8", "gsk_9f8e7d6c5b4a39f8e7d6c5b4", "xai-9f8e7d6c5b4a39f8e7d6c5b4",
        "pplx-9f8e7d6c5b4a39f8e7d6c5b4", "tvly-9f8e7d6c5b4a39f8", "nvapi-9f8e7d6c5b4a39f8e7d6c5b4",
        "hf_QwErTyUiOpAsDfGhJkLz", "r8_QwErTyUiOpAsDfGhJkLz", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "ya29.a0AfB_byC1234567890abcd", "GOCSPX-abcdefghij0123456789", "ghp_R4nd0mR4nd0mR4nd0mR4",
        "ghs_R4nd0mR4nd0mR4nd0mR4", "github_pat_11ABCDEFG0aBcDeFgHiJ", "glpat-x9Yz8Wv7Ut6Sr5Qp4On3",
        "gldt-x9Yz8Wv7Ut6Sr5Qp4On3", "xoxb-123456789012-abc", "xapp-1-A012345-987", "sk_live_4eC39HqLyjWDarj",
        "rk_test_4eC39HqLyjWDarj", "whsec_4eC39HqLyjWDarjt", "SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8",
        "npm_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6", "pypi-AgEIcHlwaS5vcmcCJDExMTExMTExLTExMTEtMTExMS0xMTEx",
        "rubygems_0123456789abcdef0123456789abcdef", "dop_v1_0123456789abcdef0123456789abcdef",
        "shpat_0123456789abcdef0123456789abcdef", "sq0atp-9f8e7d6c5b4a39f8e7d6c5", "lin_api_QwErTyUiOpAsDfGhJkLz",
        "ATATT3xFfGF0QwErTyUiOpAsDfGhJkLz", "dckr_pat_AbCdEfGhIjKlMnOpQrStUvWx", "hvs.CAESIJ1a2b3c4d5e6f7g8h",
        "sntrys_eyJpYXQiOjE2OTQQwErTyU", "figd_QwErTyUiOpAsDfGhJkLz", "PMAK-0123456789abcdef01234567",
        "glsa_QwErTyUiOpAsDfGhJkLz", "dapi0123456789abcdef0123456789abcdef",
        "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ", "key-0123456789abcdef0123456789abcdef",
        "SK0123456789abcdef0123456789abcdef", "AC0123456789abcdef0123456789abcdef",
        "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
        "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
        "https://hooks.slack.com/services/T0001/B0001/abcdefghijklmnop", "AccountKey=Zm9vYmFyYmF6cXV4MTIzNDU2",
        "https://discord.com/api/webhooks/1234/abcdefghijklmnopqrstu", "https://x/y?sv=1&sig=abcdefghijklmnop0123",
    ],
    "jwt": ["eyJhbGciOiJI.eyJzdWIiOiIx.c2ln"],
    "aws-key": ["AKIAQYLPMN5HFIQR7XYA", "ABIAQYLPMN5HFIQR7XYA", "A3TXQYLPMN5HFIQR7XYA", f"aws_secret_key={KEY40}"],
    "private-key": ["-----BEGIN PRIVATE KEY-----x", "PuTTY-User-Key-File-2: ssh-rsa"],
    "url-password": ["ftp://u:pp@h"],
}  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in EXAMPLES.items() for text in texts])
def test_every_vendor_is_known(rule: str, text: str) -> None:
    """By the rule that is meant, alone and inside of a sentence."""
    assert rule in {name for name, _ in found(text)}
    assert rule in {name for name, _ in found(f"see ({text})")}


def test_every_shape_has_an_example() -> None:
    """One that never finds anything would look the same as one that works."""
    texts = [text for examples in EXAMPLES.values() for text in examples]
    for rule in BUILT_IN:
        if rule.name in EXAMPLES:
            for each in rule.shapes:
                assert any(each.pattern.search(text) for text in texts), each.pattern.pattern
