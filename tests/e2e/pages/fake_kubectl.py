"""Stands in for kubectl where there is no cluster: fake_kubectl.py ARG...

`apply -k FOLDER` renders the folder with the kubectl that REAL_KUBECTL names
and remembers its objects in the file that CLUSTER names. All other commands
must name objects that were applied, and have words that kubectl knows. A
command in a pod must have flags that the program of this checkout has
(PROGRAMS: the folder of `tributary` and `tributary-train`).
"""

import json
import os
import re
import subprocess
import sys

import yaml

# The names of kinds on the command line.
KINDS = {"deployment": "Deployment", "job": "Job", "hpa": None,
         "scaledobject": "ScaledObject", "podmonitor": "PodMonitor",
         "pods": None, "endpointslices": None, "secret": "Secret"}
NO_SERVER = "http://127.0.0.1:9"


class Wrong(Exception):
    pass


class Cluster:
    def __init__(self, path):
        self.path = path
        self.objects = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.objects = json.load(file)

    def save(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.objects, file)

    def add(self, kind, name, template=None):
        """Adds or changes an object; a Job's template cannot be changed."""
        key = f"{kind}/{name}"
        template = template or {}
        if kind == "Job" and self.objects.get(key, template) != template:
            raise Wrong(f"{key} is there with another template: immutable")
        self.objects[key] = template

    def templates(self):
        return self.objects.values()

    def find(self, text):
        """The key of KIND/NAME."""
        kind, name = text.split("/")
        key = f"{KINDS[kind]}/{name}"
        if key not in self.objects:
            raise Wrong(f"no {key}; there are {sorted(self.objects)}")
        return key


def apply(cluster, folder):
    done = subprocess.run(
        [os.environ["REAL_KUBECTL"], "kustomize", folder], text=True,
        capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        raise Wrong(done.stderr)
    for thing in yaml.safe_load_all(done.stdout):
        cluster.add(thing["kind"], thing["metadata"]["name"],
                    thing.get("spec", {}).get("template"))


def check_words(args):
    """Has the real kubectl read the command line, up to the connection."""
    done = subprocess.run(
        [os.environ["REAL_KUBECTL"], f"--server={NO_SERVER}", *args], text=True,
        capture_output=True, timeout=60, check=False)
    if re.search(r"unknown (command|flag|shorthand)|^Error: |required",
                 done.stderr, re.M):
        raise Wrong(done.stderr)


def check_program(words):
    """The command that a pod shall run."""
    program = os.path.join(os.environ["PROGRAMS"], os.path.basename(words[0]))
    command = [word for word in words[1:2] if not word.startswith("-")]
    known = subprocess.run([program, *command, "--help"], text=True,
                           capture_output=True, timeout=60, check=True).stdout
    for word in words[1:]:
        flag = word.split("=")[0]
        if flag.startswith("--") and not re.search(rf"{flag}\b", known):
            raise Wrong(f"{words[0]} has no {flag}")


def check_labels(cluster, args):
    if "-l" not in args:
        return
    name, value = args[args.index("-l") + 1].split("=")
    if not any(template.get("metadata", {}).get("labels", {}).get(name) == value
               for template in cluster.templates()):
        raise Wrong(f"no pod has {name}={value}")


def run(cluster, args):
    words = args[2:] if args[:1] == ["-n"] else args
    verb = words[0]
    if verb == "apply":
        return apply(cluster, words[words.index("-k") + 1])
    before = args[:args.index("--")] if "--" in args else args
    check_words(before + ["--", "x"] if "--" in args else args)
    if verb == "create":
        return cluster.add("Secret", words[3])
    if verb == "drain":
        return None
    check_labels(cluster, words)
    if "--" in words:
        check_program(words[words.index("--") + 1:])
        words = words[:words.index("--")]
    named = [word for word in words if re.fullmatch(r"[a-z]+/[\w-]+", word)]
    for word in named:
        key = cluster.find(word)
        if verb == "delete":
            del cluster.objects[key]
    if not named:
        for kind in words[1].split(","):
            if kind not in KINDS:
                raise Wrong(f"{kind} is not known here")
    return None


def main():
    cluster = Cluster(os.environ["CLUSTER"])
    try:
        run(cluster, sys.argv[1:])
    except Wrong as wrong:
        print(f"kubectl {' '.join(sys.argv[1:])}: {wrong}", file=sys.stderr)
        return 1
    cluster.save()
    return 0


if __name__ == "__main__":
    sys.exit(main())
