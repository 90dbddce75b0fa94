"""Columns of a batch by name, of NumPy or of torch."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, TypeVar

from ..graph_types import GraphTypes, Type

Array = TypeVar("Array")


class Columns(Mapping[str, Array]):
    """Arrays by name, which are attributes, too: `columns["x"]` is `columns.x`."""

    def __init__(self, arrays: dict[str, Array]):
        self._arrays = arrays

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __getattr__(self, name: str) -> Array:
        try:
            return self.__dict__["_arrays"][name]
        except KeyError:
            raise AttributeError(
                f"the batch has no {name!r}; it has "
                f"{', '.join(self.__dict__.get('_arrays', ()))}") from None

    def add(self, name: str, array: Array) -> None:
        """Adds an array."""
        self._arrays[name] = array

    def __repr__(self) -> str:
        arrays: dict[str, Any] = self._arrays
        described = ", ".join(f"{name}={list(array.shape)}" for name, array in arrays.items())
        return f"{type(self).__name__}({described})"


class TypedColumns(Columns[Array]):
    """All columns of a batch; those of a typed graph are grouped by type, too."""

    # Of the groups.
    columns_class: type[Columns[Array]]

    def __init__(self, arrays: dict[str, Array], types: GraphTypes, epoch: int, index: int):
        super().__init__(arrays)
        self.epoch = epoch
        self.index = index
        self._of_type = self._by_type(types) if types.heterogeneous else {}

    @property
    def node_types(self) -> list[str]:
        """The node types that the batch has tensors of; of a typed graph."""
        return [name for name in self._of_type if isinstance(name, str)]

    @property
    def edge_types(self) -> list[tuple[str, str, str]]:
        """The edge types that the batch has tensors of; of a typed graph."""
        return [name for name in self._of_type if isinstance(name, tuple)]

    def __getitem__(self, name: Any) -> Any:
        if name in self._arrays:
            return self._arrays[name]
        if name in self._of_type:
            return self._of_type[name]
        known = [*self._of_type, *self._arrays]
        raise KeyError(f"the batch has no {name!r}; it has {', '.join(map(str, known))}")

    def _by_type(self, types: GraphTypes) -> dict[Type, Columns[Array]]:
        grouped: dict[Type, dict[str, Array]] = {}
        for name, array in self._arrays.items():
            column, its_type = types.parse(name)
            if its_type is not None:
                grouped.setdefault(its_type, {})[column] = array
        return {its_type: self.columns_class(columns)
                for its_type, columns in grouped.items()}
