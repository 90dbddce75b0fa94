"""What rendered manifests hold, as the checks look at it."""

import dataclasses
import re

import yaml

# Made by the user, as k8s/README.md tells.
BY_HAND = {
    ("PersistentVolumeClaim", "tributary-input"),
    ("Secret", "tributary-object-store"),
}
POD_KINDS = ("Deployment", "Job", "TrainingRuntime")
SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


@dataclasses.dataclass
class Pod:
    """A pod template; `job` is the spec of the Job that makes it, if one does."""

    owner: dict
    template: dict
    job: dict = None

    def __str__(self):
        return name_of(self.owner)

    @property
    def labels(self):
        return self.template["metadata"].get("labels", {})

    @property
    def spec(self):
        return self.template["spec"]

    @property
    def containers(self):
        return self.spec["containers"]

    @property
    def all_containers(self):
        return self.spec.get("initContainers", []) + self.containers

    def ports(self):
        """Name: number of all ports that are open."""
        return {p["name"]: p["containerPort"]
                for c in self.containers for p in c.get("ports", [])}


class Manifests:
    """The resources of one rendering, and of others that are applied beside."""

    def __init__(self, resources, beside=()):
        self.resources = [r for r in resources if r]
        self.beside = [r for r in beside if r]
        self.errors = []

    def error(self, where, text):
        self.errors.append(f"{where if isinstance(where, str) else name_of(where)}: {text}")

    def of(self, kind):
        return [r for r in self.resources if r["kind"] == kind]

    def find(self, kind, name):
        """The resource here or beside, or None."""
        for r in self.resources + self.beside:
            if r["kind"] == kind and r["metadata"]["name"] == name:
                return r
        return None

    def all_of(self, kind):
        """Those here and beside."""
        return [r for r in self.resources + self.beside if r["kind"] == kind]

    def certificate_of(self, secret):
        """The Certificate that cert-manager writes to the Secret, or None."""
        for r in self.all_of("Certificate"):
            if r["spec"]["secretName"] == secret:
                return r
        return None

    def exists(self, kind, name):
        return (kind, name) in BY_HAND or self.find(kind, name) is not None or (
            kind == "Secret" and self.certificate_of(name) is not None)

    def pods(self):
        return [pod for r in self.resources for pod in pods_of(r)]


def pods_of(resource):
    if resource["kind"] not in POD_KINDS:
        return []
    spec = resource["spec"]
    if resource["kind"] == "TrainingRuntime":
        jobs = [j["template"]["spec"] for j in spec["template"]["spec"]["replicatedJobs"]]
        return [Pod(resource, job["template"], job) for job in jobs]
    return [Pod(resource, spec["template"], spec if resource["kind"] == "Job" else None)]


def load(text):
    return [r for r in yaml.safe_load_all(text) if r]


def name_of(resource):
    return f"{resource['kind']} {resource['metadata']['name']}"


def selects(selector, labels):
    """Whether a selector of labels, which is not empty, matches."""
    return bool(selector) and all(labels.get(k) == v for k, v in selector.items())


def flags_of(container):
    """--FLAG: value of the arguments that are written --FLAG=value or --FLAG."""
    flags = {}
    for arg in container.get("args", []):
        if arg.startswith("--"):
            flag, _, value = arg.partition("=")
            flags[flag] = value
    return flags


def bytes_of(quantity):
    """The bytes of a quantity of Kubernetes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]*)", str(quantity))
    if not match or match[2] not in SUFFIXES:
        raise ValueError(f"{quantity} is no quantity of bytes")
    return float(match[1]) * SUFFIXES[match[2]]


def size_of(text):
    """The bytes of a size as the programs take it: GB is 2^30."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?", text)
    if not match:
        raise ValueError(f"{text} is no size")
    return float(match[1]) * SUFFIXES[match[2] + "i" if match[2] else ""]
