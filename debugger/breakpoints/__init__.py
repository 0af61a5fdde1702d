"""Breakpoints as values: where dispatches are held, or of what is told without holding them. No I/O but in `keeping`.

breakpoint   a filter and a side, perhaps a count of hits and a message
counts       after how many hits it means anything
message      what a log point says
compiled     breakpoints ready to be asked at a seam
ready        those that are wanted most
keeping      breakpoints and watched expressions in the project file
"""

from debugger.breakpoints.breakpoint import Breakpoint, Side
from debugger.breakpoints.compiled import Compiled, compiled, side_for
from debugger.breakpoints.counts import Count

__all__ = ["Breakpoint", "Compiled", "Count", "Side", "compiled", "side_for"]
