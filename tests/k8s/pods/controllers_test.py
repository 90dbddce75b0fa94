"""The fixture's controllers, against outcomes that were worked out by hand: so
that a test of a rollout cannot pass because the fixture is lenient."""

import unittest

from tests.k8s.pods import controllers, manifests
from tests.k8s.pods.controllers import SeenPod


def pod(name, revision, created=0, state="available"):
    return SeenPod(name, revision, created, state != "starting",
                   state == "available")


def deployment(replicas, surge, unavailable):
    return {"replicas": replicas, "strategy": {"rollingUpdate": {
        "maxSurge": surge, "maxUnavailable": unavailable}}}


class DeploymentTest(unittest.TestCase):
    def test_creates_what_is_missing(self):
        self.assertEqual(controllers.deployment_step(
            deployment(3, 1, 0), "b", [pod("p1", "b", 1)]), (2, []))

    def test_removes_the_youngest_and_those_not_ready_first(self):
        pods = [pod("old", "b", 1), pod("young", "b", 2),
                pod("starting", "b", 0, "starting")]
        self.assertEqual(controllers.deployment_step(
            deployment(1, 1, 0), "b", pods), (0, ["starting", "young"]))

    def test_a_rollout_without_unavailable_pods_surges_first(self):
        old = [pod("p1", "a"), pod("p2", "a")]
        self.assertEqual(controllers.deployment_step(
            deployment(2, 1, 0), "b", old), (1, []))
        # The new one is ready, but not yet for minReadySeconds.
        self.assertEqual(controllers.deployment_step(
            deployment(2, 1, 0), "b", [*old, pod("p3", "b", 5, "ready")]), (0, []))
        self.assertEqual(controllers.deployment_step(
            deployment(2, 1, 0), "b", [*old, pod("p3", "b", 5)]), (0, ["p1"]))

    def test_a_rollout_may_begin_by_taking_pods_away(self):
        # maxUnavailable 1 with one replica: nobody serves meanwhile.
        self.assertEqual(controllers.deployment_step(
            deployment(1, 0, 1), "b", [pod("p1", "a")]), (0, ["p1"]))

    def test_old_pods_that_do_not_serve_go_first(self):
        pods = [pod("p1", "a"), pod("p2", "a", state="starting"), pod("p3", "b")]
        self.assertEqual(controllers.deployment_step(
            deployment(2, 1, 0), "b", pods), (0, ["p2"]))

    def test_pods_that_end_do_not_count(self):
        ending = pod("p1", "b")
        ending.terminating = True
        self.assertEqual(controllers.deployment_step(
            deployment(1, 1, 0), "b", [ending]), (1, []))

    def test_percentages(self):
        self.assertEqual(controllers.surge_and_unavailable(
            deployment(5, "25%", "25%")), (2, 1))
        self.assertEqual(controllers.surge_and_unavailable(
            deployment(1, 0, "25%")), (0, 1))


POLICY = {"podFailurePolicy": {"rules": [
    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
    {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [2, 78]}},
    {"action": "Ignore", "onExitCodes": {
        "containerName": "trainer", "operator": "In", "values": [75]}}]}}


class FailurePolicyTest(unittest.TestCase):
    def test_the_first_rule_that_matches_decides(self):
        decide = controllers.after_pod_failure
        self.assertEqual(decide(POLICY, {"trainer": 1}, False), "Count")
        self.assertEqual(decide(POLICY, {"trainer": 2}, False), "FailJob")
        self.assertEqual(decide(POLICY, {"trainer": 2}, True), "Ignore")
        self.assertEqual(decide(POLICY, {"trainer": 75}, False), "Ignore")
        self.assertEqual(decide(POLICY, {"wait": 75}, False), "Count")
        self.assertEqual(decide({}, {"trainer": 2}, True), "Count")


class JobFailureTest(unittest.TestCase):
    def test_failures_of_an_index_and_of_the_job(self):
        by_index = {"completions": 2, "backoffLimitPerIndex": 3,
                    "maxFailedIndexes": 0}
        self.assertIsNone(controllers.job_failure(by_index, {0: 3, 1: 3}, set()))
        self.assertIn("[1]", controllers.job_failure(by_index, {1: 4}, {1}))
        together = {"completions": 2, "backoffLimit": 3}
        self.assertIsNone(controllers.job_failure(together, {0: 1, 1: 2}, set()))
        self.assertIn("4", controllers.job_failure(together, {0: 2, 1: 2}, set()))


class EvictionTest(unittest.TestCase):
    def test_a_budget_keeps_its_least(self):
        budget = {"minAvailable": 1, "unhealthyPodEvictionPolicy": "AlwaysAllow"}
        two = [pod("p1", "a"), pod("p2", "a")]
        self.assertIsNone(controllers.eviction_refusal(budget, two, "p1"))
        two[1].terminating = True
        self.assertIn("1 must stay",
                      controllers.eviction_refusal(budget, two, "p1"))
        one = [pod("p1", "a"), pod("p2", "a", state="starting")]
        self.assertIsNotNone(controllers.eviction_refusal(budget, one, "p1"))
        self.assertIsNone(controllers.eviction_refusal(budget, one, "p2"))

    def test_a_pod_that_is_not_ready_goes_while_the_others_are_enough(self):
        one = [pod("p1", "a"), pod("p2", "a", state="starting")]
        self.assertIsNone(controllers.eviction_refusal(
            {"minAvailable": 1}, one, "p2"))
        self.assertIsNotNone(controllers.eviction_refusal(
            {"minAvailable": 2}, one, "p2"))

    def test_max_unavailable(self):
        two = [pod("p1", "a"), pod("p2", "a", state="starting")]
        self.assertIsNotNone(controllers.eviction_refusal(
            {"maxUnavailable": 1}, two, "p1"))


class ManifestsTest(unittest.TestCase):
    def test_environment(self):
        container = {
            "resources": {"requests": {"cpu": "1500m"}},
            "env": [
                {"name": "CPU", "valueFrom": {"resourceFieldRef": {
                    "resource": "requests.cpu", "divisor": "1"}}},
                {"name": "INDEX", "valueFrom": {"fieldRef": {
                    "fieldPath": "metadata.annotations['a/b']"}}},
                {"name": "BOTH", "value": "$(CPU)-$(INDEX)-$(NONE)-$$(CPU)"}]}
        values = manifests.environment_of(
            container, {"annotations": {"a/b": "7"}}, {})
        self.assertEqual(values, {"CPU": "2", "INDEX": "7",
                                  "BOTH": "2-7-$(NONE)-$(CPU)"})


if __name__ == "__main__":
    unittest.main()
