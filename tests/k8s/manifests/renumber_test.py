"""Monday's graph has 2 partitions and Tuesday's 3: the rendered fleet goes from
one to the other while it serves.

Servers run with the arguments of the rendered Deployments, and follow the lists
of the rendered ConfigMap, as pods do.
"""

import contextlib
import os
import pathlib
import random
import unittest

from tests.e2e import folders, processes, sampling
from tests.k8s.manifests import rendered
from tests.k8s.manifests.rendered import one

EXAMPLE = "  - folder: /graphs/main\n    partitions: 4\n"


def fleet(**days):
    """The rendering for graphs by name: number of partitions."""
    return rendered.fleet((EXAMPLE, "".join(
        f"  - folder: /graphs/{day}\n    partitions: {count}\n"
        for day, count in days.items())))


class Pods(contextlib.ExitStack):
    """The servers of a fleet, one for each Deployment."""

    def __init__(self, here):
        super().__init__()
        self.here = pathlib.Path(here)
        self.servers = {}
        (self.here / "config").mkdir()
        self.write("servers", "")

    @property
    def list(self):
        return f"file:{self.here}/servers"

    def write(self, name, text):
        new = self.here / "new"
        new.write_text(text)
        os.rename(new, self.here / name)

    def on_this_machine(self, arg):
        here = {"--listen": "127.0.0.1:0", "--http": "127.0.0.1:0", "--threads": "1",
                "--peers": self.list,
                # An old graph is let go of after it.
                "--drain-timeout": "1"}
        flag = arg.partition("=")[0]
        if flag in here:
            return f"{flag}={here[flag]}"
        return arg.replace("file:/config/", f"file:{self.here}/config/")

    def apply(self, resources):
        """Writes the lists first, as a ConfigMap is there before the pods."""
        for name, text in one(resources, "ConfigMap")["data"].items():
            self.write(f"config/{name}", text.replace("/graphs/", f"{self.here}/"))
        for deployment in (r for r in resources if r["kind"] == "Deployment"):
            name = deployment["metadata"]["name"]
            if name not in self.servers:
                args = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
                self.start(name, [self.on_this_machine(a) for a in args])

    def start(self, name, args):
        graph = next(a for a in args if a.startswith("--graph="))
        listen = next(a for a in args if a.startswith("--listen="))
        rest = [a for a in args[1:] if a not in (graph, listen)]
        self.servers[name] = self.enter_context(
            processes.Server(graph.partition("=")[2], *rest))
        self.write("servers", "".join(f"{s.address}\n" for s in self.servers.values()))

    def graphs(self):
        """NAME@VERSION: the partitions that servers have of it."""
        found = {}
        for line in processes.run_ok("status", "--servers", self.list).splitlines():
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            partitions = found.setdefault(words["graph"], set())
            partitions.update(words["partitions"].partition("/")[0].split(","))
        return found


class Renumber(unittest.TestCase):
    def day(self, seed, name, partitions):
        source = os.path.join(self.here, f"source{seed}")
        folders.random_ogb(source, random.Random(seed), 300, 2000, True)
        return folders.partition(source, os.path.join(self.here, name), partitions,
                                 "random", "--name", "daily")

    def setUp(self):
        self.here = self.enterContext(processes.temporary_folder())
        self.alone = {day: sampling.lines(self.day(seed, day, count))
                      for seed, day, count in ((1, "monday", 2), (2, "tuesday", 3))}
        self.assertNotEqual(self.alone["monday"], self.alone["tuesday"])
        self.pods = self.enterContext(Pods(self.here))

    def sampled(self, graph):
        return sampling.lines(("servers", self.pods.list), flags=("--graph-name", graph))

    def test_another_number_of_partitions_rolls_in(self):
        self.pods.apply(fleet(monday=2))
        (monday,) = self.pods.graphs()
        self.assertEqual(self.sampled("daily"), self.alone["monday"])

        self.pods.apply(fleet(monday=2, tuesday=3))
        self.assertEqual(len(self.pods.servers), 3)
        processes.until(lambda: sorted(map(len, self.pods.graphs().values())) == [2, 3])
        (tuesday,) = set(self.pods.graphs()) - {monday}
        processes.run_ok("status", "--servers", self.pods.list, "--graph-name", tuesday,
                         "--wait", "30")
        self.assertEqual(self.sampled(monday), self.alone["monday"])
        self.assertEqual(self.sampled("daily"), self.alone["tuesday"])

        self.pods.apply(fleet(tuesday=3))
        processes.until(lambda: set(self.pods.graphs()) == {tuesday})
        self.assertEqual(self.sampled("daily"), self.alone["tuesday"])


if __name__ == "__main__":
    unittest.main()
