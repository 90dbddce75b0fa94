"""The formula under the autoscaler, in virtual time.

The numbers asserted here are those of docs/scaling.md.
"""

import math
import random
import unittest

from tests.k8s.scaling import fleet, formula, hpa, manifest

MINUTE = 60
# Of a job's time without enough servers, this much is called starved.
STARVED = 0.05


def right_size(demand, settings):
    """The least and the most servers that may stay: a tenth is tolerated."""
    wanted = demand / formula.BUSY_TARGET
    least = max(math.floor(wanted / 1.1), settings.least)
    most = max(math.ceil(wanted / 0.9), settings.least)
    return min(least, settings.most), min(most, settings.most)


class Run:
    """A simulation that reports on what happened since a moment."""

    def __init__(self, test, jobs, seed, servers=2, **options):
        options.setdefault("settings", manifest.settings(most=64))
        self.settings = options["settings"]
        self.test = test
        self.jobs = jobs
        self.simulation = fleet.Simulation(jobs, servers=servers, seed=seed,
                                           **options)
        self.since = 0

    def step(self, seconds):
        """Changes of the jobs before this count from now on."""
        self.since = self.simulation.now
        self.simulation.run(seconds)

    @property
    def sizes(self):
        return self.simulation.history[self.since:]

    def demand(self):
        return sum(j.demand * (1 - j.other_wait) for j in self.jobs)

    def settled_after(self):
        """Seconds until the last change of the fleet's size."""
        last = [i for i, size in enumerate(self.sizes)
                if size != self.sizes[-1]]
        return last[-1] + 1 if last else 0

    def starved_seconds(self):
        return sum(wait > STARVED
                   for wait in self.simulation.starved[self.since:])

    def starved_at_the_end(self, seconds):
        return sum(wait > STARVED
                   for wait in self.simulation.starved[-seconds:])

    def expect_settled(self, within, starved=None, changes=0):
        """The right size within so many seconds, and no change from then on."""
        least, most = right_size(self.demand(), self.settings)
        state = (f"demand {self.demand():.2f}, sizes {self.sizes[:1200:30]}, "
                 f"starved {self.starved_seconds()} s")
        test = self.test
        test.assertLessEqual(self.settled_after(), within, state)
        test.assertGreaterEqual(self.sizes[-1], least, state)
        test.assertLessEqual(self.sizes[-1], most, state)
        test.assertEqual(self.starved_at_the_end(5 * MINUTE), 0, state)
        test.assertLessEqual(fleet.direction_changes(self.sizes), changes,
                             state)
        test.assertGreaterEqual(min(self.sizes), self.settings.least)
        test.assertLessEqual(max(self.sizes), self.settings.most)
        if starved is not None:
            test.assertLessEqual(self.starved_seconds(), starved, state)


class LoadStepTest(unittest.TestCase):
    def test_twice_the_load_is_served_within_four_minutes(self):
        for demand in (1.5, 3, 6, 12, 24):
            for seed in range(5):
                with self.subTest(demand=demand, seed=seed):
                    jobs = [fleet.Job(demand)]
                    run = Run(self, jobs, seed)
                    run.step(25 * MINUTE)
                    jobs[0].demand = 2 * demand
                    run.step(25 * MINUTE)
                    run.expect_settled(within=5 * MINUTE, starved=4 * MINUTE)

    def test_thirty_times_the_load_is_served_within_eight_minutes(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                jobs = [fleet.Job(1.5)]
                run = Run(self, jobs, seed)
                run.step(20 * MINUTE)
                jobs[0].demand = 45
                run.step(30 * MINUTE)
                run.expect_settled(within=9 * MINUTE, starved=8 * MINUTE)

    def test_less_load_shrinks_the_fleet_without_starving_it(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                jobs = [fleet.Job(48)]
                run = Run(self, jobs, seed, servers=60)
                run.step(20 * MINUTE)
                jobs[0].demand = 3
                run.step(30 * MINUTE)
                # 5 minutes of patience, then half of the fleet each minute.
                run.expect_settled(within=11 * MINUTE, starved=0)

    def test_without_trainers_the_minimum_stays(self):
        run = Run(self, [fleet.Job(0)], seed=1, servers=40)
        run.step(20 * MINUTE)
        self.assertEqual(run.sizes[-1], run.settings.least)

    def test_more_than_the_maximum_stays_at_the_maximum(self):
        run = Run(self, [fleet.Job(100)], seed=1)
        run.step(30 * MINUTE)
        self.assertEqual(run.sizes[-1], 64)
        self.assertEqual(fleet.direction_changes(run.sizes), 0)

    def test_any_steps_of_any_jobs_in_any_cluster(self):
        for seed in range(40):
            with self.subTest(seed=seed):
                self._any_steps(random.Random(seed), seed)

    def _any_steps(self, chance, seed):
        timing = fleet.Timing(
            start_seconds=(chance.uniform(5, 30), chance.uniform(30, 180)),
            scrape_seconds=chance.choice((5, 15, 30)),
            lag_seconds=chance.randrange(1, 10),
            noise=chance.uniform(0, 0.05))
        jobs = [fleet.Job(chance.uniform(0.2, 4))
                for _ in range(chance.randrange(1, 5))]
        run = Run(self, jobs, seed, timing=timing)
        run.step(30 * MINUTE)
        for _ in range(4):
            job = chance.choice(jobs)
            job.demand = min(12, job.demand * math.exp(chance.uniform(-2, 2)))
            run.step(30 * MINUTE)
            # Fairness may hide for a while how much the largest job wants, and
            # then the fleet grows beyond it: once, and comes back.
            run.expect_settled(within=20 * MINUTE, starved=10 * MINUTE,
                               changes=1)


class OtherCausesTest(unittest.TestCase):
    def test_a_job_that_waits_for_its_network_gets_no_servers_for_it(self):
        """Its trainers wait for 80 %, and the servers could do more."""
        for seed in range(10):
            with self.subTest(seed=seed):
                run = self._with_a_bad_network(seed)
                run.expect_settled(within=0, starved=0)

    def test_without_the_busy_share_it_would(self):
        def whatever_the_servers_do(busy, waits):
            return sum(busy) / (formula.BUSY_TARGET
                                * (1 - min(0.9, max(waits, default=0))))

        run = self._with_a_bad_network(1, query=whatever_the_servers_do)
        self.assertGreater(run.sizes[-1], 50)

    def _with_a_bad_network(self, seed, **options):
        jobs = [fleet.Job(8), fleet.Job(2)]
        run = Run(self, jobs, seed, **options)
        run.step(30 * MINUTE)
        jobs[1].demand, jobs[1].other_wait = 10, 0.8  # it still takes 2
        run.step(60 * MINUTE)
        return run

    def test_beside_it_a_job_that_starves_gets_twice_too_much_at_most(self):
        """Both waits look alike then: the fleet grows beyond, and comes back
        once."""
        for seed in range(10):
            with self.subTest(seed=seed):
                run = self._with_a_bad_network(seed)
                run.jobs[0].demand = 20
                run.step(60 * MINUTE)
                run.expect_settled(within=15 * MINUTE, starved=4 * MINUTE,
                                   changes=1)
                self.assertLessEqual(max(run.sizes), 2 * 28)


class WhyNotTheRatioTest(unittest.TestCase):
    """What the tests above would see of a signal that does not fit."""

    def test_scaling_on_the_wait_ratio_oscillates(self):
        settings = manifest.settings(most=64)

        def on_ratio(busy, waits):
            # As an autoscaler does for a metric with a target of 0.1.
            return len(busy) * max(waits) / 0.1

        run = Run(self, [fleet.Job(12)], seed=1, servers=15,
                  settings=settings, query=on_ratio)
        run.step(4 * 60 * MINUTE)
        self.assertGreater(fleet.direction_changes(run.sizes), 6)
        self.assertGreater(run.starved_seconds(), 10 * MINUTE)

    def test_scaling_on_the_number_of_busy_servers_alone_is_slow(self):
        """It sees that servers are busy, but not how many are missing."""
        def busy_alone(busy, waits):
            del waits
            return sum(busy) / formula.BUSY_TARGET

        seconds = {}
        for query in (formula.servers_wanted, busy_alone):
            jobs = [fleet.Job(1.5)]
            run = Run(self, jobs, seed=1, query=query)
            run.step(20 * MINUTE)
            jobs[0].demand = 45
            run.step(60 * MINUTE)
            seconds[query] = run.starved_seconds()
        self.assertGreater(seconds[busy_alone],
                           3 * seconds[formula.servers_wanted])

    def test_a_busy_share_that_ignores_age_overshoots(self):
        """If a server's busy share were of its lifetime, while it is young,
        then the fleet that has just grown would seem to do more work than it
        did in the minute that the wait ratio tells of."""
        sizes = {}
        for young in (False, True):
            run = Run(self, [fleet.Job(12)], seed=1, servers=2,
                      query=lambda busy, waits: sum(busy) / (
                          formula.BUSY_TARGET * (1 - min(0.9, max(waits)))))
            if young:
                self._count_from_the_start(run.simulation)
            run.step(20 * MINUTE)
            sizes[young] = max(run.sizes)
        self.assertLessEqual(sizes[False], 17)
        self.assertGreater(sizes[True], sizes[False])

    @staticmethod
    def _count_from_the_start(simulation):
        original = simulation._measure

        def measure():
            for server in simulation.ready():
                age = max(1, simulation.now - server.ready_at)
                minute = server.busy
                minute.ratio = (lambda m=minute, a=age:
                                min(1.0, m._sum / min(fleet.WINDOW, a)))
            original()

        simulation._measure = measure


class PartitionTest(unittest.TestCase):
    """Sharded: each partition's owners, by the same formula."""

    def test_a_hot_partition_grows_alone(self):
        """Partition 0 does three times the work of each other one, and is what
        trainers wait for; the others are idle meanwhile."""
        settings = manifest.settings(most=16)
        load = [9.0, 3.0, 3.0, 3.0]  # servers, if trainers never wait
        scalers = [hpa.Autoscaler(settings) for _ in load]
        owners = [2] * 4
        busy = [[fleet.Minute() for _ in range(2)] for _ in load]
        wait = fleet.Minute()
        sizes = [[] for _ in load]
        for now in range(1, 40 * MINUTE):
            speed = min(1, *(n / d for n, d in zip(owners, load)))
            wait.add(1 - speed)
            for p, minutes in enumerate(busy):
                for minute in minutes:
                    minute.add(min(1, load[p] * speed / owners[p]))
            if now % hpa.SYNC_SECONDS == 0:
                for p, scaler in enumerate(scalers):
                    wanted = formula.servers_wanted(
                        [m.ratio() for m in busy[p]], [wait.ratio()])
                    owners[p] = scaler.sync(now, wanted, owners[p], owners[p])
                    del busy[p][owners[p]:]
                    while len(busy[p]) < owners[p]:
                        busy[p].append(fleet.Minute())
            for p in range(4):
                sizes[p].append(owners[p])
        self.assertEqual(owners, [12, 4, 4, 4])
        for history in sizes:
            self.assertEqual(fleet.direction_changes(history), 0)


if __name__ == "__main__":
    unittest.main()
