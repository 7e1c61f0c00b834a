"""Which array does a file hold? The name says it, as for the program: x_f32_721x1440.bin is raw little-endian."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy

# NumPy has no bf16; the bits are what is compressed.
NUMPY_TYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2"} | {
    f"{kind}{bits}": f"<{kind}{bits // 8}" for kind in "iu" for bits in (8, 16, 32, 64)
}
NAME = re.compile(r"_(" + "|".join(NUMPY_TYPES) + r")_(\d+(?:x\d+)*)\.bin$")


@dataclass(frozen=True)
class Array:
    """`values` has the shape that the name gives."""

    file: str
    dtype: str
    values: numpy.ndarray

    @property
    def flat(self) -> numpy.ndarray:
        return self.values.reshape(-1)

    @property
    def bytes(self) -> numpy.ndarray:
        return self.flat.view(numpy.uint8)


def load(path: Path) -> Array:
    name = NAME.search(path.name)
    if not name:
        raise ValueError(f"{path.name}: the name gives no type and shape, such as x_f32_721x1440.bin")
    dtype, shape = name[1], [int(size) for size in name[2].split("x")]
    values = numpy.fromfile(path, NUMPY_TYPES[dtype])
    if values.size != numpy.prod(shape):
        raise ValueError(f"{path.name}: the file holds {values.size} elements, its name says {numpy.prod(shape)}")
    return Array(path.name, dtype, values.reshape(shape))


def merged(values: numpy.ndarray, dimensions: int) -> numpy.ndarray:
    """The same values with the slowest dimensions merged into one, for compressors that know only so many."""
    return values if values.ndim <= dimensions else values.reshape(-1, *values.shape[values.ndim - dimensions + 1 :])
