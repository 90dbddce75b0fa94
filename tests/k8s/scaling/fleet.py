"""A fleet of samplers, its trainers and its autoscaler, in virtual time.

Steps of a second. Rates are in servers: a job of demand 3 takes what 3 servers
can make, if its trainers never wait. Nothing sleeps; all chance comes from the
seed.
"""

import collections
import dataclasses
import random

from tests.k8s.scaling import formula, hpa

WINDOW = 60  # seconds of tributary_busy_ratio and tributary_trainer_wait_ratio
REPORT_SECONDS = 5  # between reports of a trainer
SCRAPE_SECONDS = 15


@dataclasses.dataclass
class Job:
    demand: float  # servers, if its trainers never wait
    other_wait: float = 0  # share of its time that it waits for something else


@dataclasses.dataclass(frozen=True)
class Timing:
    """How slow a cluster is."""
    start_seconds: tuple = (20, 90)  # from creation of a pod to its first batch
    scrape_seconds: int = SCRAPE_SECONDS
    lag_seconds: int = 3  # from a scrape to an answer of Prometheus
    noise: float = 0.02  # of each server's share of the load


class Minute:
    """Adds up shares of seconds over the last minute, whole from the start."""

    def __init__(self):
        self._seconds = collections.deque([0.0] * WINDOW, maxlen=WINDOW)
        self._sum = 0.0

    def add(self, share):
        self._sum += share - self._seconds[0]
        self._seconds.append(share)

    def ratio(self):
        return max(0.0, min(1.0, self._sum / WINDOW))


class Server:
    def __init__(self, ready_at, scrape_offset):
        self.ready_at = ready_at
        self.scrape_offset = scrape_offset
        self.busy = Minute()
        self.scraped = collections.deque()  # (time it can be queried, ratio)
        self.shown = None

    def show(self, now):
        while self.scraped and self.scraped[0][0] <= now:
            self.shown = self.scraped.popleft()[1]
        return self.shown


def fair_rates(demands, capacity):
    """The rate of each job: equal shares of what others leave."""
    rates = [0.0] * len(demands)
    left, open_jobs = capacity, sorted(range(len(demands)),
                                       key=lambda j: demands[j])
    while open_jobs:
        j = open_jobs.pop(0)
        rates[j] = min(demands[j], left / (len(open_jobs) + 1))
        left -= rates[j]
    return rates


class Simulation:
    """Runs a fleet of `servers` under an autoscaler until told otherwise."""

    def __init__(self, jobs, settings, servers, seed, timing=Timing(),
                 query=formula.servers_wanted):
        self.now = 0
        self.jobs = jobs
        self.timing = timing
        self.replicas = servers
        self.history = []  # replicas, each second
        self.starved = []  # the largest wait for servers of a job, each second
        self._random = random.Random(seed)
        self._query = query
        self._autoscaler = hpa.Autoscaler(settings)
        self._sync_seconds = settings.sync_seconds
        self._servers = []
        self._waits = [Minute() for _ in jobs]
        self._reported = [0.0] * len(jobs)
        self._shown_waits = collections.deque()
        for _ in range(servers):
            self._add_server(ready_at=0)

    def ready(self):
        return [s for s in self._servers if s.ready_at <= self.now]

    def run(self, seconds):
        for _ in range(seconds):
            self._step()

    def _add_server(self, ready_at):
        self._servers.append(Server(
            ready_at, self._random.randrange(self.timing.scrape_seconds)))

    def _scale(self, replicas):
        while len(self._servers) < replicas:
            first, last = self.timing.start_seconds
            self._add_server(self.now + self._random.uniform(first, last))
        # Kubernetes ends pods that are not ready first.
        self._servers.sort(key=lambda s: s.ready_at)
        del self._servers[replicas:]
        self.replicas = replicas

    def _step(self):
        self.now += 1
        self._serve()
        self._measure()
        if self.now % self._sync_seconds == 0:
            self._scale(self._autoscaler.sync(
                self.now, self._answer(), self.replicas, len(self._servers)))
        self.history.append(self.replicas)

    def _serve(self):
        """A second of work; who waits for how much of it."""
        ready = self.ready()
        willing = [job.demand * (1 - job.other_wait) for job in self.jobs]
        rates = fair_rates(willing, len(ready))
        load = sum(rates) / len(ready) if ready else 0
        for server in ready:
            share = load * (1 + self._random.gauss(0, self.timing.noise))
            server.busy.add(max(0.0, min(1.0, share)))
        starved = 0.0
        for job, rate, wanted, minute in zip(self.jobs, rates, willing,
                                             self._waits):
            # Near the limit of the servers some batches come late.
            late = 0.05 * max(0.0, load - 0.8) if load < 1 else 0
            minute.add(1 - rate / job.demand + late if job.demand else 0)
            if wanted:
                starved = max(starved, 1 - rate / wanted)
        self.starved.append(starved)

    def _measure(self):
        if self.now % REPORT_SECONDS == 0:
            self._reported = [minute.ratio() for minute in self._waits]
        until = self.now + self.timing.lag_seconds
        for server in self.ready():
            if (self.now + server.scrape_offset) % self.timing.scrape_seconds:
                continue
            server.scraped.append((until, server.busy.ratio()))
            self._shown_waits.append((until, list(self._reported)))

    def _answer(self):
        """What the query says; None without any server in Prometheus."""
        busy = [server.show(self.now) for server in self.ready()]
        busy = [b for b in busy if b is not None]
        waits = []
        while self._shown_waits and self._shown_waits[0][0] <= self.now:
            waits = self._shown_waits.popleft()[1]
        self._last_waits = waits or getattr(self, "_last_waits", [])
        return self._query(busy, self._last_waits) if busy else None


def direction_changes(history):
    """How often growth turns into shrinking or the other way."""
    signs = [1 if b > a else -1 for a, b in zip(history, history[1:])
             if a != b]
    return sum(a != b for a, b in zip(signs, signs[1:]))
