# Which program to start for which provider. Paths are relative to this file; five are those of the first chain.

dev_overrides {
  audit-log     = ["python", "../first_chain/plugins/audit_log.py"]
  token-counter = ["python", "../first_chain/plugins/token_counter.py"]
  redactor      = ["python", "../first_chain/plugins/redactor.py"]
  injector      = ["python", "../first_chain/plugins/injector.py"]
  policy-bot    = ["python", "../first_chain/plugins/policy_bot.py"]
  path-guard    = ["python", "plugins/path_guard.py"]
  file-index    = ["python", "plugins/file_index.py"]
  spell-check   = ["python", "plugins/spell_check.py"]
}
