#!/usr/bin/env python3
"""Where does the content of a long pipe come from? Writes BYTES bytes of KIND to standard output, then their SHA-256 to standard error.

Usage: content.py KIND BYTES, with KIND f32 or f64 (noisy waves) or noise (nothing to be found in it).
"""

import hashlib
import math
import random
import sys
from array import array

ELEMENTS = 1 << 22
STEP_BYTES = 8 * 104729


def block_of(kind: str) -> bytes:
    rng = random.Random(1)
    if kind == "noise":
        # As long as a segment, so that no segment repeats itself.
        return rng.randbytes(1 << 26)
    code = {"f32": "f", "f64": "d"}[kind]
    return array(code, (20 + 8 * math.sin(i * 0.001) + 0.01 * rng.random() for i in range(ELEMENTS))).tobytes()


def main() -> int:
    kind, left = sys.argv[1], int(sys.argv[2])
    block = block_of(kind)
    twice = memoryview(block + block)
    digest, begin = hashlib.sha256(), 0
    while left:
        # The block again, but begun elsewhere each time, so that pieces in a wrong order change the sum.
        part = twice[begin : begin + min(left, len(block))]
        digest.update(part)
        sys.stdout.buffer.write(part)
        left -= len(part)
        begin = (begin + STEP_BYTES) % len(block)
    sys.stdout.buffer.flush()
    print(digest.hexdigest(), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
