"""`tributary-train`: wrong options, environments, graphs and servers."""

import os
import subprocess
import unittest

from tests.e2e import folders, processes
from tests.e2e.bad_input import peers
from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options

TRAIN = {"--graph": "{graph}", "--input": "train", "--epochs": "1",
         "--num-neighbors": "2,2", "--batch-size": "2", "--device": "cpu"}
LINKS = {"task": "link", "time": "edge", "graph": "{untimed}"}
NEVER = 78  # another start cannot help
FLEET = {"graph": None, "rpc_timeout": "0.5"}


def train(name, words, code=USAGE, more=(), env=None, **changes):
    return Case(name, (*options(TRAIN, **changes), *more), tuple(words), code,
                env=env, deadline=30)  # LibTorch takes seconds to load


CASES = [
    # Options.
    train("neither graph nor servers", ["--graph", "--servers"], graph=None),
    train("both", ["--graph", "--servers"], servers="127.0.0.1:1"),
    train("epochs in words", ["--epochs", '"x"', "whole number"],
          epochs="x"),
    train("no epochs", ["--epochs", "1 to 1073741824"], epochs="0"),
    train("epochs of 2 to the 64", ["--epochs"],
          epochs="18446744073709551616"),
    train("a batch of none", ["--batch-size", "1 to"], batch_size="0"),
    train("nan for a rate", ["--lr", "nan"], lr="nan"),
    train("a rate of 1e400", ["--lr", "1e400"], lr="1e400"),
    train("a rate below none", ["lr is -1", "1e-12 to 1000"], lr="-1"),
    train("a dropout of all", ["dropout is 1.5", "0 to 0.999"],
          dropout="1.5"),
    train("a model that is not", ["--model", "transformer", "sage"],
          model="transformer"),
    train("a metric that is not", ["metric", "f1", "accuracy, f1-micro"],
          metric="f1"),
    train("a ranking of nodes", ["filtered-mrr"], NEVER,
          metric="filtered-mrr"),
    train("a model of links for nodes", ["embedding", "links"],
          model="embedding", num_neighbors="0"),
    train("a pattern that matches nothing", ["a,*,b", "allowed"], NEVER,
          task="link", input="a,*,b:train"),
    train("checkpoints in no folder", ["--checkpoint-dir"],
          checkpoint_every="5"),
    train("a task that is not", ["--task", "walk", "node"], task="walk"),
    train("a device that is not", ["tpu", "auto, cpu and cuda"],
          device="tpu"),
    train("four splits", ["--input", "TRAIN[,VALID[,TEST]]"],
          input="a,b,c,d"),
    train("no splits", ["--input", "TRAIN"], input=""),
    train("a fanout in words", ["--num-neighbors", "2,x", "-1 (all)"],
          num_neighbors="2,x"),
    train("a fanout below -1", ["--num-neighbors", "-2"],
          num_neighbors="-2,2"),
    train("layers that are no hops", ["--layers 3", "--num-neighbors has 2"],
          layers="3"),
    train("hops that differ", ["--eval-num-neighbors has 1 hops"],
          eval_num_neighbors="2"),
    train("no ranks", ["--nproc", "1 to 1024"], nproc="0"),
    train("an order that is not", ["--shuffle", "sorted"], shuffle="sorted"),
    train("a precision that is not", ["--feature-dtype", "half", "float16"],
          feature_dtype="half"),
    train("a size in words", ["--buffer-size", "huge"], buffer_size="huge"),
    train("no time", ["rpc_timeout", "0.1 s"], rpc_timeout="0"),
    train("nan for a time", ["--rpc-timeout", "nan"], rpc_timeout="nan"),
    train("a mistyped option", ["--bacth", "--help"], more=("--bacth", "3")),
    train("an option twice", ["--epochs"], more=("--epochs", "2")),
    train("an option without value", ["--log"], more=("--log",)),
    train("a word too many", ["surplus"], more=("surplus",)),
    train("servers without ports", ["nowhere", "HOST:PORT"], **FLEET,
          servers="nowhere"),
    train("escapes and no UTF-8", ["\\x1b[2J\\xff"], model="\x1b[2J\udcff"),
    train("a very long value", ["bytes left out"],
          num_neighbors="1," * 30000 + "x"),
    # Models and predictions.
    train("predictions to no folder", ["--predict", "--out DIR"], predict="*"),
    train("a folder of no predictions", ["--out", "--predict"],
          out="{here}/out"),
    train("a way of no predictions", ["--inference", "--predict"],
          inference="sampled"),
    train("a way that is not", ["--inference", "magic", "layerwise"],
          predict="*", out="{here}/out", inference="magic"),
    train("no split to predict", ["--predict", "[TYPE:]SPLIT"],
          predict="node:", out="{here}/out"),
    train("a model and a checkpoint", ["--load-model", "--resume"],
          load_model="{model}", resume="{here}"),
    train("an unknown split to predict", ["'tarin'", "train"], NEVER,
          predict="tarin", out="{here}/out"),
    train("an unknown type to predict", ["'book'"], NEVER,
          graph="{typed}", input="paper:train", predict="book:*",
          out="{here}/out"),
    train("predictions in a folder that is not", ["/no/folder"], NEVER,
          predict="*", out="/no/folder/out"),
    train("predictions over a file", ["{model}", "folder"], NEVER,
          predict="*", out="{model}"),
    train("no such model", ["/no/model"], NEVER, load_model="/no/model"),
    train("a damaged model", ["{damaged}"], FAILURE, load_model="{damaged}"),
    train("a model of another width", ["{model}", "convs.0.lin_l.weight",
                                       "is Float [256, 2]",
                                       "needed is Float [5, 2]"], NEVER,
          load_model="{model}", hidden="5"),
    train("a model of another kind", ["has no tensor convs.0.att_src",
                                      "unknown tensor convs.0.lin_l.bias"],
          NEVER, load_model="{model}", model="gat"),
    # The environment of torchrun.
    train("a rank in words", ["RANK", '"x"', "0 to 1"], NEVER,
          env={"RANK": "x", "WORLD_SIZE": "2"}),
    train("a rank past the world", ["RANK", '"2"', "0 to 1"], NEVER,
          env={"RANK": "2", "WORLD_SIZE": "2"}),
    train("a world of none", ["WORLD_SIZE", '"0"'], NEVER,
          env={"RANK": "0", "WORLD_SIZE": "0"}),
    train("a rank without a world", ["WORLD_SIZE", "not set"], NEVER,
          env={"RANK": "0"}),
    train("no master", ["MASTER_ADDR"], NEVER,
          env={"RANK": "0", "WORLD_SIZE": "2"}),
    train("a master's port past the last", ["MASTER_PORT", "65535"], NEVER,
          env={"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
               "MASTER_PORT": "99999"}),
    train("ranks within torchrun", ["--nproc 2", "RANK"], nproc="2",
          env={"RANK": "0", "WORLD_SIZE": "2"}),
    # Graphs.
    train("no such graph", ["/no/graph"], NEVER, graph="/no/graph"),
    train("no such split", ["'tarin'", "train"], NEVER, input="tarin"),
    train("no such split to test on", ["'dev'", "train"], NEVER,
          input="train,train,dev"),
    train("a type that is not", ["node type 'book'"], NEVER,
          graph="{typed}", input="book:train"),
    train("GCN without degrees", ["--degrees"], NEVER, model="gcn"),
    train("links of times in a graph without", ["no times", "--edge-time"],
          NEVER, **LINKS, edge_time="{times}"),
    train("times of no file", ["/no/file"], NEVER,
          **(LINKS | {"graph": "{timed}"}), edge_time="/no/file"),
    train("too few times", ["edge_time is 2 times", "the edge id 2"], NEVER,
          **(LINKS | {"graph": "{timed}"}), edge_time="{two_times}"),
    train("times in words", ["{words}", "line 1", "whole number"], NEVER,
          **(LINKS | {"graph": "{timed}"}), edge_time="{words}"),
    train("times of links that nobody gives", ["--edge-time FILE"], **LINKS),
    train("strict without a time", ["--strict: without a time", "time edge or node"], more=("--strict",),
          task="link"),
    train("EdgeBank, which an example measures", ["--baseline"], task="link",
          baseline="edgebank"),
    train("no labels", ["type node", "no labels"], NEVER,
          graph="{unlabelled}"),
    train("labels that are fractions", ["label 0.5", "whole numbers", "-1 or NaN"],
          NEVER, graph="{fractions}"),
    train("labels below none", ["label -3"], NEVER, graph="{negative}",
          num_classes="3"),
    train("more labels than classes", ["label 2", "0 to 1",
                                       "--num-classes 2"], NEVER,
          num_classes="2"),
    train("no GPU", ["cuda"], FAILURE, device="cuda"),
    # Servers and outputs.
    train("nobody there", ["127.0.0.1:1", "refused"], FAILURE, **FLEET,
          servers="127.0.0.1:1"),
    train("a host that is not", ["no.such.invalid"], FAILURE, **FLEET,
          servers="no.such.invalid:1"),
    train("a list that is not", ["/no/list"], FAILURE, **FLEET,
          servers="file:/no/list"),
    train("something else there", ["{peer}"], FAILURE, **FLEET,
          servers="{peer}"),
    train("a log in no folder", ["--log", "/no/folder"], FAILURE,
          log="/no/folder/log"),
    train("a log over a folder", ["--log", "{graph}"], FAILURE,
          log="{graph}"),
]


class TrainTest(Table):
    CASES = CASES
    program = "trainer_client/torch/tributary-train"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        peer = cls.enterClassContext(peers.Listener(peers.closing))
        cls.paths = {"graph": cls.write_graph(), "peer": peer.address}
        typed = folders.write_hetero(
            f"{cls.folder}/papers", {"paper": (3, [[1], [2], [3]], [[0]] * 3)},
            {("paper", "cites", "paper"): ([(0, 1), (2, 1)], None)},
            {"paper": {"train": [0, 2]}})
        cls.paths["typed"] = folders.partition(typed, f"{cls.folder}/typed")
        for name, numbers in {"times": "5\n6\n7\n", "two_times": "5\n6\n",
                              "words": "today\n"}.items():
            cls.paths[name] = f"{cls.folder}/{name}"
            with open(cls.paths[name], "w", encoding="ascii") as f:
                f.write(numbers)
        mails = folders.write_ogb(f"{cls.folder}/mails", 3,
                                  [(0, 1), (1, 2), (2, 0)],
                                  splits={"train": [0, 1, 2]},
                                  files={"edge_time": [5, 6, 7]})
        for name, flags in {"untimed": (),
                            "timed": ("--edge-time", "edge_time")}.items():
            cls.paths[name] = folders.partition(
                mails, f"{cls.folder}/{name}", 1, "random", "--edge-splits",
                "only", *flags)
        for name, columns in {"unlabelled": {"y": None},
                              "fractions": {"y": [[0.5]] * 3},
                              "negative": {"y": [[0], [-3], [1]]}}.items():
            source = cls.write_source(f"{cls.folder}/{name}.ogb", **columns)
            cls.paths[name] = folders.partition(source,
                                                f"{cls.folder}/{name}")

        for name in ("model", "damaged"):
            cls.paths[name] = f"{cls.folder}/{name}.safetensors"
        words = [word.replace("{graph}", cls.paths["graph"])
                 for word in options(TRAIN, save_model=cls.paths["model"])]
        subprocess.run([cls.program, *words], check=True, timeout=30,
                       stdout=subprocess.DEVNULL)
        with open(cls.paths["model"], "rb") as whole, \
                open(cls.paths["damaged"], "wb") as damaged:
            damaged.write(whole.read()[:-1])

    def check_refused(self, case, done):
        words = tuple(self.fill(word, "") for word in case.words)
        # A warning of the log, with its date, may come first.
        self.assertIn("\ntributary-train: ", "\n" + done.stderr.decode())
        self.who = ("tributary-train: ", "20")
        super().check_refused(Case(case.name, case.args, words, case.code),
                              done)

    def test_what_the_cases_change_works(self):
        self.assertIn("result", self.works(*options(TRAIN)))

    def test_version_is_that_of_tributary(self):
        self.assertEqual(
            self.works("--version"),
            processes.run_ok("--version").replace("tributary ",
                                                  "tributary-train "))

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has CUDA")
    def test_pin_memory_without_cuda_is_a_warning(self):
        for changes in ({"mode": "collocated"},
                        {"mode": "mp", "worker_program": processes.TRIBUTARY}):
            with self.subTest(changes["mode"]):
                done = self.run_program(
                    [self.fill(w, "") for w in options(TRAIN, **changes)]
                    + ["--pin-memory"], self.folder, 30)
                stderr = done.stderr.decode()
                self.assertEqual(done.returncode, 0, stderr)
                self.assertIn("result", done.stdout.decode())
                self.assertEqual(stderr.count("pin_memory: "), 1, stderr)
                self.assertRegex(stderr, "pin_memory: .*; batches are received "
                                         "into plain memory\n")
        self.assertNotIn("pin_memory", self.run_program(
            [self.fill(w, "") for w in options(TRAIN)], self.folder,
            30).stderr.decode())

    def test_output_that_goes_nowhere(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [self.program, *(self.fill(w, "") for w in options(TRAIN))],
                stdout=full, stderr=subprocess.PIPE, timeout=30)
        self.assertEqual(done.returncode, 1)
        self.assertIn("stdout: No space left", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
