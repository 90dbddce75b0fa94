"""What the loaders that sample neighbours by hops have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Mapping

from . import _session, errors
from .loader import Loader
from .session_loader import SessionLoader


class HopLoader(SessionLoader):
    """The base of NeighborLoader and LinkNeighborLoader: their batches are drawn by the
    graph's weights and times, which the arguments name."""

    # Whether the inputs' times come as the column "seed_time", if it is asked for.
    collects_seed_time: ClassVar[bool] = True

    def _prepare(self, arguments: dict[str, Any]) -> None:
        if self._format == "pyg":
            _session.collect_as_pyg(arguments)

    def _column_names(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        return _session.names(arguments)

    def _open_session(self, session: dict[str, Any], arguments: Mapping[str, Any]) -> Loader:
        """Opens the loader with the times that time_attr stands for."""
        opened: list[Loader] = []
        refusals: list[errors.InvalidArgument] = []
        for time in _session.times(arguments):
            collect = self._columns(time) if arguments.get("collect_times") else None
            try:
                opened.append(super()._open_session(_session.timed(session, time, collect),
                                                    arguments))
            except errors.InvalidArgument as error:
                refusals.append(error)
        if not opened:
            raise refusals[0]
        if len(opened) > 1:
            for loader in opened:
                loader.close()
            raise ValueError(f"time_attr is {arguments['time_attr']!r}, and the graph has times "
                             "of nodes and of edges; allowed: 'node', 'edge'")
        return opened[0]

    def _columns(self, time: str | None) -> str:
        """Returns the columns of PyG's batches that are drawn by these times."""
        return ("x,y,edge_attr" + (",seed_time" if self.collects_seed_time else "")
                + (",time" if time == "node" else ""))
