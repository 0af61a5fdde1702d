"""The guard: a tiny process between us and a program, so that the program never outlives us, however we end.

    python -I -S guard.py LIFELINE STATUS NAMES PROGRAM [ARGUMENT...]

LIFELINE is the read end of a pipe whose write end our process alone holds: when it closes, whatever the reason,
the program's whole process group is killed. Until then each line on it is a path that must not be left behind.
STATUS is where the guard says `started PID`, `failed ERRNO`, `exited CODE` and `killed SIGNAL`, one line each.
NAMES are the program's environment variables, joined by `=`: Python itself may have added one to the guard's own.

Runs as a program, knows nothing of the rest of the kernel, and imports only what starts in a few milliseconds.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import sys

STOPPING_MS = 50  # how long a group may take to stand still before it is killed all the same


def main(lifeline: int, status: int, names: str, argv: list[str]) -> None:
    """Start the program and stay until it has ended, by itself or because our process has."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the terminal's wishes are for our process to interpret
    os.set_inheritable(lifeline, False)
    os.set_inheritable(status, False)
    child_ended = _wake_on_child_end()
    try:
        program = _start(names, argv)
    except OSError as error:
        _say(status, f"failed {error.errno}")
        return
    _forget_pipes()
    _say(status, f"started {program}")
    leftovers = _watch(program, lifeline, child_ended)
    _kill_group(program, signal.SIGKILL)  # before the leader is reaped: until then nobody else can get its number
    _, ended = os.waitpid(program, 0)
    for path in reversed(leftovers):  # a folder is told of before what is in it
        remove(path)
    _say(status, f"killed {os.WTERMSIG(ended)}" if os.WIFSIGNALED(ended) else f"exited {os.WEXITSTATUS(ended)}")


def _start(names: str, argv: list[str]) -> int:
    return os.posix_spawnp(
        argv[0],
        argv,
        {name: os.environ[name] for name in names.split("=") if name in os.environ},
        setsid=True,
        setsigmask=[],
        # Ignored signals are inherited: the program gets back those that the guard or Python ignores.
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ],
    )


def _wake_on_child_end() -> int:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake)
    return woken


def _forget_pipes() -> None:
    """Let go of what the program has inherited, so that whoever is at the other ends sees the program's own close."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)


def _watch(program: int, lifeline: int, child_ended: int) -> list[bytes]:
    """Wait for the end of the program or of our process; returns the paths to remove."""
    told = b""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(child_ended, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if lifeline in ready:
            data = os.read(lifeline, 65536)
            told += data
            if not data:
                _halt(program)
                return told.split(b"\n")[:-1] + _sockets_of_group(program)
        if child_ended in ready:
            os.read(child_ended, 4096)
            if os.waitid(os.P_PID, program, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return told.split(b"\n")[:-1]


def _halt(program: int) -> None:
    """Make the group stand still, so that it binds no further socket while we look for those it has."""
    _kill_group(program, signal.SIGSTOP)
    for _ in range(STOPPING_MS):
        if os.waitid(os.P_PID, program, os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        select.select([], [], [], 0.001)


def _sockets_of_group(group: int) -> list[bytes]:
    """Paths of the unix sockets that a process group has bound, where the system can tell (Linux)."""
    try:
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        paths = _bound_paths()
    except OSError:
        return []
    return [paths[inode] for process in processes for inode in _socket_inodes(process, group) if inode in paths]


def _bound_paths() -> dict[bytes, bytes]:
    with open("/proc/net/unix", "rb") as table:
        rows = [row.rstrip(b"\n").split(None, 7) for row in table]
    return {row[6]: row[7] for row in rows if len(row) == 8 and row[7].startswith(b"/")}


def _socket_inodes(process: int, group: int) -> list[bytes]:
    try:
        if os.getpgid(process) != group:
            return []
        folder = f"/proc/{process}/fd"
        targets = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    except OSError:  # it ended meanwhile, or it is not ours to look at
        return []
    return [target[len("socket:[") : -1].encode() for target in targets if target.startswith("socket:[")]


def remove(path: bytes) -> None:
    """Remove a socket or an empty folder; anything else that a program may have named stays."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISSOCK(mode):
            os.unlink(path)
        elif stat.S_ISDIR(mode):
            os.rmdir(path)
    except OSError:
        pass


def _kill_group(group: int, number: int) -> None:
    try:  # noqa: SIM105  # importing contextlib takes longer than everything else here
        os.killpg(group, number)
    except OSError:  # nobody is left
        pass


def _say(status: int, line: str) -> None:
    try:  # noqa: SIM105
        os.write(status, line.encode() + b"\n")
    except OSError:  # our process is gone
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
