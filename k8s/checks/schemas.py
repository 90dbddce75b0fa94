#!/usr/bin/env python3
"""Checks custom resources by the schemas that their makers publish.

    schemas.py FILE...             outputs of `kubectl kustomize`

The models of KEDA, Prometheus Operator, cert-manager and Kubeflow Trainer are
Python packages (third_party/requirements.txt). They would ignore a field that
they do not know; here it is an error.
"""

import copy
import functools
import pathlib
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import manifests  # noqa: E402


def models():
    from cloudcoil.models.cert_manager import v1 as cert_manager
    from cloudcoil.models.keda import v1alpha1 as keda
    from cloudcoil.models.prometheus_operator import v1 as prometheus
    from kubeflow_trainer_api import models as kubeflow
    return {
        ("cert-manager.io/v1", "Certificate"): cert_manager.Certificate,
        ("cert-manager.io/v1", "Issuer"): cert_manager.Issuer,
        ("keda.sh/v1alpha1", "ScaledObject"): keda.ScaledObject,
        ("monitoring.coreos.com/v1", "PodMonitor"): prometheus.PodMonitor,
        ("monitoring.coreos.com/v1", "PrometheusRule"): prometheus.PrometheusRule,
        ("trainer.kubeflow.org/v1alpha1", "TrainJob"): kubeflow.TrainerV1alpha1TrainJob,
        ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime"):
            kubeflow.TrainerV1alpha1TrainingRuntime,
    }


def is_custom(resource):
    """Whether its API group is of a custom resource: it has a domain not of ours."""
    group = resource["apiVersion"].rpartition("/")[0]
    return "." in group and not group.endswith(".k8s.io")


def closed(schema):
    """The schema, with no other fields than it names."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties")
    if isinstance(properties, dict) and "oneof_schema_1_validator" in properties:
        return {"type": ["string", "number"]}  # a quantity, or a number or text
    schema = {key: closed(value) for key, value in schema.items()}
    if isinstance(properties, dict) and schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    return schema


@functools.lru_cache(maxsize=None)
def validator_of(api_version, kind):
    model = models().get((api_version, kind))
    if model is None:
        return None
    return jsonschema.Draft202012Validator(closed(model.model_json_schema(by_alias=True)))


def leaf(error):
    """The innermost cause that went furthest into the resource."""
    while error.context:
        error = max(error.context, key=lambda e: (len(e.path), e.validator != "type"))
    return error


def check(resources):
    """The errors, in words."""
    errors = []
    for r in filter(is_custom, resources):
        validator = validator_of(r["apiVersion"], r["kind"])
        if validator is None:
            errors.append(f"{manifests.name_of(r)}: no schema of {r['apiVersion']} is known")
            continue
        for error in map(leaf, validator.iter_errors(r)):
            where = ".".join(str(key) for key in error.absolute_path)
            errors.append(f"{manifests.name_of(r)}: {where}: {error.message}")
    return errors


# Where a field that does not exist must be found, too.
DEEP = {
    "Certificate": ["spec", "privateKey"],
    "ScaledObject": ["spec", "advanced", "horizontalPodAutoscalerConfig", "behavior"],
    "PodMonitor": ["spec", "podMetricsEndpoints", 0],
    "TrainJob": ["spec", "trainer"],
    "TrainingRuntime": ["spec", "template", "spec", "replicatedJobs", 0, "template", "spec",
                        "template", "spec", "containers", 0],
}


def check_strictness(resources):
    """Says which schemas let a field pass that does not exist."""
    for r in {r["kind"]: r for r in filter(is_custom, resources)}.values():
        for keys in (["spec"], DEEP.get(r["kind"], ["spec"])):
            spoilt = copy.deepcopy(r)
            functools.reduce(lambda at, key: at[key], keys, spoilt)["noSuchField"] = 1
            if not check([spoilt]):
                yield f"{r['kind']}: its schema accepts any field in {keys}"


def main(paths):
    count = 0
    loaded = [r for path in paths for r in manifests.load(pathlib.Path(path).read_text())]
    for error in check_strictness(loaded):
        print(f"k8s: {error}", file=sys.stderr)
        count += 1
    for path in paths:
        for error in check(manifests.load(pathlib.Path(path).read_text())):
            print(f"k8s: {pathlib.Path(path).stem}: {error}", file=sys.stderr)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
