"""Flags of the containers, held against the programs' --help."""

import functools
import os
import re
import subprocess

# By the image, where a container states no command: its entrypoint.
ENTRYPOINTS = {"tributary-sampler": "tributary", "tributary-trainer": "tributary-train",
               "tributary-tools": "tributary"}


def program_of(container):
    if "command" in container:
        return os.path.basename(container["command"][0])
    image = container["image"].partition("@")[0].rpartition("/")[2]
    return ENTRYPOINTS.get(image.partition(":")[0])


@functools.lru_cache(maxsize=None)
def help_of(binary, *command):
    return subprocess.run([binary, *command, "--help"], capture_output=True, text=True,
                          timeout=60, check=True).stdout


def check_all(manifests, binaries):
    """`binaries`: path by name. Programs that are not there are left out."""
    for pod in manifests.pods():
        for c in pod.all_containers:
            where = f"{pod}, {c['name']}"
            program = program_of(c)
            if program is None:
                manifests.error(where, f"image {c['image']} is none of ours")
            elif program in binaries:
                check_flags(manifests, where, binaries[program], c.get("args", []))


def check_flags(manifests, where, binary, args):
    command = [a for a in args[:1] if not a.startswith("-")]
    # tributary-fetch and tributary have commands, tributary-train has none.
    try:
        known = set(re.findall(r"--[a-z][\w-]*", help_of(binary, *command)))
    except subprocess.CalledProcessError:
        manifests.error(where, f"{os.path.basename(binary)} has no command {command}")
        return
    for arg in args:
        flag = arg.partition("=")[0]
        if flag.startswith("--") and flag not in known:
            manifests.error(where, f"{' '.join([os.path.basename(binary)] + command)} has no {flag}")
