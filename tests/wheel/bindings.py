"""The symbols that the loader of a process has bound (LD_DEBUG=bindings)."""

import glob
import os
import re

LINE = re.compile(rb"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `([^']+)'")


def environment(folder):
    """Variables that have the loader write to a file of `folder`."""
    return {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": os.path.join(folder, "bindings")}


def crossing(folder, inside):
    """{(from, to): symbols} of what the processes bound from or to files whose path has
    `inside` in it, on one side only; and how many bindings there were within."""
    crossings, within = {}, 0
    for path in glob.glob(os.path.join(folder, "bindings.*")):
        with open(path, "rb") as lines:
            for line in lines:
                if (found := LINE.search(line)) is None:
                    continue
                user, owner, symbol = (text.decode() for text in found.groups())
                if (inside in user) and (inside in owner):
                    within += 1
                elif (inside in user) or (inside in owner):
                    names = crossings.setdefault(
                        (os.path.basename(user), os.path.basename(owner)), set())
                    names.add(symbol)
        os.remove(path)
    return crossings, within
