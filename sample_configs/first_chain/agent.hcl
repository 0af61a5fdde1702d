# The first chain: what five small plugins do to a request on its way to the model, and to a plan before it runs.

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
}

provider "audit-log" {}
provider "token-counter" {}
provider "redactor" {}
provider "injector" {}
provider "policy-bot" {}

settings {
  default_frontend        = "terminal"
  log_level               = "info"
  telemetry               = true
  default_hook_timeout_ms = 2000
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
  provider   = "redactor"
  mode       = "transform"
  timeout_ms = 800
}

hook "pre-model-call" {
  provider   = "injector"
  mode       = "transform"
  timeout_ms = 800
}

# Once per turn that wants to touch something: one that may say no, one that looks at what was let through.

hook "plan-ready" {
  provider   = "policy-bot"
  mode       = "veto"
  timeout_ms = 1500
}

hook "plan-ready" {
  provider = "audit-log"
  mode     = "observe"
}
