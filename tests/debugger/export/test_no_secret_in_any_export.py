"""Fifty secrets, planted wherever a recording can hold one, and looked for in every export in every format."""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from exported_runs import recorded, told

from debugger.export.command import Request, export
from debugger.export.formats import Format
from debugger.export.pictures import View, Wish
from debugger.redaction import EventRedactor, Redactor, Rules, secrets_of
from debugger.redaction.file import parse
from debugger.redaction.probe import RedactingProbe
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from kernel.clock import sleep
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Decided, Entered, Event, Left, Opened
from kernel.reach import GoPlugin, Secret
from kernel.setup import Setup
from kernel.subscriber import Call
from kernel.values import JSON, Chain, Failed, Outcome, Subscription

PEM = "MIIEowIBAAKCAQEAt5dKq0Jx8H1d7Xb3mQzK2vYw"

IN_TEXT = (
    ("sk-ant-api03-Vn8Qp2Lr5Tz7Yb1Nc4Mx6Kd9", "the key {}"),
    ("sk-proj-Q1w2E3r4T5y6U7i8O9p0A1s2D3f4", "{}"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "charge with {} now"),
    ("ghp_R4nd0mR4nd0mR4nd0mR4nd0mR4nd0mR4nd0m", "git clone with {}"),
    ("github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ", "{}"),
    ("glpat-x9Yz8Wv7Ut6Sr5Qp4On3", "({})"),
    ("xoxb-123456789012-abcdefABCDEF12", "slack: {}"),
    ("AKIAQYLPMN5HFIQR7XYA", "id {}"),
    ("AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "maps?key={}"),
    ("SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc", "{}"),
    ("npm_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6", "{}"),
    ("hf_QwErTyUiOpAsDfGhJkLzXcVbNm", "{}"),
    ("gsk_9f8e7d6c5b4a39f8e7d6c5b4a3", "{}"),
    ("dckr_pat_AbCdEfGhIjKlMnOpQrStUvWx", "{}"),
    ("hvs.CAESIJ1a2b3c4d5e6f7g8h9i0j", "{}"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "{}"),
    ("tok3nOfAbearer42", "Authorization: Bearer {}"),
    (base64.b64encode(b"alice:w0nderland").decode(), "Authorization: Basic {}"),
    ("p4ssInUrl", "postgres://bob:{}@db.internal:5432/app"),
    ("hunter22", "password={}"),
    ("Tr0ub4dor&3", "the password is {}"),
    ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY9", 'aws_secret_access_key = "{}"'),
    ("T00000001/B00000001/abcdefghijklmnopQRSTUVWX", "https://hooks.slack.com/services/{}"),
    ("Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA", "DefaultEndpointsProtocol=https;AccountKey={}"),
    ("cl1-s3cret-value", "mytool --api-token {} --verbose"),
)
"""What gives itself away in running text, with the text around it."""

BY_KEY: tuple[tuple[str, JSON], ...] = (
    ("correct horse battery staple", {"password": "correct horse battery staple"}),
    ("plain-looking", {"api_key": "plain-looking"}),
    ("x-header-value", {"headers": {"X-Auth-Token": "x-header-value"}}),
    ("cookie-monster-1", {"Cookie": "cookie-monster-1"}),
    ("env-style-pw", {"env": [{"name": "DB_PASSWORD", "value": "env-style-pw"}]}),
    ("argv-style-pw", {"argv": ["run", "--client-secret", "argv-style-pw"]}),
    ("nested-cred-user", {"credentials": {"user": "nested-cred-user"}}),
    ("json-in-text-pw", {"body": json.dumps({"dbPassword": "json-in-text-pw"})}),
    ("48151623", {"passcode": 48151623}),
    ("signing-material-7", {"signingKey": "signing-material-7"}),
    ("list-token-1", {"tokens": ["list-token-1"]}),
    ("b64-inner-pass77", {"blob": base64.b64encode(b"login password=b64-inner-pass77").decode()}),
)
"""What only the key above it gives away."""

ELSEWHERE = ("echoed-Secret-1", "stderr-pass-9", "attr-token-5", "left-secret-5x", "fault-msg-pw1", "deny-reason-pw2")
"""In lines, attributes and errors; the first one is told by its key in a payload, and printed bare."""
CONFIGURED = ("cfg-secret-value-1", "cfg-secret-value-2", "env-plain-token-3")
"""In the configuration and the environment of a plugin that prints them."""
BY_RULE = ("ACME-771234", "internal-codename", "sits at a place", "value of a variable", "x-custom-9")
"""Nothing but a rules file tells that these are secret."""
SECRETS = (*(secret for secret, _ in IN_TEXT), *(secret for secret, _ in BY_KEY), *ELSEWHERE, *CONFIGURED, *BY_RULE)

RULES = """
keys: [custom-*]
values: [internal-codename]
environment: [THE_VARIABLE]
places: ["messages[*].id"]
patterns: {ticket: 'ACME-[0-9]{6}'}
"""


def arguments() -> JSON:
    """Everything that stands in the payload of the call."""
    found: dict[str, JSON] = {f"text{place}": around.format(secret) for place, (secret, around) in enumerate(IN_TEXT)}
    for place, (_, value) in enumerate(BY_KEY):
        found[f"value{place}"] = value
    found["auth"] = {"token": ELSEWHERE[0]}
    found |= {"ticket": f"see {BY_RULE[0]}", "note": f"the {BY_RULE[1]}, and {BY_RULE[3]}", "custom-thing": BY_RULE[4]}
    return found


class Talks:
    """A subscriber that prints and fails with secrets."""

    async def answer(self, call: Call) -> Outcome:
        call.printed("stderr", f"got {ELSEWHERE[0]} and password={ELSEWHERE[1]}")
        call.printed("stderr", f"env: {CONFIGURED[0]} / {CONFIGURED[1]} / {CONFIGURED[2]}")
        for line in ("-----BEGIN RSA PRIVATE KEY-----", PEM, "-----END RSA PRIVATE KEY-----", "done"):
            call.printed("stderr", line)
        await sleep(call.clock, 5)
        return Failed("INTERNAL", f"login with secret={ELSEWHERE[4]} failed")


def events() -> Iterator[Event]:
    """A session with two dispatches in it."""
    payload = PLUGGABLE.payload_from_view(
        "pre-tool-call", {"call": {"id": "c1", "tool_name": "shell", "arguments": arguments()}}
    )
    model = PLUGGABLE.payload_from_view(
        "pre-model-call", {"model": {"provider": "p", "id": "x"}, "messages": [{"id": BY_RULE[2], "role": "ROLE_USER"}]}
    )
    attributes: dict[str, JSON] = {"http.header": f"token={ELSEWHERE[2]}", "argv": ["--password", ELSEWHERE[2]]}
    yield Event("s", 0, 0, Entered("pluggable", "session", "one", "", 1, attributes))
    for name, point, fired, seats in (
        ("d1", "pre-tool-call", payload, "A:o B:v"),
        ("d2", "pre-model-call", model, "C:t"),
    ):
        yield from told(name, seats, {"A": Talks(), "B": "deny", "C": "+x"}, point=point, fired=fired, parent="s")
    yield Event("d1", 90, 9, Decided("call", "deny", f"password={ELSEWHERE[5]}", "PL-CALL-VETO", ELSEWHERE[5]))
    yield Event("s", 1, 9, Left(f"secret={ELSEWHERE[3]}", {"last": f"secret={ELSEWHERE[3]}"}))


def setup_with_secrets() -> Setup:
    env = (("A", Secret(CONFIGURED[0])), ("B", Secret(CONFIGURED[1])), ("MY_TOKEN", CONFIGURED[2]), ("PATH", "/bin"))
    seat = Subscription("A", "pre-tool-call", "observe", reach=GoPlugin(("p",), "/m", ("c", "v"), env=env))
    return Setup(Path("agent.hcl"), (), PLUGGABLE, {"pre-tool-call": Chain("pre-tool-call", (seat,))})


def written(secret: str) -> Iterator[bytes]:
    """Every way in which a secret could stand in a file."""
    body = secret.encode()
    yield body
    yield json.dumps(secret)[1:-1].encode()
    yield json.dumps(json.dumps(secret)[1:-1])[1:-1].encode()
    yield urllib.parse.quote(secret, safe="").encode()
    yield body.hex().encode()
    yield body.hex(" ").encode()
    yield secret.replace("&", "&amp;").encode()
    for shift in range(3):  # base64 of it, wherever in the bytes it stands
        whole = base64.b64encode(b"\0" * shift + body)
        yield whole[4 if shift else 0 : len(whole) - 4]


def leaks(exported: bytes) -> list[str]:
    return [secret for secret in (*SECRETS, PEM) if any(way in exported for way in written(secret) if len(way) >= 6)]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording with all of them in it, and a rules file beside it."""
    monkeypatch.setenv("THE_VARIABLE", BY_RULE[3])
    listed = "\n".join(f"  - {value}" for value in CONFIGURED)
    (tmp_path / "rules.yaml").write_text(
        f"{RULES}".replace("values: [internal-codename]", f"values:\n  - internal-codename\n{listed}")
    )
    return recorded(tmp_path / "r.hookscope", list(events()))


def exports() -> Iterator[Request]:
    here = Path("unset")
    for form in Format:
        if form is not Format.SVG:
            yield Request(here, form)
            yield Request(here, form, dispatches=("1",))
    for view in View:
        yield Request(here, Format.SVG, dispatches=("1",), wish=Wish(view))
        yield Request(here, Format.SVG, dispatches=("1",), wish=Wish(view, "A"))


def test_fifty_secrets_are_planted(planted: Path) -> None:
    """The recording holds all of them, or the other tests would show nothing."""
    assert len(set(SECRETS)) >= 50
    with Recording(planted) as recording:
        held = b"".join(repr(event.fact).encode() for event in recording.events())
        held += b"".join(
            json.dumps(f.payload.view).encode() for e in recording.events() if isinstance(f := e.fact, Opened)
        )
    missing = [secret for secret in SECRETS if not any(way in held for way in written(secret))]
    assert missing == []


@pytest.mark.parametrize(
    "request_", exports(), ids=lambda each: f"{each.form} {each.wish.view} {each.wish.step} {','.join(each.dispatches)}"
)
def test_none_of_them_is_in_any_export(request_: Request, planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in clear nor in any of the usual encodings, in no format, for all dispatches and for one."""
    export(replace(request_, recording=planted, rules=planted.parent / "rules.yaml"))
    out, err = capsys.readouterr()
    assert leaks(out.encode() + err.encode()) == []
    if request_.form in (Format.HTML, Format.JSONL, Format.SCENARIO, Format.PYTEST):
        assert out.count("[redacted:") > 40, "they were replaced, not left out"


def test_without_redaction_they_are_all_there(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is left out quietly: what is asked for is exported."""
    export(Request(planted, Format.HTML, is_redacted=False))
    assert len(leaks(capsys.readouterr().out.encode())) >= 45


def test_none_of_them_gets_into_a_recording_that_is_redacted_while_it_is_written(tmp_path: Path) -> None:
    """What its surroundings tell is found from the first time on; the configuration's secrets are known before."""
    rules = parse(RULES.encode(), "rules", {"THE_VARIABLE": BY_RULE[3]}).knowing(secrets_of(setup_with_secrets()))
    path = tmp_path / "r.hookscope"
    with Writer(path, about={}) as writer, RedactingProbe(writer, rules) as probe:
        for event in events():
            probe.see(event)
    assert leaks(path.read_bytes()) == []
    with Recording(path) as recording:
        assert len(recording) == 2
        assert len(list(recording.events())) == len(list(events()))


def test_what_a_configuration_keeps_secret_is_known_to_be_secret() -> None:
    """Secrets, and plain values under names such as MY_TOKEN; not the path."""
    assert secrets_of(setup_with_secrets()) == CONFIGURED


def test_a_configuration_brings_no_secret_into_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a plugin is given in its environment is in no file that is recorded, redacted or not."""
    monkeypatch.setenv("GIVEN_TO_IT", CONFIGURED[0])
    setup = setup_with_secrets()
    run = told("d", "A:o", {"A": "ack"}, point="pre-tool-call")
    first = run[0]
    assert isinstance(first.fact, Opened)
    opened = replace(first, fact=replace(first.fact, chain=setup.chains["pre-tool-call"]))
    path = recorded(tmp_path / "r.hookscope", [opened, *run[1:]])
    stored = path.read_bytes()
    assert [secret for secret in CONFIGURED if secret.encode() in stored] == []


def test_redacting_twice_changes_nothing_more() -> None:
    """Placeholders are no secrets."""
    once = EventRedactor(Redactor(Rules()))
    first = [once.event(event) for event in events()]
    again = EventRedactor(Redactor(Rules()))
    assert [again.event(event) for event in first] == first
