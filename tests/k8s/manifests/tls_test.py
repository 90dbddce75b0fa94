"""The overlays with TLS, as kustomize renders them, pass; each check of TLS finds
what it is for."""

import copy
import functools
import pathlib
import tempfile
import unittest

from tests.k8s.manifests import rendered
from tests.k8s.manifests.checks_test import container, flag, in_container, in_pod, \
    in_resource, drop, pod, put
from tests.k8s.pods.manifests import of_checkout, render

import check_manifests

SAMPLERS, TRAINERS, TRAINJOB = "whole-tls", "trainers-gpu-tls", "trainers-trainjob-tls"
PLAIN = "whole"
ONCE = ["k8s/base/issuer", "k8s/base/policy"]


@functools.lru_cache(maxsize=None)
def read(folder):
    return of_checkout(folder)


def overlay(name):
    return copy.deepcopy(read(f"k8s/overlays/{name}"))


def once():
    return [r for folder in ONCE for r in read(folder)]


def errors_of(resources, beside=None):
    if beside is None:
        beside = once() + read("k8s/overlays/whole-tls") + read("k8s/overlays/trainers-cpu-tls")
    return check_manifests.check(resources, beside=beside + rendered.everything())


def tls_volume(found):
    return next(v for v in found["volumes"] if v["name"] == "tls")


CASES = [
    # flags and volumes
    ("neither TLS nor insecure", PLAIN,
     in_container(lambda c: c["args"].remove("--insecure")), "either --insecure or"),
    ("both", SAMPLERS,
     in_container(lambda c: c["args"].append("--insecure")), "either --insecure or"),
    ("no key", SAMPLERS,
     in_container(lambda c: c["args"].remove("--tls-key=/tls/tls.key")), "--tls-key is missing"),
    ("another key of the Secret", SAMPLERS,
     in_container(flag("--tls-ca=/tls/ca.crt", "--tls-ca=/tls/tls.crt")), "not the key ca.crt"),
    ("no volume of it", TRAINERS,
     in_container(flag("--tls-ca=/tls/ca.crt", "--tls-ca=/etc/ca.crt"), "Job"), "in no volume"),
    ("no Secret", SAMPLERS,
     in_container(flag("--tls-ca=/tls/ca.crt", "--tls-ca=/policy/ca.crt")), "is in no Secret"),
    ("files that are never renewed", SAMPLERS,
     in_container(put(["volumeMounts", 1, "subPath"], "tls.crt")), "never sees a renewed"),
    ("a key for all to read", TRAINERS,
     in_pod(lambda p: tls_volume(p)["secret"].update(defaultMode=0o444), "Job"), "mode 0440"),
    ("a Secret that nobody writes", TRAINERS,
     in_pod(lambda p: tls_volume(p)["secret"].update(secretName="x"), "Job"),
     "Secret x does not exist"),
    ("a trainer with the samplers' certificate", TRAINERS,
     in_pod(lambda p: tls_volume(p)["secret"].update(secretName="tributary-sampler-tls"), "Job"),
     "is no trainer"),
    ("samplers with a trainer's certificate", SAMPLERS,
     in_pod(lambda p: tls_volume(p)["secret"].update(secretName="tributary-trainer-tls")),
     "is no sampler"),
    ("an init container in plain text", TRAINERS,
     lambda rs: pod(rs, "Job")["initContainers"][0]["args"].__delitem__(slice(-3, None)),
     "others do not"),
    ("samplers without a policy", SAMPLERS,
     in_container(lambda c: c["args"].remove("--policy=/policy/policy.json")),
     "each job may read each graph"),
    ("a policy in no key", SAMPLERS,
     in_container(flag("--policy=/policy/policy.json", "--policy=/policy/x.json")),
     "no key x.json"),
    # probes and ports
    ("a gRPC probe of TLS", SAMPLERS,
     in_container(put(["livenessProbe"], {"grpc": {"port": 50051}})), "speak no TLS"),
    ("no probe", SAMPLERS, in_container(put(["startupProbe"], None)), "startupProbe is to get"),
    ("a probe of the metrics", SAMPLERS,
     in_container(put(["readinessProbe", "httpGet", "port"], "http")), "not its port health"),
    ("an HTTP probe in plain text", PLAIN,
     in_container(put(["readinessProbe"], {"httpGet": {"path": "/healthz", "port": 9090}})),
     "is to be one of gRPC"),
    ("health at another port", SAMPLERS,
     in_container(flag("--health=0.0.0.0:9091", "--health=0.0.0.0:9092")), "its port health"),
    ("health for all", SAMPLERS,
     in_resource("NetworkPolicy", put(["spec", "ingress", 1, "ports", 0, "port"], "health")),
     "for the node alone"),
    ("a port for all", SAMPLERS,
     in_resource("NetworkPolicy", put(["spec", "ingress", 1, "from"], None)), "lets anyone in"),
    # scrapes
    ("a scrape in plain text", SAMPLERS,
     in_resource("PodMonitor", put(["spec", "podMetricsEndpoints", 0, "scheme"], "http")),
     "by https"),
    ("a scrape with TLS of plain text", PLAIN,
     in_resource("PodMonitor", put(["spec", "podMetricsEndpoints", 0, "scheme"], "https")),
     "by http"),
    ("a scrape without a certificate", SAMPLERS,
     in_resource("PodMonitor", put(["spec", "podMetricsEndpoints", 0, "tlsConfig", "cert"], {})),
     "its cert is to be"),
    ("a scrape as a sampler", SAMPLERS,
     in_resource("PodMonitor", put(["spec", "podMetricsEndpoints", 0, "tlsConfig", "keySecret",
                                    "name"], "tributary-sampler-tls")), "its key is to be"),
    ("a scrape of another name", SAMPLERS,
     in_resource("PodMonitor", put(["spec", "podMetricsEndpoints", 0, "tlsConfig", "serverName"],
                                   "x")), "serverName x"),
    # certificates
    ("a certificate of nobody", TRAINERS,
     in_resource("Certificate", put(["spec", "issuerRef", "name"], "x")), "issuer x does not"),
    ("a certificate without a role", TRAINERS,
     in_resource("Certificate", put(["spec", "uris"], ["spiffe://train"])), "tributary://ROLE"),
    ("a certificate of two jobs", TRAINERS,
     in_resource("Certificate", put(["spec", "uris"], ["tributary://trainer/a",
                                                       "tributary://trainer/b"])), "are not one"),
    ("a certificate for servers alone", SAMPLERS,
     in_resource("Certificate", put(["spec", "usages"], ["digital signature", "server auth"])),
     "usages are to be"),
    ("a key that stays", SAMPLERS,
     in_resource("Certificate", put(["spec", "privateKey", "rotationPolicy"], "Never")),
     "rotationPolicy"),
    ("another kind of key", SAMPLERS,
     in_resource("Certificate", put(["spec", "privateKey"], {"algorithm": "RSA", "size": 2048,
                                                             "rotationPolicy": "Always"})),
     "ECDSA of 256"),
    ("renewed too late", TRAINERS,
     in_resource("Certificate", put(["spec", "renewBefore"], "720h")), "renewBefore < duration"),
    ("no duration", TRAINERS,
     in_resource("Certificate", put(["spec", "duration"], None)), "renewBefore < duration"),
    ("an authority without its Secret", ONCE[0],
     drop("Certificate"), "Secret tributary-ca does not exist"),
    # policy
    ("a policy that is no JSON", ONCE[1],
     in_resource("ConfigMap", put(["data", "policy.json"], "jobs: {}")), "is no policy"),
    ("a policy without the job", ONCE[1],
     in_resource("ConfigMap", put(["data", "policy.json"], '{"jobs": {"other": ["*"]}}')),
     "no job train"),
]


class Tls(unittest.TestCase):
    def test_what_is_in_the_tree_passes(self):
        for name in (SAMPLERS, TRAINERS, TRAINJOB, "trainers-cpu-tls", PLAIN):
            with self.subTest(name):
                self.assertEqual(errors_of(overlay(name)), [])
        for folder in ONCE:
            self.assertEqual(errors_of(copy.deepcopy(read(folder))), [])

    def test_a_rendered_fleet_is_like_the_overlay(self):
        """`tls: cert-manager` makes of each Deployment what the component does."""
        with tempfile.TemporaryDirectory() as here:
            values = pathlib.Path(here, "values.yaml")
            text = (rendered.K8S / "values/sharded.yaml").read_text()
            self.assertIn("\ntls: none\n", text)
            values.write_text(text.replace("tls: none", "tls: cert-manager"))
            rendered.run_program("k8s", "render", "--values", values, "--out",
                                 pathlib.Path(here, "out"))
            resources = render(str(pathlib.Path(here, "out")))
        self.assertEqual(errors_of(copy.deepcopy(resources), once()), [])
        wanted = container(overlay(SAMPLERS))
        fleet = [r for r in resources if r["kind"] == "Deployment"]
        self.assertEqual(len(fleet), 4)
        for deployment in fleet:
            found = container([deployment])
            for key in "startupProbe", "readinessProbe", "livenessProbe", "ports":
                self.assertEqual(found[key], wanted[key])
            for part in "--tls-", "--policy", "--health":
                self.assertEqual([a for a in found["args"] if a.startswith(part)],
                                 [a for a in wanted["args"] if a.startswith(part)])
            self.assertNotIn("--insecure", found["args"])

    def test_without_an_issuer_certificates_are_of_nobody(self):
        found = errors_of(overlay(SAMPLERS), beside=[])
        self.assertIn("issuer tributary does not exist", " ".join(found))
        self.assertIn("ConfigMap tributary-policy does not exist", " ".join(found))

    def test_runs_are_apart(self):
        """Pods of one run reach each other, and no pod of another label does."""
        policies = [r["spec"] for r in overlay(TRAINERS) if r["kind"] == "NetworkPolicy"]
        labels = pod(overlay(TRAINERS), "Job") and next(
            r for r in overlay(TRAINERS) if r["kind"] == "Job")["spec"]["template"]["metadata"][
                "labels"]
        of_run = [p for p in policies if "tributary.io/run" in p["podSelector"]["matchLabels"]]
        self.assertEqual(len(of_run), 1)
        selector = of_run[0]["podSelector"]["matchLabels"]
        self.assertLessEqual(selector.items(), labels.items())
        self.assertEqual(of_run[0]["ingress"], [{"from": [{"podSelector": {
            "matchLabels": selector}}]}])
        others = [p for p in policies if p is not of_run[0]]
        self.assertEqual([p.get("ingress") or [] for p in others], [[]])


def make_test(what, change, words):
    def test(self):
        resources = copy.deepcopy(read(what)) if "/" in what else overlay(what)
        change(resources)
        # Only the other parts are beside it: what is broken here must not be
        # found sound there.
        others = {SAMPLERS: ["trainers-cpu-tls"], PLAIN: ["trainers-cpu-tls"]}.get(
            what, ["whole-tls"] + ([] if what == TRAINERS else ["trainers-cpu-tls"]))
        beside = [r for name in others for r in read(f"k8s/overlays/{name}")]
        found = errors_of(resources, beside + ([] if what == ONCE[0] else once()))
        self.assertTrue(any(words in error for error in found), found)
    return test


for number, (title, what, change, words) in enumerate(CASES):
    setattr(Tls, f"test_{number:02}_{title.replace(' ', '_')}", make_test(what, change, words))


if __name__ == "__main__":
    unittest.main()
