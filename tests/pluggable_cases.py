"""The configuration cases of the specification (C.8) as data: what comes of each, at which stage, and where."""

from __future__ import annotations

from dataclasses import dataclass

from pluggable_configs import GATE, S3, Knowledge, hook, in_settings, policy, profile


@dataclass(frozen=True, slots=True)
class Case:
    """A text and what is expected of it."""

    texts: tuple[str, ...]
    stage: str = ""
    """L(oad), R(egistry), P(rovider), T (later); empty when everything is in order."""
    code: str = ""
    line: int = 0
    column: int = 0
    part: str = ""


def fine(*texts: str) -> Case:
    return Case(texts)


def load(code: str, text: str, line: int, column: int, part: str = "") -> Case:
    return Case((text,), "L", code, line, column, part)


def registry(code: str, text: str, line: int, column: int, part: str = "") -> Case:
    return Case((text,), "R", code, line, column, part)


def plugin(code: str, value: str) -> Case:
    return Case((f'provider "g" {{\napi_key = {value}\n}}',), "P", code, 2, 11)


def late(code: str, text: str, line: int, column: int, part: str = "") -> Case:
    return Case((text,), "T", code, line, column, part)


RETRY = "retry {\nbase_delay_ms = 1\nbackoff_factor = 2\nmax_retries = 3\n}"
OBSERVED = (
    'observability {\nendpoint = "x"\nprotocol = "PROTOCOL"\nsampling_ratio = RATIO\ntraces_enabled = true\n'
    'metrics_enabled = true\nlogs_enabled = false\nexport_interval_ms = 1\nservice_name = "s"\n'
    'resource_attrs = { a = "b" }\n}'
)
FS = 'required_providers {\nfs = { source = "s", version = "1" }\n}\n'
PRIMARY = 'primary {\nprovider = "g"\nid = "m"\n}\n'

CASES = {
    "C1": fine(""),
    "C2": fine(f"settings {{\n{S3}\n}}"),
    "C3": load("missing-argument", "settings { telemetry = true }", 1, 1, "needs default_frontend and log_level"),
    "C4": load("syntax", 'settings { telemetry = true log_level = "info" }', 1, 29, "one argument at most"),
    "C5": load("ErrDuplicateBlock", f"settings {{\n{S3}\n}}\n" * 2, 6, 1, "already a settings block at f:1:1"),
    "C6": load("ErrInvalidValue", in_settings('log_level = "warning"'), 4, 13, 'not "warning"'),
    "C7": load("ErrInvalidValue", in_settings('log_level = "fatal"'), 4, 13, "trace, debug, info, warn or error"),
    "C8": load("ErrInvalidValue", in_settings('log_level = "INFO"'), 4, 13, 'or error, not "INFO"'),
    "C9": load("ErrInvalidValue", in_settings('telemetry = "yes"'), 4, 13, "must be true or false"),
    "C10": load("ErrInvalidValue", in_settings("default_frontend = 5"), 4, 20, "must be text in quotes, not 5"),
    "C11": load("not-evaluated", in_settings('default_frontend = env("FE")'), 4, 20, "functions cannot be called"),
    "C12": load(
        "missing-argument",
        in_settings("retry {\nbase_delay_ms = 1\n}"),
        5,
        1,
        "a retry block needs backoff_factor and max_retries",
    ),
    "C13": fine(in_settings(f"{RETRY}\n{RETRY.replace('3', '4')}")),
    "C14": load(
        "ErrInvalidValue",
        in_settings(OBSERVED.replace("PROTOCOL", "udp").replace("RATIO", "1")),
        7,
        12,
        "must be grpc or http",
    ),
    "C15": late(
        "ErrInvalidConfig",
        in_settings(OBSERVED.replace("PROTOCOL", "http").replace("RATIO", "1.5")),
        8,
        18,
        "sampling_ratio is 1.5",
    ),
    "C16": fine(in_settings("default_hook_timeout_ms = 250")),
    "C17": registry("ErrInvalidTimeout", in_settings("default_hook_timeout_ms = 0"), 5, 27, "must be more than 0"),
    "C18": late("doom-loop-bounds", in_settings("doom_loop {\nwindow_size = 2\n}"), 6, 15, "less than the threshold 3"),
    "C19": load("unsupported-block", 'plugin "x" {}', 1, 1, "unsupported block 'plugin'"),
    "C20": load("unsupported-argument", "a = 1", 1, 1, "unsupported argument 'a'"),
    "C21": fine(GATE),
    "C22": load("missing-label", 'hook {\npoint = "plan-ready"\nmode = "veto"\n}', 1, 1, "needs a label: point"),
    "C23": fine(GATE.replace('"plan-ready"', "plan-ready")),
    "C24": load("extra-label", 'hook "a" "b" {\nprovider = "g"\nmode = "veto"\n}', 1, 10, "'b' is one too many"),
    "C25": load("missing-argument", 'hook "plan-ready" { mode = "veto" }', 1, 1, "needs provider"),
    "C26": load("ErrInvalidValue", hook("plan-ready", "VETO"), 3, 8, "mode must be observe, transform or veto"),
    "C27": load("not-evaluated", GATE.replace('"veto"', "veto"), 3, 8, "names a variable"),
    "C28": load("ErrInvalidValue", GATE.replace('"veto"', "null"), 3, 8, "not null"),
    "C29": fine(hook("plan-ready", more="timeout_ms = 500")),
    "C30": load("ErrInvalidValue", hook("plan-ready", more='timeout_ms = "500"'), 4, 14, "must be a number"),
    "C31": fine(hook("plan-ready", more="timeout_ms = 1.9")),
    "C32": fine(hook("plan-ready", more="timeout_ms = 0")),
    "C33": registry("ErrInvalidTimeout", hook("plan-ready", more="timeout_ms = -5"), 4, 14, "timeout_ms is -5"),
    "C34": load("unsupported-argument", hook("plan-ready", more="priority = 1"), 4, 1, "'priority'"),
    "C35": load("unsupported-argument", hook("plan-ready", more='subscription_id = "x"'), 4, 1, "'subscription_id'"),
    "C36": registry("ErrUnknownPoint", hook("plan_ready"), 1, 6, "no hook point 'plan_ready'"),
    "C37": registry("ErrUnknownPoint", hook("context-assemble"), 1, 6, "context-assemble takes no hooks"),
    "C38": registry("ErrVetoNotPermitted", hook("session-start", "veto"), 3, 8, "not permitted at session-start"),
    "C39": registry("ErrVetoNotPermitted", hook("pre-model-call", "veto"), 3, 8, "not permitted at pre-model-call"),
    "C40": fine(hook("pre-tool-call", "veto")),
    "C41": registry(
        "ErrDuplicateSubscription",
        hook("plan-ready") + hook("plan-ready", "veto"),
        6,
        1,
        "'g' already subscribes to plan-ready at f:1:1",
    ),
    "C42": fine(hook("plan-ready") + hook("pre-tool-call", "veto")),
    "C43": registry("ErrNotFound", hook("plan-ready", provider="ghost"), 2, 12, "provider 'ghost' is unknown"),
    "C44": registry("ErrPointNotAdvertised", hook("plan-ready", provider="b"), 1, 6, "'b' does not offer plan-ready"),
    "C45": fine('required_providers {\nfs = { source = "github.com/a/b", version = "~> 1.0" }\n}'),
    "C46": load("ErrMissingField", 'required_providers {\nfs = { source = "x" }\n}', 2, 1, "fs has no version"),
    "C47": load("ErrInvalidValue", 'required_providers {\nfs = "github.com/a/b"\n}', 2, 6, "fs must be an object"),
    "C48": load("ErrDuplicateBlock", "required_providers {\n}\nrequired_providers {\n}", 3, 1),
    "C49": fine('required_providers {\nfs = { source = "x", version = "banana" }\n}'),
    "C50": load(
        "ErrInvalidValue", 'required_providers {\nfs = { source = 7, version = "" }\n}', 2, 17, "fs.source must be text"
    ),
    "C51": load("ErrDuplicateBlock", 'provider "fs" {}\nprovider "fs" {}', 2, 1, 'a provider "fs" block at f:1:1'),
    "C52": plugin("ErrInvalidSensitiveExpr", '"literal"'),
    "C53": fine('provider "g" {\napi_key = env("K")\n}'),
    "C54": plugin("ErrEnvUnset", 'env("UNSET")'),
    "C55": plugin("ErrInvalidSensitiveExpr", '"${env("K")}"'),
    "C56": plugin("ErrInvalidSensitiveExpr", 'env("A", "B")'),
    "C57": fine('provider "g" {\nroot = env("HOME")\n}'),
    "C58": load("ErrDuplicateBlock", 'provider "g" {\nenvironment {\n}\nenvironment {\n}\n}', 4, 1),
    "C59": load("ErrEnvValueNotString", 'provider "g" {\nenvironment {\nA = 1\n}\n}', 3, 5, "value of A is not text"),
    "C60": fine(policy("{}")),
    "C61": load(
        "ErrConflictingRules", policy("{}") + policy("{}", name="q"), 5, 1, "'q' matches what rule 'p' at f:1:1"
    ),
    "C62": load("ErrInvalidValue", policy("{}", '"block"'), 3, 10, "action must be allow, ask or deny"),
    "C63": load("ErrInvalidValue", policy('{ kind = "interactive" }'), 2, 18, "interactive"),
    "C64": load("ErrInvalidValue", policy('{ risk = "extreme" }'), 2, 18, "match.risk must be read_only, low"),
    "C65": load("ErrInvalidValue", policy('"fs"'), 2, 9, "match must be an object"),
    "C66": load("missing-argument", 'policy "p" {\naction = "deny"\n}', 1, 1, "a policy block needs match"),
    "C67": fine(policy('{ toolname = "x" }')),
    "C68": load("ErrInvalidValue", policy("{ tool_name = 5 }"), 2, 23, "match.tool_name must be text in quotes, not 5"),
    "C69": load("ErrConflictingRules", 2 * policy('{ provider = "fs" }', '"allow"'), 5, 1),
    "C70": fine(policy('{ provider = "fs" }') + policy('{ provider = "git" }')),
    "C71": load("ErrMissingField", profile("model {\n}"), 2, 1, "needs a primary block"),
    "C72": load("ErrDuplicateBlock", profile(f"model {{\n{PRIMARY}{PRIMARY}}}"), 7, 1, "a primary block at f:3:1"),
    "C73": load("ErrInvalidValue", profile('tools = "fs.*"'), 2, 9, 'a list of texts, not "fs.*"'),
    "C74": late("ErrMalformedToolScope", profile('tools = ["fs"]'), 2, 10, "'fs' names no tool"),
    "C75": late("ErrUnknownTool", FS + profile('tools = ["fs.read", "fs.nope"]'), 5, 21, "'fs' has no tool 'nope'"),
    "C76": fine(profile('tools = ["ghost.x"]')),
    "C77": load("ErrDuplicateBlock", profile("") + profile(""), 4, 1, 'an agent_profile "a" block at f:1:1'),
    "C78": fine(profile(f"max_depth = 0\nmodel {{\n{PRIMARY}}}")),
    "C79": load("syntax", hook("plan-ready", more='mode = "veto"'), 4, 1, "already set in line 3"),
    "C80": fine("#" * 900 + "\n" + hook("plan-ready", provider="g"), hook("plan-ready", provider="a")),
}
KNOWS = Knowledge(
    advertised={"b": ("session-end",)}, sensitive=("api_key",), tools={"fs": ("read", "write"), "ghost": ("y",)}
)
"""What the plugins of these cases would say: b does not offer plan-ready, and fs has two tools."""
