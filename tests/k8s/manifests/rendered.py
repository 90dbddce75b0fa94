"""Renderings for tests, without kubectl: those of `tributary k8s render`, and
bases as kustomize would name their namespace and images."""

import copy
import functools
import pathlib
import subprocess
import sys
import tempfile

K8S = pathlib.Path("k8s")
sys.path.insert(0, str(K8S / "checks"))

import manifests  # noqa: E402

TRIBUTARY = "cli/tributary"


def finished(resources, namespace="tributary"):
    """With the namespace, a registry and a tag."""
    for r in resources:
        if r["kind"] != "Namespace":
            r["metadata"]["namespace"] = namespace
        for pod in manifests.pods_of(r):
            for c in pod.all_containers:
                if "/" not in c["image"]:
                    c["image"] = f"registry.example/{c['image']}:1"
    return resources


@functools.lru_cache(maxsize=None)
def read_folder(folder):
    texts = [path.read_text() for path in sorted((K8S / folder).glob("*.yaml"))
             if path.name != "kustomization.yaml"]
    return finished([r for text in texts for r in manifests.load(text)])


def folder(name):
    """The resources in a folder of k8s."""
    return copy.deepcopy(read_folder(name))


def run_program(*arguments):
    subprocess.run([TRIBUTARY, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=60)


@functools.lru_cache(maxsize=None)
def run_render(changes):
    values = (K8S / "values/sharded.yaml").read_text()
    for old, new in changes:
        assert old in values, old
        values = values.replace(old, new)
    with tempfile.TemporaryDirectory() as here:
        at = pathlib.Path(here)
        (at / "values.yaml").write_text(values)
        run_program("k8s", "render", "--values", at / "values.yaml", "--out", at / "out")
        texts = [p.read_text() for p in sorted((at / "out").iterdir())]
    resources = [r for text in texts for r in manifests.load(text)]
    namespace = next(r["namespace"] for r in resources if r["kind"] == "Kustomization")
    return finished([r for r in resources if r["kind"] != "Kustomization"], namespace)


def fleet(*changes):
    """A rendering of the example of values, after replacements (old, new)."""
    return copy.deepcopy(run_render(changes))


def everything():
    """What is applied beside any of them."""
    return folder("base/graph") + folder("base/checkpoints") + folder("base/samplers")


def one(resources, kind, name=None):
    return next(r for r in resources
                if r["kind"] == kind and name in (None, r["metadata"]["name"]))
