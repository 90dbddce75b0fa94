"""Numbers that must add up: memory, seconds, replicas, nodes."""

import re

from manifests import bytes_of, flags_of, selects, size_of

# What a program takes beside what its flags state.
PROGRAM_BYTES = 256 << 20
# Seconds after --drain-timeout at which a server ends whatever happens
# (docs/modes.md), and some for the kubelet.
AFTER_DRAIN = 15 + 5
# A launcher waits for the others to leave, and for its own thread.
AFTER_STOP = 15 + 5
# Seconds until everyone has seen a new name: the cluster's DNS caches it for
# 30 s, and NodeLocal DNSCache for another 30 s.
DNS_SECONDS = 60


def check_memory(manifests):
    for pod in manifests.pods():
        volumes = {v["name"]: v for v in pod.spec.get("volumes", [])}
        for c in pod.all_containers:
            where = f"{pod}, {c['name']}"
            limit = c.get("resources", {}).get("limits", {}).get("memory")
            if limit is None:
                manifests.error(where, "it has no limits.memory")
                continue
            if c["resources"]["requests"].get("memory") != limit:
                manifests.error(where, "requests.memory and limits.memory differ")
            flags = flags_of(c)
            needed = PROGRAM_BYTES if "--memory-budget" in flags else 0
            needed += size_of(flags.get("--memory-budget", "0"))
            # Open rounds may take a quarter as much as rows.
            needed += size_of(flags.get("--tensor-memory", "0")) * 5 // 4
            needed += sum(bytes_of(size) for size in memory_volumes(c, volumes))
            if needed >= bytes_of(limit):
                manifests.error(where, f"limits.memory {limit} is not above {needed / 2**30:.2f} "
                                       "Gi of budgets and volumes in memory")


def memory_volumes(container, volumes):
    for mount in container.get("volumeMounts", []):
        empty = volumes.get(mount["name"], {}).get("emptyDir") or {}
        if empty.get("medium") == "Memory":
            yield empty.get("sizeLimit", "1Ti")


def check_times(manifests):
    for pod in manifests.pods():
        grace = pod.spec.get("terminationGracePeriodSeconds", 30)
        for c in pod.containers:
            drain = flags_of(c).get("--drain-timeout")
            if drain and grace < int(drain) + AFTER_DRAIN:
                manifests.error(str(pod), f"a grace period of {grace} s is less than "
                                          f"--drain-timeout and {AFTER_DRAIN} s")
            stop = flags_of(c).get("--grace-period")
            if stop and grace < int(stop) + AFTER_STOP:
                manifests.error(str(pod), f"a grace period of {grace} s is less than "
                                          f"--grace-period and {AFTER_STOP} s")
    for r in manifests.of("Deployment"):
        if r["spec"].get("minReadySeconds", 0) <= DNS_SECONDS:
            manifests.error(r, f"minReadySeconds is to be above {DNS_SECONDS}, DNS's lag")
        if r["spec"]["strategy"].get("rollingUpdate", {}).get("maxUnavailable") != 0:
            manifests.error(r, "an update may take the last owner: maxUnavailable is to be 0")


def scaler_of(manifests, deployment):
    for r in manifests.of("ScaledObject"):
        if r["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]:
            return r
    return None


def check_replicas(manifests):
    for r in manifests.of("ScaledObject"):
        target = r["spec"]["scaleTargetRef"]
        if manifests.find(target.get("kind", "Deployment"), target["name"]) not in manifests.resources:
            manifests.error(r, f"its target {target['name']} does not exist")
        if not 1 <= r["spec"].get("minReplicaCount", 0) <= r["spec"].get("maxReplicaCount", 100):
            manifests.error(r, "1 <= minReplicaCount <= maxReplicaCount does not hold")
    for r in manifests.of("Deployment"):
        scaler = scaler_of(manifests, r)
        if scaler and "replicas" in r["spec"]:
            manifests.error(r, "replicas belong to its autoscaler: each apply would reset them")
        if not scaler and "replicas" not in r["spec"]:
            manifests.error(r, "it has neither replicas nor an autoscaler")
        least = scaler["spec"].get("minReplicaCount", 0) if scaler else r["spec"].get("replicas", 1)
        check_budget_of(manifests, r, least)


def check_budget_of(manifests, deployment, least):
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    budgets = [b for b in manifests.of("PodDisruptionBudget")
               if selects(b["spec"]["selector"]["matchLabels"], labels)]
    if least > 1 and not budgets:
        manifests.error(deployment, "no disruption budget keeps its last pod")
    for b in budgets:
        if not 1 <= b["spec"].get("minAvailable", 0) < least:
            manifests.error(b, f"1 <= minAvailable < {least} replicas at least does not hold")


LABEL_OF_ONE_METRIC = {"partitions": "tributary_busy_ratio",
                       "deployment": "kube_deployment_spec_replicas"}


def check_queries(manifests):
    """A scaler counts the owners that it scales, in its own namespace."""
    for r in manifests.of("ScaledObject"):
        target = manifests.find("Deployment", r["spec"]["scaleTargetRef"]["name"])
        if target is None:
            continue
        args = target["spec"]["template"]["spec"]["containers"][0]
        wanted = {"partitions": flags_of(args).get("--partitions"),
                  "deployment": target["metadata"]["name"],
                  "namespace": r["metadata"].get("namespace")}
        for trigger in r["spec"]["triggers"]:
            check_matchers(manifests, r, trigger["metadata"]["query"], wanted)


def check_matchers(manifests, scaler, query, wanted):
    for metric, labels in re.findall(r"((?:tributary|kube)_\w+)(?:\{([^}]*)\})?", query):
        found = dict(re.findall(r'(\w+)\s*=\s*"([^"]*)"', labels))
        for label, value in wanted.items():
            if LABEL_OF_ONE_METRIC.get(label, metric) != metric:
                continue
            if found.get(label) != value:
                manifests.error(scaler, f'{metric} is to be asked with {label}="{value}"')


def check_nodes(manifests):
    for pod in manifests.pods():
        for c in pod.containers:
            flags = flags_of(c)
            gpus = c.get("resources", {}).get("limits", {}).get("nvidia.com/gpu")
            if gpus is not None and flags.get("--nproc") != str(gpus):
                manifests.error(str(pod), f"--nproc={flags.get('--nproc')} of {gpus} GPUs")
    for r in manifests.of("Job"):
        for c in r["spec"]["template"]["spec"]["containers"]:
            if "--nnodes" in flags_of(c):
                check_job(manifests, r, flags_of(c))
    for r in manifests.of("TrainJob"):
        runtime = r["spec"]["runtimeRef"]
        if manifests.find(runtime["kind"], runtime["name"]) is None:
            manifests.error(r, f"{runtime['kind']} {runtime['name']} does not exist")


def check_job(manifests, job, flags):
    spec, name = job["spec"], job["metadata"]["name"]
    counts = {str(spec["completions"]), str(spec["parallelism"]), flags["--nnodes"]}
    if len(counts) != 1:
        manifests.error(job, f"completions, parallelism and --nnodes differ: {sorted(counts)}")
    master = f"{name}-0.{spec['template']['spec'].get('subdomain')}"
    if flags.get("--master-addr") != master:
        manifests.error(job, f"--master-addr={flags.get('--master-addr')} is not {master}")
    if spec.get("completionMode") != "Indexed":
        manifests.error(job, "without completionMode: Indexed its pods have no numbers")
    if spec.get("podReplacementPolicy") != "Failed":
        manifests.error(job, "two pods of one node rank: podReplacementPolicy is to be Failed")


def check_threads(manifests):
    """Threads are those of the container, not of the node."""
    for pod in manifests.pods():
        for c in pod.all_containers:
            flags, command = flags_of(c), c.get("args", [""])[0]
            limit = c.get("resources", {}).get("limits", {}).get("cpu")
            if command == "serve" and limit is None and flags.get("--threads", "0") == "0":
                manifests.error(f"{pod}, {c['name']}", "it has as many threads as the node: "
                                                       "--threads, or limits.cpu")
            if (command == "partition" or "--nproc" in flags) and limit is None:
                manifests.error(f"{pod}, {c['name']}", "it has as many threads as the node: "
                                                       "limits.cpu")


def check_all(manifests):
    check_threads(manifests)
    check_memory(manifests)
    check_times(manifests)
    check_replicas(manifests)
    check_queries(manifests)
    check_nodes(manifests)
