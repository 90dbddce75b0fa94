"""Several graphs, and several versions of one, in the servers of one fleet."""

import contextlib
import json
import os
import random
import re
import shutil
import time
import unittest
import urllib.request

from tests.e2e import folders, processes, sampling


def words(line):
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


def status(servers, *flags):
    """The words of each server's line of each graph."""
    return [words(line) for line in processes.run_ok(
        "status", "--servers", servers, *flags).splitlines()]


def metrics(server):
    with urllib.request.urlopen(f"http://{server.http}/metrics",
                                timeout=10) as reply:
        return reply.read().decode()


def figure(server, name):
    return float(re.search(rf"^{name} ([0-9.e+]+)$", metrics(server),
                           re.M).group(1))


def graphs_shown(server):
    return set(re.findall(r'^tributary_graph_batches_active\{graph="(.*)"\} ',
                          metrics(server), re.M))


class GraphsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.cora = folders.partition(folders.CORA,
                                     os.path.join(cls.folder, "cora"), 2)
        cls.days = [cls.day(seed) for seed in (1, 2)]
        cls.alone = {graph: sampling.lines(graph)
                     for graph in (cls.cora, *cls.days)}
        assert cls.alone[cls.days[0]] != cls.alone[cls.days[1]]

    @classmethod
    def day(cls, seed):
        """A version of the graph "daily", in two partitions."""
        source = os.path.join(cls.folder, f"source{seed}")
        folders.random_ogb(source, random.Random(seed), 300, 2000, True)
        return folders.partition(source, os.path.join(cls.folder, f"day{seed}"),
                                 2, "random", "--name", "daily")

    def listing(self, *graphs):
        """A file that lists them."""
        path = os.path.join(self.enterContext(processes.temporary_folder()),
                            "graphs")
        self.list(path, *graphs)
        return path

    def list(self, path, *graphs):
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.writelines(graph + "\n" for graph in graphs)
        os.rename(path + ".new", path)

    def sampled(self, servers, name):
        return sampling.lines(("servers", servers),
                              flags=("--graph-name", name))

    def refused(self, servers, *flags):
        """What `sample` says, at once."""
        began = time.monotonic()
        done = processes.run(*sampling.arguments(("servers", servers),
                                                 flags=flags))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertLess(time.monotonic() - began, 30)  # rpc_timeout is 180
        return done.stderr


class SeveralTest(GraphsTest):
    def test_each_graph_of_a_fleet_is_as_if_it_was_alone(self):
        graphs = [self.cora, *self.days]
        with processes.Fleet(graphs, ["0", "1"]) as fleet:
            said = fleet.doctor()
            names = {words(line)["graph"]: words(line)
                     for line in processes.run_ok(
                         "status", "--servers",
                         fleet.addresses()).splitlines()}
            self.assertEqual(len(names), 3)
            for name in names:
                self.assertIn(f"({name})", said)
            for server in fleet.servers:
                self.assertEqual(
                    server.graphs.count(":0") + server.graphs.count(":1"), 3)
            versions = [n for n in names if n.startswith("daily@")]
            self.assertEqual(len(versions), 2)
            servers = fleet.addresses()
            self.assertEqual(self.sampled(servers, "cora"),
                             self.alone[self.cora])
            # Without a version: the newest.
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[self.days[1]])
            self.assertEqual(
                {tuple(self.sampled(servers, v)) for v in versions},
                {tuple(self.alone[day]) for day in self.days})

    def test_a_name_that_is_missing_or_wrong_is_refused_with_the_list(self):
        with processes.Server([self.cora, *self.days]) as server:
            listed = [said["graph"] for said in status(server.address)]
            for flags, says in (
                    ((), "several graphs are served"),
                    (("--graph-name", "dayly"), "graph 'dayly'"),
                    (("--graph-name", "cora@0000000000"),
                     "graph 'cora@0000000000'")):
                with self.subTest(flags=flags):
                    text = self.refused(server.address, *flags)
                    self.assertIn(says, text)
                    for name in listed:
                        self.assertIn(name, text)

    def test_status_and_doctor_look_at_one_graph_where_it_is_named(self):
        with processes.Server([self.cora, *self.days]) as server:
            only, = status(server.address, "--graph-name", "cora")
            self.assertTrue(only["graph"].startswith("cora@"))
            self.assertEqual(
                len(status(server.address, "--graph-name", "daily")), 2)
            done = processes.run("doctor", "--servers", server.address,
                                 "--graph-name", "pubmed")
            self.assertEqual(done.returncode, 1)
            self.assertIn("graph 'pubmed'; this server has cora@", done.stdout)

    def test_the_same_graph_twice_is_refused(self):
        done = processes.run("serve", "--graph", self.cora, "--graph",
                             self.cora, "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is served already", done.stderr)

    def test_names_are_of_servers_graphs(self):
        for where, flags, says in (
                (self.cora, ("--graph-name", "cora"), "--graph-name with"),
                (("servers", "127.0.0.1:1"), ("--graph-name", "cora@x"),
                 "graph 'cora@x'; allowed: NAME, or NAME@VERSION")):
            with self.subTest(flags=flags):
                done = processes.run(*sampling.arguments(where, flags=flags))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)


class FollowingTest(GraphsTest):
    """A fleet of two servers that follow a list."""

    # Long enough that a pipe of a page holds back who writes its lines.
    LONG = dict(inputs=",".join(map(str, range(300))), batch_size=1,
                fanouts="4,4")

    def fleet(self, path, partitions=("0", "1")):
        return processes.Fleet(f"file:{path}", list(partitions),
                               "--drain-timeout", 2, "--http", "127.0.0.1:0")

    def job(self, servers):
        return processes.Process(*sampling.arguments(
            ("servers", servers), flags=("--graph-name", "daily"), **self.LONG),
            small_pipe=True)

    def until_served(self, servers, *graphs):
        """Both servers serve these, and no other is left."""
        wanted = sorted(2 * [self.version(graph) for graph in graphs])
        processes.until(lambda: sorted(
            said["graph"] for said in status(servers)) == wanted)

    def version(self, graph):
        with open(os.path.join(graph, "graph.json"), encoding="utf-8") as file:
            said = json.load(file)
        return f"{said['name']}@{said['content_digest'][:12]}"


class DailyTest(FollowingTest):
    def test_a_graph_follows_the_last_without_a_gap(self):
        monday, tuesday = self.days
        expected = sampling.lines(monday, **self.LONG)
        path = self.listing(monday)
        with self.fleet(path) as fleet, contextlib.ExitStack() as stack:
            servers = fleet.addresses()
            old = stack.enter_context(self.job(servers))
            lines = [old.read_line() for _ in range(20)]
            self.list(path, monday, tuesday)
            self.until_served(servers, monday, tuesday)
            both = {self.version(monday), self.version(tuesday)}
            self.assertEqual(graphs_shown(fleet.servers[0]), both)
            # Who comes now has the new one; who runs goes on with the old one.
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[tuesday])
            self.assertTrue(old.running())
            lines += old.read_lines()
            self.assertEqual(old.wait(), 0, old.stderr())
            self.assertEqual(lines, expected)
            self.list(path, tuesday)
            self.until_served(servers, tuesday)
            self.assertEqual(sampling.lines(("servers", servers)),
                             self.alone[tuesday])
            for server in fleet.servers:
                self.assertTrue(server.running())
                self.assertEqual(graphs_shown(server), {self.version(tuesday)})

    def test_a_job_of_a_graph_that_is_let_go_says_so(self):
        monday, tuesday = self.days
        path = self.listing(monday)
        with self.fleet(path) as fleet:
            servers = fleet.addresses()
            with processes.Process(*sampling.arguments(
                    ("servers", servers),
                    flags=("--graph-name", "daily", "--rpc-timeout", 5),
                    **self.LONG), small_pipe=True) as job:
                job.read_line()
                self.list(path, tuesday)
                self.until_served(servers, tuesday)
                job.read_lines()
                self.assertEqual(job.wait(), 1)
                self.assertRegex(job.stderr(),
                                 "is being retired|this server has .*daily@")
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[tuesday])

    def test_a_list_that_is_wrong_takes_nothing_away(self):
        monday, tuesday = self.days
        path = self.listing(monday)
        later = os.path.join(self.folder, "later")
        with processes.Server(f"file:{path}", "--http",
                              "127.0.0.1:0") as server:
            def unserved(count):
                processes.until(lambda: figure(
                    server, "tributary_graphs_unserved") == count)

            def serves(graph):
                self.assertEqual(self.sampled(server.address, "daily"),
                                 self.alone[graph])

            for wrong in ((), (monday, "two words more"), (later,)):
                with self.subTest(listed=wrong):
                    self.list(path, *wrong)
                    unserved(1)
                    serves(monday)
                    self.list(path, monday)
                    unserved(0)
            # What comes into being is served, then Monday may go.
            self.list(path, later)
            unserved(1)
            os.symlink(tuesday, later)
            unserved(0)
            serves(tuesday)
            self.assertIn(later, server.stderr())

    def test_a_server_does_not_start_with_a_list_that_is_wrong(self):
        for listed, says in (((), "lists no graph"),
                             (("/no/such/graph",), "/no/such/graph"),
                             ((self.cora + " 0,7",), "7")):
            with self.subTest(listed=listed):
                done = processes.run("serve", "--graph",
                                     f"file:{self.listing(*listed)}",
                                     "--listen", "127.0.0.1:0")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(says, done.stderr)

    def test_flags_that_contradict_each_other(self):
        path = self.listing(self.cora)
        for graphs in ((f"file:{path}", self.cora), ("file:",)):
            with self.subTest(graphs=graphs):
                flags = [w for g in graphs for w in ("--graph", g)]
                done = processes.run("serve", *flags, "--listen",
                                     "127.0.0.1:0")
                self.assertEqual(done.returncode, 2)
                self.assertIn("file:PATH alone", done.stderr)


class ConfigMap:
    """A folder as kubelet mounts a ConfigMap: graphs.txt is a link to
    ..data/graphs.txt, and ..data one to a folder that each update replaces."""

    def __init__(self, folder):
        self._folder = folder
        self._updates = 0
        self.path = os.path.join(folder, "graphs.txt")

    def update(self, *lines):
        name = f"..2026_11_24_{self._updates:02d}"
        self._updates += 1
        os.mkdir(os.path.join(self._folder, name))
        with open(os.path.join(self._folder, name, "graphs.txt"), "w",
                  encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        data = os.path.join(self._folder, "..data")
        old = os.readlink(data) if os.path.islink(data) else None
        os.symlink(name, data + "_tmp")
        os.rename(data + "_tmp", data)
        if not os.path.lexists(self.path):
            os.symlink("..data/graphs.txt", self.path)
        if old is not None:
            shutil.rmtree(os.path.join(self._folder, old))


class OtherPartitionsTest(FollowingTest):
    """A ConfigMap lists graphs of other numbers of partitions each day."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.more = cls.partitioned(2, 5)
        cls.fewer = cls.partitioned(3, 1)

    @classmethod
    def partitioned(cls, seed, partitions):
        source = os.path.join(cls.folder, f"source-{seed}-{partitions}")
        folders.random_ogb(source, random.Random(seed), 300, 2000, True)
        graph = folders.partition(
            source, os.path.join(cls.folder, f"day-{seed}-{partitions}"),
            partitions, "random", "--name", "daily")
        cls.alone[graph] = sampling.lines(graph)
        return graph

    def config_map(self, *graphs):
        config = ConfigMap(
            self.enterContext(processes.temporary_folder()))
        config.update(*graphs)
        return config

    def held(self, fleet, graph):
        """The partitions of a graph that each server holds."""
        version = self.version(graph)
        return [said["partitions"] for address in
                fleet.addresses().split(",") for said in status(address)
                if said["graph"] == version]

    def follow(self, partitions, more, fewer):
        """From 2 partitions to 5 to 1, with a job of the first day throughout
        its own; what each server holds of the later ones is given."""
        monday = self.days[0]
        expected = sampling.lines(monday, **self.LONG)
        config = self.config_map(monday)
        with self.fleet(config.path, partitions) as fleet, \
                contextlib.ExitStack() as stack:
            servers = fleet.addresses()
            old = stack.enter_context(self.job(servers))
            lines = [old.read_line() for _ in range(20)]
            config.update(monday, self.more)
            self.until_served(servers, monday, self.more)
            self.assertEqual(self.held(fleet, self.more), more)
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[self.more])
            self.assertTrue(old.running())
            lines += old.read_lines()
            self.assertEqual(old.wait(), 0, old.stderr())
            self.assertEqual(lines, expected)
            config.update(self.more, self.fewer)
            self.until_served(servers, self.more, self.fewer)
            config.update(self.fewer)
            self.until_served(servers, self.fewer)
            self.assertEqual(self.held(fleet, self.fewer), fewer)
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[self.fewer])
            for server in fleet.servers:
                self.assertTrue(server.running())
                self.assertEqual(figure(server, "tributary_graphs_unserved"), 0)

    def test_each_server_holds_all_of_them(self):
        self.follow(["all", "all"], ["0,1,2,3,4/5"] * 2, ["0/1"] * 2)

    def test_each_server_holds_its_share(self):
        self.follow(["0%2", "1%2"], ["0,2,4/5", "1,3/5"], ["0/1", "0/1"])

    def test_a_list_for_each_partition(self):
        """As `tributary k8s render` writes them: a server of partition k lists
        the graphs that have it, and the fleet grows with the next graph."""
        monday, tuesday = self.days[0], self.partitioned(4, 3)
        expected = sampling.lines(monday, **self.LONG)
        lists = [self.config_map(monday), self.config_map(monday)]
        folder = self.enterContext(processes.temporary_folder())
        peers = os.path.join(folder, "peers")
        open(peers, "w").close()
        with contextlib.ExitStack() as stack:
            def start(k):
                fleet.append(stack.enter_context(processes.Server(
                    f"file:{lists[k].path}", "--partitions", k, "--peers",
                    f"file:{peers}", "--drain-timeout", 2)))
                self.list(peers, *(server.address for server in fleet))
                return ",".join(server.address for server in fleet)

            def until_held(servers, graph, partitions):
                processes.until(lambda: sorted(
                    said["partitions"] for said in status(servers)
                    if said["graph"] == self.version(graph)) == partitions)

            fleet = []
            start(0)
            old = stack.enter_context(self.job(start(1)))
            lines = [old.read_line() for _ in range(20)]
            # The next graph has a partition more: another server, of it alone.
            lists.append(self.config_map(tuesday))
            for config in lists[:2]:
                config.update(monday, tuesday)
            servers = start(2)
            until_held(servers, tuesday, ["0/3", "1/3", "2/3"])
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[tuesday])
            lines += old.read_lines()
            self.assertEqual(old.wait(), 0, old.stderr())
            self.assertEqual(lines, expected)
            for config in lists[:2]:
                config.update(tuesday)
            until_held(servers, monday, [])
            self.assertEqual(self.sampled(servers, "daily"),
                             self.alone[tuesday])

    def test_a_number_that_the_next_graph_lacks_keeps_the_old_one(self):
        monday = self.days[0]
        config = self.config_map(monday)
        with self.fleet(config.path) as fleet:
            config.update(self.fewer)
            processes.until(lambda: figure(
                fleet.servers[1], "tributary_graphs_unserved") == 1)
            self.assertIn("there is no partition 1; the graph has 0 to 0",
                          fleet.servers[1].stderr())
            self.assertIn(self.version(monday),
                          [said["graph"] for said in
                           status(fleet.servers[1].address)])
            # The line may say what is held instead.
            config.update(self.fewer + " all")
            self.until_served(fleet.addresses(), self.fewer)


if __name__ == "__main__":
    unittest.main()
