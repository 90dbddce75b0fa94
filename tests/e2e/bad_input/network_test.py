"""Servers that are not there, or are something else, or speak otherwise."""

import dataclasses
import os
import socket
import unittest
from typing import Callable

from tests.e2e import folders, processes
from tests.e2e.bad_input import graph_edits as edit
from tests.e2e.bad_input import peers
from tests.e2e.bad_input.cases import Case, Table
from tests.e2e.bad_input.peers import envelope, number, text
from tests.e2e.bad_input.privileges import silent_nameserver

STATUS = ("status", "--servers", "{peer}", "--timeout", "1")
DOCTOR = ("doctor", "--servers", "{peer}", "--timeout", "1")
SAMPLE = ("sample", "--servers", "{peer}", "--input-nodes", "train",
          "--num-neighbors", "2", "--rpc-timeout", "0.5")
BENCH = ("bench", "stream", *SAMPLE[1:], "--batch-size", "1")

SILENT = "1 of 1 servers did not answer"
NO_ANSWER = "no server answered within rpc_timeout = 500ms"
FAILED = "checks failed"

DESCRIBE_REPLY, CALL_ERROR = 34, 32


@dataclasses.dataclass(frozen=True)
class PeerCase(Case):
    """{peer} is a port where `behave` is the other end."""
    behave: Callable = None


def everywhere(name, behave, *words):
    """Each command that asks a server; `words` come from the peer's error."""
    return [
        PeerCase("status: " + name, STATUS, (SILENT,), behave=behave,
                 report=words),
        PeerCase("doctor: " + name, DOCTOR, (FAILED,), behave=behave,
                 report=("fail", *words)),
        PeerCase("sample: " + name, SAMPLE, ("{peer}", *words),
                 behave=behave),
    ]


def bench(name, behave, *words):
    return PeerCase("bench: " + name, BENCH, ("{peer}", *words),
                    behave=behave)


def nobody(name, address, *words):
    return [
        Case("status: " + name, fill(STATUS, address), (SILENT,),
             report=(address, *words)),
        Case("doctor: " + name, fill(DOCTOR, address), (FAILED,),
             report=("fail", address, *words)),
        Case("sample: " + name, fill(SAMPLE, address),
             (NO_ANSWER, address, *words)),
        Case("bench: " + name, fill(BENCH, address),
             (NO_ANSWER, address, *words)),
    ]


def fill(args, address):
    return tuple(word.replace("{peer}", address) for word in args)


def reply(header, kind=DESCRIBE_REPLY, **changes):
    return peers.answering(
        lambda call: envelope(kind, call, header, **changes))


def describe(json_text, wire_version=2):
    return number(1, wire_version) + text(2, json_text) + number(
        3, 0) + number(3, 1) + number(4, 7) + number(7, 1 << 30)


TLS_ALERT = b"\x15\x03\x03\x00\x02\x02\x46"
HTTP_REPLY = (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n"
              b"Connection: close\r\n\r\n")

CASES = [
    *nobody("nobody there", "127.0.0.1:1", "refused"),
    *nobody("a name that is not", "no.such.invalid:1", "no.such.invalid"),
    Case("status: a list that cannot be looked up",
         fill(STATUS, "dns:///no.such.invalid:1"),
         ("cannot resolve no.such.invalid",)),
    Case("sample: a list that cannot be looked up",
         fill(SAMPLE, "dns:///no.such.invalid:1"),
         ("cannot resolve no.such.invalid",)),
    *everywhere("silence", peers.silent),
    bench("silence", peers.silent),
    *everywhere("a port that closes at once", peers.closing),
    *everywhere("an HTTP/1.1 server", peers.saying(HTTP_REPLY)),
    *everywhere("a TLS server", peers.saying(TLS_ALERT)),
    *everywhere("noise", peers.saying(bytes(range(256)) * 40)),
    *everywhere("another gRPC service",
                peers.failing_calls(12, b"unknown service"),
                "unknown service"),
    *everywhere("a later wire version", reply(describe(b"{}"), version=3),
                "wire version 3", "speaks 2"),
    *everywhere("another protocol", reply(describe(b"{}"), magic=b"SEND"),
                "not a Tributary message"),
    *everywhere("a wrong checksum", reply(describe(b"{}"), crc=1), "CRC32C"),
    *everywhere("a header without end",
                reply(describe(b"{}"), header_bytes=0xFFFFFFFF),
                "4294967295"),
    *everywhere("an answer to something else", reply(b"", kind=36)),
    *everywhere("an unknown kind", reply(b"", kind=999)),
    *everywhere("a header that is no protobuf", reply(b"\xff" * 20)),
    *everywhere("a graph that is none", reply(describe(b"{}")),
                "graph.json"),
    *everywhere("an error with control characters",
                reply(number(1, 14) + text(2, b"\x1b[2J\r\na\tb"),
                      kind=CALL_ERROR), "\\x1b[2J\\r"),
]


class NetworkTest(Table):
    CASES = CASES

    def check(self, case):
        if not isinstance(case, PeerCase):
            super().check(case)
            return
        with peers.Listener(case.behave) as peer:
            self.paths = {"peer": peer.address}
            super().check(dataclasses.replace(case, words=tuple(
                self.fill(word, "") for word in case.words)))


class SkewTest(Table):
    """Peers whose graph or versions this program does not know."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph = cls.write_graph()
        other = os.path.join(cls.folder, "other")
        folders.write_ogb(other, 4, [(0, 1)], splits={"train": [0]})
        cls.other = folders.partition(other, other + ".graph")

    def described(self, **changes):
        copy = os.path.join(self.folder, self._testMethodName + ".graph")
        os.mkdir(copy)
        edit.write_json(copy, edit.read_json(self.graph) | changes)
        with open(copy + "/graph.json", "rb") as f:
            return f.read()

    def refused_everywhere(self, behave, *words):
        for case in everywhere("skew", behave, *words):
            if case.args[0] in ("status", "sample", "doctor"):
                with self.subTest(case.name), peers.Listener(behave) as peer:
                    self.paths = {"peer": peer.address}
                    done = self.run_program(
                        [self.fill(w, "") for w in case.args], self.folder)
                    self.check_refused(dataclasses.replace(
                        case, words=tuple(self.fill(w, "")
                                          for w in case.words)), done)

    def test_later_semantics(self):
        self.refused_everywhere(
            reply(describe(self.described(semantics_version=2))),
            "semantics_version is 2", "by version 1")

    def test_later_format(self):
        self.refused_everywhere(
            reply(describe(self.described(format_version=2))),
            "format_version is 2", "reads version 1")

    def test_later_wire_version_in_the_description(self):
        with peers.Listener(reply(describe(self.described(), 3))) as peer:
            done = self.run_program(fill(DOCTOR, peer.address), self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("wire 3", done.stdout.decode())

    def test_two_graphs_in_one_fleet(self):
        with processes.Server(self.graph) as a, processes.Server(
                self.other) as b:
            both = f"{a.address},{b.address}"
            done = self.run_program(fill(DOCTOR, both), self.folder)
            self.check_refused(Case("", (), (FAILED,), report=(
                "fail", b.address)), done)

    def test_a_partition_that_nobody_has(self):
        with processes.Server(self.graph, "--partitions", "0") as server:
            args = [w.replace("train", "0")  # which partition 1 has
                    for w in fill(SAMPLE, server.address)]
            done = self.run_program(args, self.folder)
            self.check_refused(
                Case("", (), ("partition 1 is not on this server",
                              "without --peers")), done)

    def test_the_doctor_finds_the_partition_that_nobody_has(self):
        with processes.Server(self.graph, "--partitions", "0") as server:
            done = self.run_program(fill(DOCTOR, server.address), self.folder)
            self.check_refused(Case("", (), (FAILED,), report=(
                "fail", "partition", "1")), done)

    def test_ports_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            at = "127.0.0.1:%d" % taken.getsockname()[1]
            for args, word in ((["--listen", at], "cannot listen on " + at),
                               (["--listen", "127.0.0.1:0", "--http", at],
                                "cannot serve HTTP on " + at)):
                with self.subTest(args):
                    done = self.run_program(
                        ["serve", "--graph", self.graph, *args], self.folder)
                    self.check_refused(Case("", (), (word,)), done)

    def test_a_name_that_is_looked_up_for_ever(self):
        why, preexec, close = silent_nameserver(self.folder)
        if why:
            self.skipTest(why)
        self.addCleanup(close)
        for args in (STATUS, SAMPLE):
            with self.subTest(args[0]):
                done = self.run_program(
                    fill(args, "dns:///slow.example:1"), self.folder,
                    deadline=4, preexec=preexec)
                self.check_refused(Case("", (), ("in",)), done)


WRONG_MESSAGES = [
    ("a later wire version", envelope(33, 1, number(1, 3), version=3),
     b"wire version 3"),
    ("an older wire version", envelope(33, 1, number(1, 1), version=1),
     b"wire version 1"),
    ("another protocol", b"{}" * 40, b"not a Tributary message"),
    ("a wrong checksum", envelope(33, 1, number(1, 1), crc=1), b"CRC32C"),
    ("a message too short", b"TRIB", b"4 bytes"),
    ("an unknown kind", envelope(999, 1, b""), b"999"),
    ("a header that is no protobuf", envelope(33, 1, b"\xff" * 9), b""),
]
WRONG_BYTES = [
    ("nothing", b""), ("HTTP/1.1", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("noise", bytes(range(256)) * 40), ("half a preface", peers.PREFACE[:9]),
    ("a frame without end", peers.PREFACE + b"\xff\xff\xff\0\0\0\0\0\1"),
]


class ServerTest(Table):
    """What strangers say to a server; it goes on serving."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.enterClassContext(
            processes.Server(cls.write_graph()))

    def tearDown(self):
        self.assertIn(" ready ", self.works("status", "--servers",
                                            self.server.address))


def add_server_cases():
    def wrong_message(message, words):
        def test(self):
            said = peers.call_server(self.server.address, message)
            self.assertIn(words, said)
        return test

    def wrong_bytes(data):
        return lambda self: peers.send_bytes(self.server.address, data)

    for name, message, words in WRONG_MESSAGES:
        setattr(ServerTest, "test_message_" + name.replace(" ", "_"),
                wrong_message(message, words))
    for name, data in WRONG_BYTES:
        setattr(ServerTest, "test_bytes_" + name.replace(" ", "_"),
                wrong_bytes(data))


add_server_cases()

if __name__ == "__main__":
    unittest.main()
