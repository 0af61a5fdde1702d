"""Names under which secrets are kept: `api_key`, `X-Auth-Token`, `dbPassword`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import Final

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINTS = re.compile(r"[^A-Za-z0-9#$]+")
LONGEST: Final = 120
"""Characters; what is longer is no name."""


def normal(key: str) -> str:
    """A name in the one notation in which names are compared: `dbPassword`, `DB-PASSWORD` as `db_password`."""
    return _JOINTS.sub("_", _CAMEL.sub("_", key)).strip("_").lower()


@dataclass(frozen=True, slots=True)
class KeyRule:
    """Names with a common meaning, as globs over the normal notation."""

    name: str
    globs: tuple[str, ...]
    hides_numbers: bool = False
    hides_all: bool = False
    """Also what does not look worth it."""


BUILT_IN: Final = (
    KeyRule("password", ("*password*", "*passwd*", "pwd", "*_pwd", "*passphrase*", "*passcode*"), hides_numbers=True),
    KeyRule("password", ("pass", "*_pass")),
    KeyRule("api-key", ("*api_key*", "*apikey*", "*access_key*", "*auth_key*", "*account_key*", "*license_key*")),
    KeyRule("secret", ("*secret*", "*credential*", "*private_key*", "*signing_key*", "*encryption_key*",
                       "*connection_string*", "*webhook_url*"), hides_numbers=True),
    KeyRule("authorization", ("auth", "authorization", "*_authorization", "*_auth")),
    KeyRule("cookie", ("cookie", "cookies", "set_cookie", "*_cookie")),
    KeyRule("token", ("*token*",)),
)  # fmt: skip
"""The first that fits gives its name."""
INNOCENT: Final = (
    "*tokenizer*", "*token_type*", "*token_count*", "*token_usage*", "*token_limit*", "*token_budget*", "*token_kind*",
    "*tokens_per*", "*secret_name*", "*secret_ref*", "*password_policy*", "*cookie_policy*",
)  # fmt: skip
"""Names that say something about secrets and hold none."""


class Names:
    """Whether a name is one under which secrets are kept. Remembers its answers: names come again and again."""

    def __init__(self, rules: Iterable[KeyRule], innocent: Iterable[str] = INNOCENT) -> None:
        self._rules = tuple((rule, re.compile("|".join(map(translate, rule.globs)))) for rule in rules if rule.globs)
        self._innocent = tuple(re.compile(translate(glob)) for glob in innocent)
        self.rule = lru_cache(maxsize=4096)(self._rule)
        """The rule for a key, None where it is an ordinary one."""

    def _rule(self, key: str) -> KeyRule | None:
        if len(key) > LONGEST:
            return None
        name = normal(key)
        if not name or any(glob.match(name) for glob in self._innocent):
            return None
        return next((rule for rule, globs in self._rules if globs.match(name)), None)
