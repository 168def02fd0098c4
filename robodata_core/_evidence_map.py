"""The triples of a run by handle, as ``run_state`` keeps them; nothing else lives here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from robodata_core.model import Evidence


class EvidenceMap(Mapping[str, Evidence]):
    """Triples by handle; never changed, cheap to derive a changed one from.

    A few layers, each at most half as large as the one below: a change costs as much as it
    brings, times the logarithm of what is there, instead of a copy of the whole graph.
    """

    __slots__ = ("_layers", "_size")

    def __init__(self, layers: tuple[dict[str, Evidence | None], ...] = (), size: int = 0) -> None:
        self._layers = layers
        self._size = size

    def changed(self, added: tuple[Evidence, ...], removed: tuple[str, ...]) -> EvidenceMap:
        """Return this map with ``removed`` taken out and then ``added`` put in."""
        top: dict[str, Evidence | None] = {}
        size = self._size
        for handle in dict.fromkeys(removed):
            if handle in self:
                top[handle] = None
                size -= 1
        for item in added:
            if top.get(item.handle) is None and (item.handle in top or item.handle not in self):
                size += 1
            top[item.handle] = item
        if not top:
            return self
        layers = self._layers
        while layers and len(layers[-1]) < 2 * len(top):
            top = {**layers[-1], **top}
            layers = layers[:-1]
        return EvidenceMap((*layers, top), size)

    def __getitem__(self, handle: str) -> Evidence:
        for layer in reversed(self._layers):
            if handle in layer:
                item = layer[handle]
                if item is None:
                    break
                return item
        raise KeyError(handle)

    def __iter__(self) -> Iterator[str]:
        merged: dict[str, Evidence | None] = {}
        for layer in self._layers:
            merged.update(layer)
        return (handle for handle, item in merged.items() if item is not None)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"EvidenceMap({self._size} triples)"
