"""Children with less than the test has: permissions, disks, name servers."""

import ctypes
import os
import socket

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2
_libc = ctypes.CDLL(None, use_errno=True)


def no_override():
    """For preexec_fn: exec takes from root what reads files of mode 0."""
    if os.geteuid() != 0:
        return
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            os._exit(126)


def why_override():
    """Why permissions cannot be made to apply; None when they can."""
    return why_not(no_override, "a root without CAP_DAC_OVERRIDE")


_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000


def _mount(source, target, kind, flags, data=None):
    return _libc.mount(source, target, kind, flags, data) == 0


def own_mounts(source, target, kind=None, flags=_MS_BIND, data=None):
    """For preexec_fn: a mount that only the child sees."""
    def preexec():
        if _libc.unshare(_CLONE_NEWNS) != 0 or not _mount(
                b"none", b"/", None, _MS_REC | _MS_PRIVATE) or not _mount(
                    source.encode(), target.encode(), kind, flags, data):
            os._exit(126)
    return preexec


def why_not(preexec, what):
    """None when `preexec` works here; else that `what` cannot be had."""
    pid = os.fork()
    if pid == 0:
        preexec()
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0:
        return None
    return what + " cannot be had here"


def silent_nameserver(folder):
    """(why not, preexec, close): names are asked of a port that says nothing."""
    port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        port.bind(("127.0.0.77", 53))
    except OSError as e:
        port.close()
        return f"no port 53 of 127.0.0.77: {e}", None, None
    said = os.path.join(folder, "resolv.conf")
    with open(said, "w", encoding="ascii") as f:
        f.write("nameserver 127.0.0.77\noptions timeout:30 attempts:5\n")
    preexec = own_mounts(said, os.path.realpath("/etc/resolv.conf"))
    why = why_not(preexec, "a mount namespace")
    if why:
        port.close()
    return why, preexec, port.close
