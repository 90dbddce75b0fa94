"""Checks of rendered manifests that a schema cannot make.

Reads the output of `kubectl kustomize` and fails when names, labels, counts or
flags do not agree with each other or with the programs that the pods run.

    kubectl kustomize k8s/base | python3 k8s/check_manifests.py [BINARY ...]

Each BINARY (tributary, tributary-train) is asked for its --help, and every
flag that a container passes must be in it.
"""

import os
import re
import subprocess
import sys

import yaml

WORKLOADS = ("StatefulSet", "Job", "Deployment")


def labels_match(selector, labels):
    return bool(selector) and all(labels.get(k) == v for k, v in selector.items())


def pod_template(workload):
    return workload["spec"]["template"]


def check_selectors(resources, errors):
    pods = [
        pod_template(r)["metadata"].get("labels", {})
        for r in resources
        if r["kind"] in WORKLOADS
    ]
    for r in resources:
        spec = r.get("spec", {})
        selector = {
            "Service": lambda: spec.get("selector"),
            "PodDisruptionBudget": lambda: spec["selector"]["matchLabels"],
            "NetworkPolicy": lambda: spec["podSelector"]["matchLabels"],
        }.get(r["kind"], lambda: None)()
        if selector and not any(labels_match(selector, p) for p in pods):
            errors.append(f"{name_of(r)}: its selector {selector} matches no pod template")
    for r in resources:
        if r["kind"] != "StatefulSet":
            continue
        labels = pod_template(r)["metadata"]["labels"]
        if not labels_match(r["spec"]["selector"]["matchLabels"], labels):
            errors.append(f"{name_of(r)}: its selector does not match its own template")


def check_services(resources, errors):
    services = {r["metadata"]["name"]: r for r in resources if r["kind"] == "Service"}
    for r in resources:
        if r["kind"] not in WORKLOADS:
            continue
        governing = r["spec"].get("serviceName") or pod_template(r)["spec"].get("subdomain")
        if governing and governing not in services:
            errors.append(f"{name_of(r)}: service {governing} does not exist")
        for container in pod_template(r)["spec"]["containers"]:
            for arg in container.get("args", []):
                for host, port in re.findall(r"dns:///([\w.-]+):(\d+)", arg):
                    check_dns(r, host, int(port), services, errors)


def check_dns(resource, host, port, services, errors):
    service = services.get(host.split(".")[0])
    if service is None:
        errors.append(f"{name_of(resource)}: {host} is no service here")
    elif port not in [p["port"] for p in service["spec"]["ports"]]:
        errors.append(f"{name_of(resource)}: service {host} has no port {port}")


def check_ports(resources, errors):
    for r in resources:
        if r["kind"] not in WORKLOADS:
            continue
        for c in pod_template(r)["spec"]["containers"]:
            ports = {p["containerPort"] for p in c.get("ports", [])}
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                port = c.get(probe, {}).get("grpc", {}).get("port")
                if port is not None and port not in ports:
                    errors.append(f"{name_of(r)}: {probe} asks port {port}, which {c['name']} does not open")


def check_world_size(resources, errors):
    for r in resources:
        if r["kind"] != "Job":
            continue
        spec = r["spec"]
        env = {
            e["name"]: e.get("value")
            for c in pod_template(r)["spec"]["containers"]
            for e in c.get("env", [])
        }
        counts = {str(spec["completions"]), str(spec["parallelism"]), env.get("WORLD_SIZE")}
        if len(counts) != 1:
            errors.append(f"{name_of(r)}: completions, parallelism and WORLD_SIZE differ: {sorted(map(str, counts))}")


def check_flags(resources, binaries, errors):
    programs = {"sampler": "tributary", "trainer": "tributary-train"}
    for r in resources:
        if r["kind"] not in WORKLOADS:
            continue
        for c in pod_template(r)["spec"]["containers"]:
            binary = binaries.get(programs.get(c["name"], ""))
            if binary is None:
                continue
            args = c.get("args", [])
            command = [a for a in args[:1] if not a.startswith("-")]
            known = set(re.findall(r"--[a-z][\w-]*", help_of(binary, command)))
            for arg in args:
                flag = arg.split("=")[0]
                if flag.startswith("--") and flag not in known:
                    errors.append(f"{name_of(r)}: {' '.join([os.path.basename(binary)] + command)} has no {flag}")


def help_of(binary, command):
    return subprocess.run(
        [binary, *command, "--help"], capture_output=True, text=True, timeout=60, check=True
    ).stdout


def name_of(resource):
    return f"{resource['kind']} {resource['metadata']['name']}"


def main():
    resources = [r for r in yaml.safe_load_all(sys.stdin) if r]
    binaries = {os.path.basename(path): path for path in sys.argv[1:]}
    errors = []
    if not resources:
        errors.append("nothing was rendered")
    check_selectors(resources, errors)
    check_services(resources, errors)
    check_ports(resources, errors)
    check_world_size(resources, errors)
    check_flags(resources, binaries, errors)
    for error in errors:
        print(f"k8s: {error}", file=sys.stderr)
    print(f"k8s: {len(resources)} resources, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
