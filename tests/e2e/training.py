"""Runs `tributary-train` to its end and reads what it has written."""

import json
import os
import subprocess

import numpy as np

from tests.e2e import processes

TRAINER = "trainer_client/torch/tributary-train"
LINK_BASELINE = "examples/baselines/link_baseline"
OWN_MODEL = "examples/own_model/own_model"


def run(*flags, program=TRAINER):
    """The finished process, whatever became of it."""
    return subprocess.run(
        [program, *map(str, flags), "--device", "cpu", "--no-progress"],
        text=True, capture_output=True, timeout=200, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})


def output(*flags, program=TRAINER, code=0):
    """The standard output; of a run that must fail with `code`, its errors."""
    done = run(*flags, program=program)
    if done.returncode != code:
        raise AssertionError(f"{done.returncode}: {done.stderr}")
    return done.stdout if code == 0 else done.stderr


def events(path, event=None):
    """The objects of a log, of one kind or of all."""
    with open(path, encoding="ascii") as file:
        lines = [json.loads(line) for line in file]
    return [line for line in lines if event in (None, line["event"])]


def links(graph, *flags, code=0, program=TRAINER):
    """The objects of the log of a run on links, or the text of a refusal."""
    with processes.temporary_folder() as folder:
        log = os.path.join(folder, "log")
        text = output("--graph", graph, "--task", "link", "--log", log, *flags,
                      program=program, code=code)
        return events(log) if code == 0 else text


def _header(data):
    """The header of a safetensors file, and where its tensors begin."""
    begin = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:begin]), begin


def metadata(path):
    """What a saved model says of itself."""
    with open(path, "rb") as file:
        return _header(file.read())[0]["__metadata__"]


def parameters(path):
    """The tensors of a saved model by name, float32."""
    with open(path, "rb") as file:
        data = file.read()
    header, start = _header(data)
    del header["__metadata__"]
    tensors = {}
    for name, entry in header.items():
        begin, end = (start + at for at in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], np.float32).reshape(entry["shape"]).copy()
    return tensors
