"""One way to call a peer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    compressor: str
    name: str
    version: str
    compress: Callable[[], bytes]
    decompress: Callable[[bytes], Any]
    is_timed: bool = True  # Otherwise only sizes can be compared.
