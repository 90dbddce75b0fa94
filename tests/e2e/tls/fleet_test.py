"""Servers that are peers by mTLS, and the programs that ask them."""

import os
import subprocess
import time
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.tls import certificates

QUICK = 20.0  # seconds, far below --rpc-timeout


def program(*args, environment=None):
    """The finished process of `tributary`, and how long it took."""
    began = time.monotonic()
    done = subprocess.run(
        [processes.TRIBUTARY, *map(str, args)], text=True, capture_output=True,
        timeout=processes.DEADLINE, stdin=subprocess.DEVNULL, check=False,
        env={**os.environ, **(environment or {})})
    return done, time.monotonic() - began


class TlsCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
        cls.certs = os.path.join(folder, "certs")
        certificates.make(cls.certs, "cora", "other")
        cls.expected = sampling.lines(cls.graph)

    @classmethod
    def flags(cls, name):
        return certificates.flags(cls.certs, name)

    def refused(self, code, words, *args, environment=None):
        """Ends soon with `code` and one error, which has all the words."""
        done, took = program(*args, environment=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertLess(took, QUICK, done.stderr)
        for word in words:
            self.assertIn(word, done.stdout + done.stderr)
        errors = [line for line in done.stderr.splitlines()
                  if ": waiting " not in line]
        self.assertEqual(len(errors), 1, done.stderr)


class FleetTest(TlsCase):
    """All that is asked of one fleet that goes on well."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.servers = cls.enterClassContext(processes.Fleet(
            cls.graph, ("0", "1"), *cls.flags("sampler")))
        cls.servers.doctor(flags=cls.flags("operator"))
        cls.where = ("servers", cls.servers.addresses())

    def asks(self, name, command="status"):
        return [command, "--servers", self.where[1], *self.flags(name)]

    def test_batches_are_those_of_the_folder(self):
        self.assertEqual(
            sampling.lines(self.where, flags=self.flags("trainer-cora")),
            self.expected)

    def test_the_environment_gives_the_files(self):
        done, _ = program(*sampling.arguments(self.where),
                          environment=certificates.environment(
                              self.certs, "trainer-cora"))
        self.assertEqual(done.stdout.splitlines(), self.expected, done.stderr)

    def test_the_doctor_tells_identities_and_ends(self):
        said = processes.run_ok(*self.asks("operator", "doctor"))
        self.assertIn("own certificate: operator/test, ends on ", said)
        for server in self.servers.servers:
            self.assertIn(f"certificate of {server.address}: sampler/test, "
                          "ends on ", said)

    def test_status(self):
        said = processes.run_ok(*self.asks("operator"))
        self.assertEqual(said.count(" ready "), 2, said)

    def test_another_job_than_the_certificates(self):
        self.refused(1, ["PERMISSION_DENIED", "other", "cora"],
                     *sampling.arguments(
                         self.where, flags=[*self.flags("trainer-cora"),
                                            "--worker-key", "other"]))

    def test_the_job_may_be_named(self):
        self.assertEqual(
            sampling.lines(self.where, batches="0:1",
                           flags=[*self.flags("trainer-cora"),
                                  "--worker-key", "cora"]),
            self.expected[:1])

    def test_a_server_is_no_trainer(self):
        self.refused(1, ["PERMISSION_DENIED", "sampler"], *sampling.arguments(
            self.where, flags=self.flags("sampler")))

    def test_some_files_alone(self):
        for args in (["status", "--servers", "127.0.0.1:1"],
                     ["doctor", "--servers", "127.0.0.1:1"],
                     ["tensors", "list", "--servers", "127.0.0.1:1"],
                     ["bench", "tensors", "--servers", "127.0.0.1:1"],
                     sampling.arguments(self.where),
                     ["serve", "--graph", self.graph, "--listen",
                      "127.0.0.1:0"]):
            with self.subTest(args[0]):
                done, _ = program(*args, "--tls-ca", "ca.pem")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("--tls-cert and --tls-key missing", done.stderr)

    def test_files_that_are_not_there(self):
        flags = certificates.flags(self.certs, "nobody")
        self.refused(1, ["nobody.pem"], *sampling.arguments(
            self.where, flags=flags))
        self.refused(1, ["nobody"], "serve", "--graph", self.graph,
                     "--listen", "127.0.0.1:0", *flags)

    def wrong(self):
        """Flags of wrong certificates, and what their program says."""
        certificates.sign(self.certs, "expired", "tributary://trainer/cora",
                          days=-1)
        certificates.sign(self.certs, "unnamed", "https://example.invalid")
        foreign = os.path.join(os.path.dirname(self.certs), "foreign")
        certificates.make(foreign, "cora")
        ours = os.path.join(self.certs, "ca.pem")
        return (
            (self.flags("expired"), "FAILED_PRECONDITION", "has expired at"),
            (self.flags("unnamed"), "INVALID_ARGUMENT", "tributary://"),
            (certificates.flags(foreign, "trainer-cora", ca=ours),
             "UNAUTHENTICATED", "does not trust"),
            (certificates.flags(foreign, "trainer-cora"), "UNAUTHENTICATED",
             "no authority in --tls-ca"),
        )

    def test_wrong_certificates(self):
        for flags, *words in self.wrong():
            with self.subTest(words):
                self.refused(1, words,
                             *sampling.arguments(self.where, flags=flags))
                done, took = program("status", "--servers", self.where[1],
                                     *flags)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words[1], done.stdout + done.stderr)
                self.assertLess(took, QUICK)

    def test_a_client_in_plain_text_is_told(self):
        self.refused(1, ["UNAVAILABLE", "wants TLS"], *sampling.arguments(
            self.where, flags=["--rpc-timeout", "1.9"]))
        done, _ = program("status", "--servers", self.where[1])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("wants TLS"), 2, done.stdout)

    def test_a_trainer_is_no_server(self):
        with processes.Server(self.graph, *self.flags("trainer-cora")) as liar:
            self.refused(1, ["PERMISSION_DENIED", "trainer/cora"],
                         *sampling.arguments(
                             ("servers", liar.address),
                             flags=self.flags("trainer-other")))


class PlainServerTest(TlsCase):
    def test_a_client_with_tls_is_told(self):
        with processes.Server(self.graph) as server:
            self.refused(1, ["UNAUTHENTICATED", "speaks plain text"], *sampling.arguments(
                ("servers", server.address),
                flags=self.flags("trainer-cora")))

    def test_insecure_says_what_it_gives_up(self):
        with processes.Server(self.graph, "--insecure") as server:
            self.assertIn("--insecure: plain text on every port",
                          server.stderr())


if __name__ == "__main__":
    unittest.main()
