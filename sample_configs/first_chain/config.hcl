# Which program to start for which provider. Paths are relative to this file.

dev_overrides {
  audit-log     = ["python", "plugins/audit_log.py"]
  token-counter = ["python", "plugins/token_counter.py"]
  redactor      = ["python", "plugins/redactor.py"]
  injector      = ["python", "plugins/injector.py"]
  policy-bot    = ["python", "plugins/policy_bot.py"]
}
