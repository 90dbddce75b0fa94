"""Runs the example and writes what its rank has seen and has at the end.

    torch.distributed.run --nproc-per-node 2 -m tests.python.pyg.two_ranks FOLDER WORD...

FOLDER/RANK.json has the inputs of each epoch's batches, and digests of the model and of the
optimizer's state; WORDs are the example's command line.
"""

import hashlib
import json
import os
import pathlib
import sys

from examples.python import node_classification


def digest(tensors):
    made = hashlib.sha256()
    for tensor in tensors:
        made.update(tensor.detach().numpy().tobytes())
    return made.hexdigest()


class Recorder:
    """Stands for the example's train_epoch, and keeps what it is given."""

    def __init__(self):
        self.train_epoch = node_classification.train_epoch
        self.epochs = []
        self.optimizer = None

    def __call__(self, model, loader, optimizer):
        inputs = []

        def recorded():
            for batch in loader:
                inputs.append(batch.input_id.tolist())
                yield batch

        self.train_epoch(model, recorded(), optimizer)
        self.epochs.append(inputs)
        self.optimizer = optimizer

    def state(self):
        """The optimizer's tensors, parameter by parameter."""
        [group] = self.optimizer.param_groups
        return [value for parameter in group["params"]
                for value in self.optimizer.state[parameter].values()]


def main():
    recorder = node_classification.train_epoch = Recorder()
    model = node_classification.main(sys.argv[2:])
    result = {"epochs": recorder.epochs, "model": digest(model.parameters()),
              "optimizer": digest(recorder.state())}
    path = pathlib.Path(sys.argv[1], os.environ["RANK"] + ".json")
    path.write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
