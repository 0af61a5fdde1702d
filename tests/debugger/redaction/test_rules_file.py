"""Claims about rules files: what they add, what they allow, and how a mistake is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from debugger.redaction import Redactor
from debugger.redaction.file import KEY, parse, read
from debugger.redaction.rules import NAMES, Rules
from kernel.errors import BadInput
from kernel.values import JSON


def rules(text: str, **environment: str) -> Rules:
    return parse(text.encode(), "rules.yaml", environment)


def hidden(text: str, value: JSON, **environment: str) -> JSON:
    return Redactor(rules(text, **environment)).json(value, "payload")


def test_everything_that_a_file_can_say() -> None:
    """Keys, values, variables, places, patterns, and what is allowed."""
    text = """
    keys: [ssn, x-*]
    values: [codename]
    environment: [SECRET_NAME]
    places: ["a[*].b", /c/d]
    patterns: {ticket: 'ACME-[0-9]+'}
    allow:
      values: [hunter2]
      keys: ["*public_token"]
      places: ["open.**"]
      rules: [entropy]
    """
    value: JSON = {
        "ssn": "123-45", "x-id": "77", "t": "codename, and ACME-7", "v": "of-variable", "a": [{"b": "at", "z": "no"}],
        "c": {"d": {"deep": "below"}}, "password": "hunter2", "my_public_token": "pub", "open": {"password": "fine"},
    }  # fmt: skip
    assert hidden(text, value, SECRET_NAME="of-variable") == {
        "ssn": "[redacted:key#1]", "x-id": "[redacted:key#2]", "t": "[redacted:value#1], and [redacted:ticket#1]",
        "v": "[redacted:value#2]", "a": [{"b": "[redacted:place#1]", "z": "no"}],
        "c": {"d": {"deep": "[redacted:place#2]"}}, "password": "hunter2", "my_public_token": "pub",
        "open": {"password": "fine"},
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "# nothing\n", "keys:\n", "allow: {}"])
def test_an_empty_file_leaves_the_built_in_rules(text: str) -> None:
    """Nothing is added, and nothing is lost."""
    assert hidden(text, {"password": "hunter2"}) == {"password": "[redacted:password#1]"}


@pytest.mark.parametrize("name", NAMES)
def test_each_built_in_rule_can_be_left_out(name: str) -> None:
    """By its name."""
    found = rules(f"allow: {{rules: [{name}]}}")
    assert name not in {rule.name for rule in (*found.text, *found.keys)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kyes: [a]", r"rules.yaml:1:1: a rules file has no key 'kyes'; did you mean 'keys'"),
        ("allow: {rule: [jwt]}", r"1:9: allow has no key 'rule'"),
        ("allow: {rules: [jtw]}", r"no rule 'jtw'; did you mean 'jwt'"),
        ("keys: [1]", r"1:8: keys: a list of texts"),
        ("keys: {a: b}", r"a list of texts"),
        ("keys: ['*']", r"'\*' would be every key"),
        ("values: [abc]", r"fewer than 4 characters"),
        ("environment: [NOT_SET]", r"the variable 'NOT_SET' is not set"),
        ("environment: [SHORT]", r"the value of 'SHORT' has fewer"),
        ("places: ['a[']", r"1:10: 'a\['"),
        ("patterns: [a]", r"a mapping from a name"),
        ("patterns: {Bad Name: x}", r"'Bad Name' is no name"),
        ("patterns: {jwt: x}", r"there is a built-in rule 'jwt' already"),
        ("patterns: {x: '('}", r"not a regular expression"),
        ("patterns: {x: 'a*'}", r"matches nothing at all"),
        ("patterns: {x: '(a+)+b'}", r"take for ever"),
        ("[a]", r"a rules file is a mapping"),
        ("a: !!python/object:os.system x", r"has no key 'a'|tags"),
        ("keys: [a", r"not YAML"),
        ("a: 1\n---\nb: 1", r"one document"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, message: str) -> None:
    """File, line and column, and the nearest word."""
    with pytest.raises(BadInput, match=message):
        rules(text, SHORT="ab")


def test_a_file_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    """In a sentence."""
    with pytest.raises(BadInput, match=r"no.yaml cannot be read: No such file"):
        read(tmp_path / "no.yaml")
    (tmp_path / "rules.yaml").write_text("values: [codename]")
    assert read(tmp_path / "rules.yaml").values == {"codename": "value"}


DOCS = Path(__file__).parents[3] / "docs" / "redaction.md"


def test_the_example_in_the_documentation_can_be_used() -> None:
    """As it stands there."""
    [example] = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(), re.S)
    found = rules(example, DEPLOY_SECRET="value-of-it")
    assert found.values == {"project-nightjar": "value", "value-of-it": "value"}
    assert len(found.places) == 3


def test_the_documentation_names_every_rule() -> None:
    """In its table."""
    named = set(re.findall(r"`([a-z-]+)`", " ".join(re.findall(r"(?m)^\| (`.*?) \|", DOCS.read_text()))))
    assert named >= {*NAMES, KEY}
