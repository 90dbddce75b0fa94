"""The Kubernetes HorizontalPodAutoscaler for one external metric, in virtual
time.

Computes as the controller does for a metric of type External with an
averageValue, which is what KEDA asks it for (metricType AverageValue): see
GetExternalPerPodMetricReplicas in replica_calculator.go and
normalizeDesiredReplicasWithBehaviors in horizontal.go of Kubernetes'
pkg/controller/podautoscaler.
"""

import dataclasses
import math

TOLERANCE = 0.1  # --horizontal-pod-autoscaler-tolerance
SYNC_SECONDS = 15  # --horizontal-pod-autoscaler-sync-period


@dataclasses.dataclass(frozen=True)
class Policy:
    kind: str  # "Percent" or "Pods"
    value: int
    period_seconds: int


@dataclasses.dataclass(frozen=True)
class Rules:
    """scaleUp or scaleDown of `behavior`."""
    stabilization_seconds: int
    policies: tuple
    select: str = "Max"  # or "Min", "Disabled"


@dataclasses.dataclass(frozen=True)
class Settings:
    least: int  # minReplicas
    most: int  # maxReplicas
    up: Rules
    down: Rules
    threshold: float = 1.0  # averageValue
    sync_seconds: int = SYNC_SECONDS


def proposed_replicas(metric, threshold, status_replicas):
    """What the metric asks for; the present number within the tolerance."""
    milli = math.ceil(metric * 1000)  # the metric travels as a quantity
    target = threshold * 1000
    ratio = milli / (target * status_replicas) if status_replicas else math.inf
    if abs(1 - ratio) <= TOLERANCE:
        return status_replicas
    return math.ceil(milli / target)


class Autoscaler:
    """Call `sync` every settings.sync_seconds."""

    def __init__(self, settings):
        self.settings = settings
        self._proposals = []  # (time, replicas)
        self._changes = []  # (time, replicas added; below 0: removed)

    def sync(self, now, metric, current, status_replicas):
        """The replicas that the Deployment gets.

        metric: None if it cannot be read: then nothing changes.
        """
        bounded = min(max(current, self.settings.least), self.settings.most)
        if bounded != current:
            return self._scaled(now, current, bounded)
        if metric is None:
            return current
        wanted = proposed_replicas(metric, self.settings.threshold,
                                   status_replicas)
        wanted = self._stabilized(now, wanted, current)
        return self._scaled(now, current, self._limited(now, wanted, current))

    def _stabilized(self, now, wanted, current):
        up, down = self.settings.up, self.settings.down
        kept = max(up.stabilization_seconds, down.stabilization_seconds)
        self._proposals = [(at, replicas) for at, replicas in self._proposals
                           if at > now - kept]
        to_grow = min([wanted] + [r for at, r in self._proposals
                                  if at > now - up.stabilization_seconds])
        to_shrink = max([wanted] + [r for at, r in self._proposals
                                    if at > now - down.stabilization_seconds])
        self._proposals.append((now, wanted))
        return min(max(current, to_grow), to_shrink)

    def _limited(self, now, wanted, current):
        settings = self.settings
        if wanted > current:
            limit = max(current, self._limit(now, current, settings.up, 1))
            return min(wanted, limit, settings.most)
        if wanted < current:
            limit = min(current, self._limit(now, current, settings.down, -1))
            return max(wanted, limit, settings.least)
        return wanted

    def _limit(self, now, current, rules, sign):
        """The most, or for sign -1 the fewest, replicas that rules allow."""
        if rules.select == "Disabled":
            return current
        limits = []
        for policy in rules.policies:
            at_start = current - sum(
                change for at, change in self._changes
                if at > now - policy.period_seconds)
            if policy.kind == "Pods":
                limits.append(at_start + sign * policy.value)
            elif sign > 0:
                limits.append(math.ceil(at_start * (1 + policy.value / 100)))
            else:
                limits.append(int(at_start * (1 - policy.value / 100)))
        pick_most = (rules.select == "Max") == (sign > 0)
        return max(limits) if pick_most else min(limits)

    def _scaled(self, now, current, wanted):
        if wanted != current:
            self._changes.append((now, wanted - current))
        return wanted
