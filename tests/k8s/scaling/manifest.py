"""What k8s/base/samplers/scaled-object.yaml says."""

import yaml

from tests.k8s.scaling import hpa

PATH = "k8s/base/samplers/scaled-object.yaml"


def scaled_object(path=PATH):
    """The only one in the file."""
    with open(path, encoding="utf-8") as file:
        [only] = [document for document in yaml.safe_load_all(file)
                  if document and document["kind"] == "ScaledObject"]
    return only


WANTED = "servers-wanted"    # by the starvation of trainers
HELD = "servers-with-rows"   # that must stay


def trigger(path=PATH, name=WANTED):
    [only] = [found for found in scaled_object(path)["spec"]["triggers"]
              if found["name"] == name]
    return only


def query(path=PATH, name=WANTED):
    return trigger(path, name)["metadata"]["query"]


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
