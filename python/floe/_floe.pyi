"""The extension module: the library over bytes and names of types. Use the package floe instead."""

import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, overload

Buffer: TypeAlias = Any  # contiguous bytes, by the buffer protocol

class Goal(enum.Enum):
    speed = 0
    balance = 1
    ratio = 2
    max = 3

class Profile(enum.Enum):
    cpu = 0
    gpu = 1

class Options:
    goal: Goal
    tree: str
    profile: Profile
    threads: int
    checksum: bool
    segment_bytes: int
    decode_megabytes_per_second: int
    def __init__(self) -> None: ...

class Reader:
    @overload
    def __init__(self, frame: Buffer) -> None: ...
    @overload
    def __init__(self, descriptor: int, frame_bytes: int, begin: int = 0) -> None: ...
    @overload
    def __init__(self, read_at: Callable[[int, int], Buffer], frame_bytes: int) -> None: ...
    def info(self) -> dict[str, Any]: ...
    def segment(self, index: int) -> dict[str, Any]: ...
    def decompress_slice(
        self,
        out: Buffer,
        first: int,
        count: int,
        threads: int,
        memory_limit: int,
        progress: Callable[[int, int], Any] | None,
    ) -> None: ...
    def read_values(
        self, column: int, first: int, count: int, out: Buffer, valid: Buffer, threads: int, memory_limit: int
    ) -> None: ...
    def read_texts(self, column: int, first: int, count: int, threads: int, memory_limit: int) -> list[str | None]: ...
    def read_text_column(
        self, column: int, first: int, count: int, threads: int, memory_limit: int
    ) -> tuple[int, list[Buffer | None]]: ...
    def print_rows(
        self,
        columns: Sequence[int],
        first: int,
        count: int,
        write: Callable[[bytes], Any],
        threads: int,
        memory_limit: int,
    ) -> None: ...
    def restore(self, write: Callable[[bytes], Any], threads: int, memory_limit: int) -> None: ...

class Recovery:
    def __init__(self, frame: Buffer, similar: Buffer, separator: str, fill_lost: bool) -> None: ...
    def info(self) -> dict[str, Any]: ...
    def header_source(self) -> str: ...
    def restore(self, write: Callable[[bytes], Any], threads: int, memory_limit: int) -> dict[str, Any]: ...

def version() -> str: ...
def instruction_set() -> str: ...
def available_threads() -> int: ...
def codecs() -> list[tuple[str, int, str]]: ...
def check_tree(tree: str, dtype: str) -> None: ...
def compress_array(data: Buffer, dtype: str, shape: Sequence[int], prefix: bytes, options: Options) -> bytes: ...
def write_array(
    write: Callable[[bytes], Any],
    data: Buffer,
    dtype: str,
    shape: Sequence[int],
    prefix: bytes,
    options: Options,
    progress: Callable[[int, int], Any] | None,
) -> None: ...
def write_columns(
    write: Callable[[bytes], Any],
    names: list[str],
    types: list[str],
    values: Sequence[Buffer],
    rows: int,
    segment_rows: int,
    options: Options,
    progress: Callable[[int, int], Any] | None,
) -> None: ...
def write_csv(
    write: Callable[[bytes], Any],
    read: Callable[[], Buffer],
    schema: str,
    separator: str,
    name_row: int,
    keep_text: bool,
    options: Options,
) -> None: ...
def write_cells(
    write: Callable[[bytes], Any], read: Callable[[], Buffer], names: list[str], types: list[str], options: Options
) -> None: ...
def plan_array(
    data: Buffer, dtype: str, shape: Sequence[int], explained: int, options: Options
) -> list[dict[str, Any]]: ...
def plan_columns(
    names: list[str], types: list[str], values: Sequence[Buffer], rows: int, explained: int, options: Options
) -> list[dict[str, Any]]: ...
def arrow_stream(names: Sequence[str], formats: Sequence[str], next: Callable[[], Any]) -> object: ...
def decompress_chunks(
    out: Buffer,
    first: Sequence[int],
    shape: Sequence[int],
    chunk_shape: Sequence[int],
    item_bytes: int,
    chunks: Iterable[tuple[Sequence[int], Any]],
    chunk_count: int,
    descriptor: int,
    threads: int,
    memory_limit: int,
) -> None: ...
