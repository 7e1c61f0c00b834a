#!/usr/bin/env python3
"""Writes the frames of reject/, newer/ and unusual/ that do not exist yet, and their manifests.

Every one of reject/ has one thing wrong. Unless it is a checksum that is wrong, all checksums are right, so that a decoder has to find the thing itself.
Those of newer/ have something that decoders of version 1 have to skip, those of unusual/ something that no encoder writes and every decoder has to read.
"""

import hashlib
import sys

import reject_cells
import reject_compact
import reject_container
import reject_streams
import reject_text
import unusual
from frame_draft import HERE


def write_missing(folder, columns, cases):
    """`cases`: a name, the other columns of its row, and the bytes."""
    folder.mkdir(exist_ok=True)
    manifest = folder / "manifest.csv"
    if not manifest.exists():
        manifest.write_text(f"file,{columns}\n")
    for name, row, data in cases:
        path = folder / f"{name}.floe"
        if path.exists():
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        with manifest.open("a") as file:
            file.write(",".join([f"{name}.floe", *map(str, row)]) + "\n")


def rejected(cases):
    for name, error, where, make in cases:
        draft = make()
        yield name, (error, draft.offset(*where)), bytes(draft)


def accepted(cases):
    for name, content, make in cases:
        yield name, (hashlib.sha256(content).hexdigest(),), bytes(make())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit("make_variants.py takes no arguments")
    write_missing(HERE / "reject", "error,offset", rejected(reject_container.CASES + reject_streams.CASES + reject_cells.CASES + reject_compact.CASES + reject_text.CASES))
    write_missing(HERE / "newer", "content_sha256", accepted(unusual.NEWER))
    write_missing(HERE / "unusual", "content_sha256", accepted(unusual.UNUSUAL))
