"""Subscribers that are hashicorp/go-plugin gRPC programs, treated as their hosts treat them.

    handshake, environment    pure: the first line, what a plugin may know of us
    launch                    from a reach to a live subscriber, or to a sentence saying why not
    link                      the live subscriber
    relay                     a far side of ours, for trouble made on the real wire

Knows no dialect: it carries request bytes to answer bytes. Importing it imports gRPC.
"""

import os

# gRPC's core logs to our stderr, which may be a screen that somebody looks at. It reads this when it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from kernel.transports.goplugin.launch import start
from kernel.transports.goplugin.link import GoPluginSubscriber

__all__ = ["GoPluginSubscriber", "start"]
