"""Clusters for tests: images that Bazel built, a partitioned graph, overlays."""

import os
import unittest
import urllib.request

from tests.e2e import folders, processes
from tests.k8s.pods import manifests
from tests.k8s.pods.cluster import Cluster
from tests.k8s.pods.container import Image

SERVERS = "dns:///tributary-sampler:50051"
SAMPLER_IMAGE = "k8s/images/sampler.tar"
TRAINER_IMAGE = "k8s/images/trainer.tar"
OWNER = 10001


def require_isolation():
    """Skips where run_isolated.sh could not make namespaces."""
    if os.environ.get("TRIBUTARY_ISOLATED") != "1":
        raise unittest.SkipTest("needs root and namespaces (unshare) for pods")


class World:
    """Images and the graph, made once for a test class: see samplers_test.py."""

    def __init__(self, partitions, trainer=True):
        self._folder = processes.temporary_folder()
        self.folder = self._folder.name
        self.graph = self.path("graphs", "main")
        os.mkdir(self.path("graphs"))
        folders.partition(folders.CORA, self.graph, partitions)
        self.images = {"tributary-sampler": Image.unpack(
            "sampler", SAMPLER_IMAGE, self.path("sampler-image"))}
        if trainer:
            self.images["tributary-trainer"] = Image.unpack(
                "trainer", TRAINER_IMAGE, self.path("trainer-image"))
        self._clusters = 0

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def cluster(self, **options):
        self._clusters += 1
        folder = self.path(f"cluster{self._clusters}")
        os.mkdir(folder)
        return Cluster(folder, dict(self.images),
                       {"tributary-graph": self.path("graphs")}, **options)

    def close(self):
        self._folder.cleanup()


def whole():
    """The samplers of the overlay `whole`."""
    return manifests.of_checkout("k8s/overlays/whole")


def sharded(world, partitions, tls="none"):
    """What `tributary k8s render` makes of a values file."""
    values = world.path("values.yaml")
    with open(values, "w", encoding="ascii") as file:
        file.write("placement: sharded\nimages: {sampler: 'tributary-sampler:1'}\n"
                   "graphs: [{folder: /graphs/main, partitions: "
                   f"{partitions}}}]\nvolume: {{claim: tributary-graph}}\n"
                   f"resources: {{cpu: '1', memory: 4Gi}}\ntls: {tls}\n")
    processes.run_ok("k8s", "render", "--values", values, "--out",
                     world.path("rendered"))
    return manifests.render(world.path("rendered"))


def client(*arguments, secret=None):
    """The template of a pod that runs `tributary` once, with the certificate of a
    Secret or without one."""
    container = {"name": "client", "image": "tributary-sampler",
                 "args": [str(argument) for argument in arguments],
                 "securityContext": {"readOnlyRootFilesystem": True}}
    spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 5,
            "securityContext": {"runAsUser": OWNER, "fsGroup": OWNER},
            "containers": [container]}
    if secret is not None:
        container["args"] += ["--tls-ca=/tls/ca.crt", "--tls-cert=/tls/tls.crt",
                              "--tls-key=/tls/tls.key"]
        container["volumeMounts"] = [{"name": "tls", "mountPath": "/tls",
                                      "readOnly": True}]
        spec["volumes"] = [{"name": "tls", "secret": {
            "secretName": secret, "defaultMode": 0o440}}]
    return {"spec": spec}


def metric(pod, name):
    """The sum of a metric of a sampler over its labels."""
    with urllib.request.urlopen(f"http://{pod.address}:9090/metrics",
                                timeout=10) as reply:
        return sum_of(reply.read().decode(), name)


def sum_of(text, name):
    """The same, of the text of /metrics."""
    lines = text.splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines
               if line.split("{")[0].split(" ")[0] == name)
