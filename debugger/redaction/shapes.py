"""Secrets that give themselves away in running text: by their shape, or by the word in front of them. Pure."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

SECRET: Final = "s"
"""Group of a pattern that holds the secret; without it the whole match does."""
_EDGE: Final = "<edge>"
"""In a pattern: no longer word goes on here. In bytes there may be anything in front: lengths look like letters."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One way in which secrets look. Compares by identity of its parts, so a set of them is cheap."""

    pattern: re.Pattern[str]
    in_bytes: re.Pattern[str]
    """The same where there may be anything in front."""
    hints: tuple[str, ...] = ()
    """In lower case, one of these is in every text that has a match; empty where nothing can be said."""
    is_one: Callable[[str], bool] = lambda secret: True
    """Whether what was found is a secret after all."""


@dataclass(frozen=True, slots=True)
class TextRule:
    """A kind of secret that is found in text."""

    name: str
    about: str
    """For people, without a full stop."""
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a secret stands in a text, and by which rule it is one."""

    start: int
    end: int
    rule: str


def shape(pattern: str, *hints: str, flags: int = 0, is_one: Callable[[str], bool] = lambda secret: True) -> Shape:
    """A shape from its pattern, in which `<edge>` may stand."""
    edged = re.compile(pattern.replace(_EDGE, "(?<![A-Za-z0-9])"), flags)
    return Shape(edged, re.compile(pattern.replace(_EDGE, ""), flags), hints, is_one)


def entropy(text: str) -> float:
    """Bits for each character, by how often each occurs."""
    counts, size = Counter(text), len(text)
    return -sum(count / size * math.log2(count / size) for count in counts.values()) if size else 0.0


def is_random(text: str) -> bool:
    """Whether a text looks drawn by lot: long, with letters and digits, and hardly anything twice."""
    if len(text) < 20 or not any(map(str.isdigit, text)) or not any(map(str.isalpha, text)):
        return False
    return entropy(text) >= 3.3


_NO_SECRETS: Final = frozenset(
    """accepted basic bearer changed disabled enabled empty expected expired false given hidden incorrect invalid
    missing none null oauth oauth2 optional redacted rejected required set string true undefined unknown unset wrong
    yes""".split()  # noqa: SIM905  # a list of these would be a page
)


def is_worth_hiding(text: str) -> bool:
    """Whether what stands where a secret belongs can be one: not `none`, not `<hidden>`, not a row of stars."""
    bare = text.strip(" \t\"'<>*.,;:()[]{}")
    return len(bare) >= 3 and bare.casefold() not in _NO_SECRETS and len(set(bare)) > 1


def _is_key_like(text: str) -> bool:
    """Beside `token:` and `key=`, where words of a sentence stand as well."""
    if not is_worth_hiding(text) or text.replace(".", "").replace("_", "").isdigit():
        return False
    has_digit, has_upper = any(map(str.isdigit, text)), any(map(str.isupper, text[1:]))
    return len(text) >= 6 and (has_digit or (has_upper and not text.isupper()) or len(text) >= 20)


def _is_basic(text: str) -> bool:
    """Base64 of `name:password`."""
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and all(0x20 <= byte < 0x7F or byte >= 0xA0 for byte in plain)


_ID: Final = "[A-Za-z0-9_-]"
_END: Final = "(?![A-Za-z0-9])"


def _prefixed(prefix: str, least: int, letters: str = _ID, *hints: str) -> Shape:
    """Keys with a prefix of their vendor's; hints are guessed from it where it is plain text."""
    return shape(f"{_EDGE}{prefix}{letters}{{{least},}}", *(hints or (prefix.casefold(),)))


_API_KEYS: Final = (
    _prefixed("sk-", 16),  # OpenAI, Anthropic, OpenRouter and whoever took after them
    _prefixed("gsk_", 20),
    _prefixed("xai-", 20),
    _prefixed("pplx-", 20),
    _prefixed("tvly-", 16),
    _prefixed("nvapi-", 20),
    _prefixed("hf_", 20),
    _prefixed("r8_", 20),
    _prefixed("AIza", 30),
    _prefixed("ya29[.]", 20, _ID, "ya29."),
    _prefixed("GOCSPX-", 20),
    _prefixed("gh[oprsu]_", 20, "[A-Za-z0-9]", "gho_", "ghp_", "ghr_", "ghs_", "ghu_"),
    _prefixed("github_pat_", 20),
    _prefixed("gl(?:pat|dt|rt|cbt|ptt|ft|soat)-", 16, _ID, "gl"),
    _prefixed("xox[abeoprs]-", 10, "[A-Za-z0-9-]", "xox"),
    _prefixed("xapp-", 10, "[A-Za-z0-9-]"),
    _prefixed("[prs]k_(?:live|test)_", 10, "[A-Za-z0-9]", "_live_", "_test_"),
    _prefixed("whsec_", 16, "[A-Za-z0-9+/=]"),
    shape(rf"{_EDGE}SG[.][A-Za-z0-9_-]{{16,}}[.][A-Za-z0-9_-]{{16,}}", "sg."),
    _prefixed("npm_", 30, "[A-Za-z0-9]"),
    _prefixed("pypi-", 40),
    _prefixed("rubygems_", 30, "[a-f0-9]"),
    _prefixed("do[opr]_v1_", 30, "[a-f0-9]", "_v1_"),
    _prefixed("shp(?:at|ca|pa|ss)_", 30, "[a-fA-F0-9]", "shp"),
    _prefixed("sq0(?:atp|csp|idp)-", 20, _ID, "sq0"),
    _prefixed("lin_(?:api|oauth)_", 20, "[A-Za-z0-9]", "lin_"),
    _prefixed("ATATT3x", 20, "[A-Za-z0-9_=-]"),
    _prefixed("dckr_(?:pat|oat)_", 20, _ID, "dckr_"),
    _prefixed("hv[bsr][.]", 20, _ID, "hvb.", "hvs.", "hvr."),
    _prefixed("sntry[su]_", 20, "[A-Za-z0-9_=+/-]", "sntry"),
    _prefixed("figd_", 20),
    _prefixed("PMAK-", 20),
    _prefixed("glsa_", 20),
    _prefixed("dapi", 32, "[a-f0-9]"),
    _prefixed("AGE-SECRET-KEY-1", 30, "[A-Z0-9]"),
    shape(rf"{_EDGE}key-[0-9a-f]{{32}}{_END}", "key-"),
    shape(rf"{_EDGE}(?:SK|AC)[0-9a-f]{{32}}{_END}", "sk", "ac"),
    shape(rf"{_EDGE}[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{33}}", ":aa"),
    shape(rf"{_EDGE}[MNO][A-Za-z0-9_-]{{23,25}}[.][A-Za-z0-9_-]{{6}}[.][A-Za-z0-9_-]{{27,}}", "."),
    shape(r"hooks[.]slack[.]com/(?:services|workflows)/(?P<s>[A-Za-z0-9_/-]{20,})", "hooks.slack.com"),
    shape(r"discord(?:app)?[.]com/api/webhooks/(?P<s>[0-9]+/[A-Za-z0-9_-]{20,})", "/api/webhooks/"),
    shape(r"(?i)(?:AccountKey|SharedAccessKey)=(?P<s>[A-Za-z0-9+/=]{20,})", "accountkey", "sharedaccesskey"),
    shape(r"(?i)[?&](?:sig|signature|x-amz-signature)=(?P<s>[A-Za-z0-9%+/=_-]{16,})", "sig"),
)

_WORD: Final = (
    "pass(?:word|wd|phrase|code)|pwd|secret|token|api[-_. ]?key|access[-_. ]?key|auth[-_. ]?key|account[-_. ]?key|"
    "signing[-_. ]?key|private[-_. ]?key|encryption[-_. ]?key|license[-_. ]?key|credentials?|authorization|"
    "connection[-_]?string|client[-_]?secret|cookie"
)
_HINTS: Final = ("pass", "pwd", "secret", "token", "key", "credential", "authorization", "connection", "cookie")
_OPEN: Final = r"""[\\]*["'`]"""
_SCHEME: Final = "(?i:(?:bearer|basic|token|apikey|digest|negotiate)[ ]+)?"
_QUOTED: Final = rf"""(?P<q>{_OPEN}){_SCHEME}(?P<s>(?:(?!(?P=q))(?:\\.|.)){{3,4096}}?)(?P=q)"""
_BARE: Final = r"""(?P<s>[^\s"'`,;&<>(){}\[\]\\]{4,4096})"""
_LONG_BARE: Final = (
    r"""(?P<s>(?:[^\s"'`\\,;&]|[,;&](?!\s|[\w -]{1,40}=)){4,4096}?)"""
    r"""(?=[)\]}>.,;:!?]*(?:[\s"'`\\]|[,;&](?:\s|[\w -]{1,40}=)|\Z))"""
)
"""A password may hold anything; it ends where a sentence or the next setting goes on."""
_SETS: Final = r"""[\w-]{0,30}?[\\]*["'`]?\s{0,3}(?:=>|:=|=|:)\s{0,3}"""
_IS: Final = r"""[\w-]{0,30}?\s(?:is|was)\s+["'`]?"""
_OF_PASSWORD: Final = "pass(?:word|wd|phrase|code)|pwd"

_ASSIGNED: Final = (
    shape(f"(?i:{_WORD}){_SETS}{_QUOTED}", *_HINTS, flags=re.DOTALL, is_one=is_worth_hiding),
    shape(f"(?i:{_OF_PASSWORD}){_SETS}{_LONG_BARE}", "pass", "pwd", is_one=is_worth_hiding),
    shape(f"(?i:{_WORD}){_IS}{_LONG_BARE}", *_HINTS, is_one=_is_key_like),
    shape(f"(?i:{_WORD}){_SETS}{_SCHEME}{_BARE}", *_HINTS, is_one=_is_key_like),
    shape(
        rf"""(?i)(?<![\w-])--?[\w-]{{0,40}}(?:{_WORD})[\w-]{{0,20}}[ ]+["']?(?P<s>[^\s"'-][^\s"']{{3,}})""",
        *_HINTS,
        is_one=is_worth_hiding,
    ),
    shape(r"""(?<![\w-])(?:-u|--user)[ =]+["']?[^\s:"']+:(?P<s>[^\s"']{3,})""", "-u", is_one=is_worth_hiding),
)

BUILT_IN: Final = (
    TextRule(
        "private-key",
        "blocks of private keys",
        (
            shape(
                r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?P<s>.*?)(?:-----END [A-Z0-9 ]*-----|\Z)",
                "private key",
                flags=re.DOTALL,
                is_one=lambda inside: bool(inside.strip()),
            ),
            shape(r"PuTTY-User-Key-File-[0-9]+:(?P<s>.*)", "putty-user-key", flags=re.DOTALL),
        ),
    ),
    TextRule(
        "jwt",
        "JSON Web Tokens",
        (shape(rf"{_EDGE}eyJ{_ID}{{8,}}[.]{_ID}{{4,}}(?:[.]{_ID}*){{1,3}}", "eyj"),),
    ),
    TextRule(
        "aws-key",
        "access keys of AWS",
        (
            shape(
                f"{_EDGE}(?:A3T[A-Z0-9]|ABIA|ACCA|AGPA|AIDA|AIPA|AKIA|ANPA|ANVA|AROA|ASIA)[A-Z2-7]{{16}}{_END}",
                "a3t", "abia", "acca", "agpa", "aida", "aipa", "akia", "anpa", "anva", "aroa", "asia",
            ),
            shape(
                r"""(?i)aws.{0,40}?(?:secret|key).{0,20}?["'\s=:]{1,5}(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])""",
                "aws",
            ),
        ),
    ),
    TextRule("api-key", "keys and tokens with the prefix of a known vendor", _API_KEYS),
    TextRule(
        "bearer",
        "what follows Bearer, and Basic with a name and a password",
        (
            shape(rf"(?i){_EDGE}bearer[ ]+(?P<s>[A-Za-z0-9._~+/=-]{{6,}})", "bearer", is_one=_is_key_like),
            shape(rf"(?i){_EDGE}basic[ ]+(?P<s>[A-Za-z0-9+/]{{8,}}={{0,2}})", "basic", is_one=_is_basic),
        ),
    ),
    TextRule(
        "url-password",
        "passwords inside of addresses",
        (shape(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'<>]*:(?P<s>[^\s/@\"'<>]+)@", "://"),),
    ),
    TextRule("assigned", "what is assigned to a word such as password, token or api_key", _ASSIGNED),
    TextRule(
        "entropy",
        "long random text shortly after a word such as key, secret or token",
        (
            shape(
                r"(?i)(?:key|secret|token|passw|credential|bearer|auth|signature)[^\n]{0,40}?"
                r"(?<![A-Za-z0-9+/=_.-])(?P<s>[A-Za-z0-9+/=_.-]{20,})",
                "key", "secret", "token", "passw", "credential", "bearer", "auth", "signature",
                is_one=is_random,
            ),
        ),
    ),
)  # fmt: skip
"""In the order in which a text is looked through; of two that find the same the first gives its name."""


def hits(text: str, rules: Iterable[TextRule], *, in_bytes: bool = False) -> list[Hit]:
    """Every secret in a text, in order; those that overlap are one."""
    folded = text.casefold()
    return merged(hit for rule in rules for each in rule.shapes for hit in _hits(text, folded, rule, each, in_bytes))


def _hits(text: str, folded: str, rule: TextRule, each: Shape, in_bytes: bool) -> Iterator[Hit]:
    if each.hints and not any(hint in folded for hint in each.hints):
        return
    pattern = each.in_bytes if in_bytes else each.pattern
    group: int | str = SECRET if SECRET in pattern.groupindex else 0
    for match in pattern.finditer(text):
        if match[group] and each.is_one(match[group]):
            yield Hit(match.start(group), match.end(group), rule.name)


def merged(found: Iterable[Hit]) -> list[Hit]:
    """In order, overlapping ones joined under the name of the one that begins first, and of those the longest."""
    out: list[Hit] = []
    for hit in sorted(found, key=lambda each: (each.start, -each.end)):
        if out and hit.start < out[-1].end:
            last = out[-1]
            out[-1] = Hit(last.start, max(last.end, hit.end), last.rule)
        else:
            out.append(hit)
    return out
