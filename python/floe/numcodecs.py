"""A codec of numcodecs, for Zarr 2, kerchunk and all else that uses its registry.

>>> import numcodecs
>>> codec = numcodecs.get_codec({"id": "floe", "goal": "ratio"})

It has an entry point, so nothing needs to be imported to read what it wrote. For Zarr 3 there is `floe.zarr`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_contiguous_ndarray

from ._arrays import compress, decompress, decompress_into
from ._errors import UnsupportedError
from ._options import options_of


class Floe(Codec):
    """Compresses chunks by their type; types that floe does not have are taken as bytes.

    Arguments are those of `floe.compress`. `threads` work on each chunk; the default is one, as chunks are often
    worked on at the same time. Thread-safe.
    """

    codec_id: ClassVar[str] = "floe"

    def __init__(
        self,
        goal: str = "balance",
        codec: str | None = None,
        tree: str | None = None,
        checksum: bool = True,
        threads: int = 1,
    ) -> None:
        options_of(goal, codec, tree, threads, checksum)
        self.goal: str = goal
        self.codec: str | None = codec
        self.tree: str | None = tree
        self.checksum: bool = checksum
        self.threads: int = threads

    def get_config(self) -> dict[str, Any]:
        """What the metadata of an array keep."""
        config = {"id": self.codec_id, "goal": self.goal, "codec": self.codec, "tree": self.tree}
        return {**config, "checksum": self.checksum, "threads": self.threads}

    def encode(self, buf: Any) -> bytes:
        """A frame of one dimension; a chunk's shape and order are kept by Zarr."""
        elements = ensure_contiguous_ndarray(buf)
        options = {"codec": self.codec, "tree": self.tree, "threads": self.threads, "checksum": self.checksum}
        try:
            return compress(elements, self.goal, **options)  # type: ignore[arg-type]
        except UnsupportedError:
            if self.codec or self.tree:
                raise
            return compress(elements.view(np.uint8), self.goal, **options)  # type: ignore[arg-type]

    def decode(self, buf: Any, out: Any = None) -> Any:
        """The elements, of the type that was encoded, or written to `out`. Errors are those of `floe.decompress`."""
        frame = ensure_contiguous_ndarray(buf)
        if out is None:
            return decompress(frame, threads=self.threads)
        decompress_into(frame, ensure_contiguous_ndarray(out).view(np.uint8), threads=self.threads)
        return out
