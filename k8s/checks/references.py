"""Names, labels and ports that must agree with each other."""

import re

from manifests import flags_of, name_of, selects

SELECTORS = {
    "Service": lambda spec: spec.get("selector"),
    "PodDisruptionBudget": lambda spec: spec["selector"]["matchLabels"],
    "NetworkPolicy": lambda spec: spec["podSelector"]["matchLabels"],
    "PodMonitor": lambda spec: spec["selector"]["matchLabels"],
}
# Set in a container of that name by Kubeflow Trainer, pkg/runtime/.../torch.
TRAINER_SETS = {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK",
                "PET_MASTER_ADDR", "PET_MASTER_PORT"}
# Read by a program, not by its command line.
READ_BY_PROGRAM = re.compile(r"AWS_|OMP_|NCCL_|GLOO_|TRIBUTARY_TLS_|TRIBUTARY_LOG_")


def selected(manifests, resource):
    selector = SELECTORS[resource["kind"]](resource["spec"])
    return [pod for pod in manifests.pods() if selects(selector, pod.labels)]


def check_selectors(manifests):
    for kind in SELECTORS:
        for r in manifests.of(kind):
            if not selected(manifests, r):
                manifests.error(r, "its selector matches no pod template")
    deployments = manifests.of("Deployment")
    for r in deployments:
        for pod in manifests.pods():
            matches = selects(r["spec"]["selector"]["matchLabels"], pod.labels)
            if matches != (pod.owner is r):
                manifests.error(
                    r, f"its selector {'matches' if matches else 'does not match'} "
                       f"the pods of {pod}")


def check_budgets(manifests):
    """An eviction is refused where a pod has two budgets."""
    budgets = manifests.of("PodDisruptionBudget")
    for r in budgets:
        if len(selected(manifests, r)) != 1:
            manifests.error(r, "it is to select the pods of one workload")
    for pod in manifests.pods():
        count = sum(any(p.owner is pod.owner for p in selected(manifests, b)) for b in budgets)
        if count > 1:
            manifests.error(str(pod), f"{count} disruption budgets select its pods")


def check_services(manifests):
    for pod in manifests.pods():
        subdomain = pod.spec.get("subdomain")
        if subdomain:
            check_governing(manifests, pod, subdomain)
        for container in pod.all_containers:
            for arg in container.get("args", []):
                for host, port in re.findall(r"dns:///([\w.-]+):(\d+)", arg):
                    check_dns(manifests, pod, host, int(port))


def check_governing(manifests, pod, name):
    service = manifests.find("Service", name)
    if service is None:
        manifests.error(str(pod), f"service {name} does not exist")
    elif service["spec"].get("clusterIP") != "None":
        manifests.error(service, "it is to be headless")
    elif not service["spec"].get("publishNotReadyAddresses"):
        manifests.error(service, "pods meet before they are ready: publishNotReadyAddresses")
    elif not selects(service["spec"]["selector"], pod.labels):
        manifests.error(service, f"it does not select the pods of {pod}")


def check_dns(manifests, pod, host, port):
    service = manifests.find("Service", host.split(".")[0])
    if service is None:
        manifests.error(str(pod), f"{host} is no service")
    elif port not in [p["port"] for p in service["spec"]["ports"]]:
        manifests.error(str(pod), f"service {host} has no port {port}")


def check_ports(manifests):
    for pod in manifests.pods():
        for container in pod.containers:
            check_container_ports(manifests, pod, container)
        scrape = pod.template["metadata"].get("annotations", {}).get("prometheus.io/port")
        if scrape and int(scrape) != pod.ports().get("http"):
            manifests.error(str(pod), f"prometheus.io/port {scrape} is not its port http")
    for kind in ("Service", "NetworkPolicy", "PodMonitor"):
        for r in manifests.of(kind):
            for pod in selected(manifests, r):
                check_named_ports(manifests, r, pod)


def check_scrapes(manifests):
    """Pods that two scrapes find count twice in each sum, as in an autoscaler's."""
    for pod in manifests.pods():
        annotation = pod.template["metadata"].get("annotations", {}).get("prometheus.io/scrape")
        scrapes = [name_of(r) for r in manifests.of("PodMonitor")
                   if selects(r["spec"]["selector"]["matchLabels"], pod.labels)]
        if annotation == "true":
            scrapes.append("the annotation prometheus.io/scrape")
        if len(scrapes) > 1:
            manifests.error(str(pod), f"it is scraped {len(scrapes)} times: {', '.join(scrapes)}")


def check_container_ports(manifests, pod, container):
    where = f"{pod}, {container['name']}"
    ports = {p["name"]: p["containerPort"] for p in container.get("ports", [])}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        for kind, name in (("grpc", "grpc"), ("httpGet", "health")):
            port = container.get(probe, {}).get(kind, {}).get("port")
            if port is not None and (port if port not in ports else ports[port]) != ports.get(name):
                manifests.error(where, f"{probe} asks port {port}, which is not its port {name}")
    for flag, name in (("--listen", "grpc"), ("--http", "http"), ("--health", "health"),
                       ("--master-port", "rendezvous")):
        value = flags_of(container).get(flag)
        if value and "$(" not in value and int(value.rpartition(":")[2]) != ports.get(name):
            manifests.error(where, f"{flag}={value} is not its port {name}")


def ports_of(resource):
    spec = resource["spec"]
    if resource["kind"] == "Service":
        return [(p["port"], p.get("targetPort", p["port"])) for p in spec["ports"]]
    if resource["kind"] == "PodMonitor":
        return [(None, e["port"]) for e in spec["podMetricsEndpoints"]]
    return [(None, p["port"]) for rule in spec.get("ingress", []) for p in rule.get("ports", [])]


def check_named_ports(manifests, resource, pod):
    ports = pod.ports()
    for number, target in ports_of(resource):
        found = ports.get(target, target if target in ports.values() else None)
        if found is None:
            manifests.error(resource, f"the pods of {pod} have no port {target}")
        elif number is not None and number != found:
            manifests.error(resource, f"port {number} leads to {found} of the pods of {pod}")


def check_environment(manifests):
    for pod in manifests.pods():
        for c in pod.all_containers:
            where = f"{pod}, {c['name']}"
            names = [e["name"] for e in c.get("env", [])]
            set_for_us = TRAINER_SETS if pod.owner["kind"] == "TrainingRuntime" and \
                c["name"] == "node" else set()
            used = set(re.findall(r"\$\((\w+)\)", " ".join(c.get("args", []))))
            for name in sorted(used - set(names) - set_for_us):
                manifests.error(where, f"$({name}) is no variable of its environment")
            for name in names:
                if name not in used and not READ_BY_PROGRAM.match(name):
                    manifests.error(where, f"nothing uses the variable {name}")
            for e in c.get("env", []):
                check_source(manifests, where, c, e.get("valueFrom", {}))


def check_source(manifests, where, container, source):
    if "resourceFieldRef" in source:
        kind, _, name = source["resourceFieldRef"]["resource"].partition(".")
        if name not in container.get("resources", {}).get(kind, {}):
            manifests.error(where, f"its resources have no {kind}.{name}")
    for key, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
        if key in source and not manifests.exists(kind, source[key]["name"]):
            manifests.error(where, f"{kind} {source[key]['name']} does not exist")


def check_all(manifests):
    check_selectors(manifests)
    check_budgets(manifests)
    check_services(manifests)
    check_ports(manifests)
    check_scrapes(manifests)
    check_environment(manifests)
