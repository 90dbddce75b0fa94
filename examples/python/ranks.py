"""What trainers do under torchrun; in one process, which they run in as well, nothing."""

import contextlib
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel


@contextlib.contextmanager
def process_group():
    """Joins torchrun's ranks for the time of the block."""
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    try:
        yield
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def is_first():
    """Whether this rank is the one that prints."""
    return not dist.is_initialized() or dist.get_rank() == 0


def parallel(model):
    """Returns the model with gradients that are averaged over the ranks."""
    return DistributedDataParallel(model) if dist.is_initialized() else model


@contextlib.contextmanager
def uneven_steps(model, optimizer):
    """Lets ranks that are done take part in the steps of those that have a batch more; then
    all have the model and the optimizer's state of rank 0, which has as many steps as any."""
    if not dist.is_initialized():
        yield
        return
    with Join([model]):
        yield
    states = [optimizer.state_dict()]
    dist.broadcast_object_list(states)
    optimizer.load_state_dict(states[0])
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)


def gathered(tensor):
    """Returns the rows of all ranks, [rows of all, ...], in the order of the ranks."""
    if not dist.is_initialized():
        return tensor
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, tensor)
    return torch.cat(parts)
