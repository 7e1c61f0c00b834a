"""What a frame is, and what compression makes of data and why, for reading and for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import _floe
from ._arrow_tables import is_table
from ._elements import elements_of
from ._errors import invalid, unsupported
from ._options import Goal, Profile, options_of


class Info(dict[str, Any]):
    """What a frame says of itself, as a dictionary that a notebook shows as a table."""

    def __init__(self, name: str, info: dict[str, Any]) -> None:
        shown = {key: value for key, value in info.items() if key != "prefix"}
        super().__init__(shown)
        self.name = name

    def __str__(self) -> str:
        return "\n".join(f"{key.replace('_', ' ')}: {value}" for key, value in self.items())

    def _repr_html_(self) -> str:
        from ._drawing import info_html

        return info_html(self.name, self)


class StoredPlan:
    """How the segments of a file are encoded: ``plan[0]`` is a dictionary of the first one. Read when asked for."""

    def __init__(self, name: str, info: dict[str, Any], segment: Callable[[int], dict[str, Any]]) -> None:
        self.name: str = name
        self._info, self._segment = info, segment

    def __len__(self) -> int:
        return int(self._info["segment_count"])

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Trees, stored bytes and bounds of each column of a segment; an array is one column."""
        return self._segment(range(len(self))[index])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[index] for index in range(len(self)))

    @property
    def column_names(self) -> list[str]:
        """Empty for an array."""
        return [name for name, _, _ in self._info.get("columns", [])]

    def __str__(self) -> str:
        names = self.column_names
        lines = []
        for segment in self:
            lines.append(f"{segment['count']} from {segment['first']}: {segment['stored_bytes']} bytes")
            for number, column in enumerate(segment["columns"]):
                label = f"{names[number]}: " if names else ""
                lines.append(f"  {label}{column['stored_bytes']} bytes  {'  '.join(column['trees'])}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ._drawing import stored_html

        return stored_html(self)


class Plan:
    """What compression makes of data, and why.

    Attributes:
        segments: Dictionaries of all segments. Explained ones have, for each stream of each column, the tree that is
            used (``nodes``) and the trees that could be (``candidates``), with bytes and nanoseconds for each word.
        column_names: Empty for an array.

    A notebook shows the trees as pictures.
    """

    def __init__(self, segments: list[dict[str, Any]], column_names: list[str]) -> None:
        self.segments: list[dict[str, Any]] = segments
        self.column_names: list[str] = column_names

    @property
    def source_bytes(self) -> int:
        """Of the data."""
        return sum(segment["source_bytes"] for segment in self.segments)

    @property
    def stored_bytes(self) -> int:
        """Of the segments, without header and footer."""
        return sum(segment["stored"]["stored_bytes"] for segment in self.segments)

    @property
    def ratio(self) -> float:
        """Bytes before by bytes after."""
        return self.source_bytes / self.stored_bytes if self.stored_bytes else 0.0

    @property
    def tree(self) -> str:
        """Of the first segment of an array, as ``tree=`` takes it. Raises InvalidArgumentError if there is none."""
        if self.column_names or not self.segments:
            raise invalid("an array of some elements has a tree")
        return str(self.segments[0]["stored"]["columns"][0]["trees"][0])

    def __str__(self) -> str:
        lines = [f"{self.source_bytes} bytes -> {self.stored_bytes}, ratio {self.ratio:.2f}"]
        if not self.segments:
            return lines[0]
        first = self.segments[0]
        for number, column in enumerate(first["columns"]):
            stored = first["stored"]["columns"][number]
            label = self.column_names[number] if self.column_names else "array"
            lines.append(f"{label}: {column['source_bytes']} -> {stored['stored_bytes']} in the first segment")
            for stream, tree in zip(column["streams"], stored["trees"], strict=False):
                trees = [(candidate["tree"], candidate["encoded_bytes"]) for candidate in stream["candidates"]]
                for text, size in trees or [(tree, stream["stored_bytes"])]:
                    lines.append(f"  {'*' if text == tree else ' '} {size:>12}  {text}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ._drawing import plan_html

        return plan_html(self)


def plan(
    data: Any,
    goal: Goal = "balance",
    *,
    codec: str | None = None,
    tree: str | None = None,
    threads: int = 0,
    profile: Profile = "cpu",
    explained_segments: int = 1,
) -> Plan:
    """How an array, or a table of numbers, would be compressed, and why.

    Of the first `explained_segments` segments it says which trees were candidates, what each makes of the whole
    segment, and what each node of the tree that is used does. Other arguments and errors are those of `compress`.
    """
    options = options_of(goal, codec, tree, threads, True, profile)
    if isinstance(data, Mapping) or is_table(data):
        from ._tables import Columns, columns_of

        columns = columns_of(data)
        if not isinstance(columns, Columns):
            raise unsupported(
                "plan takes tables of numbers; save those with texts or nulls, and see the plan of the file"
            )
        segments = _floe.plan_columns(
            columns.names, columns.types, columns.values_as_bytes(), columns.rows, explained_segments, options
        )
        return Plan(segments, columns.names)
    elements = elements_of(data)
    shape = elements.shape or (1,)
    return Plan(_floe.plan_array(elements.data, elements.dtype, shape, explained_segments, options), [])
