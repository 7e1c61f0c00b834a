"""How to compress, checked by name before the library gets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from . import _floe
from ._errors import invalid

Goal = Literal["speed", "balance", "ratio", "max"]
Profile = Literal["cpu", "gpu"]
#: Called with the bytes that are done and all bytes, in the thread of the call; an exception ends the call. True is a
#: bar of tqdm.
Progress = Callable[[int, int], Any] | bool

#: What floe may allocate itself to decode, in bytes.
MEMORY_LIMIT = 4 << 30


def told(progress: Progress | None) -> Callable[[int, int], Any] | None:
    """What is called. Raises ImportError for a bar without tqdm."""
    if not isinstance(progress, bool):
        return progress
    if not progress:
        return None
    from tqdm.auto import tqdm

    bar = tqdm(unit="B", unit_scale=True)

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show


def codecs() -> dict[str, str]:
    """The codecs by name, and what they are for. A codec is a fixed way of encoding, for ``compress(codec=...)``."""
    return {name: summary for name, _, summary in _floe.codecs()}


def options_of(
    goal: str = "balance",
    codec: str | None = None,
    tree: str | None = None,
    threads: int = 0,
    checksum: bool = True,
    profile: str = "cpu",
    segment_bytes: int = 0,
    decode_megabytes_per_second: int = 0,
) -> _floe.Options:
    """Raises InvalidArgumentError for what makes no sense."""
    if codec is not None and tree is not None:
        raise invalid("a codec and a tree exclude each other")
    if codec is not None and codec.partition("(")[0] not in codecs():
        raise invalid(f"there is no codec '{codec}'; there are {', '.join(codecs())}")
    options = _floe.Options()
    try:
        options.goal = _floe.Goal[goal]
        options.profile = _floe.Profile[profile]
    except KeyError as unknown:
        raise invalid(f"{unknown} is neither a goal (speed, balance, ratio, max) nor a profile (cpu, gpu)") from None
    if threads < 0:
        raise invalid("threads are 0 (as many as this process may use) or more")
    options.tree = codec or tree or ""
    options.threads = threads
    options.checksum = checksum
    options.segment_bytes = segment_bytes
    options.decode_megabytes_per_second = decode_megabytes_per_second
    return options
