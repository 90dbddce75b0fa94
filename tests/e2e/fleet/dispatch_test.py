"""`dispatch` to folders that stand in for machines, with cp for rsync."""

import os
import shlex
import unittest

from tests.e2e import folders, processes, sampling


class DispatchTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = self.path("graph")
        processes.run_ok("partition", "--input", folders.CORA, "--format",
                         "ogb", "--out", self.graph, "--num-parts", "3")
        program = shlex.quote(os.path.abspath(processes.TRIBUTARY))
        # Host H's folder is HOSTS/H/data/graph.
        self.at = shlex.quote(self.path("hosts")) + "/{host}/{to}"
        self.verify = (f"{program} verify {self.at} --partitions {{partitions}}"
                       " --layout-digest {digest} --hot-digest {hot}"
                       " --hot-lists {lists}")
        self.copy = (f"mkdir -p {self.at} && cp -r {{folder}}/. {self.at}/ && "
                     f"echo x >> {shlex.quote(self.path('copies'))}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def dispatch(self, *more, hosts="a\nb 2,1\n", copy=None, verify=None):
        return processes.run(
            "dispatch", "--graph", self.graph, "--hosts",
            self.write("hosts.txt", hosts), "--to", "data/graph",
            "--copy-command", copy or self.copy, *more,
            *(() if "--no-verify" in more else
              ("--verify-command", verify or self.verify)))

    def files_of(self, host):
        top = os.path.join(self.path("hosts"), host, "data/graph")
        return {os.path.relpath(os.path.join(root, name), top)
                for root, _, names in os.walk(top) for name in names}

    def copies(self):
        with open(self.path("copies"), encoding="utf-8") as file:
            return len(file.readlines())

    def left(self):
        return [n for n in os.listdir(self.folder) if "dispatch-" in n]

    def test_hosts_get_what_their_servers_read(self):
        done = self.dispatch("--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = sorted(done.stdout.splitlines())
        self.assertRegex(lines[0], r"^sent a partitions=0,2 files=\d+ bytes=")
        self.assertRegex(lines[1], r"^sent b partitions=1,2 ")
        everything = {os.path.relpath(os.path.join(root, name), self.graph)
                      for root, _, names in os.walk(self.graph)
                      for name in names}
        for host, lacks in (("a", "part-1/"), ("b", "part-0/")):
            self.assertEqual(
                self.files_of(host),
                {path for path in everything if not path.startswith(lacks)})
        # Two copies for each host: its files, then graph.json.
        self.assertEqual(self.copies(), 4)
        again = self.dispatch()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout.count("complete already: "), 2)
        self.assertEqual(self.copies(), 4)
        self.assertEqual(self.left(), [])

    def test_hosts_get_the_caches_of_their_partitions(self):
        expected = sampling.lines(self.graph)
        self.assertEqual(self.dispatch().returncode, 0)
        hosts = [self.path(f"hosts/{host}/data/graph") for host in "ab"]
        held = ["0,2", "1,2"]
        self.assertEqual(sampling.lines_and_hits(hosts, held), (expected, 0))
        processes.run_ok("cache", "--graph", self.graph, "--hot-cache", "0.1",
                         "--input-nodes", "train", "--num-neighbors", "10,5",
                         "--batch-size", "32")
        # Hosts that have the graph lack its cache.
        done = self.dispatch(hosts="a 0,2\nb 1,2\n")
        self.assertEqual(done.stdout.count("sent "), 2, done.stderr)
        for host, parts in zip("ab", ({0, 2}, {1, 2})):
            self.assertEqual(
                {path for path in self.files_of(host)
                 if path.startswith("hot/")},
                {"hot/hot.json", *(f"hot/part-{p}/node/{array}.npy"
                                   for p in parts for array in
                                   ("internal_id", "orig_id", "x", "y"))})
        lines, hits = sampling.lines_and_hits(hosts, held)
        self.assertEqual(lines, expected)
        self.assertGreater(hits, 0)
        again = self.dispatch(hosts="a 0,2\nb 1,2\n")
        self.assertEqual(again.stdout.count("complete already: "), 2)

    def test_each_host_gets_all_hot_lists(self):
        self.assertEqual(self.dispatch().returncode, 0)
        processes.run_ok("cache", "--graph", self.graph, "--input-nodes",
                         "train", "--num-neighbors", "10,5", "--list", "mine")
        listed = {os.path.join("hot-lists", name, path)
                  for name in ("degree", "mine")
                  for path in ("files.json", "list.json", "node/crc.npy",
                               "node/crc.blocks.npy", "node/order.npy",
                               "node/order.blocks.npy", "node/rank.npy")}
        done = self.dispatch()
        self.assertEqual(done.stdout.count("sent "), 2, done.stderr)
        for host in "ab":
            self.assertEqual({path for path in self.files_of(host)
                              if path.startswith("hot-lists/")}, listed)
        again = self.dispatch()
        self.assertEqual(again.stdout.count("complete already: "), 2)

    def test_a_cache_that_is_damaged_at_the_host_is_sent_again(self):
        processes.run_ok("cache", "--graph", self.graph, "--hot-cache", "0.1",
                         "--input-nodes", "train", "--num-neighbors", "10,5")
        self.assertEqual(self.dispatch().returncode, 0)
        path = self.path("hosts/b/data/graph/hot/part-1/node/x.npy")
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x7f")
        spoiled = self.dispatch(copy="true {folder}")
        self.assertIn("complete already: a ", spoiled.stdout)
        self.assertRegex(spoiled.stderr,
                         "b: verify ended with exit code 1.*"
                         "hot/part-1/node/x.npy: its CRC32C")
        mended = self.dispatch()
        self.assertEqual(mended.returncode, 0, mended.stderr)
        self.assertIn("sent b ", mended.stdout)

    def test_a_list_serves_as_well(self):
        done = self.dispatch(copy=(
            f"mkdir -p {self.at} && cd {{graph}} && "
            f"xargs -d '\\n' cp --parents -t {self.at} < {{list}}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("sent "), 2)

    def test_damage_on_the_way_is_found_and_mended(self):
        harm = (f"; for f in {self.at}/part-2/nodes/node/x.npy; do [ ! -e $f ]"
                " || printf x | dd of=$f bs=1 seek=200 conv=notrunc; done")
        done = self.dispatch(hosts="a 0,1\nb 2\n", copy=self.copy + harm)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sent a ", done.stdout)
        self.assertRegex(done.stderr, r"b: verify ended with exit code 1.*x\.npy")
        self.assertRegex(done.stderr, r"1 of 2 hosts: b; the same command goes")
        mended = self.dispatch(hosts="a 0,1\nb 2\n")
        self.assertEqual(mended.returncode, 0, mended.stderr)
        self.assertIn("complete already: a ", mended.stdout)
        self.assertIn("sent b ", mended.stdout)

    def test_a_host_that_fails_is_named_with_its_exit_code(self):
        done = self.dispatch(copy=(
            "if [ {host} = b ]; then echo no route >&2; exit 23; fi; "
            + self.copy))
        self.assertEqual(done.returncode, 1)
        self.assertIn("b: copy ended with exit code 23: no route", done.stderr)
        self.assertIn("sent a ", done.stdout)

    def test_another_graph_at_the_host_is_not_taken_for_this(self):
        self.assertEqual(self.dispatch().returncode, 0)
        other = self.path("other")
        processes.run_ok("partition", "--input", folders.CORA, "--out", other,
                         "--format", "ogb", "--num-parts", "3",
                         "--random-seed", "1")
        self.graph = other
        done = self.dispatch(copy="true {folder}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is another graph", done.stderr)

    def test_the_defaults_are_rsync_and_verify_over_ssh(self):
        """With an ssh that runs the command on this machine."""
        stubs = self.path("stubs")
        os.mkdir(stubs)
        os.symlink(os.path.abspath(processes.TRIBUTARY),
                   os.path.join(stubs, "tributary"))
        self.write("stubs/ssh", "#!/bin/sh\n"
                   "while [ \"$1\" = -o ]; do shift 2; done\n"
                   f"cd {shlex.quote(self.path('hosts'))}/\"$1\" || exit 255\n"
                   "shift\nexec sh -c \"$*\"\n")
        os.chmod(self.path("stubs/ssh"), 0o755)
        os.makedirs(self.path("hosts/a"))
        path = {"PATH": stubs + ":" + os.environ.get("PATH", "/usr/bin:/bin")}
        args = ["dispatch", "--graph", self.graph, "--to", "deep/graph",
                "--hosts", self.write("hosts.txt", "a 0,1\nlost 2\n")]

        def dispatch():
            with processes.Process(*args, environment=path) as run:
                return run.read_lines(), run.wait(), run.stderr()
        lines, code, errors = dispatch()
        self.assertEqual(code, 1)
        self.assertRegex(lines[0], "^sent a partitions=0,1 ")
        # Of ssh, or of rsync, which may notice first that nobody answers.
        self.assertRegex(errors, "lost: copy ended with exit code (255|12)")
        os.makedirs(self.path("hosts/lost"))
        lines, code, errors = dispatch()
        self.assertEqual(code, 0, errors)
        self.assertRegex(" ".join(sorted(lines)),
                         "complete already: a .* sent lost partitions=2 ")
        self.assertFalse(os.path.exists(
            self.path("hosts/lost/deep/graph/part-1")))

    def test_ip_config_without_verification(self):
        done = processes.run(
            "dispatch", "--graph", self.graph, "--ip-config",
            self.write("ip_config.txt", "10.0.0.1 30050\n10.0.0.2 30050\n"),
            "--to", "data/graph", "--copy-command", self.copy, "--no-verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sent 10.0.0.2 partitions=1 ", done.stdout)
        self.assertIn("part-1/edges/node__to__node/indices.npy",
                      self.files_of("10.0.0.2"))

    def test_wrong_command_lines(self):
        for flags, says in (
                ({"hosts": "a 0\n"}, "no host gets partition 1"),
                ({"hosts": "a 7\n"}, "line 1: the graph has no partition 7"),
                ({"copy": "cp {files}"}, "allowed: a command with {host}"),
                ({"copy": "cp {host}"}, "with {list} or {folder}")):
            with self.subTest(**flags):
                done = self.dispatch(**flags)
                self.assertIn(done.returncode, (1, 2))
                self.assertIn(says, done.stderr)

    def test_verify_of_some_partitions(self):
        self.assertEqual(self.dispatch().returncode, 0)
        at_b = os.path.join(self.path("hosts"), "b", "data/graph")
        self.assertIn("partitions 1,2", processes.run_ok(
            "verify", at_b, "--partitions", "1,2"))
        done = processes.run("verify", at_b, "--partitions", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("part-0", done.stderr)
        done = processes.run("verify", at_b, "--partitions", "x")
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
