"""Graphs are closed however a program leaves them, and their waits end."""

import signal
import threading
import unittest

import tributary_gnn as tg
from tests.e2e import frozen, processes
from tests.python import graphs, leftovers, scripts
from tributary_gnn import _library

IDS = list(range(100))


class GraphLifetimeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def frozen_graph(self, **options):
        """A graph whose server was frozen after it was opened."""
        fleet = self.enterContext(processes.Fleet(self.graph, ["all"]))
        fleet.doctor()
        graph = tg.Graph(fleet.addresses(), **options)
        self.addCleanup(graph.close)
        frozen.freeze(fleet.servers[0])
        self.addCleanup(fleet.servers[0].send, signal.SIGCONT)
        return graph

    # ---- Closing -----------------------------------------------------------------------

    def test_close(self):
        def use():
            with tg.Graph(self.graph) as graph:
                self.assertEqual(graph.node_data("x", IDS).shape, (100, 1433))
                graph.in_edges(IDS)
        leftovers.expect_nothing_stays(self, use, 20)

    def test_garbage(self):
        def use():
            graph = tg.Graph(self.graph)
            graph.myself = graph  # for the collector
            graph.kept = graph.node_data("x", IDS)
        leftovers.expect_nothing_stays(self, use, 20)

    def test_a_failed_opening_leaves_nothing(self):
        def use():
            with self.assertRaises(ValueError):
                tg.Graph(self.graph, timeout=0)
        leftovers.expect_nothing_stays(self, use, 20)

    def test_results_outlive_the_graph(self):
        with tg.Graph(self.graph) as graph:
            label = graph.node_data("y", IDS)
            again = graph.node_data("y", IDS)
        self.assertEqual(label.tolist(), again.tolist())
        with self.assertRaisesRegex(tg.FailedPrecondition, "the graph is closed"):
            graph.node_data("y", IDS)
        self.assertTrue(graph.closed and graph.source.closed)

    # ---- Waits -------------------------------------------------------------------------

    def test_cancel_and_close_end_waits(self):
        for end in (tg.Graph.cancel, tg.Graph.close):
            with self.subTest(end=end):
                graph = self.frozen_graph()
                raised = []

                def wait(graph=graph, raised=raised):
                    try:
                        graph.node_data("x", IDS)
                    except tg.Error as error:
                        raised.append(error)
                threads = [threading.Thread(target=wait) for _ in range(3)]
                for thread in threads:
                    thread.start()
                processes.until(lambda graph=graph: len(graph._handle._callers) == 3)
                end(graph)
                for thread in threads:
                    thread.join(processes.DEADLINE)
                    self.assertFalse(thread.is_alive())
                self.assertEqual({type(error) for error in raised}, {tg.Cancelled})
                self.assertEqual(len(raised), 3)

    def test_a_wait_with_a_time(self):
        graph = self.frozen_graph(timeout=0.5)
        with self.assertRaisesRegex(TimeoutError, r"servers: .*127\.0\.0\.1:\d+"):
            graph.node_data("x", IDS)

    def test_threads_share_a_graph(self):
        graph = self.enterContext(tg.Graph(self.graph))
        expected = graph.node_data("x")
        wrong = []

        def read(first):
            for turn in range(30):
                ids = [(first * 31 + turn * 7 + i) % 2708 for i in range(50)]
                if not (graph.node_data("x", ids) == expected[ids]).all():
                    wrong.append(ids)
        threads = [threading.Thread(target=read, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(processes.DEADLINE)
        self.assertEqual(wrong, [])

    def test_collected_within_a_call(self):
        graph = tg.Graph(self.graph)
        handle = graph._handle
        library = _library.library()

        def call(pointer):
            handle.close()  # as the garbage collector may
            self.assertFalse(handle.closed())
            return library.tributary_graph_cancel(pointer)
        handle.call(call)
        self.assertTrue(handle.closed())

    def test_other_threads_run_while_one_waits(self):
        graph = self.frozen_graph()
        thread = threading.Thread(target=lambda: self.assertRaises(
            tg.Cancelled, graph.node_data, "x", IDS))
        thread.start()
        processes.until(lambda: graph._handle._callers)
        self.assertEqual(graph.num_nodes(), 2708)
        self.assertEqual(graph.schema()["name"], "cora")
        graph.cancel()
        thread.join(processes.DEADLINE)
        self.assertFalse(thread.is_alive())


# Ends of programs, each with an open graph; the exit code and stdout.
ENDS = {
    "at the end": ("graph = tg.Graph(graph); graph.node_data('x', [1])", 0, ""),
    "by sys.exit": ("graph = tg.Graph(graph); sys.exit(3)", 3, ""),
    "in a thread's reads": ("""
graph = tg.Graph(graph)
begun = threading.Event()
def read():
    while True:
        graph.in_degrees()
        begun.set()
threading.Thread(target=read, daemon=True).start()
begun.wait()
""", 0, ""),
    "at the end of a child": ("""
folder, graph = graph, tg.Graph(graph)
child = os.fork()
if child == 0:
    for use in (lambda: graph.node_data("x", [1]), graph.schema):
        try:
            use()
        except tg.FailedPrecondition as error:
            print(str(error).split(" is of process")[0])
    graph.cancel()
    graph.close()
    del graph
    with tg.Graph(folder) as own:
        print(own.in_degrees().sum())
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), graph.in_degrees().sum())
""", 0, "the graph\nthe graph\n10556\n5 10556\n"),
    "of a thread that a child lacks": ("""
graph = tg.Graph(graph)
held = threading.Event()
def hold():  # as a thread does that is in a call
    with graph._handle._no_caller, graph._handle._changes:
        held.set()
        threading.Event().wait(1000)
threading.Thread(target=hold, daemon=True).start()
held.wait()
if os.fork() == 0:
    try:
        graph.in_degrees()
    except tg.FailedPrecondition as error:
        print(str(error).split(" is of process")[0], flush=True)
    graph.cancel()
    graph.close()
    os._exit(0)
os.wait()
os._exit(4)
""", 4, "the graph\n"),
}


class EndTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def test_ends_of_programs(self):
        for name, (script, code, stdout) in ENDS.items():
            with self.subTest(name):
                done = scripts.run(script, self.graph)
                self.assertEqual((done.returncode, done.stdout), (code, stdout), done.stderr)
                if name != "in a thread's reads":  # it may be cancelled
                    self.assertEqual(done.stderr, "")

    def test_control_c_ends_a_wait(self):
        with processes.Fleet(self.graph, ["all"]) as fleet:
            fleet.doctor()
            with scripts.Script("""
graph = tg.Graph(graph)
try:
    while True:
        graph.node_data("x", [1])
        print("read", flush=True)
except KeyboardInterrupt:
    print("interrupted", graph.num_nodes(), flush=True)
print(graph.node_data("x", [1, 2]).shape)
""", fleet.addresses()) as script:
                self.assertEqual(script.line(), "read")
                frozen.freeze(fleet.servers[0])
                script.read_until_quiet()
                script.send(signal.SIGINT)
                self.assertEqual(script.line(), "interrupted 2708")  # the server is frozen yet
                fleet.servers[0].send(signal.SIGCONT)
                self.assertEqual(script.wait(), (0, "(2, 1433)\n"))


if __name__ == "__main__":
    unittest.main()
