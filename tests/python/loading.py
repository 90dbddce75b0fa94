"""What tests of loaders share: what their batches are, and objects that stand in for
others' in arguments."""

from tests.oracle import digest


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
