"""What k8s/base/samplers/scaled-object.yaml says."""

import yaml

from tests.k8s.scaling import hpa

PATH = "k8s/base/samplers/scaled-object.yaml"


def scaled_object(path=PATH):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def trigger():
    [only] = scaled_object()["spec"]["triggers"]
    return only


def query():
    return trigger()["metadata"]["query"]


def _rules(behavior):
    return hpa.Rules(
        stabilization_seconds=behavior["stabilizationWindowSeconds"],
        policies=tuple(hpa.Policy(p["type"], p["value"], p["periodSeconds"])
                       for p in behavior["policies"]),
        select=behavior.get("selectPolicy", "Max"))


def settings(**changes):
    """What KEDA makes the autoscaler of."""
    spec = scaled_object()["spec"]
    behavior = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    return hpa.Settings(**{
        "least": spec["minReplicaCount"],
        "most": spec["maxReplicaCount"],
        "up": _rules(behavior["scaleUp"]),
        "down": _rules(behavior["scaleDown"]),
        "threshold": float(trigger()["metadata"]["threshold"]),
        **changes})
