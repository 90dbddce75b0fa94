"""Contexts and their tensors are closed however a program leaves them, and their waits
end."""

import signal
import threading
import unittest

import tributary_gnn as tg
from tests.e2e import frozen, processes
from tests.python import graphs, leftovers, scripts

# Ends of programs, each with open rows; the exit code and stdout.
OPEN = """
context = tg.DistContext(graph=graph)
rows = tg.DistTensor(context, "rows", (2708, 4))
rows[[1]] = 5
"""
ENDS = {
    "at the end": ("", 0, ""),
    "by sys.exit": ("sys.exit(3)", 3, ""),
    "in a thread's reads": ("""
begun = threading.Event()
def read():
    while True:
        rows.read()
        begun.set()
threading.Thread(target=read, daemon=True).start()
begun.wait()
""", 0, ""),
    "at the end of a child": ("""
child = os.fork()
if child == 0:
    for use in (lambda: rows[[1]], lambda: context.barrier()):
        try:
            use()
        except tg.FailedPrecondition as error:
            print(str(error).split(" is of process")[0])
    rows.close()
    context.close()
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), rows[[1]].sum())
""", 0, "the handle of rows\nthe context\n5 20.0\n"),
}


class RowsLifetimeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def served(self):
        fleet = self.enterContext(processes.Fleet(self.graph, ["0%2", "1%2"]))
        fleet.doctor()
        return fleet

    def test_close(self):
        def use():
            with tg.DistContext(graph=self.graph) as context:
                rows = tg.DistTensor(context, "rows", (2708, 100))
                rows[[1, 2]] = 3
                self.assertEqual(rows[[2]].sum(), 300)
        leftovers.expect_nothing_stays(self, use, 20)

    def test_close_of_a_fleets(self):
        servers = self.served().addresses()

        def use():
            with tg.DistContext(servers) as context:
                tg.DistTensor(context, "rows", (2708, 100))[[1, 2]] = 3
        leftovers.expect_nothing_stays(self, use, 20)

    def test_garbage(self):
        def use():
            context = tg.DistContext(graph=self.graph)
            context.rows = tg.DistTensor(context, "rows", 5)  # for the collector
            context.rows[[1]] = 2
        leftovers.expect_nothing_stays(self, use, 20)

    def test_a_failed_opening_leaves_nothing(self):
        context = self.enterContext(tg.DistContext(graph=self.graph))

        def use():
            with self.assertRaises(ValueError):
                tg.DistContext(graph=self.graph, timeout=0)
            with self.assertRaises(ValueError):
                tg.DistTensor(context, "", 5)
        leftovers.expect_nothing_stays(self, use, 20)

    def test_rows_outlive_the_source_and_are_closed_with_the_context(self):
        with tg.Source(graph=self.graph) as source:
            context = tg.DistContext(source)
            rows = tg.DistTensor(context, "rows", 5)
        rows[[1]] = 2
        self.assertEqual(rows[[1]].tolist(), [2])
        context.close()
        with self.assertRaisesRegex(tg.FailedPrecondition, "the tensor is closed"):
            rows[[1]]

    def test_cancel_and_close_end_waits(self):
        for end in (tg.DistContext.cancel, tg.DistContext.close):
            with self.subTest(end=end):
                fleet = self.served()
                context = self.enterContext(tg.DistContext(fleet.addresses()))
                rows = tg.DistTensor(context, "rows", 2708)
                for server in fleet.servers:
                    frozen.freeze(server)
                    self.addCleanup(server.send, signal.SIGCONT)
                raised, began = [], threading.Event()

                def wait(rows=rows, raised=raised, began=began):
                    began.set()
                    try:
                        rows.read()
                    except tg.Error as error:
                        raised.append(type(error))
                thread = threading.Thread(target=wait)
                thread.start()
                began.wait()
                processes.until(rows._handle.busy)
                end(context)
                thread.join(processes.DEADLINE)
                self.assertFalse(thread.is_alive())
                self.assertEqual(raised, [tg.Cancelled])

    def test_a_lost_server_ends_the_run_by_its_name(self):
        fleet = self.served()
        context = self.enterContext(tg.DistContext(fleet.addresses(), timeout=20))
        rows = tg.DistTensor(context, "rows", 2708)
        rows[[1, 2]] = 3
        fleet.servers[0].kill()
        with self.assertRaisesRegex(tg.Error, r"127\.0\.0\.1:\d+"):
            while True:
                rows.read()

    def test_ends_of_programs(self):
        for name, (script, code, stdout) in ENDS.items():
            with self.subTest(name):
                done = scripts.run(OPEN + script, self.graph)
                self.assertEqual((done.returncode, done.stdout), (code, stdout), done.stderr)
                if name != "in a thread's reads":  # it may be cancelled
                    self.assertEqual(done.stderr, "")

    def test_control_c_ends_a_wait(self):
        fleet = self.served()
        with scripts.Script("""
context = tg.DistContext(graph)
rows = tg.DistTensor(context, "rows", 2708)
try:
    while True:
        rows.read()
        print("read", flush=True)
except KeyboardInterrupt:
    print("interrupted", rows.shape, flush=True)
""", fleet.addresses()) as script:
            self.assertEqual(script.line(), "read")
            for server in fleet.servers:
                frozen.freeze(server)
                self.addCleanup(server.send, signal.SIGCONT)
            script.read_until_quiet()
            script.send(signal.SIGINT)
            self.assertEqual(script.line(), "interrupted (2708,)")  # servers are frozen yet
            self.assertEqual(script.wait()[0], 0)


if __name__ == "__main__":
    unittest.main()
