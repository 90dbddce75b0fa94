"""The demo (examples/demo.sh) from inside the images: partitions Cora with the
tools, serves it from two samplers, trains with two ranks. What comes out equals
what the same programs make outside of any image, to the last digit."""

import hashlib
import os
import signal
import unittest

from tests.e2e import processes, training
from tests.fetch.store import Store
from tests.images import archives
from tests.images.containers import Storage

CORA = "tests/data/cora"
PARTITION = ["partition", "--format", "ogb", "--num-parts", 2, "--method", "metis"]
SAMPLE = ["sample", "--input-nodes", "train", "--num-neighbors", "10,5",
          "--batch-size", 32, "--random-seed", 11, "--epoch", 2]
TRAIN = ["--nproc", 2, "--model", "sage", "--task", "node", "--num-neighbors",
         "10,10", "--eval-num-neighbors=-1,-1", "--batch-size", 48, "--hidden", 64,
         "--dropout", 0.7, "--input-dropout", 0.7, "--lr", 0.01, "--weight-decay",
         0.0005, "--row-normalize", "--epochs", 3, "--random-seed", 1]


def dereference(folder, out):
    """Copies a folder of runfiles, which are links out of it."""
    for parent, _, files in os.walk(folder):
        place = os.path.join(out, os.path.relpath(parent, folder))
        os.makedirs(place, exist_ok=True)
        for name in files:
            with (open(os.path.join(parent, name), "rb") as source,
                  open(os.path.join(place, name), "wb") as copy):
                copy.write(source.read())


def contents(folder):
    """The digests of all files of a folder, by their paths in it."""
    found = {}
    for parent, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            found[os.path.relpath(path, folder)] = digest
    return found


def losses(path):
    return [event["loss"] for event in training.events(path) if "loss" in event]


def address_of(server):
    """Where a sampler serves, once it says so."""
    line = server.read_line() or ""
    if not line.startswith("ready "):
        raise AssertionError(f"not ready: {line!r}\n{server.stderr()}")
    return dict(word.split("=", 1) for word in line.split()[1:])["listen"]


@unittest.skipUnless(os.geteuid() == 0, "buildah's chroots need root")
class DemoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.storage = cls.enterClassContext(Storage())
        cls.images = {
            image: cls.storage.container(archives.path_of(image))
            for image in archives.IMAGES}

    def setUp(self):
        self.work = self.enterContext(processes.temporary_folder())
        os.chmod(self.work, 0o777)  # the image's user writes into it
        self.volume = [f"{self.work}:/scratch"]

    def run_in(self, image, *args, **options):
        return self.images[image].run(*args, volumes=self.volume, **options)

    def inside(self, name):
        return os.path.join(self.work, name)

    def test_every_program_runs(self):
        for image, programs in archives.PROGRAMS.items():
            for program in programs:
                with self.subTest(image=image, program=program):
                    self.run_in(image, "--help", entrypoint=["/app/" + program])

    def test_entrypoints(self):
        for image, program in archives.ENTRYPOINTS.items():
            with self.subTest(image):
                text = self.images[image].output("--help")
                self.assertIn(f"Usage: {os.path.basename(program)}", text)

    def test_there_is_no_shell(self):
        for image in archives.IMAGES:
            with self.subTest(image):
                for shell in ["sh", "/bin/sh", "bash"]:
                    self.run_in(image, "-c", "exit 0", entrypoint=[shell], code=1)

    def test_the_user_may_write_in_tmp_alone(self):
        dereference(CORA, self.inside("cora"))
        command = [*PARTITION, "--input", "/scratch/cora", "--out"]
        for place in ["/app/graph", "/etc/graph", "/graph"]:
            self.run_in("tools", *command, place, code=1)
        self.run_in("tools", *command, "/tmp/graph")

    def serve(self, partition):
        return self.images["sampler"].start(
            "serve", "--graph", "/scratch/graph", "--partitions", partition, "--listen",
            "127.0.0.1:0", "--peers", "file:/scratch/servers.txt",
            volumes=[f"{self.work}:/scratch:ro"])

    def partition(self):
        """Partitions Cora inside and outside: the same graph."""
        dereference(CORA, self.inside("cora"))
        self.run_in("tools", *PARTITION, "--input", "/scratch/cora", "--out",
                    "/scratch/graph")
        processes.run_ok(*PARTITION, "--input", CORA, "--out", self.inside("expected"))
        self.assertEqual(contents(self.inside("graph")),
                         contents(self.inside("expected")))
        self.assertEqual(os.stat(self.inside("graph/graph.json")).st_uid, 10001)

    def test_tools_store_and_fetch_a_graph(self):
        processes.run_ok(*PARTITION, "--input", CORA, "--out", self.inside("graph"))
        with Store() as store:
            variables = {
                "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_ENDPOINT_URL_S3": f"http://localhost:{store.port}"}
            for command in [["put", "/scratch/graph", "s3://graphs/cora"],
                            ["get", "s3://graphs/cora", "/scratch/fetched"]]:
                self.run_in("tools", *command, entrypoint=["/app/tributary-fetch"],
                            environment=variables)
        self.assertEqual(contents(self.inside("fetched")),
                         contents(self.inside("graph")))

    def train(self, name, *flags):
        self.run_in("trainer", *TRAIN, "--device", "cpu", "--no-progress", "--log",
                    f"/scratch/{name}", *flags)
        return losses(self.inside(name))

    def status(self, address):
        """Asks a sampler from the trainer's image, by the name of its host: names
        are resolved. Fails when it does not answer."""
        port = address.rpartition(":")[2]
        self.run_in("trainer", "status", "--servers", f"dns:///localhost:{port}",
                    entrypoint=["/app/tributary"])

    def end(self, server):
        """Drains a sampler as a kubelet would."""
        processes.signal_to(server.program(), signal.SIGTERM)
        self.assertEqual(server.wait(), 0, server.stderr())

    def test_demo(self):
        self.partition()
        graph = self.inside("expected")
        with self.serve(0) as first, self.serve(1) as second:
            with open(self.inside("servers.txt.new"), "w", encoding="ascii") as file:
                addresses = [address_of(first), address_of(second)]
                file.write("\n".join(addresses) + "\n")
            os.rename(self.inside("servers.txt.new"), self.inside("servers.txt"))
            servers = ["--servers", "file:/scratch/servers.txt"]
            self.assertEqual(
                self.images["tools"].output(*SAMPLE, "--servers", ",".join(addresses)),
                processes.run_ok(*SAMPLE, "--graph", graph))
            training.output("--graph", graph, *TRAIN, "--log", self.inside("log"))
            expected = losses(self.inside("log"))
            self.assertEqual(len(expected), 3)
            self.assertEqual(self.train("remote", *servers), expected)
            self.status(addresses[0])
            self.end(first)
            self.end(second)
        # Its workers are the image's own tributary, beside the trainer.
        self.assertEqual(
            self.train("mp", "--graph", "/scratch/graph", "--mode", "mp",
                       "--num-workers", 2), expected)


if __name__ == "__main__":
    unittest.main()
