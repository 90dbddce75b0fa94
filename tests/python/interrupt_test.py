"""Calls of the main thread that signals interrupt: nothing deadlocks, no thread stays."""

import signal
import threading
import unittest

from tests.e2e import processes
from tributary_gnn import _interrupt


def callers():
    return [thread for thread in threading.enumerate() if thread.name == "tributary-call"]


class Interrupted(Exception):
    pass


class InterruptTest(unittest.TestCase):
    def setUp(self):
        before = signal.getsignal(signal.SIGALRM)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

    def on_alarm(self, handler):
        """Calls it a thousand times a second, at any instruction."""
        signal.signal(signal.SIGALRM, lambda *unused: handler())
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)

    def quiet(self):
        signal.setitimer(signal.ITIMER_REAL, 0)
        processes.until(lambda: not callers())

    def test_results_and_errors(self):
        self.assertEqual(_interrupt.interruptible(lambda: 5, print), 5)
        with self.assertRaises(ZeroDivisionError):
            _interrupt.interruptible(lambda: 1 // 0, print)
        for _ in range(100):
            _interrupt.interruptible(lambda: 5, print)
        self.assertLessEqual(len(callers()), 4)  # some may be on their way back
        self.quiet()

    def test_a_handler_may_call(self):
        made = []
        self.on_alarm(lambda: made.append(_interrupt.interruptible(lambda: 7, print)))
        while len(made) < 300:
            self.assertEqual(_interrupt.interruptible(lambda: 5, print), 5)
        self.quiet()
        self.assertEqual(set(made), {7})

    def test_a_handler_may_raise(self):
        raised = 0

        def interrupt():
            raise Interrupted
        while raised < 300:
            try:
                self.on_alarm(interrupt)
                while True:
                    _interrupt.interruptible(lambda: 5, lambda _: None)
            except Interrupted:
                signal.setitimer(signal.ITIMER_REAL, 0)
                raised += 1
        self.quiet()

    def test_calls_that_are_started_are_taken_or_left(self):
        left = []
        go = threading.Event()

        def wait():
            go.wait(processes.DEADLINE)
            return 3
        started = [_interrupt.Started(wait, left.append) for _ in range(6)]
        started[0].abandon()
        go.set()
        self.assertEqual([call.result() for call in started[1:]], [3] * 5)
        processes.until(lambda: left == [3])
        self.quiet()


if __name__ == "__main__":
    unittest.main()
