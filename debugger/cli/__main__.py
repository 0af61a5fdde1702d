"""`python -m debugger.cli`: the console command, of this interpreter."""

from debugger.cli import main

main()
