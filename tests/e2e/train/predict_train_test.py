"""`tributary-train --predict`: layer-wise predictions are those of dense algebra
over the whole graph, for each model, and do not depend on ranks, servers or
interruptions."""

import json
import os
import random
import re
import shutil
import subprocess
import unittest

import numpy as np

from tests.e2e import folders, processes, training
from tests.oracle import graph as graphs

train = training.output
FILES = ("ids.npy", "predictions.npy", "embeddings.npy")


def result_of(folder):
    return tuple(np.load(os.path.join(folder, name)) for name in FILES)


def bytes_of(folder):
    contents = []
    for name in FILES:
        with open(os.path.join(folder, name), "rb") as file:
            contents.append(file.read())
    return contents


def doubles_of(path):
    """The tensors of a saved model by name, in float64."""
    return {name: values.astype(np.float64)
            for name, values in training.parameters(path).items()}


class Dense:
    """The models as algebra with a dense matrix [destinations, sources] for
    each relation, in float64."""

    def __init__(self, graph, parameters):
        self.p = parameters
        self.types = sorted(graph.node_types)
        self.count = {t: graph.node_types[t].count for t in self.types}
        self.x = {t: None if graph.node_types[t].x is None else
                  np.asarray(graph.node_types[t].x, np.float64).reshape(
                      self.count[t], -1) for t in self.types}
        self.typed = graph.hetero
        self.adjacency = {}
        for (src, rel, dst), edges in sorted(graph.edge_types.items()):
            a = np.zeros((self.count[dst], self.count[src]))
            for u, v, _ in edges.edges:
                a[v, u] += 1
            self.adjacency[(src, rel, dst)] = a

    def layer(self, number, relation):
        prefix = f"convs.{number}."
        return prefix + "__".join(relation) + "." if self.typed else prefix

    @staticmethod
    def mean(a):
        return a / np.maximum(a.sum(1, keepdims=True), 1)

    def sage(self, prefix, a, src, dst):
        return (self.mean(a) @ src @ self.p[prefix + "lin_l.weight"].T
                + self.p[prefix + "lin_l.bias"]
                + dst @ self.p[prefix + "lin_r.weight"].T)

    def gcn(self, prefix, a, src, dst):
        if self.typed:
            scale = np.sqrt(np.outer(a.sum(1), a.sum(0)))
            rows = (a / np.where(a == 0, 1, scale)) @ src
        else:
            degree = a.sum(1) + 1
            scale = 1 / np.sqrt(degree)
            rows = ((a + np.eye(len(a))) * scale[:, None] * scale) @ src
        return rows @ self.p[prefix + "lin.weight"].T + self.p[prefix + "bias"]

    def gat(self, prefix, a, src, dst):
        names = ("lin_src", "lin_dst") if self.typed else ("lin", "lin")
        att_src, att_dst = (self.p[prefix + n][0] for n in
                            ("att_src", "att_dst"))
        heads, out = att_src.shape
        h_src, h_dst = (rows @ self.p[f"{prefix}{name}.weight"].T
                        for rows, name in zip((src, dst), names))
        if not self.typed:
            a = a + np.eye(len(a))
        made = []
        for k in range(heads):
            part = slice(k * out, k * out + out)
            e = ((h_dst[:, part] @ att_dst[k])[:, None]
                 + (h_src[:, part] @ att_src[k])[None, :])
            e = np.exp(np.where(e > 0, e, 0.2 * e)) * a
            total = e.sum(1, keepdims=True)
            made.append((e / np.where(total == 0, 1, total)) @ h_src[:, part])
        bias = self.p[prefix + "bias"]
        if len(bias) == out and heads > 1:
            return np.mean(made, 0) + bias
        return np.concatenate(made, 1) + bias

    def rgcn_layer(self, number, rows):
        p = {n: self.p.get(f"convs.{number}.{n}")
             for n in ("weight", "comp", "root", "bias")}
        weights = p["weight"] if p["comp"] is None else np.einsum(
            "rb,bio->rio", p["comp"], p["weight"])
        out = {t: rows[t] @ p["root"] + p["bias"] for t in self.types}
        for weight, ((src, _, dst), a) in zip(
                weights, sorted(self.adjacency.items())):
            out[dst] = out[dst] + self.mean(a) @ rows[src] @ weight
        return out

    def hetero_layer(self, model, number, rows):
        out = {}
        for relation, a in self.adjacency.items():
            src, _, dst = relation
            if src not in rows or dst not in rows:
                continue
            made = getattr(self, model)(self.layer(number, relation), a,
                                        rows[src], rows[dst])
            out[dst] = out[dst] + made if dst in out else made
        return out

    def input_rows(self):
        rows = {}
        for t in self.types:
            if self.x[t] is None:
                rows[t] = self.p[f"embedding.{t}.weight"]
            else:
                rows[t] = self.x[t]
            if f"input.{t}.weight" in self.p:
                rows[t] = (rows[t] @ self.p[f"input.{t}.weight"].T
                           + self.p[f"input.{t}.bias"])
        return rows

    def activate(self, number, rows):
        if f"norms.{number}.weight" in self.p:
            middle = rows - rows.mean(1, keepdims=True)
            rows = (middle / np.sqrt((middle ** 2).mean(1, keepdims=True)
                                     + 1e-5)
                    * self.p[f"norms.{number}.weight"]
                    + self.p[f"norms.{number}.bias"])
        return np.maximum(rows, 0)

    def run(self, model, layers):
        """The rows that the last layer reads, and those that it computes."""
        rows = self.input_rows()
        for number in range(layers):
            if number > 0:
                rows = {t: self.activate(number - 1, r)
                        for t, r in rows.items()}
            read = rows
            rows = (self.rgcn_layer(number, rows) if model == "rgcn"
                    else self.hetero_layer(model, number, rows))
        return read, rows


class PredictTrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(7)
        n = 130
        y = [[v % 3] for v in range(n)]
        x = [[round(rng.gauss(c == y[v][0], 0.7), 4) for c in range(5)]
             for v in range(n)]
        rows = []  # no self loops; parallel edges, a hub, isolated nodes
        for _ in range(420):
            u = rng.randrange(n - 10)
            v = 0 if rng.random() < 0.1 else rng.randrange(n - 10)
            if u != v:
                rows.append((u, v))
        rows += rows[:3]
        nodes = list(range(n))
        rng.shuffle(nodes)
        cls.splits = {"train": nodes[:60], "valid": nodes[60:80],
                      "test": nodes[80:]}
        source = folders.write_ogb(os.path.join(cls.folder, "plain"), n, rows,
                                   x, y, cls.splits)
        cls.labels = np.array(y)[:, 0]
        cls.plain = folders.partition(
            source, os.path.join(cls.folder, "plain2"), 2, "random",
            "--degrees")
        cls.plain_oracle = graphs.read_ogb(source)
        typed = folders.random_hetero(os.path.join(cls.folder, "typed"),
                                      random.Random(3))
        cls.typed = folders.partition(
            typed, os.path.join(cls.folder, "typed2"), 2, "random",
            "--add-reverse", "--degrees")
        cls.typed_oracle = graphs.read_ogb(typed, True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def plain_flags(self, model, *flags, fanouts="4,4"):
        return ("--model", model, "--num-neighbors", fanouts, "--batch-size",
                16, "--hidden", 8, "--random-seed", 3, *flags)

    def typed_flags(self, model, *flags):
        return ("--model", model, "--input", "user:train", "--num-neighbors",
                "4,4,4", "--batch-size", 16, "--hidden", 8, "--random-seed", 3,
                *flags)

    def check_dense(self, oracle, model, parameters, folder, node_type, ids,
                    layers):
        read, out = Dense(oracle, doubles_of(parameters)).run(
            model, layers)
        found, predictions, embeddings = result_of(folder)
        np.testing.assert_array_equal(found, ids)
        self.assertEqual(predictions.dtype, np.float32)
        for made, expected in ((predictions, out), (embeddings, read)):
            np.testing.assert_allclose(made, expected[node_type][ids],
                                       rtol=2e-4, atol=2e-4)
        # The comparison could fail: rows differ from each other.
        self.assertGreater(predictions.std(0).max(), 1e-3)

    def test_layers_are_dense_algebra_on_one_type(self):
        for model, flags in (("sage", ()), ("gcn", ()),
                             ("gat", ("--heads", 2, "--layer-norm"))):
            with self.subTest(model):
                saved, out = self.path(model + ".st"), self.path(model)
                train("--graph", self.plain, *self.plain_flags(model, *flags),
                      "--epochs", 3, "--save-model", saved, "--predict", "*",
                      "--out", out)
                self.check_dense(self.plain_oracle, model, saved, out, "node",
                                 np.arange(130), 2)

    def test_layers_are_dense_algebra_on_typed_graphs(self):
        users = np.arange(60)
        split = np.array(self.typed_oracle.split("user", "train"))
        for model, flags in (("sage", ()), ("gcn", ()),
                             ("gat", ("--heads", 2)),
                             ("rgcn", ("--num-bases", 3, "--layer-norm"))):
            with self.subTest(model):
                saved = self.path(model + "_typed.st")
                flags = self.typed_flags(model, *flags)
                out = self.path(model + "_typed")
                train("--graph", self.typed, *flags, "--epochs", 2,
                      "--save-model", saved, "--predict", "user:*", "--out",
                      out)
                self.check_dense(self.typed_oracle, model, saved, out, "user",
                                 users, 3)
                out = self.path(model + "_split")
                train("--graph", self.typed, *flags, "--load-model", saved,
                      "--predict", "train", "--inference", "layerwise",
                      "--out", out)
                self.check_dense(self.typed_oracle, model, saved, out, "user",
                                 split, 3)

    def test_ranks_servers_and_ways_agree(self):
        saved = self.path("agree.st")
        flags = self.plain_flags("sage")
        where = ("--graph", self.plain)
        printed = train(*where, *flags, "--epochs", 6, "--save-model", saved,
                        "--predict", "test", "--out", self.path("trained"))
        self.assertRegex(printed, r"predicted 50 rows in \S+ s: ")
        accuracy = float(re.search(r"test_accuracy=(\S+)", printed)[1])
        ids, predictions, _ = result_of(self.path("trained"))
        np.testing.assert_array_equal(ids, self.splits["test"])
        right = (predictions.argmax(1) == self.labels[ids]).mean()
        self.assertAlmostEqual(right, accuracy, delta=1e-4)

        load = (*flags, "--load-model", saved)
        with processes.Fleet(self.plain, ["0", "1"]) as fleet:
            fleet.doctor()
            remote = ("--servers", fleet.addresses())
            printed = train(*remote, *load, "--nproc", 2, "--predict", "test",
                            "--out", self.path("remote"))
            self.assertNotIn("epoch ", printed)
            self.assertIn(f"test_accuracy={accuracy:.4f} seconds=", printed)
            self.assertEqual(bytes_of(self.path("remote")),
                             bytes_of(self.path("trained")))
            train(*remote, *load, "--nproc", 2, "--predict", "*", "--out",
                  self.path("all2"))
        train(*where, *load, "--predict", "*", "--out", self.path("all1"))
        self.assertEqual(bytes_of(self.path("all2")),
                         bytes_of(self.path("all1")))
        # The same as batches that have all neighbours.
        train(*where, *load, "--predict", "*", "--inference", "sampled",
              "--eval-num-neighbors=-1,-1", "--out", self.path("whole"))
        for layerwise, batches in zip(result_of(self.path("all1")),
                                      result_of(self.path("whole"))):
            np.testing.assert_allclose(batches, layerwise, rtol=1e-4,
                                       atol=1e-5)

    def test_a_model_that_is_loaded_is_trained_further(self):
        saved, further = self.path("start.st"), self.path("further.st")
        flags = self.plain_flags("sage", "--dropout", 0)
        lines = train("--graph", self.plain, *flags, "--epochs", 12,
                      "--save-model", saved).splitlines()
        losses = [float(re.search(r"loss (\S+)", line)[1]) for line in lines
                  if line.startswith("epoch ")]
        lines = train("--graph", self.plain, *flags, "--epochs", 1, "--nproc",
                      2, "--load-model", saved, "--save-model",
                      further).splitlines()
        self.assertLess(float(re.search(r"loss (\S+)", lines[0])[1]),
                        0.8 * losses[0])
        printed = train("--graph", self.plain, *flags, "--epochs", 0,
                        "--load-model", saved)
        self.assertRegex(printed, r"^result test_accuracy=\S+ seconds=")

    def test_a_killed_prediction_goes_on_at_its_layer(self):
        saved = self.path("killed.st")
        flags = self.plain_flags("gat", fanouts="3,3,3")
        where = ("--graph", self.plain)
        train(*where, *flags, "--epochs", 1, "--save-model", saved)
        command = (*where, *flags, "--load-model", saved, "--predict", "*",
                   "--eval-batch-size", 1, "--input", "train")
        train(*command, "--out", self.path("undisturbed"))
        out = self.path("disturbed")
        progress = os.path.join(out, "predict.json")

        def layers_done():
            try:
                with open(progress, encoding="utf-8") as file:
                    return json.load(file)["layers_done"]
            except FileNotFoundError:
                return -1

        run = subprocess.Popen(
            [training.TRAINER, *map(str, command), "--out", out, "--device", "cpu"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"})
        try:
            while layers_done() < 1:
                self.assertIsNone(run.poll())
        finally:
            run.kill()
            run.wait()
        done = layers_done()
        self.assertIn(done, (1, 2))
        for name in FILES:
            self.assertFalse(os.path.exists(os.path.join(out, name)))
        # Another model, and rows that prove that they are read, not made again.
        other = train(*where, *flags, "--predict", "*", "--epochs", 0, "--out",
                      out, code=78)
        self.assertIn("unfinished predictions of another model", other)
        # Other edges, too.
        other = train(*command, "--edge-predicate", "self_loop == 0", "--out",
                      out, code=78)
        self.assertIn("unfinished predictions", other)
        changed = self.path("changed")
        shutil.copytree(out, changed)
        rows = os.path.join(changed, "layers", f"{done}.node.npy")
        np.save(rows, np.zeros_like(np.load(rows)))
        for folder in (out, changed):
            train(*command, "--out", folder)
        self.assertEqual(bytes_of(out), bytes_of(self.path("undisturbed")))
        self.assertNotEqual(bytes_of(changed), bytes_of(out))
        self.assertFalse(os.path.exists(os.path.join(out, "layers")))
        again = train(*command, "--out", out, code=78)
        self.assertIn("holds complete predictions", again)

    def test_links(self):
        rng = random.Random(5)
        links = [(u, v) for u, v in ((rng.randrange(40), rng.randrange(40))
                                     for _ in range(160)) if u != v]
        source = folders.write_ogb(
            self.path("links"), 40, links, None, None,
            {"train": links[:90], "test": links[90:110]})
        graph = folders.partition(source, self.path("links2"), 2, "random",
                                  "--add-reverse")
        saved = self.path("links.st")
        flags = ("--graph", graph, "--task", "link", "--input",
                 "train,,test", "--hidden", 8, "--num-neighbors", "4,4",
                 "--batch-size", 16)
        train(*flags, "--epochs", 2, "--save-model", saved)
        load = (*flags, "--load-model", saved)
        train(*load, "--predict", "*", "--out", self.path("nodes"))
        ids = np.load(os.path.join(self.path("nodes"), "ids.npy"))
        rows = np.load(os.path.join(self.path("nodes"), "embeddings.npy"))
        np.testing.assert_array_equal(ids, np.arange(40))
        _, out = Dense(graphs.read_ogb(source, True),
                       doubles_of(saved)).run("sage", 2)
        np.testing.assert_allclose(rows, out["node"], rtol=2e-4, atol=2e-4)
        for ranks in (1, 2):
            out = self.path(f"scores{ranks}")
            train(*load, "--predict", "test", "--inference", "layerwise",
                  "--nproc", ranks, "--out", out)
            ends, scores, embeddings = result_of(out)
            np.testing.assert_array_equal(ends, links[90:110])
            np.testing.assert_allclose(embeddings, rows[ends], rtol=1e-5)
            np.testing.assert_allclose(
                scores, (rows[ends[:, 0]] * rows[ends[:, 1]]).sum(1),
                rtol=1e-4, atol=1e-5)
        self.assertEqual(bytes_of(self.path("scores1")),
                         bytes_of(self.path("scores2")))
        train(*load, "--predict", "test", "--exclude", "none",
              "--eval-num-neighbors=-1,-1", "--out", self.path("batches"))
        for made, expected in zip(result_of(self.path("batches")),
                                  result_of(self.path("scores1"))):
            np.testing.assert_allclose(made, expected, rtol=1e-4, atol=1e-5)

    def test_a_decoder_is_not_trained_while_it_predicts(self):
        """Its dropout is off, though nothing was evaluated before."""
        rng = random.Random(6)
        links = [(v, (v + 1 + rng.randrange(39)) % 40) for v in range(40)
                 for _ in range(3)]
        source = folders.write_ogb(
            self.path("decoded"), 40, links, None, None,
            {"train": links[:90], "test": links[90:]})
        graph = folders.partition(source, self.path("decoded1"))
        saved, out = self.path("decoded.st"), self.path("decoded.out")
        flags = ("--graph", graph, "--task", "link", "--input", "train",
                 "--hidden", 8, "--num-neighbors", "4", "--decoder", "mlp",
                 "--dropout", 0.5)
        train(*flags, "--epochs", 1, "--save-model", saved)
        train(*flags, "--load-model", saved, "--predict", "test",
              "--inference", "layerwise", "--out", out)
        ends, scores, rows = result_of(out)
        np.testing.assert_array_equal(ends, links[90:])
        p = {name.removeprefix("decoder.lins."): value for name, value in
             doubles_of(saved).items() if name.startswith("decoder.")}
        hidden = np.maximum(
            (rows[:, 0] * rows[:, 1]) @ p["0.weight"].T + p["0.bias"], 0)
        np.testing.assert_allclose(
            scores, (hidden @ p["1.weight"].T + p["1.bias"])[:, 0],
            rtol=1e-4, atol=1e-5)

    def test_a_file_says_what_its_tensors_do_not(self):
        for model, flags, expected in (
                ("sage", ("--layer-norm", "--aggr", "max", "--row-normalize"), {
                    "norm": "layer_norm", "norm_kwargs": '{"mode": "node"}',
                    "aggr": "max", "row_normalize": "true"}),
                ("sage", (), {"aggr": "mean"}),
                ("gcn", ("--norm", "right"), {"gcn_norm": "right"}),
                ("gat", ("--heads", 2), {})):
            with self.subTest(model + " ".join(map(str, flags))):
                saved = self.path("described.st")
                train("--graph", self.plain, *self.plain_flags(model, *flags),
                      "--epochs", 1, "--save-model", saved)
                self.assertEqual(training.metadata(saved), {
                    "format": "pt", "model": model, **expected})

    def test_f1_is_that_of_the_predictions(self):
        out, saved = self.path("f1"), self.path("f1.st")
        flags = ("--graph", self.plain, *self.plain_flags("sage"),
                 "--eval-batch-size", 64, "--metric", "f1-macro")
        text = train(*flags, "--epochs", 3, "--save-model", saved, "--predict",
                     "test", "--out", out)
        ids, predictions, _ = result_of(out)
        labels, classes = self.labels[ids], predictions.argmax(1)
        scores = []
        for c in set(labels) | set(classes):
            both = ((labels == c) & (classes == c)).sum()
            scores.append(2 * both / ((labels == c).sum()
                                      + (classes == c).sum()))
        found = re.search(r"^result test_f1-macro=(\S+) valid_f1-macro=", text,
                          re.M)
        self.assertIsNotNone(found, text)
        self.assertAlmostEqual(float(found.group(1)), np.mean(scores), 4)
        # The split is one batch, so the second rank has none.
        of_two = train(*flags, "--load-model", saved, "--predict", "test",
                       "--nproc", 2, "--out", self.path("f1.ranks"))
        self.assertIn(f"test_f1-macro={found.group(1)} ", of_two)

    def test_a_users_own_model_is_sampled(self):
        flags = ("--graph", self.plain, "--num-neighbors", "4,4", "--epochs",
                 1, "--predict", "*")
        refused = train(*flags, "--out", self.path("own"), code=78,
                        program=training.OWN_MODEL)
        self.assertIn("--inference sampled", refused)
        self.assertFalse(os.path.exists(self.path("own")))
        train(*flags, "--inference", "sampled", "--out", self.path("own"),
              program=training.OWN_MODEL)
        self.assertEqual(sorted(os.listdir(self.path("own"))),
                         ["ids.npy", "predict.json", "predictions.npy"])

    def test_a_batch_that_does_not_fit_names_the_batch_size(self):
        rng = random.Random(1)
        n = 400
        rows = [(u, v) for v in range(n) for u in rng.sample(range(n), 100)]
        source = folders.write_ogb(
            self.path("wide"), n, rows, [[1.5] * 40] * n, [[1]] * n,
            {"train": [0, 1]})
        graph = folders.partition(source, self.path("wide1"))
        why = train("--graph", graph, "--input", "train", "--num-neighbors",
                    "1", "--num-classes", 2, "--batch-size", 400,
                    "--buffer-size", "128KB", "--epochs", 0, "--predict", "*",
                    "--out", self.path("wide.out"), code=78)
        self.assertIn("--eval-batch-size", why)


if __name__ == "__main__":
    unittest.main()
