"""Claims about names under which secrets are kept."""

from __future__ import annotations

import pytest

from debugger.covering.keys import BUILT_IN, Names, normal

NAMES = Names(BUILT_IN)


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("dbPassword", "db_password"),
        ("DB-PASSWORD", "db_password"),
        ("X-Auth-Token", "x_auth_token"),
        ("APIKey", "api_key"),
        ("client.secret", "client_secret"),
        ("  token ", "token"),
        ("OAuth2Token", "o_auth2_token"),
    ],
)
def test_names_are_compared_in_one_notation(key: str, written: str) -> None:
    """Camel case, dashes and dots are one."""
    assert normal(key) == written


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("password", "password"), ("user_passwd", "password"), ("PWD", "password"), ("DB_PASS", "password"),
        ("api_key", "api-key"), ("apikey", "api-key"), ("AWS_ACCESS_KEY_ID", "api-key"),
        ("clientSecret", "secret"), ("credentials", "secret"), ("privateKey", "secret"), ("connectionString", "secret"),
        ("Authorization", "authorization"), ("Proxy-Authorization", "authorization"), ("auth", "authorization"),
        ("Set-Cookie", "cookie"), ("token", "token"), ("refreshToken", "token"), ("GITHUB_TOKEN", "token"),
    ],
)  # fmt: skip
def test_a_name_of_a_secret_is_known(key: str, rule: str) -> None:
    """By the rule whose name its placeholders carry."""
    found = NAMES.rule(key)
    assert found is not None
    assert found.name == rule


@pytest.mark.parametrize(
    "key",
    ["text", "author", "tokenizer", "token_count", "tokenUsage", "password_policy", "keyboard", "passed", "", "-"],
)
def test_other_names_are_ordinary(key: str) -> None:
    """Also those that only speak of secrets."""
    assert NAMES.rule(key) is None


def test_something_endless_is_no_name() -> None:
    """A text that came where a key should be is not compared with every glob."""
    assert NAMES.rule("password" * 100) is None
