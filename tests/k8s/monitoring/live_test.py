"""The dashboards and the alerts, asked of a Prometheus that scrapes a fleet."""

import contextlib
import glob
import json
import math
import os
import re
import time
import unittest

import yaml

from tests.e2e import folders, processes
from tests.k8s.monitoring import cluster, prometheus

DASHBOARDS = "k8s/dashboards"
RULES = "k8s/base/alerts/prometheus-rule.yaml"
JOB = "train"
# What Grafana puts in place of a dashboard's variables.
VARIABLES = {"$__rate_interval": "30s", "$namespace": "tributary",
             "$job": JOB, "$pod": "p0"}
OURS = re.compile(r"\b(?:tributary|process)_\w+")
# A second, of each server: a trainer that takes all it gets waits for more.
MAX_RATE = 200_000


def panels():
    """(name, expression) of every target of every dashboard."""
    for path in sorted(glob.glob(f"{DASHBOARDS}/*.json")):
        with open(path, encoding="utf-8") as file:
            dashboard = json.load(file)
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                expression = target["expr"]
                for variable, value in VARIABLES.items():
                    expression = expression.replace(variable, value)
                yield f"{path}: {panel['title']}: {expression}", expression


def alerts():
    """The expression of each alert, without its `for`."""
    with open(RULES, encoding="utf-8") as file:
        groups = yaml.safe_load(file)["spec"]["groups"]
    return {rule["alert"]: rule["expr"]
            for group in groups for rule in group["rules"]}


def unshared_memory(server):
    """Bytes of the process that are not pages of files, as cAdvisor's rss."""
    status = processes.read_proc(f"/proc/{server.pid}/status") or ""
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    return 1024 * int(found[1]) if found else 0


class LiveTest(unittest.TestCase):
    # What the exporter of the cluster says of limits and certificates.
    memory_limit = 1 << 40
    certificate_days = 25

    @classmethod
    def cluster_series(cls):
        """What kube-state-metrics, cAdvisor and cert-manager would say."""
        series = {}
        for i, server in enumerate(cls.fleet.servers):
            deployment = f'namespace="tributary",deployment="tributary-sampler-p{i}"'
            series[f"kube_deployment_status_replicas_ready{{{deployment}}}"] = (
                1 if server.running() else 0)
            container = f'namespace="tributary",pod="p{i}",container="sampler"'
            series[f"container_memory_rss{{{container}}}"] = unshared_memory(server)
            series[f'kube_pod_container_resource_limits{{{container},resource="memory"}}'] = (
                cls.memory_limit)
        series['certmanager_certificate_expiration_timestamp_seconds'
               '{namespace="tributary",name="tributary-sampler"}'] = (
                   time.time() + 86400 * cls.certificate_days)
        return series

    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        folder = stack.enter_context(processes.temporary_folder())
        graph = os.path.join(folder, "graph")
        processes.run_ok("partition", "--input", folders.CORA, "--format",
                         "ogb", "--num-parts", 2, "--method", "random",
                         "--out", graph)
        cls.fleet = fleet = stack.enter_context(processes.Fleet(
            graph, ["0", "1"], "--http", "127.0.0.1:0", "--threads", 1,
            "--max-rate", MAX_RATE))
        fleet.doctor()
        cls.exporter = stack.enter_context(cluster.Cluster(cls.cluster_series))
        cls.prometheus = stack.enter_context(prometheus.Prometheus(
            {f"p{i}": server.http for i, server in enumerate(fleet.servers)},
            others=[cls.exporter.address]))
        cls.trainer = stack.enter_context(processes.Process(
            "bench", "stream", "--servers", fleet.addresses(), "--worker-key",
            JOB, "--input-nodes", "*", "--batch-size", 16, "--num-neighbors",
            "5,5", "--seconds", 3000))

    def has_data(self, expression):
        return any(not math.isnan(value)
                   for _, value in self.prometheus.query(expression))

    def test_each_panel_shows_data(self):
        seen = 0
        for name, expression in panels():
            with self.subTest(name):
                processes.until(lambda e=expression: self.has_data(e),
                                prometheus.DEADLINE)
            seen += 1
        self.assertGreater(seen, 0)

    def test_each_series_that_is_named_is_scraped(self):
        # The last to come.
        processes.until(lambda: "tributary_trainer_wait_ratio" in
                        self.prometheus.names(), prometheus.DEADLINE)
        scraped = self.prometheus.names()
        paged = {"tributary_feature_errors_total"}  # --feature-memory paged
        listed = {"tributary_graphs_unserved"}  # --graph file:PATH
        for name, expression in [*panels(), *alerts().items()]:
            with self.subTest(name):
                self.assertLessEqual(set(OURS.findall(expression)),
                                     scraped | paged | listed)

    def test_prometheus_takes_each_alert(self):
        for name, expression in alerts().items():
            with self.subTest(name):
                self.prometheus.query(expression)

    def firing(self, alert, label):
        return {labels[label] for labels, _ in
                self.prometheus.query(alerts()[alert])}

    def fires(self, alert, label, values):
        processes.until(lambda: self.firing(alert, label) == values,
                        prometheus.DEADLINE)

    def test_memory_near_its_limit_fires_and_clears(self):
        self.fires("TributaryMemoryNearLimit", "pod", set())
        type(self).memory_limit = max(
            map(unshared_memory, self.fleet.servers)) // 2
        self.fires("TributaryMemoryNearLimit", "pod", {"p0", "p1"})
        type(self).memory_limit = 1 << 40
        self.fires("TributaryMemoryNearLimit", "pod", set())

    def test_a_certificate_that_is_not_renewed_fires_and_clears(self):
        alert = "TributaryCertificateNotRenewed"
        self.fires(alert, "name", set())
        type(self).certificate_days = 14
        self.fires(alert, "name", {"tributary-sampler"})
        type(self).certificate_days = 30  # it is renewed
        self.fires(alert, "name", set())

    def test_zz_a_lost_partition_fires_and_clears(self):
        """Kills a server, so it comes after the others."""
        alerts_of_it = (("TributaryPartitionWithoutOwner", "deployment",
                         {"tributary-sampler-p1"}),
                        ("TributaryPartitionNotReached", "pod", {"p0"}))
        for alert, label, _ in alerts_of_it:
            self.fires(alert, label, set())
        self.fleet.servers[1].kill()
        for alert, label, values in alerts_of_it:
            self.fires(alert, label, values)
        self.fleet.restart(1)
        for alert, label, _ in alerts_of_it:
            self.fires(alert, label, set())

    def test_z_starving_trainers_and_throttled_servers_fire_and_clear(self):
        """Ends the trainer, so its name makes it the last.

        Takes a minute: the shares are those of the last one.
        """
        processes.until(lambda: self.firing("TributaryTrainersWait", "job")
                        == {JOB}, prometheus.DEADLINE)
        processes.until(lambda: self.firing("TributarySamplersSaturated", "pod")
                        == {"p0", "p1"}, 2 * prometheus.DEADLINE)
        self.trainer.kill()
        for alert in "TributaryTrainersWait", "TributarySamplersSaturated":
            processes.until(lambda a=alert: not self.prometheus.query(alerts()[a]),
                            prometheus.DEADLINE)


if __name__ == "__main__":
    unittest.main()
