"""Each check passes what is in the tree, and finds what it is for."""

import unittest

from tests.k8s.manifests import rendered
from tests.k8s.manifests.rendered import one

import check_manifests
import manifests

FLEET, TRAINERS, GRAPH = "fleet", "base/trainers", "base/graph"
P1 = "tributary-sampler-p1"


def resources_of(what):
    return rendered.fleet() if what == FLEET else rendered.folder(what)


def errors_of(resources, **more):
    return check_manifests.check(resources, beside=rendered.everything(), **more)


def pod(resources, kind="Deployment", name=None):
    return one(resources, kind, name)["spec"]["template"]["spec"]


def container(resources, kind="Deployment"):
    return pod(resources, kind)["containers"][0]


def put(keys, value, start=one):
    """A change: the item at the keys of what `start` finds becomes `value`, or is
    removed where that is None."""
    def change(found):
        for key in keys[:-1]:
            found = found[key]
        if value is None:
            del found[keys[-1]]
        else:
            found[keys[-1]] = value
    return change


def flag(old, new):
    def change(found):
        args = found["args"]
        args[args.index(old)] = new
    return change


def in_resource(kind, change, name=None):
    return lambda resources: change(one(resources, kind, name))


def in_pod(change, kind="Deployment"):
    return lambda resources: change(pod(resources, kind))


def in_container(change, kind="Deployment"):
    return lambda resources: change(container(resources, kind))


def drop(kind, name=None):
    return lambda resources: resources.remove(one(resources, kind, name))


LABELS = ["spec", "selector", "matchLabels"]
PARTITION = "tributary.io/partition"

# What is broken, where, how, and words of the error.
CASES = [
    # names and labels
    ("a service selects nothing", FLEET,
     in_resource("Service", put(["spec", "selector"], {"app": "x"})), "matches no pod"),
    ("a network policy selects nothing", TRAINERS,
     in_resource("NetworkPolicy", put(["spec", "podSelector", "matchLabels"], {"app": "x"})),
     "matches no pod"),
    ("a pod monitor selects nothing", FLEET,
     in_resource("PodMonitor", put(LABELS, {"app": "x"})), "matches no pod"),
    ("a Deployment selects others' pods", FLEET,
     in_resource("Deployment", put(LABELS + [PARTITION], None)), "matches the pods of"),
    ("a Deployment selects not its own", FLEET,
     in_resource("Deployment", put(LABELS + [PARTITION], "9")), "does not match the pods"),
    ("a budget selects two partitions", FLEET,
     in_resource("PodDisruptionBudget", put(LABELS + [PARTITION], None)), "one workload"),
    ("a budget selects another partition", FLEET,
     in_resource("PodDisruptionBudget", put(LABELS + [PARTITION], "1")), "2 disruption budgets"),
    ("peers at no service", FLEET,
     in_container(flag("--peers=dns:///tributary-sampler:50051", "--peers=dns:///nobody:50051")),
     "nobody is no service"),
    ("peers at another port", FLEET,
     in_container(flag("--peers=dns:///tributary-sampler:50051",
                       "--peers=dns:///tributary-sampler:50052")), "no port 50052"),
    ("a subdomain without a service", TRAINERS, drop("Service"), "does not exist"),
    ("trainers' names only when ready", TRAINERS,
     in_resource("Service", put(["spec", "publishNotReadyAddresses"], None)), "before they are"),
    # ports
    ("a probe of another port", FLEET,
     in_container(put(["readinessProbe", "grpc", "port"], 50052)), "readinessProbe asks"),
    ("listens on another port", FLEET,
     in_container(flag("--listen=0.0.0.0:50051", "--listen=0.0.0.0:50052")), "--listen="),
    ("metrics on another port", FLEET,
     in_container(flag("--http=0.0.0.0:9090", "--http=0.0.0.0:9091")), "--http="),
    ("a service leads elsewhere", FLEET,
     in_resource("Service", put(["spec", "ports", 0, "targetPort"], "http")), "leads to 9090"),
    ("a policy of a port that is not there", FLEET,
     in_resource("NetworkPolicy", put(["spec", "ingress", 1, "ports", 0, "port"], "web")),
     "no port web"),
    ("a scrape of another port", FLEET,
     in_resource("Deployment", put(["spec", "template", "metadata", "annotations",
                                    "prometheus.io/port"], "80")), "prometheus.io/port"),
    # environment
    ("a variable that is not set", FLEET,
     in_container(put(["env", 0, "name"], "CPUS")), "$(CPU_REQUEST)"),
    ("a variable that nothing uses", FLEET,
     in_container(put(["env", 0, "name"], "CPUS")), "nothing uses"),
    ("a field of no request", FLEET,
     in_container(put(["resources", "requests", "cpu"], None)), "no requests.cpu"),
    # volumes
    ("a claim that nobody makes", FLEET,
     in_pod(put(["volumes", 0, "persistentVolumeClaim", "claimName"], "x")), "Claim x does not"),
    ("a mount without its volume", FLEET,
     in_container(put(["volumeMounts", 0, "name"], "x")), "there is no volume x"),
    ("a volume that nothing mounts", FLEET,
     in_container(put(["volumeMounts", 0, "name"], "config")), "nothing mounts the volume graphs"),
    ("two mounts at one path", FLEET,
     in_container(put(["volumeMounts", 1, "mountPath"], "/graphs")), "two volumes"),
    ("a read-only claim that is written", FLEET,
     in_container(put(["volumeMounts", 0, "readOnly"], None)), "is read-only, to write"),
    ("a list of graphs in no key", FLEET,
     in_container(flag("--graph=file:/config/partition-0.txt", "--graph=file:/config/x.txt")),
     "no key x.txt"),
    ("a ConfigMap that is not there", FLEET, drop("ConfigMap"), "ConfigMap tributary-graphs"),
    ("checkpoints into the image", TRAINERS,
     in_container(flag("--checkpoint-dir=/checkpoints/run", "--checkpoint-dir=/run"), "Job"),
     "is in no volume"),
    ("partitions into a read-only volume", GRAPH,
     lambda rs: put(["volumeMounts", 1, "readOnly"], True)(pod(rs, "Job")["initContainers"][0]),
     "read-only"),
    # memory and seconds
    ("budgets above the limit", FLEET,
     in_container(flag("--memory-budget=1GB", "--memory-budget=4GB")), "limits.memory 4Gi"),
    ("rows and a quarter more above the limit", FLEET,
     in_container(flag("--tensor-memory=512MB", "--tensor-memory=2560MB")),
     "limits.memory 4Gi"),
    ("shared memory above the limit", TRAINERS,
     in_pod(put(["volumes", 1, "emptyDir", "sizeLimit"], "20Gi"), "Job"), "limits.memory 16Gi"),
    ("no limit of memory", FLEET,
     in_container(put(["resources", "limits"], None)), "no limits.memory"),
    ("a request below the limit", FLEET,
     in_container(put(["resources", "requests", "memory"], "1Gi")), "differ"),
    ("a sampler with the node's threads", FLEET,
     in_container(flag("--threads=$(CPU_REQUEST)", "--threads=0")), "as many threads as the node"),
    ("a trainer with the node's threads", TRAINERS,
     in_container(put(["resources", "limits", "cpu"], None), "Job"), "as many threads as the node"),
    ("a grace period below the drain", FLEET,
     in_pod(put(["terminationGracePeriodSeconds"], 60)), "grace period of 60 s"),
    ("a grace period below that of the ranks", TRAINERS,
     in_container(flag("--grace-period=40", "--grace-period=50"), "Job"), "--grace-period"),
    ("no time for DNS", FLEET,
     in_resource("Deployment", put(["spec", "minReadySeconds"], 30)), "minReadySeconds"),
    ("an update that takes an owner", FLEET,
     in_resource("Deployment", put(["spec", "strategy", "rollingUpdate", "maxUnavailable"], 1)),
     "maxUnavailable"),
    # replicas
    ("a scaler of nothing", FLEET,
     in_resource("ScaledObject", put(["spec", "scaleTargetRef", "name"], "x")), "target x"),
    ("a scaler to zero", FLEET,
     in_resource("ScaledObject", put(["spec", "minReplicaCount"], 0)), "minReplicaCount"),
    ("a scaler of less than its budget", FLEET,
     in_resource("ScaledObject", put(["spec", "minReplicaCount"], 1)), "minAvailable < 1"),
    ("replicas beside a scaler", FLEET,
     in_resource("Deployment", put(["spec", "replicas"], 2)), "belong to its autoscaler"),
    ("no replicas and no scaler", FLEET, drop("ScaledObject"), "neither replicas nor"),
    ("no budget", FLEET, drop("PodDisruptionBudget"), "no disruption budget"),
    ("a scaler that counts another's owners", FLEET,
     in_resource("ScaledObject", put(
         ["spec", "triggers", 0, "metadata", "query"],
         'sum(tributary_busy_ratio{namespace="tributary",partitions="1"})')), 'partitions="0"'),
    ("a scaler that counts all namespaces", FLEET,
     in_resource("ScaledObject", put(["spec", "triggers", 0, "metadata", "query"],
                                     'sum(tributary_busy_ratio{partitions="0"})')), "namespace="),
    # nodes
    ("fewer pods than nodes", TRAINERS,
     in_resource("Job", put(["spec", "completions"], 3)), "--nnodes differ"),
    ("another number of nodes", TRAINERS,
     in_container(flag("--nnodes=2", "--nnodes=4"), "Job"), "--nnodes differ"),
    ("a master that is no pod", TRAINERS,
     in_resource("Job", put(["metadata", "name"], "other")), "is not other-0"),
    ("pods that are replaced early", TRAINERS,
     in_resource("Job", put(["spec", "podReplacementPolicy"], None)), "podReplacementPolicy"),
    ("GPUs without ranks", TRAINERS,
     in_container(put(["resources", "limits", "nvidia.com/gpu"], "8"), "Job"), "of 8 GPUs"),
    # security
    ("a pod as root", FLEET,
     in_pod(put(["securityContext", "runAsNonRoot"], None)), "runAsNonRoot"),
    ("a container with capabilities", FLEET,
     in_container(put(["securityContext", "capabilities", "drop"], [])), "capabilities"),
    ("a folder of the node", FLEET,
     in_pod(put(["volumes", 1], {"name": "config", "hostPath": {"path": "/"}})), "hostPath"),
    ("an image without a tag", FLEET,
     in_container(put(["image"], "registry.example/tributary-sampler")), "no tag"),
    ("no namespace", FLEET,
     in_resource("Service", put(["metadata", "namespace"], None)), "no namespace"),
    # flags
    ("a flag that serve lacks", FLEET,
     in_container(flag("--insecure", "--unsafe")), "tributary serve has no --unsafe"),
    ("a command that is not there", FLEET,
     in_container(flag("serve", "server")), "no command ['server']"),
    ("an image of others", FLEET,
     in_container(put(["image"], "registry.example/other:1")), "none of ours"),
]


class Checks(unittest.TestCase):
    def test_what_is_in_the_tree_passes(self):
        for what in (FLEET, TRAINERS, GRAPH, "base/samplers", "base/checkpoints",
                     "base/namespace"):
            with self.subTest(what):
                found = errors_of(resources_of(what), binaries=[rendered.TRIBUTARY])
                self.assertEqual(found, [])

    def test_every_number_of_partitions_passes(self):
        for count in (1, 4, 16):
            with self.subTest(count):
                resources = rendered.fleet(("partitions: 4", f"partitions: {count}"))
                kinds = [r["kind"] for r in resources]
                self.assertEqual(kinds.count("Deployment"), count)
                self.assertEqual(errors_of(resources, binaries=[rendered.TRIBUTARY]), [])

    def test_other_values_pass(self):
        for changes in ([("placement: sharded", "placement: whole")],
                        [("autoscaler: true", "autoscaler: false")],
                        [("podMonitor: true", "podMonitor: false")],
                        [("min: 2", "min: 1"), ("autoscaler: true", "autoscaler: false")],
                        [("namespace: tributary\n", "namespace: tributary\n"),
                         ("memory: 4Gi", "memory: 64Gi"), ("cpu: \"2\"", "cpu: 7500m")]):
            with self.subTest(changes):
                self.assertEqual(errors_of(rendered.fleet(*changes)), [])

    def test_the_readme_says_what_is_made_by_hand(self):
        text = (rendered.K8S / "README.md").read_text()
        for _, name in manifests.BY_HAND:
            self.assertIn(f"`{name}` is a claim of yours" if name.endswith("input")
                          else f"create secret generic {name}", text)
        for folder in rendered.K8S.glob("overlays/*"):
            self.assertIn(f"`overlays/{folder.name}`", text)

    def test_nothing_rendered_is_an_error(self):
        self.assertEqual(errors_of([]), ["nothing was rendered"])

    def test_a_fleet_and_a_second_one_do_not_mix(self):
        """A whole and a sharded fleet may be in one namespace while one replaces
        the other: no selector but those that they share takes others' pods."""
        both = rendered.fleet() + [r for r in rendered.folder("base/samplers")
                                   if r["kind"] not in ("Service", "NetworkPolicy")]
        self.assertEqual(errors_of(both), [])


def make_test(what, change, words):
    def test(self):
        resources = resources_of(what)
        change(resources)
        found = errors_of(resources, binaries=[rendered.TRIBUTARY])
        self.assertTrue(any(words in error for error in found), found)
    return test


for number, (title, what, change, words) in enumerate(CASES):
    setattr(Checks, f"test_{number:02}_{title.replace(' ', '_')}", make_test(what, change, words))


class Quantities(unittest.TestCase):
    def test_bytes(self):
        self.assertEqual(manifests.bytes_of("1.5Gi"), 1.5 * 2**30)
        self.assertEqual(manifests.bytes_of("2G"), 2e9)
        self.assertEqual(manifests.size_of("2GB"), 2 * 2**30)
        for wrong in ("", "Gi", "1GB", "-1"):
            with self.assertRaises(ValueError):
                manifests.bytes_of(wrong)


if __name__ == "__main__":
    unittest.main()
