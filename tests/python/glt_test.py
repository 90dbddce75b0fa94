"""tributary_gnn.glt without torch: GLT's names and arguments, how servers and clients of a group
meet and end, options that have no effect, and what is refused."""

import concurrent.futures
import contextlib
import inspect
import itertools
import os
import pathlib
import pickle
import socket
import time
import unittest
from unittest import mock

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs
from tests.python.children import children
from tests.python.loading import noted
from tributary_gnn import glt
from tributary_gnn.glt.distributed import _inputs, _meeting, _roll, context, server

D = glt.distributed
LONG = 60.0  # seconds, for what takes well under one

# The arguments of GLT 0.2.4, in its order.
WORKERS = ("master_addr", "master_port", "num_rpc_threads", "rpc_timeout")
MP = ("num_workers", "worker_devices", "worker_concurrency", *WORKERS)
DRAWN = ("shuffle", "drop_last", "with_edge", "with_weight", "edge_dir", "collect_features",
         "to_device", "random_seed", "worker_options")
SIGNATURES = {
    D.CollocatedDistSamplingWorkerOptions: (*WORKERS, "use_all2all"),
    D.MpDistSamplingWorkerOptions: (*MP, "channel_size", "pin_memory", "use_all2all"),
    D.RemoteDistSamplingWorkerOptions: (
        "server_rank", *MP, "buffer_size", "prefetch_size", "worker_key", "glt_graph",
        "workload_type", "use_all2all"),
    D.DistNeighborLoader: ("data", "num_neighbors", "input_nodes", "batch_size", *DRAWN),
    D.DistLinkNeighborLoader: ("data", "num_neighbors", "batch_size", "edge_label_index",
                               "edge_label", "neg_sampling", *DRAWN),
    D.DistSubGraphLoader: ("data", "input_nodes", "num_neighbors", "batch_size", *DRAWN),
    D.DistContext: ("role", "group_name", "world_size", "rank", "global_world_size",
                    "global_rank"),
    D.DistDataset: (
        "num_partitions", "partition_idx", "graph_partition", "node_feature_partition",
        "edge_feature_partition", "whole_node_labels", "node_pb", "edge_pb", "node_feat_pb",
        "edge_feat_pb", "edge_dir", "graph_caching", "node_split", "id_filter", "id_select"),
    D.DistDataset.load: (
        "self", "root_dir", "partition_idx", "graph_mode", "input_layout", "feature_with_gpu",
        "graph_caching", "device_group_list", "whole_node_label_file", "device"),
    D.init_worker_group: ("world_size", "rank", "group_name"),
    D.init_server: (
        "num_servers", "server_rank", "dataset", "master_addr", "master_port", "num_clients",
        "num_rpc_threads", "request_timeout", "server_group_name", "is_dynamic"),
    D.init_client: ("num_servers", "num_clients", "client_rank", "master_addr", "master_port",
                    "num_rpc_threads", "client_group_name", "is_dynamic"),
    D.request_server: ("server_rank", "func"),
    glt.sampler.NegativeSampling: ("mode", "amount", "weight"),
}
# The names of GLT's glt.distributed.
NAMES = set("""
init_client shutdown_client async_request_server request_server DistRole DistContext get_context
init_worker_group DistDataset PartialFeature DistFeature DistGraph DistLinkNeighborLoader
DistLoader DistNeighborLoader DistNeighborSampler CollocatedDistSamplingWorkerOptions
MpDistSamplingWorkerOptions RemoteDistSamplingWorkerOptions DistRandomPartitioner
DistMpSamplingProducer DistCollocatedSamplingProducer DistServer get_server init_server
wait_and_shutdown_server DistSubGraphLoader DistTableDataset DistTableRandomPartitioner
ConcurrentEventLoop init_rpc shutdown_rpc rpc_is_initialized get_rpc_master_addr
get_rpc_master_port all_gather barrier global_all_gather global_barrier RpcDataPartitionRouter
rpc_sync_data_partitions RpcCalleeBase rpc_register rpc_request_async rpc_request
rpc_global_request_async rpc_global_request
""".split())


def positional(callable_):
    return tuple(name for name, parameter in inspect.signature(callable_).parameters.items()
                 if parameter.kind is parameter.POSITIONAL_OR_KEYWORD)


class NamesTest(unittest.TestCase):
    def test_arguments_in_order(self):
        for callable_, names in SIGNATURES.items():
            with self.subTest(callable_):
                self.assertEqual(positional(callable_), names)

    def test_other_names_say_what_takes_their_place(self):
        self.assertEqual(set(D.__all__) | set(D.INSTEAD), NAMES)
        for name in D.INSTEAD:
            with self.assertRaisesRegex(AttributeError, f"has no '{name}'; instead: "):
                getattr(D, name)
        for name in ("channel", "data", "loader", "partition", "utils"):
            with self.assertRaisesRegex(AttributeError, f"no '{name}'; instead: "):
                getattr(glt, name)
        for module in (D, glt):
            with self.assertRaisesRegex(AttributeError, "no attribute 'x'"):
                module.x

    def test_types(self):
        self.assertEqual(glt.reverse_edge_type(("a", "to", "b")), ("b", "rev_to", "a"))
        self.assertEqual(glt.reverse_edge_type(("b", "rev_to", "a")), ("a", "to", "b"))
        self.assertEqual(glt.reverse_edge_type(("a", "to", "a")), ("a", "to", "a"))
        self.assertEqual(glt.as_str(("a", "to", "b")), "a__to__b")

    def test_negatives(self):
        self.assertTrue(glt.sampler.NegativeSampling("triplet", 2).is_triplet())
        for arguments in (("other",), ("binary", 0), ("triplet", 1.5)):
            with self.assertRaises(ValueError):
                glt.sampler.NegativeSampling(*arguments)
        with self.assertRaisesRegex(TypeError, "neg_degree_power"):
            glt.sampler.NegativeSampling("binary", 1, [1])


class ContextTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(context.set_context, context.DistRole.WORKER, None, (1, 0), 0)

    def test_roles(self):
        D.init_worker_group(4, 3, "trainers")
        worker = D.get_context()
        self.assertEqual((worker.worker_name, worker.is_worker(), worker.global_rank),
                         ("trainers-3", True, 3))
        self.assertEqual((worker.num_servers(), worker.num_clients()), (0, 0))
        context.set_context(D.DistRole.SERVER, None, (2, 3), 1)
        its = D.get_context()
        self.assertEqual((its.num_servers(), its.num_clients(), its.global_rank,
                          its.global_world_size), (2, 3, 1, 5))
        context.set_context(D.DistRole.CLIENT, None, (3, 2), 1)
        its = D.get_context()
        self.assertEqual((its.num_servers(), its.num_clients(), its.global_rank,
                          its.worker_name), (2, 3, 3, "_default_client-1"))
        for rank in (-1, 2):
            with self.assertRaisesRegex(ValueError, f"rank is {rank} and world size 2"):
                D.init_worker_group(2, rank)

    def test_who_shares_files_of_inputs(self):
        """By (servers, clients, client, server_rank)."""
        for sizes, shared in (((2, 2, 0, [0, 1]), True), ((2, 2, 1, [1]), False),
                              ((2, 2, 1, 1), False), ((1, 3, 2, 0), True),
                              ((2, 1, 0, None), True), ((2, 2, 0, None), False),
                              ((2, 4, 1, [1]), None), ((2, 4, 1, None), None)):
            servers, clients, rank, server_rank = sizes
            context.set_context(D.DistRole.CLIENT, None, (clients, servers), rank)
            options = D.RemoteDistSamplingWorkerOptions(server_rank)
            with self.subTest(sizes):
                if shared is None:
                    with self.assertRaisesRegex(ValueError, "server_rank= all servers"):
                        _inputs._share_files(options, D.get_context())
                else:
                    self.assertEqual(_inputs._share_files(options, D.get_context()), shared)
        with self.assertRaisesRegex(ValueError, "server_rank is 2; allowed: .* 0 to 1"):
            D.RemoteDistSamplingWorkerOptions(2).ranks(D.get_context())


class DatasetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.cora, cls.aifb = graphs.cora(cls.folder), graphs.aifb(cls.folder)

    def test_load(self):
        dataset = D.DistDataset()
        with noted() as notes:
            dataset.load(root_dir=self.cora, partition_idx=3, graph_mode="CPU")
        self.assertEqual(notes, [])
        self.assertEqual((dataset.num_partitions, dataset.partition_idx), (4, 3))
        self.assertEqual((dataset.get_node_types(), dataset.get_edge_types()), (None, None))
        copy = pickle.loads(pickle.dumps(dataset))
        self.assertEqual((copy.graph_dir, copy.partition_idx), (self.cora, 3))
        dataset.load(graph_dir=self.aifb, partition_idx=1, graph_mode="CPU")
        self.assertIn("person", dataset.get_node_types())
        self.assertIn(("publication", "author", "person"), dataset.get_edge_types())

    def test_what_has_no_effect_is_noted_once(self):
        dataset = D.DistDataset()
        given = dict(graph_mode="ZERO_COPY", input_layout="CSR", graph_caching=True,
                     device_group_list=[0], whole_node_label_file="label.pt", device=0)
        with noted() as notes:
            for _ in range(2):
                dataset.load(self.cora, 0, **given)
        self.assertEqual(sorted(note.split("=")[0] for note in notes), sorted(given))

    def test_refusals(self):
        theirs = pathlib.Path(self.folder, "theirs")
        theirs.mkdir()
        theirs.joinpath("META").touch()
        dataset = D.DistDataset()
        for kind, text, arguments in (
                (tg.NotFound, "absent is no graph", dict(root_dir=f"{self.folder}/absent")),
                (tg.NotFound, "GLT has written; .*tributary_export", dict(root_dir=theirs)),
                (ValueError, "partition_idx is 4; allowed: 0 to 3",
                 dict(root_dir=self.cora, partition_idx=4)),
                (ValueError, "graph_mode is 'GPU'", dict(root_dir=self.cora, graph_mode="GPU")),
                (TypeError, "root_dir=, or graph_dir=", {}),
                (TypeError, "once", dict(root_dir=self.cora, graph_dir=self.cora))):
            with self.subTest(arguments), self.assertRaisesRegex(kind, text):
                dataset.load(**arguments)
        unlabelled = processes.temporary_folder()
        self.addCleanup(unlabelled.cleanup)
        graph = tg.partition({"edge_index": [[0, 1], [1, 0]], "num_nodes": 2},
                             os.path.join(unlabelled.name, "graph"))
        with self.assertRaisesRegex(ValueError, "has no labels"):
            dataset.load(graph, 0, whole_node_label_file="label.pt")
        for name, instead in (("node_pb", "tributary_gnn.Graph"),
                              ("random_node_split", "splits")):
            with self.assertRaisesRegex(AttributeError, f"no '{name}'; instead: {instead}"):
                getattr(dataset, name)
        with self.assertRaisesRegex(TypeError, "node_pb; instead: tributary_gnn.partition"):
            D.DistDataset(node_pb=[0])


class OptionsTest(unittest.TestCase):
    def test_defaults_say_nothing(self):
        with noted() as notes:
            options = (D.CollocatedDistSamplingWorkerOptions(), D.MpDistSamplingWorkerOptions(),
                       D.RemoteDistSamplingWorkerOptions())
        self.assertEqual(notes, [])
        self.assertEqual([each.worker_concurrency for each in options], [1, 4, 4])
        self.assertEqual(options[0].source_options("g", None), {
            "mode": "collocated", "graph": "g", "rpc_timeout": 180})
        self.assertEqual(options[1].source_options("g", None), {
            "mode": "mp", "graph": "g", "rpc_timeout": 180, "num_workers": 1,
            "worker_concurrency": 4, "prefetch_size": 4})

    def test_each_works(self):
        mp = D.MpDistSamplingWorkerOptions(
            num_workers=2, worker_devices="cpu", worker_concurrency=40, num_rpc_threads=3,
            rpc_timeout=9, channel_size="1GB", pin_memory=True)
        self.assertEqual(mp.source_options("g", None), {
            "mode": "mp", "graph": "g", "num_workers": 2, "worker_concurrency": 32,
            "num_rpc_threads": 3, "rpc_timeout": 9, "channel_size": "1GB", "pin_memory": True,
            "prefetch_size": 64})
        self.addCleanup(context.set_context, D.DistRole.WORKER, None, (1, 0), 0)
        context.set_context(D.DistRole.CLIENT, None, (3, 2), 1, "h:1,h:2")
        remote = D.RemoteDistSamplingWorkerOptions(
            [1], num_workers=2, worker_concurrency=5, num_rpc_threads=3, rpc_timeout=9,
            buffer_size="1GB", prefetch_size=7, worker_key="train")
        self.assertEqual(remote.source_options(None, D.get_context()), {
            "mode": "remote", "servers": "h:1,h:2", "server_rank": [1], "num_clients": 3,
            "client_rank": 1, "num_workers": 2, "worker_concurrency": 5, "num_rpc_threads": 3,
            "rpc_timeout": 9, "buffer_size": "1GB", "prefetch_size": 7, "worker_key": "train"})

    def test_what_has_no_effect_is_noted_once(self):
        with noted() as notes:
            for _ in range(2):
                D.MpDistSamplingWorkerOptions(worker_devices=["cuda:0"], master_addr="h",
                                              master_port=1, use_all2all=True)
                D.RemoteDistSamplingWorkerOptions(master_port=1, workload_type="train")
        self.assertEqual([note.split("=")[0].split(" ")[0] for note in notes],
                         ["worker_devices", "master_addr", "use_all2all", "master_addr",
                          "workload_type"])

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, "1 devices and num_workers is 2"):
            D.MpDistSamplingWorkerOptions(num_workers=2, worker_devices=["cpu"])
        with self.assertRaisesRegex(TypeError, "GraphScope"):
            D.RemoteDistSamplingWorkerOptions(glt_graph=object())
        with self.assertRaisesRegex(ValueError, "data is not loaded"):
            D.MpDistSamplingWorkerOptions().source_options(D.DistDataset(), None)
        with self.assertRaisesRegex(ValueError, "data is None"):
            D.CollocatedDistSamplingWorkerOptions().source_options(None, None)
        with self.assertRaisesRegex(ValueError, "after init_client"):
            D.RemoteDistSamplingWorkerOptions().source_options(None, None)
        with self.assertRaisesRegex(TypeError, "no functions of clients, such as print"):
            D.request_server(0, print)


def hello(role, rank, servers=2, clients=2):
    made = {"role": role, "rank": rank, "num_servers": servers, "num_clients": clients}
    return {**made, "address": f"h:{rank}"} if role == "server" else made


class RollTest(unittest.TestCase):
    def roll(self, *members, servers=2, clients=2):
        made = _roll.Roll(servers, clients)
        return made, [made.join(hello(*member, servers, clients)) for member in members]

    def test_complete_in_any_order(self):
        every = [("server", 0), ("server", 1), ("client", 0), ("client", 1)]
        for order in itertools.permutations(every):
            made, _ = self.roll(*order[:3])
            self.assertEqual(made.missing(), f"{order[3][0]} {order[3][1]}")
            made.join(hello(*order[3]))
            self.assertTrue(made.complete)
            self.assertEqual(made.addresses, ["h:0", "h:1"])
            self.assertIsNone(made.verdict)

    def test_ends_well_when_all_clients_are_done(self):
        made, (*_, first, second) = self.roll(
            ("server", 0), ("server", 1), ("client", 0), ("client", 1))
        made.leave(second, True)
        self.assertIsNone(made.verdict)
        made.leave(first, True)
        self.assertEqual(made.verdict, "")

    def test_fails(self):
        every = [("server", 0), ("server", 1), ("client", 0), ("client", 1)]
        made, members = self.roll(*every)
        made.leave(members[1], False)  # clients see whether they miss it
        self.assertIsNone(made.verdict)
        made.leave(members[3], False)
        self.assertEqual(made.verdict, "client 1 ended without shutdown_client()")
        made.leave(members[2], True)
        self.assertIn("client 1", made.verdict)  # the first cause stays

        made, members = self.roll(*every[:3])
        made.leave(members[1], False)
        self.assertEqual(made.verdict,
                         "server 1 ended before all had come; missing: client 1")
        made, _ = self.roll(*every[1:3])
        made.give_up(5)
        self.assertEqual(made.verdict,
                         "not all have come within 5 s; missing: server 0, client 1")
        made, _ = self.roll(*every)
        made.give_up(5)
        self.assertIsNone(made.verdict)

    def test_clients_whose_number_is_not_fixed(self):
        made, _ = self.roll(("server", 0), servers=1, clients=None)
        self.assertTrue(made.complete)
        first, third = (made.join(hello("client", rank, 1, None)) for rank in (0, 3))
        made.leave(first, True)
        self.assertIsNone(made.verdict)  # client 3 is there
        made.leave(third, True)
        self.assertEqual(made.verdict, "")

    def test_refusals(self):
        made, _ = self.roll(("server", 0))
        for said, text in (
                ([], "no server or client"), ({"role": "x"}, "no server or client"),
                (hello("server", 0), "server 0 is there already"),
                (hello("server", 2), "server_rank is 2; allowed: 0 to 1"),
                ({**hello("server", 1), "rank": "1"}, "server_rank is '1'"),
                (hello("client", 0, servers=3), "num_servers=3, and server 0 2"),
                (hello("client", 0, clients=None), "num_clients=None, and server 0 2"),
                ({**hello("server", 1), "address": "a\nb"}, "no address"),
                ({**hello("server", 1), "address": None}, "no address")):
            with self.subTest(said), self.assertRaisesRegex(ValueError, text):
                made.join(said)
        self.assertEqual(made.missing(), "server 1, client 0, client 1")


class MeetingTest(unittest.TestCase):
    """One server and two clients over loopback."""

    def setUp(self):
        [self.port] = processes.held_ports(1)
        self.address = ("127.0.0.1", self.port)
        self.pool = self.enterContext(concurrent.futures.ThreadPoolExecutor())

    def hub(self, timeout=10 * LONG, clients=2):
        hub = _meeting.Hub(self.address, _roll.Roll(1, clients), timeout)
        self.addCleanup(hub.close)
        return hub

    def connect(self):
        made = _meeting.Connection(self.address, time.monotonic() + LONG)
        self.addCleanup(made.close)
        return made

    def read(self, connection):
        connection._socket.settimeout(LONG)
        return connection.read()

    def meet(self):
        """The connections of all three, who have met."""
        made = [self.connect() for _ in range(3)]
        asked = [self.pool.submit(each.meet, **hello(role, rank, 1, 2)) for each, (role, rank) in
                 zip(made, (("server", 0), ("client", 0), ("client", 1)))]
        self.assertEqual([each.result(LONG) for each in asked], [["h:0"]] * 3)
        return made

    def test_all_done(self):
        self.hub()
        server_end, *clients = self.meet()
        for client in clients:
            self.assertTrue(client.say_done())
            client.close()
        self.assertEqual(self.read(server_end), {"end": ""})

    def test_clients_that_come_at_any_time(self):
        self.hub(clients=None)
        server_end, *clients = made = [self.connect() for _ in range(3)]
        for each, (role, rank) in zip(made, (("server", 0), ("client", 0), ("client", 7))):
            self.assertEqual(each.meet(**hello(role, rank, 1, None)), ["h:0"])
        for client in clients:
            client.say_done()
            client.close()
        self.assertEqual(self.read(server_end), {"end": ""})

    def test_a_client_that_is_gone(self):
        self.hub()
        server_end, client, _ = self.meet()
        client.close()
        self.assertEqual(self.read(server_end), {"end": "client 0 ended without shutdown_client()"})

    def test_server_0_is_gone(self):
        hub = self.hub()
        server_end, client, _ = self.meet()
        hub.close()
        self.assertIn("server 0 at 127.0.0.1", self.read(server_end)["end"])
        self.assertIn("has ended", self.read(client)["end"])

    def test_not_all_come(self):
        self.hub(timeout=0.2)
        with self.assertRaisesRegex(tg.Aborted, "within 0.2 s; missing: client 0, client 1"):
            self.connect().meet(**hello("server", 0, 1, 2))
        with self.assertRaisesRegex(tg.Aborted, "within 0.2 s"):  # who comes later learns it
            self.connect().meet(**hello("client", 0, 1, 2))

    def test_one_ends_while_others_wait(self):
        self.hub()
        waiting = self.pool.submit(self.connect().meet, **hello("client", 1, 1, 2))
        gone = self.connect()
        gone._send(b'{"role": "client", "rank": 0, "num_servers": 1, "num_clients": 2}')
        gone.close()
        with self.assertRaisesRegex(tg.Aborted, "client 0 ended"):
            waiting.result(LONG)

    def test_strangers_do_no_harm(self):
        self.hub()
        for said in (b"GET / HTTP/1.1\r\n", b"{}\n", b"\n", b"[" * 60_000 + b"\n", b"[" * 100_000, b"x" * 100_000, b""):
            stranger = socket.create_connection(self.address, timeout=LONG)
            with contextlib.suppress(OSError):
                stranger.sendall(said)
                stranger.shutdown(socket.SHUT_WR)
                while stranger.recv(4096):
                    pass
            stranger.close()
        self.meet()

    def test_refused(self):
        self.hub()
        with self.assertRaisesRegex(tg.InvalidArgument, "num_servers=5, and server 0 1"):
            self.connect().meet(**hello("client", 0, 5, 2))
        self.meet()

    def test_no_server_0(self):
        with self.assertRaisesRegex(tg.DeadlineExceeded, f"not at 127.0.0.1:{self.port}"):
            D.init_client(1, 1, 0, "127.0.0.1", self.port, request_timeout=0.3)
        hub = self.hub()
        with self.assertRaisesRegex(tg.Unavailable, "cannot listen at 127.0.0.1"):
            self.hub()
        hub.close()
        hub.close()


class ServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.dataset = D.DistDataset()
        cls.dataset.load(graphs.cora(cls.folder), 0, graph_mode="CPU")

    def setUp(self):
        [self.port] = processes.held_ports(1)
        self.pool = self.enterContext(concurrent.futures.ThreadPoolExecutor())
        self.addCleanup(lambda: self.assertEqual(children(), []))
        self.addCleanup(context.set_context, D.DistRole.WORKER, None, (1, 0), 0)

    def init(self, **changed):
        D.init_server(**{**dict(num_servers=1, server_rank=0, dataset=self.dataset,
                                master_addr="127.0.0.1", master_port=str(self.port),
                                num_clients=1, request_timeout=LONG, partitions="all"),
                         **changed})

    def serve(self, **changed):
        """Starts the server and its client, which has found it."""
        self.addCleanup(self.leave)
        client = self.pool.submit(D.init_client, 1, 1, 0, "127.0.0.1", self.port,
                                  is_dynamic="is_dynamic" in changed)
        self.init(**changed)
        client.result(LONG)

    def leave(self):
        """Ends what a failure has left."""
        for end in (D.shutdown_client, D.wait_and_shutdown_server):
            with contextlib.suppress(tg.Error):
                end()

    def test_serves_until_the_clients_are_done(self):
        # A server may take longer to open its graph than a connection to say who it is.
        self.enterContext(mock.patch.object(_meeting, "_HELLO_S", 0.05))
        for changed in ({}, {"is_dynamic": True}):
            with self.subTest(changed):
                self.serve(**changed)
                self.assertEqual(len(children()), 1)
                with tg.Graph(servers=context.servers()) as graph:
                    self.assertEqual(graph.num_nodes(), 2708)
                with self.assertRaisesRegex(tg.FailedPrecondition, "is a server"):
                    self.init()
                with self.assertRaisesRegex(tg.FailedPrecondition, "is a client"):
                    D.init_client(1, 1, 0, "127.0.0.1", self.port)
                D.shutdown_client()
                D.wait_and_shutdown_server()
                self.assertEqual(children(), [])

    def test_its_program_is_killed(self):
        self.serve()
        server._member._server.process.kill()
        with self.assertRaisesRegex(tg.Error, "server of this process ended with -9"):
            D.wait_and_shutdown_server()
        D.shutdown_client()  # whose word nobody hears

    def test_refusals(self):
        for kind, text, changed in (
                (tg.InvalidArgument, "--threds", {"threds": 1}),
                (tg.InvalidArgument, "partition", {"partitions": "9"}),
                (TypeError, "chooses listen", {"listen": "x:1"}),
                (ValueError, "num_clients is 0", {"num_clients": 0}),
                (ValueError, "dataset is None", {"dataset": None}),
                (ValueError, "rank is 1 and world size 1", {"server_rank": 1}),
                (tg.Aborted, "missing: client 0", {"request_timeout": 5})):
            with self.subTest(changed), self.assertRaisesRegex(kind, text):
                self.init(**changed)
        for ends, text in ((D.wait_and_shutdown_server, "is no server"),
                           (D.shutdown_client, "is no client")):
            with self.assertRaisesRegex(tg.FailedPrecondition, text):
                ends()


if __name__ == "__main__":
    unittest.main()
