"""A pod: init containers in their order, then its container; probes; its end."""

import os
import signal
import time

from tests.k8s.pods import config_volume, manifests
from tests.k8s.pods.container import Container
from tests.k8s.pods.network import resolv_conf
from tests.k8s.pods.probe import Probe

# What a manifest may say. The first two lines of each are acted on; the rest
# concerns nodes and limits, which are not here.
POD_FIELDS = {
    "containers", "initContainers", "restartPolicy", "subdomain", "volumes",
    "terminationGracePeriodSeconds", "securityContext",
    "automountServiceAccountToken", "enableServiceLinks",
    "topologySpreadConstraints"}
CONTAINER_FIELDS = {
    "args", "command", "env", "image", "name", "securityContext", "volumeMounts",
    "startupProbe", "readinessProbe", "livenessProbe",
    "ports", "resources"}

class Pod:
    """`template`: a pod template of a manifest. `cluster` has images, claims,
    folders, the network, and `pace`, by which periods of probes are multiplied.
    With `reads` the container's stdout is a pipe, `output`. Call step() again and
    again; nothing here waits.
    """

    def __init__(self, cluster, name, template, revision="", hostname=None,
                 reads=False):
        self.name = name
        self.revision = revision
        self.metadata = {"labels": {}, "annotations": {},
                         **template.get("metadata", {}), "name": name,
                         "namespace": cluster.namespace}
        self.spec = template["spec"]
        self.hostname = hostname or name
        self.created = time.monotonic()
        self.ready_since = None
        self.disrupted = False
        self.phase = "Pending"  # Pending, Running, Succeeded, Failed
        self.restarts = 0
        self.killed = False     # SIGKILL was needed at its end
        self.exit_codes = {}
        self.output = None      # what the container's stdout is read from
        self._cluster = cluster
        self._reads = reads
        self._deadline = None   # when SIGKILL follows
        self._folder = os.path.join(cluster.folder, name)
        os.mkdir(self._folder)
        self._network, self.address = cluster.network.add_pod()
        self._status = {"status.podIP": self.address}
        self._waiting = list(self.spec.get("initContainers", []))
        self._waiting += self.spec["containers"]
        self._refuse_unknown_fields()
        if len(self.spec["containers"]) != 1:
            raise AssertionError(f"{name}: one container is known here")
        self._past = []
        self._probes = {}
        self.container = None
        self._start_next()

    @property
    def terminating(self):
        return self._deadline is not None

    @property
    def ended(self):
        return self.phase in ("Succeeded", "Failed")

    @property
    def ready(self):
        return self.ready_since is not None and not self.ended

    def main_runs(self):
        """Whether its container, not one of the init containers, runs."""
        return self.phase == "Running" and self.container.poll()

    def terminate(self, disrupted=False):
        """SIGTERM, and SIGKILL after the grace period."""
        if self.terminating or self.ended:
            return
        self.disrupted = disrupted
        grace = self.spec.get("terminationGracePeriodSeconds", 30)
        self._deadline = time.monotonic() + grace
        self.container.signal(signal.SIGTERM)

    def step(self, now):
        if self.ended:
            return
        if not self.container.poll():
            self._on_end(self.container)
            return
        if self.terminating and now >= self._deadline:
            self.killed = True
            self.container.kill()
        if self.phase == "Running":
            self._probe(now)

    def remove(self):
        for probe in self._probes.values():
            probe.close()
        if self.output is not None:
            self.output.close()
        for container in [*self._past, self.container]:
            container.remove()
        self._cluster.network.remove_pod(self._network)

    def replace_volume(self, kind, name, data):
        """Shows the pod new texts of a ConfigMap or a Secret, if it has the volume."""
        for volume in self.spec.get("volumes", []):
            if name == self._source(volume.get(kind, {})):
                self._write_volume(kind, volume[kind])

    def logs(self):
        return "".join(f"-- {self.name}/{container.name}\n{container.text()}"
                       for container in [*self._past, self.container])

    def _refuse_unknown_fields(self):
        unknown = self.spec.keys() - POD_FIELDS
        for container in self._waiting:
            unknown |= container.keys() - CONTAINER_FIELDS
        if unknown:
            raise AssertionError(f"{unknown}: not known to this fixture")

    def _start_next(self):
        spec = self._waiting[0]
        if self.container is not None:
            self._past.append(self.container)
        self.container = self._make_container(spec)
        if len(self._waiting) > 1:
            self.container.start()
            return
        self.phase = "Running"
        if self._reads:
            self.output = self.container.start_reading()
        else:
            self.container.start()
        self._probes = {
            kind: Probe(spec[kind], self.address, spec.get("ports", []),
                        self._cluster.pace)
            for kind in ("startupProbe", "readinessProbe", "livenessProbe")
            if kind in spec}
        if "readinessProbe" not in spec:
            self.ready_since = time.monotonic()

    def _make_container(self, spec):
        environment = manifests.environment_of(spec, self.metadata, self._status)
        security = self.spec.get("securityContext", {})
        return Container(
            spec, self._cluster.image(spec["image"]),
            os.path.join(self._folder, f"{spec['name']}-{len(self._past)}"),
            {mount["mountPath"]: self._volume(mount)
             for mount in spec.get("volumeMounts", [])},
            {"resolv.conf": resolv_conf(self._cluster.namespace),
             "hostname": self.hostname + "\n",
             "hosts": f"127.0.0.1 localhost\n{self.address} {self.hostname}\n"},
            {**environment, **self._cluster.environment},
            [manifests.expand(text, environment)
             for text in spec.get("args", [])],
            self._network, security["runAsUser"])

    def _volume(self, mount):
        volume = next(volume for volume in self.spec["volumes"]
                      if volume["name"] == mount["name"])
        if "persistentVolumeClaim" in volume:
            claim = volume["persistentVolumeClaim"]
            return (self._cluster.claims[claim["claimName"]],
                    claim.get("readOnly") or mount.get("readOnly", False))
        for kind in "configMap", "secret":
            if kind in volume:
                return self._write_volume(kind, volume[kind]), True
        if "emptyDir" not in volume:
            raise AssertionError(f"{volume}: not known to this fixture")
        if volume["emptyDir"].get("medium") == "Memory":
            return None
        folder = os.path.join(self._folder, "volume-" + mount["name"])
        if not os.path.exists(folder):
            os.mkdir(folder)
            os.chmod(folder, 0o777)
        return folder, mount.get("readOnly", False)

    @staticmethod
    def _source(volume):
        return volume.get("name") or volume.get("secretName")

    def _write_volume(self, kind, volume):
        """Returns the folder that shows what is in the ConfigMap or Secret now."""
        name = self._source(volume)
        there = self._cluster.secrets if kind == "secret" else self._cluster.configs
        folder = os.path.join(self._folder, f"{kind}-{name}")
        group = self.spec.get("securityContext", {}).get("fsGroup", 0)
        config_volume.write(folder, there[name], volume.get("defaultMode", 0o644), group)
        return folder

    def _on_end(self, container):
        code = container.exit_code
        self.ready_since = None
        is_init = len(self._waiting) > 1
        if is_init and code == 0 and not self.terminating:
            self._waiting.pop(0)
            self._start_next()
            return
        policy = self.spec.get("restartPolicy", "Always")
        again = policy == "Always" or (policy == "OnFailure" and code != 0)
        if again and not self.terminating:
            self.restarts += 1
            for probe in self._probes.values():
                probe.close()
            self._start_next()
            return
        self.exit_codes[container.name] = code
        done = code == 0 and not is_init and not self.disrupted
        self.phase = "Succeeded" if done else "Failed"

    def _probe(self, now):
        startup = self._probes.get("startupProbe")
        if startup is not None and not startup.succeeds:
            startup.step(now)
            if startup.failed:
                self.container.kill()
            return
        liveness = self._probes.get("livenessProbe")
        if liveness is not None and not self.terminating:
            liveness.step(now)
            if liveness.failed:
                self.container.kill()
                return
        readiness = self._probes.get("readinessProbe")
        if readiness is None:
            return
        readiness.step(now)
        if not readiness.succeeds:
            self.ready_since = None
        elif self.ready_since is None:
            self.ready_since = now
