"""Sources, loaders and batches are closed however a program leaves them."""

import logging
import os
import signal
import threading
import unittest

import tributary_gnn as tg
from tests.e2e import frozen, processes
from tests.python import graphs, scripts
from tributary_gnn import log

OPTIONS = {"num_neighbors": [10, 5], "input_nodes": "train", "batch_size": 32,
           "format": "numpy"}


class LifetimeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def test_a_source_may_go_first(self):
        source = tg.Source(graph=self.graph)
        loader = tg.NeighborLoader(source, **OPTIONS)
        del source
        loader.source.close()
        self.assertEqual(len(list(loader)), 5)
        with self.assertRaisesRegex(tg.FailedPrecondition, "the source is closed"):
            tg.NeighborLoader(loader.source, **OPTIONS)

    # ---- Threads -----------------------------------------------------------------------

    def frozen_loader(self):
        """A loader whose server was frozen before it was asked for a batch."""
        fleet = self.enterContext(processes.Fleet(self.graph, ["all"]))
        fleet.doctor()
        loader = tg.NeighborLoader(fleet.addresses(), prefetch_size=1, **OPTIONS)
        self.addCleanup(loader.close)
        frozen.freeze(fleet.servers[0])
        self.addCleanup(fleet.servers[0].send, signal.SIGCONT)
        return loader

    def waiting_thread(self, loader):
        """A thread that iterates over the loader, and what it will raise."""
        raised = []

        def wait():
            try:
                list(loader)
            except tg.Error as error:
                raised.append(error)
        thread = threading.Thread(target=wait)
        thread.start()
        return thread, raised

    def test_cancel_and_close_end_a_wait(self):
        for end in (tg.NeighborLoader.cancel, tg.NeighborLoader.close):
            with self.subTest(end=end):
                loader = self.frozen_loader()
                thread, raised = self.waiting_thread(loader)
                end(loader)
                thread.join(processes.DEADLINE)
                self.assertFalse(thread.is_alive())
                self.assertIsInstance(raised[0], (tg.Cancelled, tg.FailedPrecondition))

    def test_a_wait_with_a_time(self):
        loader = self.frozen_loader()._loader
        loader.start_epoch(0)
        for timeout in (0, 0.01, 0.25):
            with self.assertRaisesRegex(TimeoutError, f"no batch within {timeout} s"):
                loader.next(timeout=timeout)

    def test_a_wait_tells_its_observer(self):
        told = threading.Event()
        reasons = []

        def on_wait(reason, seconds_left):
            reasons.append((reason, seconds_left))
            told.set()
            loader.cancel()
        fleet = self.enterContext(processes.Fleet(self.graph, ["all"]))
        fleet.doctor()
        loader = tg.NeighborLoader(fleet.addresses(), on_wait=on_wait, **OPTIONS)
        frozen.freeze(fleet.servers[0])
        self.addCleanup(fleet.servers[0].send, signal.SIGCONT)
        with self.assertRaises(tg.Cancelled):
            list(loader)
        self.assertTrue(told.is_set())
        self.assertIn(fleet.addresses(), reasons[0][0])
        self.assertGreater(reasons[0][1], 60)
        loader.close()

    def test_other_calls_come_between_the_steps_of_a_wait(self):
        loader = self.frozen_loader()
        thread, _ = self.waiting_thread(loader)
        for _ in range(5):
            self.assertEqual((len(loader), loader.statistics()["batches"]), (5, 0))
        self.assertTrue(thread.is_alive())
        loader.cancel()
        thread.join(processes.DEADLINE)

    def test_threads_share_a_loader(self):
        loader = tg.NeighborLoader(self.graph, **OPTIONS)
        batches = iter(loader)
        found = []
        workers = [threading.Thread(target=lambda: found.extend(b.index for b in batches))
                   for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(processes.DEADLINE)
        self.assertEqual(sorted(found), list(range(5)))

    # ---- The log -----------------------------------------------------------------------

    def test_log_to_a_logger(self):
        logger = logging.getLogger("test of tributary")
        self.addCleanup(tg.log_to, None)
        tg.log_to(logger, logging.DEBUG)
        with self.assertLogs(logger, logging.DEBUG) as logs:
            self.enterContext(processes.Fleet(self.graph, ["all"]))
            [port] = processes.held_ports(1)
            with self.assertRaisesRegex(ConnectionError, "no server answered"):
                tg.NeighborLoader(f"127.0.0.1:{port}", rpc_timeout=1, **OPTIONS)
        self.assertTrue(any(str(port) in line for line in logs.output), logs.output)

    def test_levels_of_the_log(self):
        # Those of tributary.h: debug, info, warning, error, off.
        self.assertEqual([log._level_of(level) for level in (
            logging.NOTSET, logging.DEBUG, logging.INFO, logging.INFO + 1, logging.WARNING,
            logging.ERROR, logging.CRITICAL)], [0, 0, 1, 2, 2, 3, 4])


# Ends of programs, each with an open loader; the exit code and stdout.
ENDS = {
    "at the end": ("loader = tg.NeighborLoader(graph, **options); next(iter(loader))", 0, ""),
    "in an epoch": ("""
loader = tg.NeighborLoader(graph, zero_copy=True, **options)
for batch in loader: break
print(batch.index)
""", 0, "0\n"),
    "by sys.exit": ("loader = tg.NeighborLoader(graph, **options); sys.exit(3)", 3, ""),
    "with workers": (
        "loader = tg.NeighborLoader(graph, mode='mp', **options); next(iter(loader))", 0, ""),
    "in a thread's wait": ("""
loader = tg.NeighborLoader(graph, **options)
def turn():
    while True: list(loader)
threading.Thread(target=turn, daemon=True).start()
while not loader.statistics()["batches"]: pass
""", 0, ""),
    "with a logger": ("""
import logging
tg.log_to(logging.getLogger(), logging.DEBUG)
loader = tg.NeighborLoader(graph, **options); next(iter(loader))
""", 0, ""),
    "with what DLPack took": ("""
import numpy
loader = tg.Loader(tg.Source(graph=graph), {"input_nodes": "train", "num_neighbors": [2]})
loader.start_epoch(0)
kept = numpy.from_dlpack(loader.next()["x"])
""", 0, ""),
    "at the end of a child": ("""
loader = tg.NeighborLoader(graph, **options)
batches = iter(loader)
batch = loader._loader.next()
tensor = batch["x"]
child = os.fork()
if child == 0:
    for use in (lambda: next(batches), lambda: batch["x"], tensor.__dlpack__,
                lambda: loader.source.shutdown()):
        try:
            use()
        except tg.FailedPrecondition as error:
            print(str(error).split(" is of process")[0])
    loader.close()
    del loader, batches, batch, tensor
    gc.collect()
    with tg.NeighborLoader(graph, **options) as own:
        print(sum(1 for _ in own))
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), next(batches).index)
""", 0, "the loader\nthe batch\nthe batch\nthe source\n5\n5 1\n"),
    "of a thread that a child lacks": ("""
loader = tg.NeighborLoader(graph, **options)
held = threading.Event()
def hold():  # as a thread does that is in a call
    handle = loader._loader._handle
    with handle._one_call, handle._changes:
        held.set()
        threading.Event().wait(1000)
threading.Thread(target=hold, daemon=True).start()
held.wait()
if os.fork() == 0:
    try:
        iter(loader)
    except tg.FailedPrecondition as error:
        print(str(error).split(" is of process")[0], flush=True)
    loader.cancel()
    loader.close()
    os._exit(0)
os.wait()
os._exit(4)
""", 4, "the loader\n"),
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
                if name not in ("with a logger", "in a thread's wait"):  # these print
                    self.assertEqual(done.stderr, "")

    def test_control_c_ends_a_wait_for_a_batch(self):
        with processes.Fleet(self.graph, ["all"]) as fleet:
            fleet.doctor()
            with scripts.Script("""
loader = tg.NeighborLoader(graph, prefetch_size=1, **options)
print("opened", flush=True)
try:
    while True:
        for batch in loader: print(batch.index, flush=True)
except KeyboardInterrupt:
    print("interrupted", len(loader), flush=True)
""", fleet.addresses()) as script:
                self.assertEqual(script.line(), "opened")
                script.line()
                frozen.freeze(fleet.servers[0])
                script.read_until_quiet()
                script.send(signal.SIGINT)
                code, lines = script.wait()
                fleet.servers[0].send(signal.SIGCONT)
        self.assertEqual((code, lines.splitlines()[-1]), (0, "interrupted 5"))

    def test_control_c_ends_a_wait_for_servers(self):
        [port] = processes.held_ports(1)
        with scripts.Script("""
print("opening", flush=True)
try:
    tg.NeighborLoader(graph, **options)
except KeyboardInterrupt:
    print("interrupted", flush=True)
""", f"127.0.0.1:{port}") as script:
            self.assertEqual(script.line(), "opening")
            self.assertIn(str(port), script.line())  # a line of the log: it waits
            script.send(signal.SIGINT)
            code, lines = script.wait()
        self.assertEqual((code, lines.splitlines()[-1]), (0, "interrupted"))


class LibraryTest(unittest.TestCase):
    """The C library is found, or what is wrong with it is said."""

    def expect_missing(self, path, text):
        done = scripts.run(f"""
os.environ["TRIBUTARY_LIBRARY"] = {path!r}
try:
    tg.version()
except ImportError as error:
    print(type(error).__name__, error)
""", "none")
        self.assertIn("LibraryMissing Tributary's C library", done.stdout, done.stderr)
        self.assertIn(text, done.stdout)
        self.assertIn("its path in $TRIBUTARY_LIBRARY", done.stdout)

    def test_what_is_missing(self):
        self.expect_missing("/nowhere/libtributary.so", "there is no such file")
        self.expect_missing("", "tributary_gnn/lib/libtributary.so")
        self.expect_missing(__file__, "cannot be loaded")
        self.expect_missing("libm.so.6" if os.path.exists("libm.so.6") else _libm(),
                            "it is another library")

    def test_of_another_interface(self):
        done = scripts.run("""
from tributary_gnn import _library
_library.ABI_VERSION += 1
try:
    tg.version()
except tg.LibraryMissing as error:
    print(error)
""", "none")
        self.assertRegex(done.stdout, r"it has interface (\d+), this package is for (?!\1)\d+",
                         done.stderr)

    def test_its_symbols_stay_its_own(self):
        done = scripts.run("""
import ctypes
print(tg.version(), hasattr(ctypes.CDLL(None), "tributary_version"))
""", "none")
        self.assertRegex(done.stdout, r"^\d+\.\d+\.\d+ False$")

    def test_importing_loads_nothing(self):
        done = scripts.run("print('torch' in sys.modules, 'libtributary' in open("
                           "'/proc/self/maps').read())", "none")
        self.assertEqual(done.stdout, "False False\n")


def _libm():
    with open(f"/proc/{os.getpid()}/maps", encoding="ascii") as maps:
        return next(line.split()[-1] for line in maps if "/libm.so" in line)


if __name__ == "__main__":
    unittest.main()
