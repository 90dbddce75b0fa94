"""Rendered manifests, and the texts in them that depend on the pod."""

import os
import re
import shutil
import subprocess
import tempfile

from k8s.checks.manifests import load, selects  # noqa: F401
from tools import kubectl


def of_checkout(folder):
    """The resources of a kustomization of the checkout: "k8s/overlays/whole"."""
    with tempfile.TemporaryDirectory() as copy:
        # Kustomize reads no links, and runfiles are nothing else.
        for part in "base", "components", "overlays":
            shutil.copytree(f"k8s/{part}", os.path.join(copy, "k8s", part))
        return render(os.path.join(copy, folder))


def render(folder):
    """The resources of a kustomization, as `kubectl kustomize` prints them."""
    done = subprocess.run([kubectl.main(), "kustomize", folder], text=True,
                          capture_output=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"kubectl kustomize {folder}: {done.stderr}")
    return load(done.stdout)


def of_kind(resources, kind):
    """By name."""
    return {resource["metadata"]["name"]: resource for resource in resources
            if resource["kind"] == kind}


FIELD = re.compile(r"metadata\.(\w+)(?:\['([^']+)'\])?$")


def field_of(path, metadata, status):
    """The value that a fieldRef names."""
    if path in status:
        return status[path]
    found = FIELD.match(path)
    if not found:
        raise AssertionError(f"fieldRef {path} is not known to this fixture")
    value = metadata.get(found[1])
    return value if found[2] is None else (value or {})[found[2]]


def cores(quantity):
    """A CPU quantity in cores: "2", "500m"."""
    text = str(quantity)
    return int(text[:-1]) / 1000 if text.endswith("m") else float(text)


def environment_of(container, metadata, status):
    """A container's variables, `$(NAME)` of earlier ones put in."""
    values = {}
    for entry in container.get("env", []):
        source = entry.get("valueFrom", {})
        if "fieldRef" in source:
            value = field_of(source["fieldRef"]["fieldPath"], metadata, status)
        elif "resourceFieldRef" in source:
            value = resource_of(source["resourceFieldRef"], container)
        elif not source:
            value = expand(entry.get("value", ""), values)
        else:
            raise AssertionError(f"{entry}: not known to this fixture")
        values[entry["name"]] = str(value)
    return values


def resource_of(reference, container):
    kind, name = reference["resource"].split(".")
    if name != "cpu" or cores(reference.get("divisor", "1")) != 1:
        raise AssertionError(f"{reference}: not known to this fixture")
    # Rounded up, as Kubernetes does with the divisor 1.
    return -int(-cores(container["resources"][kind][name]) // 1)


def expand(text, values):
    """`text` with $(NAME) replaced; $$ is a dollar, unknown names stay."""
    return re.sub(r"\$\$|\$\((\w+)\)",
                  lambda found: "$" if found[0] == "$$" else
                  values.get(found[1], found[0]), text)
