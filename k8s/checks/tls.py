"""TLS: certificates, the flags that name them, and the probes, scrapes and
network policies that go with them."""

import json
import posixpath
import re

from manifests import flags_of, selects
from volumes import mount_of

# The keys of a Secret that cert-manager writes, by the flag that names them.
KEYS = {"--tls-ca": "ca.crt", "--tls-cert": "tls.crt", "--tls-key": "tls.key"}
URI = re.compile(r"tributary://(sampler|trainer|operator)/([\w.~+@-]{1,256})")
USAGES = {"digital signature", "server auth", "client auth"}
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def is_server(container):
    return container.get("args", [""])[0] == "serve"


def has_tls(container):
    return bool(KEYS.keys() & flags_of(container).keys())


def hours(duration):
    match = re.fullmatch(r"(\d+)h", str(duration))
    return int(match[1]) if match else None


# --- certificates --------------------------------------------------------------
def check_certificate(manifests, certificate):
    spec = certificate["spec"]
    duration, before = hours(spec.get("duration")), hours(spec.get("renewBefore"))
    if duration is None or before is None or not 0 < before < duration:
        manifests.error(certificate, "0 < renewBefore < duration, in hours, does not hold")
    key = spec.get("privateKey", {})
    if (key.get("algorithm"), key.get("size")) != ("ECDSA", 256):
        manifests.error(certificate, "its key is to be ECDSA of 256 bits")
    issuer = spec["issuerRef"]
    if manifests.find(issuer.get("kind", "Issuer"), issuer["name"]) is None:
        manifests.error(certificate, f"issuer {issuer['name']} does not exist")
    if spec.get("isCA"):
        return
    if key.get("rotationPolicy") != "Always":
        manifests.error(certificate, "rotationPolicy is to be Always: a new key each time")
    if not USAGES <= set(spec.get("usages", [])):
        manifests.error(certificate, f"usages are to be {sorted(USAGES)}")
    if len(spec.get("uris", [])) != 1 or not URI.fullmatch(spec["uris"][0]):
        manifests.error(certificate, f"uris {spec.get('uris')} are not one of tributary://ROLE/NAME")


def check_issuers(manifests):
    for r in manifests.of("Issuer"):
        secret = r["spec"].get("ca", {}).get("secretName")
        if secret is not None and not manifests.exists("Secret", secret):
            manifests.error(r, f"Secret {secret} does not exist")


def role_of(certificate):
    match = URI.fullmatch(certificate["spec"].get("uris", [""])[0])
    return match[1] if match else None


# --- pods ----------------------------------------------------------------------
def check_pod(manifests, pod):
    volumes = {v["name"]: v for v in pod.spec.get("volumes", [])}
    talking = [c for c in pod.all_containers if is_server(c) or "--servers" in flags_of(c)]
    if len({has_tls(c) for c in talking}) > 1:
        manifests.error(str(pod), "some of its containers use TLS and others do not")
    for c in talking:
        where = f"{pod}, {c['name']}"
        if has_tls(c):
            check_files(manifests, pod, where, c, volumes)
        if is_server(c):
            check_server(manifests, where, c)


def check_server(manifests, where, container):
    flags, tls = flags_of(container), has_tls(container)
    if tls == ("--insecure" in flags):
        manifests.error(where, "it is to have either --insecure or --tls-ca, --tls-cert, --tls-key")
    if tls and "--policy" not in flags:
        manifests.error(where, "without --policy each job may read each graph")
    for probe in PROBES:
        found = container.get(probe, {})
        if tls and found.get("httpGet") != {"path": "/healthz", "port": "health"}:
            manifests.error(where, f"{probe} is to get /healthz at its port health: "
                                   "gRPC probes speak no TLS")
        if not tls and "grpc" not in found:
            manifests.error(where, f"{probe} is to be one of gRPC")


def check_files(manifests, pod, where, container, volumes):
    secrets = set()
    for flag, key in KEYS.items():
        path = flags_of(container).get(flag)
        mount = mount_of(container, path) if path else None
        if path is None:
            manifests.error(where, f"{flag} is missing")
            continue
        if mount is None or "secret" not in volumes.get(mount["name"], {}):
            manifests.error(where, f"{flag}={path} is in no Secret")
            continue
        if posixpath.relpath(path, mount["mountPath"]) != key:
            manifests.error(where, f"{flag}={path} is not the key {key} of its Secret")
        if "subPath" in mount:
            manifests.error(where, "a mount with subPath never sees a renewed certificate")
        check_mode(manifests, pod, where, volumes[mount["name"]]["secret"])
        secrets.add(volumes[mount["name"]]["secret"]["secretName"])
    for secret in secrets:
        check_role(manifests, where, container, secret)


def check_mode(manifests, pod, where, secret):
    """The group of the volume's files is fsGroup; nobody else reads the key."""
    if secret.get("defaultMode", 0o644) != 0o440 or "fsGroup" not in pod.spec["securityContext"]:
        manifests.error(where, f"{secret['secretName']} is to have the mode 0440, for fsGroup")


def check_role(manifests, where, container, secret):
    certificate = manifests.certificate_of(secret)
    wanted = "sampler" if is_server(container) else "trainer"
    if certificate is None:
        manifests.error(where, f"no Certificate writes the Secret {secret}")
    elif role_of(certificate) != wanted:
        manifests.error(where, f"{certificate['spec']['uris']} is no {wanted}")


# --- what goes with them ---------------------------------------------------------
def server_pods(manifests, selector):
    return [(pod, c) for pod in manifests.pods() if selects(selector, pod.labels)
            for c in pod.containers if is_server(c)]


def check_monitor(manifests, monitor):
    for _, container in server_pods(manifests, monitor["spec"]["selector"]["matchLabels"]):
        for endpoint in monitor["spec"]["podMetricsEndpoints"]:
            scheme = "https" if has_tls(container) else "http"
            if endpoint.get("scheme", "http") != scheme:
                manifests.error(monitor, f"its pods are to be asked by {scheme}")
            elif has_tls(container):
                check_scrape(manifests, monitor, endpoint.get("tlsConfig", {}))


def check_scrape(manifests, monitor, config):
    keys = {"ca": config.get("ca", {}).get("secret", {}),
            "cert": config.get("cert", {}).get("secret", {}),
            "key": config.get("keySecret", {})}
    for what, found in keys.items():
        certificate = manifests.certificate_of(found.get("name"))
        if found.get("key") != KEYS[f"--tls-{what}"] or certificate is None or \
                role_of(certificate) != "operator":
            manifests.error(monitor, f"its {what} is to be that of an operator's Certificate")
    names = [name for r in manifests.all_of("Certificate") if role_of(r) == "sampler"
             for name in r["spec"].get("dnsNames", [])]
    if config.get("serverName") not in names:
        manifests.error(monitor, f"serverName {config.get('serverName')} is in no certificate "
                                 "of samplers")


def check_network_policy(manifests, policy):
    """Nobody but the node asks the plain port of /healthz, and each rule says who."""
    for rule in policy["spec"].get("ingress", []):
        if not rule.get("from"):
            manifests.error(policy, "a rule without `from` lets anyone in")
        for port in rule.get("ports", []):
            if port["port"] == "health":
                manifests.error(policy, "the port health is for the node alone")


def check_policy_file(manifests, config):
    """`{"jobs": {JOB or "*": [GRAPH or "*", ...]}}`, with the jobs of trainers."""
    text = config["data"].get("policy.json")
    if text is None:
        return
    try:
        jobs = json.loads(text)["jobs"]
    except (ValueError, KeyError, TypeError) as error:
        manifests.error(config, f"policy.json is no policy: {error!r}")
        return
    for r in manifests.all_of("Certificate"):
        job = (r["spec"].get("uris") or [""])[0].partition("tributary://trainer/")[2]
        if job and job not in jobs and "*" not in jobs:
            manifests.error(config, f"policy.json has no job {job} of Certificate "
                                    f"{r['metadata']['name']}")


def check_all(manifests):
    for r in manifests.of("Certificate"):
        check_certificate(manifests, r)
    check_issuers(manifests)
    for pod in manifests.pods():
        check_pod(manifests, pod)
    for r in manifests.of("PodMonitor"):
        check_monitor(manifests, r)
    for r in manifests.of("NetworkPolicy"):
        check_network_policy(manifests, r)
    for r in manifests.of("ConfigMap"):
        check_policy_file(manifests, r)
