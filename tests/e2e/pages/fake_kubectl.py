"""Stands in for kubectl where there is no cluster: fake_kubectl.py ARG...

`apply -k FOLDER` renders the folder with the kubectl that REAL_KUBECTL names
and remembers its objects in the file that CLUSTER names. All other commands
must have words that kubectl knows, and name objects, or labels of objects, that
were applied. A command in a pod must have flags that the program of this
checkout has (PROGRAMS: the folder of `tributary` and `tributary-train`).
"""

import json
import os
import re
import subprocess
import sys

import yaml

# The names of kinds on the command line, of objects that are applied here.
KINDS = {"deployment": "Deployment", "job": "Job", "secret": "Secret",
         "pdb": "PodDisruptionBudget", "scaledobject": "ScaledObject",
         "podmonitor": "PodMonitor", "certificate": "Certificate"}
# Those that a cluster makes of them.
MADE = ("pods", "hpa", "endpointslices")
NO_SERVER = "http://127.0.0.1:9"


class Wrong(Exception):
    pass


class Cluster:
    """Objects by KIND/NAME, with labels and, where they have one, a template."""

    def __init__(self, path):
        self.path = path
        self.objects = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.objects = json.load(file)

    def save(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.objects, file)

    def add(self, kind, name, labels=None, template=None):
        """Adds or changes an object; a Job's template cannot be changed."""
        key = f"{kind}/{name}"
        there = self.objects.get(key)
        if kind == "Job" and there and there["template"] != template:
            raise Wrong(f"{key} is there with another template: immutable")
        self.objects[key] = {"labels": labels or {}, "template": template}

    def find(self, kind, name):
        key = f"{KINDS[kind]}/{name}"
        if key not in self.objects:
            raise Wrong(f"no {key}; there are {sorted(self.objects)}")
        return [key]

    def find_labelled(self, kinds, label):
        """Those of these kinds, or the ones whose pods have the label."""
        name, value = label.split("=")
        of = [KINDS[kind] for kind in kinds if kind in KINDS]
        found = []
        for key, thing in self.objects.items():
            template = (thing["template"] or {}).get("metadata", {})
            labels = {**template.get("labels", {}), **thing["labels"]}
            if labels.get(name) == value and (
                    key.split("/")[0] in of or not of and thing["template"]):
                found.append(key)
        if not found:
            raise Wrong(f"nothing has {label}")
        return found


def rendered(folder):
    done = subprocess.run(
        [os.environ["REAL_KUBECTL"], "kustomize", folder], text=True,
        capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        raise Wrong(done.stderr)
    return list(yaml.safe_load_all(done.stdout))


def apply(cluster, folder):
    for thing in rendered(folder):
        metadata = thing["metadata"]
        cluster.add(thing["kind"], metadata["name"], metadata.get("labels"),
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


def named(cluster, words):
    """The objects that the words after the verb name."""
    label = words[words.index("-l") + 1] if "-l" in words else None
    found = []
    for i, word in enumerate(words):
        kinds = word.split(",")
        if re.fullmatch(r"[a-z]+/[\w-]+", word):
            found += cluster.find(*word.split("/"))
        elif all(kind in KINDS or kind in MADE for kind in kinds):
            after = words[i + 1] if i + 1 < len(words) else "-"
            if label:
                found += cluster.find_labelled(kinds, label)
            elif not after.startswith("-"):
                found += cluster.find(word, after)
    if label and not found:
        found = cluster.find_labelled([], label)
    return found


def run(cluster, args):
    words = args[2:] if args[:1] == ["-n"] else args
    verb = words[0]
    if verb == "apply":
        return apply(cluster, words[words.index("-k") + 1])
    if verb == "kustomize":
        return rendered(words[1])
    pod = []
    if "--" in words:
        pod = words[words.index("--") + 1:]
        words = words[:words.index("--")]
        args = args[:args.index("--")] + ["--", "x"]
    check_words(args)
    if verb == "create":
        return cluster.add("Secret", words[3])
    found = [] if "--ignore-not-found" in words else named(cluster, words[1:])
    if "--ignore-not-found" in words:
        match = re.search(r"\b(\w+)[/ ]([\w-]+) --ignore", " ".join(words))
        found = [f"{KINDS[match[1]]}/{match[2]}"]
    if pod:
        check_program(pod)
    if verb == "delete":
        for key in found:
            cluster.objects.pop(key, None)
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
