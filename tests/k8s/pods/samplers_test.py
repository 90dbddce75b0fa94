"""Samplers that are scaled, rolled and evicted while a client reads an epoch:
every batch comes once and is the one that the graph's folder gives. In both
placements, by the images' own programs."""

import select
import unittest

from tests.e2e import sampling
from tests.k8s.pods import fleets, manifests
from tests.k8s.pods.cluster import Refused

EPOCH = {"inputs": "*", "batch_size": 4, "fanouts": "10,5"}  # 677 batches


class Reader:
    """Reads a client's lines only as far as a test wants."""

    def __init__(self, cluster, secret=None):
        self._cluster = cluster
        self.pod = cluster.run_pod("client", fleets.client(*sampling.arguments(
            ("servers", fleets.SERVERS), **EPOCH), secret=secret), reads=True)
        self.lines = []
        self._rest = b""
        self._ended = False

    def read(self, count):
        """Reads `count` more lines, or a page more. The client is ahead of them
        by the page of its pipe and by its own buffers alone."""
        wanted = len(self.lines) + count
        self._cluster.run_until(lambda: self._read_page(wanted), "lines", 90)

    def read_rest(self):
        self.read(10**6)
        self._cluster.run_until(lambda: self.pod.ended, "the client's end")

    def _read_page(self, wanted):
        """Reads what there is; whether all is read that is wanted."""
        while not self._ended and len(self.lines) < wanted and select.select(
                [self.pod.output], [], [], 0)[0]:
            page = self.pod.output.read(4096)
            self._ended = not page
            *whole, self._rest = (self._rest + page).split(b"\n")
            self.lines += [line.decode() for line in whole]
        return self._ended or len(self.lines) >= wanted


def found(sampler):
    """Whether the client has found the pod: it has streams to all it knows."""
    return fleets.metric(sampler, "tributary_batch_streams") > 0


class SamplersTest:
    """For a placement: `resources`, `PARTITIONS`."""

    @classmethod
    def setUpClass(cls):
        fleets.require_isolation()
        cls.world = fleets.World(cls.PARTITIONS, trainer=False)
        cls.addClassCleanup(cls.world.close)
        cls.expected = sampling.lines(cls.world.graph, **EPOCH)

    def setUp(self):
        self.cluster = self.enterContext(self.world.cluster())
        self.cluster.apply(self.resources())
        self.deployments = sorted(self.cluster.deployments)

    def scale(self, replicas):
        for name in self.deployments:
            self.cluster.scale(name, replicas)

    def autoscale(self, replicas):
        for name in self.deployments:
            self.cluster.autoscale(name, replicas)

    def settle(self, what):
        self.cluster.run_until(
            lambda: all(map(self.cluster.settled, self.deployments)), what)

    def roll(self):
        """Replaces all samplers by those of another image, which they become."""
        image = self.cluster.images["tributary-sampler"]
        self.cluster.images["tributary-sampler"] = image.rebuilt(
            "second", self.cluster.folder + "/second-image")
        old = {pod.name for name in self.deployments
               for pod in self.cluster.pods_of(name)}
        self.settle("the rollout")
        self.assertFalse(old & {pod.name for pod in self.cluster.pods})

    def check(self, reader):
        """All batches came, each once and in order, and no pod had an accident."""
        reader.read_rest()
        self.assertEqual(reader.pod.exit_codes, {"client": 0},
                         reader.pod.logs())
        self.assertEqual(reader.lines, self.expected)
        for pod in [*self.cluster.pods, *self.cluster.gone]:
            self.assertEqual((pod.name, pod.restarts, pod.killed),
                             (pod.name, 0, False))

    def test_fleets_grow_and_shrink_in_mid_epoch(self):
        self.scale(0)
        reader = Reader(self.cluster)  # before there is any server, or name
        self.cluster.run_until(lambda: reader.pod.main_runs(), "the client")
        self.scale(1)
        reader.read(100)
        first = [pod for name in self.deployments
                 for pod in self.cluster.pods_of(name)]
        self.autoscale(4)
        self.settle("four samplers of each Deployment")
        new = [pod for name in self.deployments
               for pod in self.cluster.pods_of(name) if pod not in first]
        self.assertEqual(len(new), 3 * len(self.deployments))
        self.cluster.run_until(lambda: all(map(found, new)), "streams to all")
        # One server is enough for this client: the others must do without it.
        for pod in first:
            self.cluster.evict(pod)
        reader.read(200)
        self.settle("the replacements")
        self.assertGreater(sum(fleets.metric(pod, "tributary_batches_total")
                               for pod in new), 0)
        self.autoscale(0)  # whatever is asked for, two stay
        self.settle("what stays of each Deployment")
        for name in self.deployments:
            self.assertEqual(len(self.cluster.pods_of(name)), 2)
        self.check(reader)

    def test_another_image_rolls_out_in_mid_epoch(self):
        self.scale(2)
        self.settle("the samplers")
        reader = Reader(self.cluster)
        reader.read(50)
        self.cluster.watch_ready()
        self.roll()
        for name in self.deployments:
            self.assertEqual(self.cluster.fewest_ready[name], 2, name)
        self.check(reader)

    def test_evictions_leave_an_owner_of_each_partition(self):
        self.scale(2)
        self.settle("the samplers")
        reader = Reader(self.cluster)
        reader.read(50)
        self.cluster.watch_ready()
        for name in self.deployments:
            first, second = self.cluster.pods_of(name)
            self.cluster.evict(first)
            with self.assertRaisesRegex(Refused, "1 must stay"):
                self.cluster.evict(second)
        self.settle("the replacements")
        for name in self.deployments:
            self.assertEqual(self.cluster.fewest_ready[name], 1, name)
            # A node that is drained tries until it may.
            self.cluster.evict(self.cluster.pods_of(name)[0])
        reader.read(50)
        self.settle("the next replacements")
        self.check(reader)


class WholeTest(SamplersTest, unittest.TestCase):
    PARTITIONS = 2

    def resources(self):
        return fleets.whole()

    # What the fixture is for: with other settings it sees nobody serve.
    def test_a_rollout_that_takes_the_last_pod_away_is_seen(self):
        spec = self.cluster.deployments["tributary-sampler"]["spec"]
        spec["strategy"]["rollingUpdate"] = {"maxSurge": 0, "maxUnavailable": 1}
        self.scale(1)
        self.settle("the sampler")
        self.cluster.watch_ready()
        self.roll()
        self.assertEqual(self.cluster.fewest_ready["tributary-sampler"], 0)


class DnsTest(unittest.TestCase):
    """Answers of DNS that may be kept for some seconds, as caches do."""
    TTL = 6

    def test_a_new_sampler_is_found_though_answers_are_kept(self):
        fleets.require_isolation()
        world = fleets.World(1, trainer=False)
        self.addCleanup(world.close)
        cluster = self.enterContext(world.cluster(ttl=self.TTL))
        cluster.apply(fleets.whole())
        cluster.scale("tributary-sampler", 1)
        cluster.run_until(lambda: cluster.settled("tributary-sampler"), "one")
        reader = Reader(cluster)
        reader.read(50)
        cluster.scale("tributary-sampler", 2)
        cluster.run_until(
            lambda: len(cluster.pods_of("tributary-sampler")) == 2 and
            all(pod.ready for pod in cluster.pods_of("tributary-sampler")), "two")
        new = cluster.pods_of("tributary-sampler")[-1]

        # The name is looked up when its answer's time has passed, not only every
        # 30 s. The client does not end meanwhile: nobody reads what it prints.
        cluster.run_until(lambda: found(new), "a stream to the new sampler",
                          4 * self.TTL)
        self.assertTrue(reader.pod.main_runs())


class ShardedTest(SamplersTest, unittest.TestCase):
    PARTITIONS = 2

    def resources(self):
        return fleets.sharded(self.world, self.PARTITIONS)

    def test_each_partition_has_a_deployment_of_its_own(self):
        found = manifests.of_kind(self.resources(), "Deployment")
        self.assertEqual(sorted(found),
                         ["tributary-sampler-p0", "tributary-sampler-p1"])


if __name__ == "__main__":
    unittest.main()
