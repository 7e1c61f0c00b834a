"""How fast and how small is one setting on one array, in memory, on one thread, and does every bit come back?"""

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from arrays import Array
from setting import Setting


@dataclass(frozen=True)
class Effort:
    """Runs until `seconds` are over, `min_runs` at least; but slow settings stop after `max_seconds`, with one run at least."""

    seconds: float
    min_runs: int
    max_seconds: float


@dataclass(frozen=True)
class Speeds:
    """GB (10^9 bytes) of elements per second: median, slowest, fastest."""

    median: float
    slowest: float
    fastest: float


@dataclass(frozen=True)
class Measurement:
    stored_bytes: int
    exact: bool
    runs: int
    compress: Speeds
    decompress: Speeds
    memcpy: Speeds


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def speeds(array_bytes: int, seconds: list[float]) -> Speeds:
    return Speeds(*(array_bytes / time_ / 1e9 for time_ in (statistics.median(seconds), max(seconds), min(seconds))))


def equals(decoded: Any, array: Array) -> bool:
    return memoryview(decoded).cast("B") == memoryview(array.bytes)


UNKNOWN = Speeds(math.nan, math.nan, math.nan)


def measure(setting: Setting, array: Array, effort: Effort) -> Measurement:
    """Each run copies, compresses and decompresses once, in turn, as `floe bench` does."""
    if not setting.is_timed:
        frame = setting.compress()
        return Measurement(len(frame), equals(setting.decompress(frame), array), 1, UNKNOWN, UNKNOWN, UNKNOWN)
    copy = numpy.zeros_like(array.bytes)
    start = time.perf_counter()
    # The first run warms caches and allocator up. It counts only for settings too slow for a second one.
    runs = []
    exact, stored_bytes = True, 0
    while True:
        _, copying = timed(lambda: numpy.copyto(copy, array.bytes))
        frame, compressing = timed(setting.compress)
        decoded, decompressing = timed(lambda: setting.decompress(frame))
        if not runs:
            exact, stored_bytes = equals(decoded, array), len(frame)
        del frame, decoded
        runs.append((copying, compressing, decompressing))
        elapsed = time.perf_counter() - start
        if elapsed > effort.max_seconds or (elapsed > effort.seconds and len(runs) > effort.min_runs):
            break
    counted = runs[1:] or runs
    columns = [speeds(array.bytes.size, list(column)) for column in zip(*counted)]
    return Measurement(stored_bytes, exact, len(counted), columns[1], columns[2], columns[0])
