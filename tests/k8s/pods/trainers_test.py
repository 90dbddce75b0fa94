"""The trainers' Job: pods that start before the samplers, are killed and are
evicted. The losses of each epoch are those of an undisturbed run, to the bit."""

import os
import signal
import unittest

from tests.e2e import training
from tests.k8s.pods import fleets, manifests

RUN = {"--model": "sage", "--task": "node", "--num-neighbors": "10,5",
       "--batch-size": 16, "--hidden": 16, "--epochs": 40, "--random-seed": 3}
TRAINER = "tributary-trainer"


def with_flags(arguments, flags):
    """The arguments with `flags` in place of those that they have."""
    kept = [text for text in arguments if text.split("=")[0] not in flags]
    return [*kept, *(f"{name}={value}" for name, value in flags.items())]


def losses(path):
    """By epoch. One that was trained again must have had the same loss."""
    found = {}
    for event in training.events(path, "epoch"):
        before = found.setdefault(event["epoch"], event["loss"])
        if before != event["loss"]:
            raise AssertionError(f"{event}: was {before}")
    return found


class TrainersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fleets.require_isolation()
        cls.world = fleets.World(2)
        cls.addClassCleanup(cls.world.close)
        log = cls.world.path("undisturbed.jsonl")
        training.output("--graph", cls.world.graph, "--nproc", 2, "--log", log,
                        *(f"{name}={value}" for name, value in RUN.items()))
        cls.expected = losses(log)
        assert len(cls.expected) == RUN["--epochs"]

    def setUp(self):
        self.cluster = self.enterContext(self.world.cluster(
            environment={"OMP_NUM_THREADS": "1"}))
        self.checkpoints = os.path.join(self.cluster.folder, "checkpoints")
        os.mkdir(self.checkpoints)
        os.chmod(self.checkpoints, 0o777)
        self.cluster.claims["tributary-checkpoints"] = self.checkpoints
        self.log = os.path.join(self.checkpoints, "log.jsonl")

    def start_samplers(self, resources=None):
        self.cluster.apply(resources or fleets.whole())
        for name in self.cluster.deployments:
            self.cluster.scale(name, 2)

    def start_trainers(self, flags=None):
        resources = manifests.of_checkout("k8s/base/trainers")
        job = manifests.of_kind(resources, "Job")[TRAINER]
        container = job["spec"]["template"]["spec"]["containers"][0]
        container["args"] = with_flags(container["args"], {
            **RUN, "--checkpoint-every": 5, "--log": "/checkpoints/log.jsonl",
            **(flags or {})})
        self.cluster.apply(resources)
        self.job = self.cluster.jobs[TRAINER]

    def node(self, index):
        """The pod of the index that trains; None while there is none."""
        for pod in self.cluster.pods_of(TRAINER):
            if pod.hostname == f"{TRAINER}-{index}" and pod.main_runs():
                return pod
        return None

    def epochs(self):
        return len(losses(self.log)) if os.path.exists(self.log) else 0

    def train_for(self, epochs):
        """Until as many more have ended, and both pods run."""
        least = self.epochs() + epochs
        self.cluster.run_until(
            lambda: self.epochs() >= least and self.node(0) and self.node(1),
            f"{least} epochs", 90)
        self.assertLess(self.epochs(), RUN["--epochs"], "ended too early")

    def finish(self):
        self.cluster.run_until(
            lambda: self.job.complete() or self.job.failed, "the job", 120)
        self.assertIsNone(self.job.failed)
        self.assertEqual(losses(self.log), self.expected)

    def test_trainers_that_come_first_wait_for_samplers(self):
        self.start_trainers()
        self.cluster.run_until(
            lambda: len(self.cluster.pods_of(TRAINER)) == 2, "the trainers")
        waiting = self.cluster.pods_of(TRAINER)
        self.cluster.run_until(
            lambda: all("waiting" in pod.container.text() for pod in waiting),
            "trainers that say what they wait for")
        self.assertEqual([pod.phase for pod in waiting], ["Pending"] * 2)
        self.start_samplers()
        self.finish()
        self.assertEqual((self.job.failures, self.job.ignored), ({}, 0))

    def test_a_killed_pod_is_replaced(self):
        self.start_samplers()
        self.start_trainers()
        for index in 1, 0:
            self.train_for(3)
            self.node(index).container.signal(signal.SIGKILL)
        self.finish()
        self.assertGreaterEqual(self.job.failures.get(1, 0), 1)
        self.assertGreaterEqual(self.job.failures.get(0, 0), 1)

    def test_an_evicted_pod_counts_as_no_failure(self):
        self.start_samplers(fleets.sharded(self.world, 2))
        self.start_trainers()
        for index in 1, 0:
            self.train_for(3)
            pod = self.node(index)
            self.cluster.evict(pod)
            self.cluster.run_until(lambda: pod.ended, "the pod's end", 90)
            self.assertFalse(pod.killed, pod.logs())
        self.finish()
        self.assertEqual(self.job.failures, {})

    def test_a_wrong_command_line_fails_the_job_at_once(self):
        self.start_samplers()
        self.start_trainers({"--no-such-flag": 1})
        self.cluster.run_until(lambda: self.job.failed, "the job's failure")
        self.assertIn("FailJob", self.job.failed)


if __name__ == "__main__":
    unittest.main()
