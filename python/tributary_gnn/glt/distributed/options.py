"""Where the batches of a loader are made: GLT's options of sampling workers."""

from __future__ import annotations

from typing import Any, Sequence

from ... import _arguments
from .context import DistContext, servers
from .dataset import DistDataset

_MOST_CONCURRENT = 32
_MOST_PREFETCHED = 1024
_NO_PORT = "workers meet nowhere: each has a socket to the process that has started it"
_FOUND = "loaders find the servers by init_client()"
_GATHERED = "features are gathered where batches are made, by the owners of their rows"


def _note(name: str, value: Any, silent: Any, why: str) -> None:
    """Says once that an option has no effect, unless its value says nothing."""
    if value != silent:
        _arguments.warn_once(f"glt.{name}", f"{name}={value!r} has no effect: {why}")


def _note_devices(devices: Any, num_workers: int) -> None:
    """Worker devices are a device, or one for each worker."""
    listed = list(devices) if isinstance(devices, (list, tuple)) else [devices]
    if isinstance(devices, (list, tuple)) and len(listed) != num_workers:
        raise ValueError(f"worker_devices has {len(listed)} devices and num_workers is "
                         f"{num_workers}; allowed: one device for each worker, or one for all")
    others = [device for device in listed if device is not None and str(device) != "cpu"]
    if others:
        _arguments.warn_once("glt.worker_devices", f"worker_devices={devices!r} has no effect: "
                             "batches are sampled by CPUs")


class _WorkerOptions:
    """What the options of all modes have."""

    def __init__(self, num_workers: int, worker_devices: Any, worker_concurrency: int,
                 master_addr: str | None, master_port: int | str | None, why: str,
                 num_rpc_threads: int | None, rpc_timeout: float, use_all2all: bool):
        self.num_workers = num_workers
        self.worker_devices = worker_devices
        self.worker_concurrency = min(max(worker_concurrency, 1), _MOST_CONCURRENT)
        self.master_addr = master_addr
        self.master_port = master_port
        self.num_rpc_threads = num_rpc_threads
        self.rpc_timeout = rpc_timeout
        self.use_all2all = use_all2all
        _note_devices(worker_devices, num_workers)
        if (master_addr, master_port) != (None, None):
            _arguments.warn_once(f"glt.{type(self).__name__}.master_addr", (
                f"master_addr and master_port of {type(self).__name__} have no effect: {why}"))
        _note("use_all2all", use_all2all, False, _GATHERED)

    def source_options(self, data: Any, context: DistContext | None) -> dict[str, Any]:
        """Returns the options of `tributary_gnn.Source` (docs/modes.md).

        Raises:
          ValueError: the graph, or the group of this process, is missing.
        """
        raise NotImplementedError

    def _of_loader(self, **others: Any) -> dict[str, Any]:
        """Returns the options that are given, with those of all modes."""
        options = {"num_rpc_threads": self.num_rpc_threads, "rpc_timeout": self.rpc_timeout,
                   **others}
        return {name: value for name, value in options.items() if value is not None}

    def _folder(self, data: Any) -> str:
        folder = data.graph_dir if isinstance(data, DistDataset) else data
        if not isinstance(folder, str):
            what = "not loaded" if isinstance(data, DistDataset) else repr(data)
            raise ValueError(f"data is {what}; allowed with {type(self).__name__}: a DistDataset "
                             "after load(FOLDER, ...), or the folder of a partitioned graph")
        return folder


class CollocatedDistSamplingWorkerOptions(_WorkerOptions):
    """Threads of this process make the batches.

    Args:
      master_addr, master_port: no effect, as no port is opened.
      num_rpc_threads: threads of the loader; None: 2.
      rpc_timeout: seconds within which a batch must be there.
      use_all2all: no effect.
    """

    def __init__(self, master_addr: str | None = None, master_port: int | str | None = None,
                 num_rpc_threads: int | None = None, rpc_timeout: float = 180,
                 use_all2all: bool = False):
        super().__init__(1, None, 1, master_addr, master_port, _NO_PORT, num_rpc_threads,
                         rpc_timeout, use_all2all)

    def source_options(self, data: Any, context: DistContext | None) -> dict[str, Any]:
        """See _WorkerOptions."""
        return self._of_loader(mode="collocated", graph=self._folder(data))


class MpDistSamplingWorkerOptions(_WorkerOptions):
    """Processes that this one starts make the batches.

    Args:
      num_workers: their number.
      worker_devices: a device, or one for each worker; other than "cpu" has no effect.
      worker_concurrency: batches that each makes at the same time, 1 to 32; others are
        raised or lowered to these, as in GLT.
      master_addr, master_port: no effect, as no port is opened.
      num_rpc_threads: threads of the loader; None: 2.
      rpc_timeout: seconds within which a batch must be there.
      channel_size: bytes of the shared memory that batches come in, as a number or "1GB";
        None: 64 MB for each worker.
      pin_memory: page-lock that memory for the GPU. On a machine without one the library
        warns, and uses it as it is.
      use_all2all: no effect.
    """

    def __init__(self, num_workers: int = 1, worker_devices: Any = None,
                 worker_concurrency: int = 4, master_addr: str | None = None,
                 master_port: int | str | None = None, num_rpc_threads: int | None = None,
                 rpc_timeout: float = 180, channel_size: int | str | None = None,
                 pin_memory: bool = False, use_all2all: bool = False):
        super().__init__(num_workers, worker_devices, worker_concurrency, master_addr,
                         master_port, _NO_PORT, num_rpc_threads, rpc_timeout, use_all2all)
        self.channel_size = channel_size
        self.pin_memory = pin_memory

    def source_options(self, data: Any, context: DistContext | None) -> dict[str, Any]:
        """See _WorkerOptions."""
        return self._of_loader(
            mode="mp", graph=self._folder(data), num_workers=self.num_workers,
            worker_concurrency=self.worker_concurrency, channel_size=self.channel_size,
            # As many as GLT's channel takes.
            prefetch_size=min(max(self.num_workers * self.worker_concurrency, 1),
                              _MOST_PREFETCHED),
            pin_memory=self.pin_memory or None)


class RemoteDistSamplingWorkerOptions(_WorkerOptions):
    """Servers make the batches, of a group that init_client() has joined.

    Args:
      server_rank: the rank, or the ranks, of the servers that make them; None: all, of which
        each client prefers its own.
      num_workers: streams to each server.
      worker_devices: as in MpDistSamplingWorkerOptions.
      worker_concurrency: batches that are made for each stream at the same time, 1 to 32.
      master_addr, master_port: no effect, as loaders find the servers by init_client().
      num_rpc_threads: threads of the loader; None: 2.
      rpc_timeout: seconds within which a batch must be there, whatever happens to servers.
      buffer_size: bytes of the memory of this process that batches come in, as a number or
        "1GB"; None: 256 MB.
      prefetch_size: batches that are asked for ahead, 1 to 1024.
      worker_key: the name of the job, by which servers share themselves out and count.
      glt_graph: not taken.
      workload_type: no effect.
      use_all2all: no effect.
    """

    def __init__(self, server_rank: int | Sequence[int] | None = None, num_workers: int = 1,
                 worker_devices: Any = None, worker_concurrency: int = 4,
                 master_addr: str | None = None, master_port: int | str | None = None,
                 num_rpc_threads: int | None = None, rpc_timeout: float = 180,
                 buffer_size: int | str | None = None, prefetch_size: int = 4,
                 worker_key: str | None = None, glt_graph: Any = None,
                 workload_type: str | None = None, use_all2all: bool = False):
        if glt_graph is not None:
            raise TypeError("glt_graph is not taken, it is GraphScope's; instead: "
                            "init_client(), which finds the servers")
        super().__init__(num_workers, worker_devices, worker_concurrency, master_addr,
                         master_port, _FOUND, num_rpc_threads, rpc_timeout, use_all2all)
        _note("workload_type", workload_type, None, "it goes with glt_graph")
        self.server_rank = server_rank
        self.buffer_size = buffer_size
        self.prefetch_size = prefetch_size
        self.worker_key = worker_key

    def ranks(self, context: DistContext) -> list[int]:
        """Returns the servers that a client names, or that it prefers. Raises ValueError."""
        servers = context.num_servers()
        if self.server_rank is None:
            if context.num_clients() == 1:
                return list(range(servers))
            return [context.rank % servers]
        ranks = self.server_rank
        ranks = [ranks] if isinstance(ranks, int) else list(ranks)
        if not ranks or not all(0 <= rank < servers for rank in ranks):
            raise ValueError(f"server_rank is {self.server_rank!r}; allowed: one or several of 0 "
                             f"to {servers - 1}, the servers of init_client()")
        return ranks

    def source_options(self, data: Any, context: DistContext | None) -> dict[str, Any]:
        """See _WorkerOptions."""
        if context is None or not context.is_client():
            raise ValueError("RemoteDistSamplingWorkerOptions in a process that is no client; "
                             "allowed: after init_client()")
        named = None if self.server_rank is None else self.ranks(context)
        return self._of_loader(
            mode="remote", servers=servers(), server_rank=named, num_workers=self.num_workers,
            num_clients=context.world_size, client_rank=context.rank,
            worker_concurrency=self.worker_concurrency, buffer_size=self.buffer_size,
            prefetch_size=self.prefetch_size, worker_key=self.worker_key)
