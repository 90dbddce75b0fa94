"""Fleets with TLS: certificates as cert-manager writes them, mounted as Secrets.
They are renewed, and their authority is replaced, under a run; who has no
certificate, or one of others, is refused. By the images' own programs."""

import http.client
import json
import os
import re
import socket
import ssl
import unittest

from tests.e2e import processes, sampling, training
from tests.k8s.pods import fleets, manifests
from tests.k8s.pods.cert_manager import Authority
from tests.k8s.pods.samplers_test import EPOCH, Reader
from tests.k8s.pods.trainers_test import RUN, TRAINER, losses, with_flags

SAMPLER, PROMETHEUS = "tributary-sampler-tls", "tributary-prometheus-tls"
TRAINERS = "tributary-trainer-tls"
SERVER_NAME = "tributary-sampler"  # as the PodMonitor has it


class Holder:
    """The holder of a Secret's certificate, outside of any pod."""

    def __init__(self, secret):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.load_verify_locations(cadata=secret["ca.crt"])
        with processes.temporary_folder() as folder:
            for name in "tls.crt", "tls.key":
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(secret[name])
            self.context.load_cert_chain(os.path.join(folder, "tls.crt"),
                                         os.path.join(folder, "tls.key"))

    def connect(self, pod, port):
        return self.context.wrap_socket(
            socket.create_connection((pod.address, port), timeout=10),
            server_hostname=SERVER_NAME)

    def certificate(self, pod, port):
        """The PEM of the certificate that the pod shows at the port."""
        with self.connect(pod, port) as connection:
            return ssl.DER_cert_to_PEM_cert(connection.getpeercert(True))

    def get(self, pod, path):
        """Status and text of a page at the port of metrics."""
        connection = http.client.HTTPConnection(pod.address, 9090, timeout=10)
        connection.sock = self.connect(pod, 9090)
        connection.request("GET", path)
        reply = connection.getresponse()
        try:
            return reply.status, reply.read().decode()
        finally:
            connection.close()


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fleets.require_isolation()
        cls.world = fleets.World(2)
        cls.addClassCleanup(cls.world.close)

    def setUp(self):
        self.cluster = self.enterContext(self.world.cluster(
            environment={"OMP_NUM_THREADS": "1"}))
        self.cluster.apply(manifests.of_checkout("k8s/base/policy"))

    def start_samplers(self, resources, replicas):
        self.cluster.apply(resources)
        for name in self.cluster.deployments:
            self.cluster.scale(name, replicas)
        self.settle()

    def settle(self):
        self.cluster.run_until(
            lambda: all(map(self.cluster.settled, self.cluster.deployments)), "samplers")

    def samplers(self):
        return [pod for name in self.cluster.deployments
                for pod in self.cluster.pods_of(name)]

    def holder(self, name):
        return Holder(self.cluster.secrets[name])

    def apply_certificate_of_trainers(self):
        """Without their Job."""
        resources = manifests.of_checkout("k8s/overlays/trainers-cpu-tls")
        self.cluster.apply([r for r in resources if r["kind"] == "Certificate"])

    # --- rotation under a run ----------------------------------------------------
    def start_run(self):
        """Trainers of the overlay, whose job takes some time."""
        resources = manifests.of_checkout("k8s/overlays/trainers-cpu-tls")
        job = manifests.of_kind(resources, "Job")[TRAINER]
        container = job["spec"]["template"]["spec"]["containers"][0]
        container["args"] = with_flags(container["args"], {
            **RUN, "--log": "/shared/log.jsonl"})
        container["volumeMounts"].append({"name": "shared", "mountPath": "/shared"})
        job["spec"]["template"]["spec"]["volumes"].append(
            {"name": "shared", "persistentVolumeClaim": {"claimName": "shared"}})
        shared = os.path.join(self.cluster.folder, "shared")
        os.mkdir(shared)
        os.chmod(shared, 0o777)
        self.cluster.claims["shared"] = shared
        self.log = os.path.join(shared, "log.jsonl")
        self.cluster.apply(resources)
        self.job = self.cluster.jobs[TRAINER]

    def train_for(self, epochs):
        done = len(losses(self.log)) if os.path.exists(self.log) else 0
        self.cluster.run_until(
            lambda: os.path.exists(self.log) and len(losses(self.log)) >= done + epochs,
            f"{done + epochs} epochs", 90)
        self.assertLess(len(losses(self.log)), RUN["--epochs"], "ended too early")

    def shown_is_new(self):
        """Whether all samplers show the Secret's certificate, at both ports."""
        wanted = self.cluster.secrets[SAMPLER]["tls.crt"].strip()
        asks = self.holder(PROMETHEUS)
        return all(asks.certificate(pod, port).strip() == wanted
                   for pod in self.samplers() for port in (50051, 9090))

    def replace_authority(self, between):
        """All trust the old and the new one, then have certificates of the new one,
        then trust it alone."""
        secrets = self.cluster.cert_manager
        old, new = secrets.replace_authority()
        secrets.trust(old, new)
        between()
        secrets.renew_all()
        self.cluster.run_until(self.shown_is_new, "renewed certificates")
        secrets.trust(new)
        between()

    def replace_samplers(self):
        """New samplers know nothing of the old authority: who comes to them was
        renewed."""
        first = self.samplers()
        for name in self.cluster.deployments:
            self.cluster.scale(name, 2)
        self.settle()
        for pod in first:
            self.cluster.evict(pod)

    def assert_no_accidents(self):
        for pod in [*self.cluster.pods, *self.cluster.gone]:
            self.assertEqual((pod.name, pod.restarts, pod.killed), (pod.name, 0, False))

    def test_every_batch_comes_once_while_all_is_replaced(self):
        self.apply_certificate_of_trainers()
        self.start_samplers(fleets.sharded(self.world, 2, "cert-manager"), 1)
        reader = Reader(self.cluster, TRAINERS)
        reader.read(100)
        self.replace_authority(lambda: reader.read(50))
        self.replace_samplers()
        reader.read_rest()
        self.assertEqual(reader.pod.exit_codes, {"client": 0}, reader.pod.logs())
        self.assertEqual(reader.lines, sampling.lines(self.world.graph, **EPOCH))
        self.settle()
        self.assertGreater(self.batches(), 0)  # of the new samplers
        self.assert_no_accidents()

    def test_authority_and_certificates_are_replaced_under_a_run(self):
        undisturbed = self.world.path("undisturbed.jsonl")
        training.output("--graph", self.world.graph, "--nproc", 2, "--log", undisturbed,
                        *(f"{name}={value}" for name, value in RUN.items()))
        self.start_samplers(fleets.sharded(self.world, 2, "cert-manager"), 1)
        self.start_run()
        self.train_for(3)

        self.replace_authority(lambda: self.train_for(2))
        self.replace_samplers()
        self.cluster.run_until(lambda: self.job.complete() or self.job.failed, "the job", 120)
        self.assertIsNone(self.job.failed)
        self.assertEqual(self.job.failures, {})
        self.assertEqual(losses(self.log), losses(undisturbed))
        self.assert_no_accidents()

    # --- who is refused ------------------------------------------------------------
    def end_of(self, name, arguments, secret=None):
        """Exit code and output of a client."""
        pod = self.cluster.run_pod(name, fleets.client(*arguments, secret=secret))
        self.cluster.run_until(lambda: pod.ended, f"the end of {name}", 90)
        return pod.exit_codes["client"], pod.container.text()

    def sample(self, name, secret=None):
        arguments = sampling.arguments(("servers", fleets.SERVERS), **EPOCH)
        return self.end_of(name, [*arguments, "--rpc-timeout", "5"], secret)

    def secret_of(self, name, authority, uri):
        """A Secret beside those of the manifests."""
        spec = {**self.cluster.cert_manager.spec("tributary-trainer"), "uris": [uri]}
        self.cluster.secrets[name] = {
            **authority.issue(spec), "ca.crt": self.cluster.secrets[TRAINERS]["ca.crt"]}

    def allow(self, jobs):
        self.cluster.replace_config("tributary-policy", {
            "policy.json": json.dumps({"jobs": jobs})})

    def batches(self):
        """How many the samplers have made."""
        total = 0
        for pod in self.samplers():
            status, text = self.holder(PROMETHEUS).get(pod, "/metrics")
            self.assertEqual(status, 200, text)
            total += fleets.sum_of(text, "tributary_batches_total")
        return total

    def test_strangers_are_refused(self):
        self.apply_certificate_of_trainers()
        self.start_samplers(manifests.of_checkout("k8s/overlays/whole-tls"), 2)

        code, text = self.sample("plain")
        self.assertNotEqual(code, 0)
        self.assertRegex(text, r"TLS|--tls")
        self.secret_of("foreign", Authority(), "tributary://trainer/train")
        code, text = self.sample("foreign", "foreign")
        self.assertNotEqual(code, 0)
        self.assertRegex(text, r"(?i)certificate")
        ours = self.cluster.cert_manager.authority
        self.secret_of("nameless", ours, "spiffe://trainer/train")
        code, text = self.sample("nameless", "nameless")
        self.assertNotEqual(code, 0)
        self.assertIn("tributary://", text)
        self.assertEqual(self.batches(), 0)

        code, text = self.sample("known", TRAINERS)
        self.assertEqual((code, text.splitlines()), (
            0, sampling.lines(self.world.graph, **EPOCH)))
        made = self.batches()
        self.assertGreater(made, 0)

        # The policy is read again: a job is let in, and shut out.
        self.secret_of("other", ours, "tributary://trainer/other")
        code, text = self.sample("other", "other")
        self.assertNotEqual(code, 0)
        self.assertIn("policy hides from trainer/other", text)
        self.assertEqual(self.batches(), made)
        self.allow({"other": ["*"]})
        self.cluster.run_until(
            lambda: self.sample(f"other-{len(self.cluster.pods)}", "other")[0] == 0,
            "a policy that lets it in")
        self.cluster.run_until(
            lambda: self.sample(f"known-{len(self.cluster.pods)}", TRAINERS)[0] != 0,
            "a policy that shuts it out")

    def test_metrics_are_for_operators_and_health_is_for_probes(self):
        self.apply_certificate_of_trainers()
        self.start_samplers(manifests.of_checkout("k8s/overlays/whole-tls"), 1)
        (pod,) = self.samplers()
        status, text = self.holder(PROMETHEUS).get(pod, "/metrics")
        self.assertEqual(status, 200)
        self.assertRegex(text, r"(?m)^tributary_busy_ratio\{")
        self.assertEqual(self.holder(TRAINERS).get(pod, "/metrics")[0], 403)
        plain = http.client.HTTPConnection(pod.address, 9091, timeout=10)
        for path, wanted in ("/healthz", 200), ("/metrics", 404):
            plain.request("GET", path)
            reply = plain.getresponse()
            text = reply.read().decode()
            self.assertEqual(reply.status, wanted, text)
            self.assertFalse(re.search("^tributary_", text, re.M))
        plain.close()
        # What the operations page says of commands in a pod.
        code, text = self.end_of("operator", ["status", "--servers", fleets.SERVERS],
                                 PROMETHEUS)
        self.assertEqual(code, 0, text)
        self.assertIn("partitions=0,1/2", text)


if __name__ == "__main__":
    unittest.main()
