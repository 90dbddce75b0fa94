"""What Kubernetes' controllers decide, as functions of what they see.

Deployments follow the rolling update of kubernetes/kubernetes
pkg/controller/deployment/rolling.go, Jobs pkg/controller/job, evictions
pkg/registry/core/pod/storage/eviction.go; only what the manifests use.
"""

import dataclasses
import math


@dataclasses.dataclass
class SeenPod:
    """A pod as a controller sees it."""
    name: str
    revision: str = ""     # of its template and image
    created: float = 0
    ready: bool = False
    available: bool = False  # ready for minReadySeconds
    terminating: bool = False


def count_of(value, replicas, round_up):
    """A number of pods, or a percentage of `replicas`."""
    if isinstance(value, int):
        return value
    share = int(value.rstrip("%")) * replicas / 100
    return math.ceil(share) if round_up else math.floor(share)


def surge_and_unavailable(deployment):
    """maxSurge and maxUnavailable of a Deployment's spec, in pods."""
    update = deployment.get("strategy", {}).get("rollingUpdate", {})
    replicas = deployment["replicas"]
    surge = count_of(update.get("maxSurge", "25%"), replicas, True)
    unavailable = count_of(update.get("maxUnavailable", "25%"), replicas, False)
    # Kubernetes refuses or mends 0 and 0 likewise: nothing could ever change.
    return surge, unavailable if surge or unavailable else 1


def removal_order(pods):
    """Those to go first: not ready, then the youngest."""
    return sorted(pods, key=lambda pod: (pod.ready, -pod.created, pod.name))


def deployment_step(deployment, revision, pods):
    """How many pods of `revision` to create, and the names of those to delete."""
    replicas = deployment["replicas"]
    surge, unavailable = surge_and_unavailable(deployment)
    live = [pod for pod in pods if not pod.terminating]
    new = [pod for pod in live if pod.revision == revision]
    old = [pod for pod in live if pod.revision != revision]
    create = max(0, min(replicas - len(new),
                        replicas + (surge if old else 0) - len(live)))
    doomed = removal_order(new)[:max(0, len(new) - replicas)]
    if not old:
        return create, [pod.name for pod in doomed]
    least = replicas - unavailable
    # Old pods that serve no one go first, but new ones must not be counted on.
    spare = len(live) - least - sum(not pod.available for pod in new)
    broken = [pod for pod in old if not pod.available][:max(0, spare)]
    sound = [pod for pod in removal_order(old) if pod.available]
    spare = sum(pod.available for pod in live) - least
    doomed += broken + sound[:max(0, spare)]
    return create, [pod.name for pod in doomed]


def job_failure(job, failures, failed_indexes):
    """Why the Job has failed; None: it goes on. `failures` are counted by index,
    `failed_indexes` those of which no pod is tried again."""
    if "backoffLimitPerIndex" in job:
        most = job.get("maxFailedIndexes", job["completions"])
        if len(failed_indexes) > most:
            return f"indexes {sorted(failed_indexes)} failed"
    elif sum(failures.values()) > job.get("backoffLimit", 6):
        return f"{sum(failures.values())} pods failed"
    return None


def after_pod_failure(job, exit_codes, disrupted):
    """What a Job does about a pod that failed: "Ignore", "FailJob", "FailIndex"
    or "Count".

    `exit_codes`: by the container's name. `disrupted`: evicted, drained.
    """
    for rule in job.get("podFailurePolicy", {}).get("rules", []):
        if matches(rule, exit_codes, disrupted):
            return rule["action"]
    return "Count"


def matches(rule, exit_codes, disrupted):
    if "onPodConditions" in rule:
        return disrupted and any(condition["type"] == "DisruptionTarget"
                                 for condition in rule["onPodConditions"])
    codes = rule["onExitCodes"]
    looked_at = [code for name, code in exit_codes.items()
                 if code != 0 and codes.get("containerName", name) == name]
    if codes["operator"] == "In":
        return any(code in codes["values"] for code in looked_at)
    return any(code not in codes["values"] for code in looked_at)


def eviction_refusal(budget, pods, evicted):
    """Why the budget's spec refuses to evict the pod `evicted`; None: it may go."""
    healthy = [pod for pod in pods if pod.ready and not pod.terminating]
    target = next(pod for pod in pods if pod.name == evicted)
    policy = budget.get("unhealthyPodEvictionPolicy")
    if not target.ready and policy == "AlwaysAllow":
        return None
    if "minAvailable" in budget:
        least = count_of(budget["minAvailable"], len(pods), True)
    else:
        least = len(pods) - count_of(budget["maxUnavailable"], len(pods), True)
    if len(healthy) - (1 if target.ready else 0) >= least:
        return None
    return f"{len(healthy)} healthy pods, of which {least} must stay"
