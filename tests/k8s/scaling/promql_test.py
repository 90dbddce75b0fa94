"""The manifest's PromQL and the formula in Python give the same numbers.

Debian's promtool computes the query. Ratios are multiples of 1/64, so that sums
are exact and both must agree to the last bit.
"""

import json
import os
import random
import subprocess
import tempfile
import unittest

from tests.e2e import processes
from tests.k8s.scaling import formula, manifest


def ratios(chance, count, least=0):
    return [chance.randint(least, 64) / 64 for _ in range(count)]


def busy_series(busy, partitions="all", namespace="tributary"):
    return [{"series": f'tributary_busy_ratio{{namespace="{namespace}",'
                       f'partitions="{partitions}",pod="p{i}"}}',
             "values": repr(ratio)} for i, ratio in enumerate(busy)]


def wait_series(waits, namespace="tributary"):
    """Each job's wait, as two servers report it."""
    return [{"series": f'tributary_trainer_wait_ratio{{job="j{i}",'
                       f'namespace="{namespace}",pod="p{pod}"}}',
             "values": repr(ratio)}
            for i, ratio in enumerate(waits) for pod in range(2)]


def case(series, query, expected):
    samples = [] if expected is None else [{"labels": "{}",
                                            "value": expected}]
    return {"interval": "15s", "input_series": series,
            "promql_expr_test": [{"expr": query, "eval_time": "0s",
                                  "exp_samples": samples}]}


def run_promtool(cases):
    """Its exit status and all that it says; JSON is YAML too."""
    folder = os.environ.get("TEST_TMPDIR")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=folder) as file:
        json.dump({"tests": cases}, file)
        file.flush()
        done = subprocess.run(["promtool", "test", "rules", file.name],
                              capture_output=True, text=True, timeout=120,
                              check=False)
    return done.returncode, done.stdout + done.stderr


class PromqlTest(unittest.TestCase):
    def setUp(self):
        self.query = manifest.query()

    def expect(self, cases):
        status, text = run_promtool(cases)
        self.assertEqual(status, 0, text[:4000])

    def test_random_fleets(self):
        chance = random.Random(20)
        cases = []
        for _ in range(400):
            least = chance.choice((0, 32, 52, 60))  # idle to saturated
            busy = ratios(chance, chance.randint(1, 64), least)
            waits = ratios(chance, chance.randint(0, 5))
            cases.append(case(busy_series(busy) + wait_series(waits),
                              self.query,
                              formula.servers_wanted(busy, waits)))
        self.expect(cases)

    def test_each_part_by_hand(self):
        self.expect([
            # 4 saturated servers, nobody waits: 4 / 0.8.
            case(busy_series([1] * 4) + wait_series([0]), self.query, 5),
            # Half of the time is waited: twice as many.
            case(busy_series([1] * 4) + wait_series([0.5, 0.25]), self.query,
                 10),
            # At most 0.9 counts.
            case(busy_series([1]) + wait_series([1]), self.query,
                 1 / (0.8 * (1 - 0.9))),
            # Servers at the wanted share: a wait has another cause.
            case(busy_series([0.75] * 4) + wait_series([1]), self.query, 3.75),
            # A server that has just started hides nothing.
            case(busy_series([1, 1, 0]) + wait_series([0.5]), self.query, 5),
            case(busy_series([0, 0]) + wait_series([1]), self.query, 0),
        ])

    def test_without_reports_nobody_waits(self):
        self.expect([case(busy_series([1, 1]), self.query, 2.5)])

    def test_without_servers_there_is_no_answer(self):
        self.expect([case(wait_series([0.5]), self.query, None)])

    def test_other_fleets_do_not_count(self):
        series = busy_series([1, 1]) + wait_series([0.5])
        series += busy_series([1] * 7, namespace="other")
        series += busy_series([1] * 7, partitions="0")
        series += wait_series([0.9], namespace="other")
        self.expect([case(series, self.query, 5)])

    def test_servers_that_are_scraped_twice_count_once(self):
        """By two jobs of a Prometheus, or by its replicas behind one address."""
        twice = [{**series, "series": series["series"].replace(
            "}", f',instance="10.0.0.1:9090",{label}}}')}
                 for series in busy_series([1, 1, 0.75]) + wait_series([0.5])
                 for label in ('container="sampler"', 'replica="b"')]
        once = formula.servers_wanted([1, 1, 0.75], [0.5])
        self.expect([case(twice, self.query, once)])

    def test_a_rendered_partition_is_its_owners(self):
        series = (busy_series([1, 1], "2") + busy_series([0.5] * 5, "3")
                  + wait_series([0.5]))
        with processes.temporary_folder() as folder:
            out = os.path.join(folder, "rendered")
            processes.run_ok("k8s", "render", "--values",
                             "k8s/values/sharded.yaml", "--out", out)
            queries = [manifest.query(os.path.join(out, f"partition-{p}.yaml"))
                       for p in range(4)]
            held = manifest.query(os.path.join(out, "partition-2.yaml"),
                                  manifest.HELD)
        self.assertIn('deployment="tributary-sampler-p2"', held)
        self.expect([case(series, queries[2], 5),
                     case(series, queries[3], 2.5 / 0.8),
                     case(series, queries[0], None)])

    def test_servers_stay_while_a_run_has_rows_on_them(self):
        query = manifest.query(name=manifest.HELD)

        def attempts(*counts, namespace="tributary"):
            return [{"series": f'tributary_tensor_attempts{{namespace="{namespace}"'
                               f',pod="p{i}"}}', "values": str(count)}
                    for i, count in enumerate(counts)]

        def replicas(count, deployment="tributary-sampler"):
            return [{"series": "kube_deployment_spec_replicas{"
                               'namespace="tributary",'
                               f'deployment="{deployment}"}}',
                     "values": str(count)}]

        self.expect([
            case(replicas(3) + attempts(0, 0, 0), query, 0),
            # A rollout has more pods than are wanted.
            case(replicas(3) + attempts(0, 2, 1, 1), query, 3),
            case(replicas(3) + attempts(0) + attempts(1, namespace="other"),
                 query, 0),
            case(replicas(3) + replicas(9, "tributary-sampler-p0") + attempts(1),
                 query, 3),
            case(attempts(1), query, None),
        ])

    def test_promtool_refuses_a_wrong_number(self):
        status, text = run_promtool(
            [case(busy_series([1] * 4), self.query, 5.000001)])
        self.assertNotEqual(status, 0)
        self.assertIn("FAILED", text)


class ManifestTest(unittest.TestCase):
    def test_the_metric_is_the_number_of_servers(self):
        for name in manifest.WANTED, manifest.HELD:
            trigger = manifest.trigger(name=name)
            self.assertEqual(trigger["type"], "prometheus")
            self.assertEqual(trigger["metricType"], "AverageValue")
            self.assertEqual(trigger["metadata"]["threshold"], "1")
        # KEDA would make 0 of a lost Prometheus, and the fleet the minimum.
        self.assertEqual(
            manifest.trigger()["metadata"]["ignoreNullValues"], "false")

    def test_two_owners_at_least(self):
        self.assertGreaterEqual(manifest.settings().least, 2)


if __name__ == "__main__":
    unittest.main()
