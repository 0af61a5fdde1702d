"""Our version, alone: the command line needs nothing else to say it."""

VERSION = "0.1.0"
