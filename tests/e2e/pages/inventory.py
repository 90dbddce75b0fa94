"""Every block of every page that is for a shell or for Python: the test that runs
it, or why none does. blocks_test.py compares this with the pages."""

# Reasons.
BAZEL = "Bazel and a checkout: these are the commands that run the tests"
FIGURES = "figures of machines and graphs that take minutes to hours"
TEMPLATE = "words in capitals or ... stand for the reader's own"
TEXT = "no commands: a layout, a formula, an output, a file or a message"
CPP = "C++: tests/docs compiles it"
TORCH = "PyTorch, DGL or GLT, which are no dependencies"

PAGES = "tests/e2e/pages/"
DATA, DGL = PAGES + "data_page_test.py", PAGES + "dgl_page_test.py"
GLT, OPERATIONS = PAGES + "glt_page_test.py", PAGES + "operations_page_test.py"
GRAPHS, TRAINS = PAGES + "graph_pages_test.py", PAGES + "train_pages_test.py"
PYTHON = "tests/python/page_test.py"

# By page, from top to bottom: how a block begins, and where it runs or why not.
BLOCKS = {
    "CONTRIBUTING.md": [
        ("./dev setup", BAZEL),
        ("./dev bazel test", BAZEL),
    ],
    "README.md": [
        ("import tributary_gnn", PYTHON),
        ("./dev demo", BAZEL),
        ("# Build the programs", "tests/e2e/readme_test.py"),
    ],
    "docs/c-library.md": [
        ("./dev bazel build", BAZEL),
        ("#include <stdio.h>", "tests/c_library/library_test.py"),
        ("gcc -std=c11", "tests/c_library/library_test.py"),
    ],
    "docs/checkpoints.md": [
        ("checkpoints/", TEXT),
        ("head -c", TRAINS),
        ("python3 -c 'from safetensors", "the package safetensors, which tests/peer has"),
        ("ASSIGN_OR_RETURN", CPP),
        ("python3 -m venv", "packages of PyPI; tests/peer is run by hand"),
    ],
    "docs/data.md": [
        ("mkdir social", DATA),
        ("printf '%s\\n' id,age", DATA),
        ("import os", DATA),
        ("tributary partition --format npy", DATA),
        ("tributary partition --format ogb --input dataset/ogbn_arxiv", DATA),
        ("tributary partition --format ogb --input dataset/fb15k-237", DATA),
        ("mkdir chunks", DATA),
        ("tributary partition --format dgl-chunked --input big", DATA),
        ("printf '%s\\n' '{\"name\": \"shop\"", DATA),
    ],
    "docs/distributed-data.md": [
        ("ASSIGN_OR_RETURN(auto workers", CPP),
        ("DistTensorOptions", CPP),
        ("ASSIGN_OR_RETURN(auto group", CPP),
        ("optimizer.zero_grad", CPP),
    ],
    "docs/extending.md": [
        ("./dev bazel test", BAZEL),
    ],
    "docs/graph-format.md": [
        ("graph.json", TEXT),
        ("a = np.load", GRAPHS),
        ("offsets, text", GRAPHS),
        ("hot/hot.json", TEXT),
        ("python ogb_splits.py", TORCH + "; tests/e2e/data/ogb_splits_test.py has a stand-in"),
        ("def ldg", GRAPHS),
    ],
    "docs/graph-in-object-storage.md": [
        ("# Where there is neither", "tests/fetch/page_test.py"),
    ],
    "docs/hot-cache.md": [
        ("tributary partition --input ogbn_products", GRAPHS),
        ("tributary partition --input ogbn_products", GRAPHS),
        ("$ tributary partition", GRAPHS),
    ],
    "docs/larger-than-memory.md": [
        ("tributary serve --graph G", TEMPLATE),
    ],
    "docs/link-prediction.md": [
        ("tributary-train --graph ddi", TRAINS),
        ("tributary-train --graph fb", TRAINS),
        ("zcat mails", TRAINS),
    ],
    "docs/migrating-from-dgl.md": [
        ("tributary dispatch", "rsync and ssh; tests/e2e/fleet/dispatch_test.py has a stand-in"),
        ("printf '%s\\n' 172.31.0.1", DGL),
        ("tributary partition --input ogbn_mag", DGL),
        ("part=0", DGL),
        ("rank=0", DGL),
        ("tributary partition --input mag_chunked", TORCH + "; data.md's block is run"),
        ("python tributary_export.py", TORCH + "; tests/exporters has stand-ins"),
        ("mpirun", GRAPHS),
        ("tributary-train --graph mag", DGL),
    ],
    "docs/migrating-from-glt.md": [
        ("tributary partition --input ogbn_products", GLT),
        ("python tributary_export.py", TORCH + "; tests/exporters has stand-ins"),
        ("# On machine 0", GLT),
        ("printf '%s\\n' 10.0.0.1", GLT),
        ("cat > train.json", GLT),
        ("tributary status", GLT),
        ("mkdir ogbn_products", GLT),
        ("tributary partition --input ogbn_mag", GLT),
        ("#include", GLT),
    ],
    "docs/modes.md": [
        ("auto workers", CPP),
        ("tributary bench gather", TEMPLATE),
        ('{"mode": "mp"', TEXT),
        ("tributary status --servers", TEMPLATE),
        ("tributary status: DEADLINE", TEXT),
        ("./dev certs", GRAPHS),
        ("scrape_configs", TEXT),
        ("curl", GRAPHS),
        ("tributary serve --graph cora4 ...", TEMPLATE),
        ('{"jobs"', TEXT),
        ("tributary serve --graph monday.graph", GRAPHS),
        ("tributary serve --graph file:graphs.txt", TEMPLATE),
    ],
    "docs/operations.md": [
        ("# The programs", OPERATIONS),
        ("./dev images", OPERATIONS),
        ("kubectl apply -k k8s/base/namespace", OPERATIONS),
        ("kubectl apply -k k8s/overlays/graph-from-volume", OPERATIONS),
        ("kubectl -n tributary delete job/tributary-partition", OPERATIONS),
        ("kubectl -n tributary create secret", OPERATIONS),
        ("kubectl apply -k k8s/overlays/whole", OPERATIONS),
        ("tributary k8s render", OPERATIONS),
        ("kubectl -n tributary get pods", OPERATIONS),
        ("kubectl apply -k k8s/overlays/trainers-gpu", OPERATIONS),
        ("kubectl apply -k k8s/base/issuer", OPERATIONS),
        ("kubectl -n tributary delete job/tributary-trainer", OPERATIONS),
        ("sed 's/^tls", OPERATIONS),
        ("mkdir -p mine/fixed-tls", OPERATIONS),
        ("kubectl -n tributary delete job/tributary-trainer", OPERATIONS),
        ("tributary bench stream", TEMPLATE),
        ("samplers = ranks", TEXT),
        ("sum(rate(", TEXT),
        ("kubectl -n tributary get scaledobject", OPERATIONS),
        ("kubectl -n tributary scale", OPERATIONS),
        ("kubectl apply -k k8s/base/alerts", OPERATIONS),
        ("kubectl apply -k k8s/overlays/whole", OPERATIONS),
        ("kubectl drain NODE", OPERATIONS),
        ("kubectl apply -k k8s/overlays/whole-daily", OPERATIONS),
    ],
    "docs/partitioning.md": [
        ("tributary partition --input tests/data/cora --out cora4", GRAPHS),
        ("nodes x", TEXT),
        ("import numpy", GRAPHS),
        ("tributary partition --input tests/data/cora --out cora3", GRAPHS),
        ("mpirun", GRAPHS),
        ("wrote products.npy", TEXT),
        ("usual:", TEXT),
        ("tributary dispatch", "rsync and ssh; tests/e2e/fleet/dispatch_test.py has a stand-in"),
        ("--copy-command", TEXT),
    ],
    "docs/performance.md": [
        ("./dev bench", BAZEL),
        ("tributary bench gather", TEMPLATE),
        ("tributary generate rmat --scale 17", FIGURES),
        ("./dev certs", TEMPLATE),
        ("tributary generate rmat --scale 21", FIGURES),
        ("tributary generate rmat --scale 24", FIGURES),
        ("tributary generate rmat --scale 27", FIGURES),
        ("tributary generate rmat --scale 21", FIGURES),
        ("tributary serve --graph g", TEMPLATE),
    ],
    "docs/protocol.md": [
        ("54 52 49 42", TEXT),
        ("trainer  ", TEXT),
        ("caller  ", TEXT),
        ("client  ", TEXT),
    ],
    "docs/python.md": [
        ("import tributary_gnn", PYTHON),
        ("./dev wheel", BAZEL + "; tests/wheel/root_test.py installs it"),
        ("./dev bazel build", BAZEL),
        ("tributary partition --input tests/data/cora", PYTHON),
        ("import tributary_gnn", PYTHON),
        ("with tg.serve", PYTHON),
        ("import torch", "tests/python/pyg/page_test.py"),
        ("python3 examples", "tests/python/pyg/page_test.py"),
        ("batch = next", PYTHON),
        ("tributary partition --input tests/data/aifb", PYTHON),
        ("typed = ", PYTHON),
        ("import json", PYTHON),
        ("shares = ", PYTHON),
        ("loader = ", PYTHON),
        ("import numpy", PYTHON),
    ],
    "docs/recipes.md": [
        ("tributary partition --input ogbn_products", "tests/e2e/train/recipes_train_test.py"),
        ("tributary serve", TEMPLATE),
        ("tributary-train", "tests/e2e/train/recipes_train_test.py"),
        ("tributary partition --input ogbn_mag", "tests/e2e/train/recipes_train_test.py"),
        ("tributary-train", "tests/e2e/train/recipes_train_test.py"),
    ],
    "docs/results.md": [
        ('eval "$(./dev path)"', FIGURES + "; tests/e2e/train/examples_train_test.py has the short ones"),
    ],
    "docs/sampling/sessions.md": [
        ("printf '%s\\n' '{\"num_neighbors\"", TRAINS),
    ],
    "docs/scaling.md": [
        ("wanted =", TEXT),
        ("tributary serve", GRAPHS),
    ],
    "docs/security.md": [
        ('{"jobs"', TEXT),
    ],
    "docs/testing.md": [
        ("./dev test --deep=", BAZEL),
        ("T=//tests/sim", BAZEL),
        ("./dev fuzz", BAZEL),
        ("./dev bazel test", BAZEL),
        ("./dev bazel test", BAZEL),
    ],
    "docs/training.md": [
        ("tributary-train --graph cora2", TRAINS),
        ("tributary-train --servers dns", "four machines; glt_page_test.py has two"),
        ("torchrun", TORCH),
        ("tributary-train ...", TEMPLATE),
        ("tributary-train --graph ddi", TRAINS),
        ("tributary-train ...", TEMPLATE),
        ("import json, safetensors", "PyG, which is no dependency; "
                                     "tests/peer:saved_model_test is run by hand"),
        ("tributary-train --graph cora2", TRAINS),
        ("import numpy", TRAINS),
        ("epoch 3/40", TEXT),
        ("tributary-train ...", TEMPLATE),
        ("tributary-train: rank 1", TEXT),
        ("tributary-train ...", TEMPLATE),
        ("./dev bazel build --config=cuda", BAZEL),
        ("ASSIGN_OR_RETURN", CPP),
    ],
    "examples/README.md": [
        ("TRIBUTARY=", TEMPLATE + "; tests/images runs the script"),
    ],
    "examples/baselines/README.md": [
        ("./dev bazel build", BAZEL),
    ],
    "examples/own_model/README.md": [
        ("./dev bazel build", TRAINS),
    ],
    "k8s/README.md": [
        ("./dev images", BAZEL),
        ("for image in", "skopeo and a registry; operations.md's block is run with a stand-in"),
        ("mkdir -p mine/whole", OPERATIONS),
        ("kubectl apply -k k8s/base/namespace", OPERATIONS),
        ("kubectl -n tributary create secret", OPERATIONS),
        ("kubectl apply -k k8s/overlays/whole", OPERATIONS),
        ("tributary k8s render", OPERATIONS),
        ("kubectl apply -k k8s/base/checkpoints", OPERATIONS),
        ("kubectl apply -k k8s/base/issuer", OPERATIONS),
        ("mkdir -p mine/gnn", OPERATIONS),
        ("kubectl -n tributary delete job tributary-trainer", OPERATIONS),
        ("kubectl apply -k rendered", OPERATIONS),
        ("kubectl -n tributary exec", TEMPLATE),
        ("graphs:", TEXT),
        ("kubectl -n tributary delete deployment,scaledobject,pdb",
         "a fleet of six partitions; tests/k8s/manifests/renumber_test.py has one of three"),
    ],
}
