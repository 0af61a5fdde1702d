# A coding session: eight small plugins around an agent that mends a failing test, and the rules it works under.
# Play it with: hookscope play sample_configs/coding_session sample_configs/coding_session/session.json

required_providers {
  audit-log = {
    source  = "sample/audit-log"
    version = "1.2.0"
  }
  token-counter = {
    source  = "sample/token-counter"
    version = "0.3.1"
  }
  redactor = {
    source  = "sample/redactor"
    version = "2.0.0"
  }
  injector = {
    source  = "sample/injector"
    version = "1.0.4"
  }
  policy-bot = {
    source  = "sample/policy-bot"
    version = "0.9.0"
  }
  path-guard = {
    source  = "sample/path-guard"
    version = "1.1.0"
  }
  file-index = {
    source   = "sample/file-index"
    version  = "0.2.0"
    category = "context"
  }
  spell-check = {
    source  = "sample/spell-check"
    version = "0.4.2"
  }
}

provider "audit-log" {}
provider "token-counter" {}
provider "redactor" {}
provider "injector" {}
provider "policy-bot" {}
provider "path-guard" {}
provider "file-index" {}
provider "spell-check" {}

settings {
  default_frontend        = "terminal"
  log_level               = "info"
  telemetry               = true
  default_hook_timeout_ms = 2000
}

agent_profile "coding" {
  tools            = ["fs.*", "shell.run", "git.push", "user.ask"]
  max_turns        = 10
  max_cost_usd     = 1.5
  max_wall_clock_s = 600
}

# For delegated.json: one that has others look into things, one at a time and no deeper than that.

agent_profile "lead" {
  tools                    = ["agent.*"]
  max_depth                = 1
  max_concurrent_subagents = 1
}

agent_profile "helper" {
  tools     = ["fs.read", "agent.*"]
  max_turns = 4
}

# What the agent may do: files in the project may be written, commands are asked about, nothing leaves the machine.

policy "files" {
  match = {
    provider = "fs"
  }
  action = "allow"
}

policy "commands" {
  match = {
    provider = "shell"
    kind     = "resource"
  }
  action = "ask"
}

policy "nothing-critical" {
  match = {
    risk = "critical"
  }
  action = "deny"
}

# Before each model call: two that look, then two that change the messages.

hook "pre-model-call" {
  provider = "audit-log"
  mode     = "observe"
}

hook "pre-model-call" {
  provider = "token-counter"
  mode     = "observe"
}

hook "pre-model-call" {
  provider = "redactor"
  mode     = "transform"
}

hook "pre-model-call" {
  provider = "injector"
  mode     = "transform"
}

# Slow: looks words up one by one, and is cut off where an answer is long.

hook "post-model-response" {
  provider   = "spell-check"
  mode       = "observe"
  timeout_ms = 400
}

# For each call: one that may refuse it alone.

hook "pre-tool-call" {
  provider = "path-guard"
  mode     = "veto"
}

# For each plan: one that may refuse it as a whole, and the log of what it let through.

hook "plan-ready" {
  provider = "policy-bot"
  mode     = "veto"
}

hook "plan-ready" {
  provider = "audit-log"
  mode     = "observe"
}

# For each result: an index that does not survive every file. Being a context plugin, it is also asked at the start of
# each turn what the model should know; that takes no hook.

hook "post-tool-call" {
  provider = "file-index"
  mode     = "observe"
}
