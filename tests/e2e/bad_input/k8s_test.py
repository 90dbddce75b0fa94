"""Values, folders and graphs that `tributary k8s render` refuses."""

import os
import unittest

from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table
from tests.e2e.bad_input.privileges import no_override, why_override

LEAST = """images:
  sampler: r.example/sampler:1
graphs:
  - folder: /graphs/main
    partitions: 2
resources: {}
"""
RENDER = ("k8s", "render", "--values", "{here}/values.yaml", "--out", "{here}/out")


def write(path, data):
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def values(name, data, *words, code=FAILURE, args=RENDER):
    """The file of values is `data`."""
    return Case("values: " + name, args, words, code,
                spoil=lambda here: write(here + "/values.yaml", data))


def out(name, make, *words, **more):
    """make(path) is where the rendering is to be."""
    def spoil(here):
        write(here + "/values.yaml", LEAST)
        make(here + "/out")
    return Case("out: " + name, RENDER, words, FAILURE, spoil=spoil, **more)


def flags(name, args, *words):
    return Case(name, ("k8s", *args), words, USAGE)


def with_file(name, text):
    def make(path):
        os.mkdir(path)
        write(os.path.join(path, name), text)
    return make


def replaced(old, new):
    assert old in LEAST
    return LEAST.replace(old, new)


CASES = [
    flags("no subcommand", [], "subcommand is required", "render"),
    flags("another subcommand", ["apply"], "apply", "render"),
    flags("no values", ["render", "--out", "x"], "--values"),
    flags("no out", ["render", "--values", "x"], "--out"),
    flags("an empty out", ["render", "--values", "x", "--out", ""], "--out", "allowed"),
    Case("no such file", RENDER, ("values.yaml", "No such file"), FAILURE),
    Case("a folder of values", (*RENDER[:3], "{here}", *RENDER[4:]), ("regular",), FAILURE),
    values("empty", "", "0 documents"),
    values("no YAML", "a: [1,", "values.yaml:1", "no YAML"),
    values("bytes", b"\xff\xfe\x00a", "values.yaml"),
    values("an escape", "\"\\e[2J\": 1\n", "\\x1b[2J"),
    values("too deep", "[" * 50000, "values.yaml"),
    values("too large", "#" * (2 << 20), "1048576"),
    values("a cycle", "images: &a {sampler: *a}\n", "images"),
    values("an unknown key", LEAST + "replica: 3\n", "values.yaml:7", "replica", "allowed"),
    values("an unknown key below", replaced("{}", "{cpus: 2}"), "values.yaml:6",
           "resources.cpus", "memoryBudget"),
    values("a wrong type", LEAST + "replicas: [1, 2]\n", "replicas is a list", "min, max"),
    values("out of range", LEAST + "replicas: {min: 0}\n", "replicas.min", "from 1 to"),
    values("too many partitions", replaced(": 2", ": 99999999999"), "graphs[0].partitions"),
    values("more min than max", LEAST + "replicas: {min: 9, max: 3}\n", "values.yaml:7",
           "replicas.max", "9"),
    values("memory that does not add up", replaced("{}", "{memoryBudget: 8GB}"),
           "resources.memory", "at least 10Gi"),
    values("an image with a blank", replaced("r.example/sampler:1", "'a b'"), "values.yaml:2"),
    values("an image without a tag", replaced("r.example/sampler:1", "r.example/sampler"),
           "values.yaml:2", "images.sampler is \"r.example/sampler\"", "REPOSITORY:TAG"),
    values("an image in upper case", replaced("r.example/sampler:1", "r.example/Sampler:1"),
           "values.yaml:2", "images.sampler", "lower case"),
    values("a digest alone", replaced("r.example/sampler:1", "sha256:" + "0" * 64),
           "values.yaml:2", "images.sampler", "REPOSITORY@sha256:DIGEST"),
    values("a graph outside the volume", replaced("/graphs/main", "/etc"), "below /graphs"),
    values("no graph here", LEAST, "graph.json",
           args=(*RENDER, "--graph", "{here}/none")),
    out("a file", lambda path: write(path, "mine"), "out", "not rendered"),
    out("somebody's folder", with_file("mine.yaml", "kind: Secret\n"), "mine.yaml",
        "not rendered"),
    out("a folder in it", lambda path: os.makedirs(path + "/below"), "below", "not rendered"),
    out("a link", lambda path: os.symlink("/tmp", path), "out", "not rendered"),
    out("a folder that nobody may write", lambda path: os.chmod(os.path.dirname(path), 0o500),
        "cannot create", "Permission denied", preexec=no_override, skip=why_override),
]


class Render(Table):
    CASES = CASES

    def test_the_least_values_are_rendered(self):
        write(self.folder + "/values.yaml", LEAST)
        said = self.works("k8s", "render", "--values", self.folder + "/values.yaml",
                          "--out", self.folder + "/rendered")
        self.assertIn("deployments=2", said)

    def test_a_graph_tells_its_partitions(self):
        graph = self.write_graph()
        write(self.folder + "/one.yaml", LEAST.replace("partitions: 2", "partitions: 7"))
        said = self.works("k8s", "render", "--values", self.folder + "/one.yaml",
                          "--graph", graph, "--out", self.folder + "/measured")
        self.assertIn("deployments=2", said)


if __name__ == "__main__":
    unittest.main()
