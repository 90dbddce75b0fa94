"""The scripts of docs/migrating-from-glt.md, as they stand there, train on a small graph of
ogbn-products' layout: two ranks of workers, and two servers with two clients. Each ends in bounded
time, whatever fails."""

import os
import pathlib
import random
import re
import signal
import unittest

from tests.e2e import made_up_graphs, processes
from tests.e2e.pages import page
from tools import page_blocks

PAGE = "docs/migrating-from-glt.md"
SCRIPTS = ("sage.py", "workers.py", "server.py", "client.py")
DEADLINE = 120  # seconds, on a machine that does other things too
LINE = re.compile(r"^rank (\d) epoch (\d+) inputs (\d+) loss (\S+)$", re.M)
EPOCHS = 10
# A run that ends by a failure alone, and prints each of its epochs.
ENDLESS = ("sage.train(loader, rank)", "sage.train(loader, rank, epochs=1_000_000)")


def descendants(pid):
    """The processes that `pid` has started, and so on."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, (processes.read_proc(task) or "").split()):
            found += [child, *descendants(child)]
    return found


class GltPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        self.pids = set()
        self.addCleanup(self.expect_nothing_runs)
        made_up_graphs.write_products(self.shells.path("ogbn_products"), random.Random(5))
        blocks = [block.text() for block in page_blocks.blocks(page.text_of(PAGE))]
        for name in SCRIPTS:
            [text] = [text for text in blocks if text.startswith(f"# {name}")]
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        [partition] = [text for text in blocks if "--out-edges" in text]
        self.shells.paste(partition)
        self.port, self.training_port = processes.held_ports(2)

    def expect_nothing_runs(self):
        processes.until(lambda: all(map(processes.is_gone, self.pids)))

    def change(self, name, old, new):
        path = pathlib.Path(self.shells.path(name))
        text = path.read_text("utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), "utf-8")

    def start(self, command):
        shell = self.shells.start("exec " + command)
        self.addCleanup(shell.end)
        return shell

    def group(self):
        """Two servers and two clients, which have begun to train."""
        self.change("client.py", *ENDLESS)
        servers = [self.start(f"python3 server.py {rank} {self.port}") for rank in (0, 1)]
        clients = [self.start(f"python3 client.py {rank} {self.port} {self.training_port}")
                   for rank in (0, 1)]
        for client in clients:
            processes.until(lambda client=client: "epoch 2" in client.output() or not all(
                shell._bash.poll() is None for shell in servers + clients), DEADLINE)
            self.assertIn("epoch 2", client.output(), [s.output() for s in servers + clients])
        for shell in servers + clients:
            self.pids |= {shell._bash.pid, *descendants(shell._bash.pid)}
        for rank, server in enumerate(servers):
            [pid] = descendants(server._bash.pid)
            words = (processes.read_proc(f"/proc/{pid}/cmdline") or "").split("\0")
            self.assertEqual(words[words.index("--partitions") + 1], str(rank))
        return servers, clients

    def expect_ends(self, shells, *texts):
        for shell, text in zip(shells, texts, strict=True):
            code = shell.wait(DEADLINE)
            self.assertNotIn(code, (None, 0), shell.output())
            self.assertRegex(shell.output(), text)

    def expect_trained(self, output, ranks):
        """Returns the inputs of the ranks in each epoch."""
        lines = LINE.findall(output)
        self.assertEqual(len(lines), len(ranks) * EPOCHS, output)
        mean = {}
        for rank, epoch, inputs, loss in lines:
            mean.setdefault(int(epoch), []).append((int(inputs), float(loss)))
        losses = [sum(n * loss for n, loss in of_epoch) / sum(n for n, _ in of_epoch)
                  for _, of_epoch in sorted(mean.items())]
        self.assertLess(losses[-1], 0.75 * losses[0], losses)
        return {tuple(sorted(n for n, _ in of_epoch)) for of_epoch in mean.values()}

    # ---- What the page says ------------------------------------------------------------

    def test_workers(self):
        output = self.shells.paste(f"python3 workers.py {self.port}")
        # Each rank has the half of the train split that it has given.
        self.assertEqual(self.expect_trained(output, (0, 1)), {(50, 50)})
        for name, times in (("graph_mode", 1), ("whole_node_label_file", 1),
                            ("worker_devices", 2), ("master_addr", 2)):  # by each rank
            self.assertEqual(len(re.findall(f"UserWarning: {name}[ =].* no effect", output)),
                             times, output)

    def test_servers_and_clients(self):
        [run] = [block.text() for block in page_blocks.blocks(page.text_of(PAGE))
                 if block.text().startswith("python3 workers.py")]
        commands = "".join(run.splitlines(True)[1:])
        for old, new in (("11110", self.port), ("11111", self.training_port)):
            commands = commands.replace(old, str(new))
        output = self.shells.paste(commands)
        for part in (0, 1):
            self.assertIn(f"server {part} serves partition {part}\n", output)
        # 7 batches of 16 inputs, the last of which has 4.
        self.assertEqual(self.expect_trained(output, (0, 1)), {(48, 52)})

    # ---- What fails --------------------------------------------------------------------

    def test_a_client_is_killed(self):
        servers, clients = self.group()
        os.kill(clients[1]._bash.pid, signal.SIGKILL)
        self.expect_ends(servers, *["Aborted: .* client 1 ended without shutdown_client"] * 2)
        self.expect_ends(clients, "Error|Exception", r"\A")

    def test_a_server_is_killed(self):
        servers, clients = self.group()
        os.kill(servers[1]._bash.pid, signal.SIGKILL)
        self.expect_ends(clients, *["(?s)Traceback.*(Error|Unavailable|DeadlineExceeded)"] * 2)
        self.expect_ends(servers, "Aborted: .* client [01] ended without", r"\A")

    def test_the_program_of_server_0_is_killed(self):
        servers, clients = self.group()
        [program] = [pid for pid in descendants(servers[0]._bash.pid)
                     if "serve" in (processes.read_proc(f"/proc/{pid}/cmdline") or "")]
        os.kill(program, signal.SIGKILL)
        self.expect_ends(servers, "the server of this process ended with -9",
                         "Aborted: .* server 0 at localhost:.* has ended")
        self.expect_ends(clients, *["(?s)Traceback.*Error|Unavailable|DeadlineExceeded"] * 2)

    def test_a_client_never_comes(self):
        self.change("server.py", "num_clients=2,", "num_clients=2, request_timeout=15,")
        self.change("client.py", "glt.distributed.init_client(",
                    "print('imported', flush=True)\nglt.distributed.init_client(")
        client = self.start(f"python3 client.py 0 {self.port} {self.training_port}")
        processes.until(lambda: "imported" in client.output(), DEADLINE)
        servers = [self.start(f"python3 server.py {rank} {self.port}") for rank in (0, 1)]
        self.expect_ends([*servers, client], *["(?m)Aborted: .* missing: client 1$"] * 3)

    def test_a_worker_is_killed(self):
        self.change("workers.py", "sage.train(loader, context.rank)",
                    "sage.train(loader, context.rank, epochs=1_000_000)")
        shell = self.start(f"python3 workers.py {self.port}")
        processes.until(lambda: "epoch 2" in shell.output(), DEADLINE)
        self.pids |= {shell._bash.pid, *descendants(shell._bash.pid)}
        ranks = [pid for pid in self.pids
                 if "spawn_main" in (processes.read_proc(f"/proc/{pid}/cmdline") or "")]
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[0], signal.SIGKILL)
        self.expect_ends([shell], "SIGKILL|Error")


if __name__ == "__main__":
    unittest.main()
