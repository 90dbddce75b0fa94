"""Runs rendered manifests: Deployments, Jobs, Services and budgets, as pods in
network namespaces. There is no API server; a test changes what is wanted and
lets the cluster run until a condition holds.
"""

import os
import time

from tests.e2e.processes import Timeout
from tests.k8s.pods import controllers, manifests
from tests.k8s.pods.cert_manager import CertManager
from tests.k8s.pods.network import Network
from tests.k8s.pods.pod import Pod

STEP = 0.05  # seconds between two looks at everything


class Job:
    """Of an indexed Job: who runs, and how it went."""

    def __init__(self, resource):
        self.spec = resource["spec"]
        if self.spec.get("podReplacementPolicy") != "Failed":
            raise AssertionError("only podReplacementPolicy Failed is known here")
        self.succeeded = set()
        self.failures = {}  # of an index
        self.given_up = set()
        self.ignored = 0    # failures that the policy does not count
        self.failed = None  # why

    def complete(self):
        return len(self.succeeded) == self.spec["completions"]

    def missing(self, live):
        """The indexes that want a pod, beside those that have one."""
        return sorted(set(range(self.spec["completions"])) - live -
                      self.succeeded - self.given_up)

    def on_end(self, index, pod):
        if pod.phase == "Succeeded":
            self.succeeded.add(index)
            return
        action = controllers.after_pod_failure(self.spec, pod.exit_codes,
                                               pod.disrupted)
        if action == "Ignore":
            self.ignored += 1
            return
        self.failures[index] = self.failures.get(index, 0) + 1
        limit = self.spec.get("backoffLimitPerIndex")
        if action == "FailIndex" or (
                limit is not None and self.failures[index] > limit):
            self.given_up.add(index)
        if action == "FailJob":
            self.failed = f"{action}: pod {pod.name}, {pod.exit_codes}"
        else:
            self.failed = controllers.job_failure(self.spec, self.failures,
                                                  self.given_up)


class Cluster:
    """`images`: an Image by the name that manifests use. `claims`: folders.
    `pace` multiplies minReadySeconds and the periods of probes. `environment`
    comes beside every container's own."""

    def __init__(self, folder, images, claims, pace=0.05, ttl=1,
                 environment=None):
        self.folder = folder
        self.images = images
        self.claims = claims
        self.pace = pace
        self.environment = environment or {}
        self.namespace = "tributary"
        self.network = Network(folder, ttl)
        self.deployments = {}
        self.jobs = {}
        self.services = {}
        self.budgets = {}
        self.autoscalers = {}
        self.configs = {}        # texts by file, by the ConfigMap's name
        self.cert_manager = CertManager(self._replace_secret)
        self.pods = []
        self.gone = []           # pods that were removed
        self.fewest_ready = {}   # of a Deployment, since watch_ready()
        self._owners = {}        # of pods, by name: (kind, name, index)
        self._created = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pod in self.pods:
            pod.remove()
        self.network.close()

    def image(self, reference):
        name = reference.rsplit("/", 1)[-1].split(":")[0].split("@")[0]
        return self.images[name]

    def apply(self, resources):
        for name, found in manifests.of_kind(resources, "Deployment").items():
            found["spec"].setdefault("replicas", 1)
            self.deployments[name] = found
        self.cert_manager.apply(manifests.of_kind(resources, "Certificate"))
        for name, found in manifests.of_kind(resources, "ConfigMap").items():
            self.replace_config(name, found["data"])
        for name, found in manifests.of_kind(resources, "Job").items():
            self.jobs[name] = Job(found)
        self.services.update(manifests.of_kind(resources, "Service"))
        self.autoscalers.update(manifests.of_kind(resources, "ScaledObject"))
        self.budgets.update(manifests.of_kind(resources, "PodDisruptionBudget"))

    def replace_config(self, name, data):
        self.configs[name] = data
        for pod in self.pods:
            pod.replace_volume("configMap", name, data)

    @property
    def secrets(self):
        return self.cert_manager.secrets

    def _replace_secret(self, name, data):
        for pod in self.pods:
            pod.replace_volume("secret", name, data)

    def autoscale(self, deployment, replicas):
        """As the ScaledObject's autoscaler, within its minimum and maximum."""
        scaled = next(found["spec"] for found in self.autoscalers.values() if
                      found["spec"]["scaleTargetRef"]["name"] == deployment)
        self.scale(deployment, max(scaled["minReplicaCount"],
                                   min(replicas, scaled["maxReplicaCount"])))

    def scale(self, deployment, replicas):
        self.deployments[deployment]["spec"]["replicas"] = replicas

    def run_pod(self, name, template, reads=False):
        """Runs a pod of no controller; with `reads` its `output` is a pipe."""
        pod = Pod(self, name, template, reads=reads)
        self.pods.append(pod)
        return pod

    def pods_of(self, owner):
        """Those of a Deployment or Job that have not ended."""
        return [pod for pod in self.pods if not pod.ended and
                self._owners.get(pod.name, (None, None))[1] == owner]

    def evict(self, pod):
        """As a node that is drained: raises Refused if a budget is against it."""
        for budget in self.budgets.values():
            labels = budget["spec"]["selector"]["matchLabels"]
            if not manifests.selects(labels, pod.metadata["labels"]):
                continue
            under = [self._seen(other) for other in self.pods if not other.ended
                     and manifests.selects(labels, other.metadata["labels"])]
            why = controllers.eviction_refusal(budget["spec"], under, pod.name)
            if why is not None:
                raise Refused(f"{budget['metadata']['name']}: {why}")
        pod.terminate(disrupted=True)

    def run_until(self, condition, what, deadline=60):
        """Lets the cluster run until the condition holds."""
        end = time.monotonic() + deadline
        while not condition():
            if time.monotonic() > end:
                self.print_logs()
                raise Timeout(f"{what}: not within {deadline} s; {self.describe()}")
            self.step()
            time.sleep(STEP)

    def available(self, deployment):
        return [pod for pod in self.pods_of(deployment)
                if self._seen(pod).available]

    def settled(self, deployment):
        """As many available pods of its revision as are wanted, and no others."""
        found = self.deployments[deployment]
        pods = self.pods_of(deployment)
        return (len(pods) == found["spec"]["replicas"] == len(
            self.available(deployment)) and
            all(pod.revision == self._revision(found) for pod in pods))

    def watch_ready(self):
        """Forgets the smallest numbers of ready pods that were seen."""
        self.fewest_ready = {}

    def print_logs(self):
        for pod in self.gone:
            print(pod.last_logs)
        for pod in self.pods:
            print(pod.logs())

    def describe(self):
        return "; ".join(
            f"{pod.name} {pod.phase}{' ready' if pod.ready else ''}"
            f"{' terminating' if pod.terminating else ''}" for pod in self.pods)

    def step(self):
        now = time.monotonic()
        for pod in list(self.pods):
            pod.step(now)
            if pod.ended and pod.name in self._owners:
                self._bury(pod)
        for name, deployment in self.deployments.items():
            self._reconcile_deployment(name, deployment)
        for name, job in self.jobs.items():
            self._reconcile_job(name, job)
        self._publish()

    def _bury(self, pod):
        kind, owner, index = self._owners[pod.name]
        if kind == "Job":
            self.jobs[owner].on_end(index, pod)
        pod.last_logs = pod.logs()
        self.pods.remove(pod)
        self.gone.append(pod)
        pod.remove()

    def _seen(self, pod):
        owner = self._owners.get(pod.name)
        wait = 0
        if owner is not None and owner[0] == "Deployment":
            spec = self.deployments[owner[1]]["spec"]
            wait = spec.get("minReadySeconds", 0) * self.pace
        age = time.monotonic() - (pod.ready_since or 0)
        return controllers.SeenPod(
            pod.name, pod.revision, pod.created, pod.ready,
            pod.ready and age >= wait and not pod.terminating, pod.terminating)

    def _revision(self, deployment):
        images = [self.image(container["image"]).name for container in
                  deployment["spec"]["template"]["spec"]["containers"]]
        return repr((images, deployment["spec"]["template"]))

    def _reconcile_deployment(self, name, deployment):
        pods = self.pods_of(name)
        ready = sum(pod.ready and not pod.terminating for pod in pods)
        self.fewest_ready[name] = min(self.fewest_ready.get(name, ready), ready)
        revision = self._revision(deployment)
        create, delete = controllers.deployment_step(
            deployment["spec"], revision, [self._seen(pod) for pod in pods])
        for pod in pods:
            if pod.name in delete:
                pod.terminate()
        for _ in range(create):
            self._create(("Deployment", name, None), f"{name}-{self._created}",
                         deployment["spec"]["template"], revision)

    def _reconcile_job(self, name, job):
        if job.failed is not None or job.complete():
            for pod in self.pods_of(name):
                pod.terminate()
            return
        live = {self._owners[pod.name][2] for pod in self.pods_of(name)}
        for index in job.missing(live):
            template = job.spec["template"]
            metadata = template.get("metadata", {})
            annotations = {**metadata.get("annotations", {}),
                           "batch.kubernetes.io/job-completion-index": str(index)}
            labels = {**metadata["labels"], "batch.kubernetes.io/job-name": name}
            self._create(
                ("Job", name, index), f"{name}-{index}-{self._created}",
                {**template, "metadata": {**metadata, "annotations": annotations,
                                          "labels": labels}},
                hostname=f"{name}-{index}")

    def _create(self, owner, name, template, revision="", hostname=None):
        self._created += 1
        self._owners[name] = owner
        self.pods.append(Pod(self, name, template, revision, hostname))

    def _publish(self):
        records = []
        for name, service in self.services.items():
            spec = service["spec"]
            for pod in self.pods:
                if pod.ended or not manifests.selects(
                        spec["selector"], pod.metadata["labels"]):
                    continue
                if not spec.get("publishNotReadyAddresses") and (
                        pod.terminating or not pod.ready):
                    continue
                records.append((f"{name}.{self.namespace}", pod.address))
                if pod.spec.get("subdomain") == name:
                    records.append((f"{pod.hostname}.{name}.{self.namespace}",
                                    pod.address))
        self.network.publish(records)


class Refused(Exception):
    """An eviction that a disruption budget does not allow."""
