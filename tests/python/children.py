"""The processes that a test has started."""

import os


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children():
    """The processes that this one has started, but for those that have ended."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [pid for pid in map(int, file.read().split()) if is_running(pid)]
