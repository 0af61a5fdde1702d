dev_overrides {
  audit = "./nowhere"
  gard = ["python", "nope.py"]
}
