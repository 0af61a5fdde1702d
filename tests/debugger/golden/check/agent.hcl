required_providers {
  guard = { source = "x/guard" }
  audit = { source = "x/audit", version = "1.0", colour = "red" }
}

provider "guard" {
  api_key = env("NO_SUCH_KEY")
  note = "hunter2" 
  url = file("hunter2")
  environment {
    TOKEN = 5150
    A-B = "x"
  }
}
provider "guard" {}

settings {
  default_frontend = "tui"
  log_level        = "INFO"
  telemetry        = false
  default_hook_timeout_ms = 0
  observability {
    endpoint = "x"
    protocol = "udp"
    sampling_ratio = 1.5
  }
  doom_loop {
    window_size = 2
  }
}

hook "plan_ready" {
  provider = "ghost"
  mode     = "VETO"
  priority = 1
}

hook "plan-ready" {
  provider = "guard"
  mode     = "veto"
}
hook "plan-ready" {
  provider = "guard"
  mode     = "observe"
  timeout_ms = -5
}
hook "post-apply" {
	provider = "audi"
	mode	= "transform"
}
policy "all" {
  match  = { toolname = "x" }
  action = "deny"
}
policy "more" {
  match  = {}
  action = "block"
}
policy "same" {
  match  = { provider = "gaurd", risk = "extreme" }
  action = "ask"
}
agent_profile "a" {
  tools = ["fs", "ghost.x", 5]
  model {
    fallback {
      provider = "m"
      id = "x"
    }
  }
}
hok "x" {
}
