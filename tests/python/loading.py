"""What tests of loaders share: what their batches are, and objects that stand in for
others' in arguments."""

import contextlib
import warnings

from tests.oracle import digest
from tributary_gnn import _arguments


@contextlib.contextmanager
def noted():
    """The texts of warnings, of a process that has not warned yet."""
    _arguments._warned.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts = []
        yield texts
    texts += [str(warning.message) for warning in caught]


def lines_of(loader, epoch=2):
    """The lines that `tributary sample` prints for the loader's batches in format numpy."""
    loader.set_epoch(epoch)
    return [digest.line(batch.epoch, batch.index, dict(batch)) for batch in loader]


class Enumerator:
    """Stands in for PyG's SubgraphType.induced."""
    value = "induced"


class Sampler:
    """Stands in for PyTorch's samplers."""

    def __init__(self, name, **members):
        self.__class__ = type(name, (), {})
        self.__dict__.update(members)


class Generator:
    """Stands in for a torch.Generator."""

    @staticmethod
    def initial_seed():
        return 11
