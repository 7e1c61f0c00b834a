#!/usr/bin/env python3
"""Writes the golden tables that do not exist yet, and their rows in the manifest: make_tables.py FLOE, in the root of the checkout.

Each file holds what the program made of the samples when the file was added. Later programs may encode the same content in other ways, but must read
all of them.
"""

import hashlib
import pathlib
import random
import subprocess
import sys
import tempfile

from table_samples import TYPES, later_trees_of, text_of_many_kinds, texts_of_all_writings, trees_of, unique_trees_of, values_of

FOLDER = pathlib.Path(__file__).resolve().parent / "tables"
ROWS = 1030  # more than a vector of afl


def sample_of_trees(folder, name, type_name, trees):
    """A column for each tree."""
    generator = random.Random(ROWS)
    schema = folder / f"{name}.inf"
    schema.write_text("".join(f"c{i},{type_name},6\n" for i in range(len(trees))))
    columns = [values_of(type_name, ROWS, generator) for _ in trees]
    options = [word for i, tree in enumerate(trees) for word in ("--tree", f"c{i}={tree}")]
    return f"{name}_{type_name}", b"".join(value for row in zip(*columns) for value in row), ["-f", "bin", "-h", schema, *options]


def samples(folder):
    """(name, content, options)"""
    for type_name in TYPES:
        yield sample_of_trees(folder, "encodings", type_name, trees_of(type_name))
        yield sample_of_trees(folder, "later", type_name, later_trees_of(type_name))
        yield sample_of_trees(folder, "unique", type_name, unique_trees_of(type_name))
    yield from texts_of_all_writings()
    yield "parts", text_of_many_kinds(), []
    yield "edgestat", text_of_many_kinds()[:100000], ["--planner", "edgestat", "--segment-rows", "3000"]
    yield "empty", b"", []


def main(program):
    manifest = FOLDER / "manifest.csv"
    lines = manifest.read_text().splitlines() if manifest.exists() else ["file,table_sha256,content_sha256"]
    with tempfile.TemporaryDirectory() as name:
        for sample, content, options in samples(pathlib.Path(name)):
            table = FOLDER / f"{sample}.fts"
            if table.exists():
                continue
            subprocess.run([program, "series", "compress", "-q", "-o", table, *options], input=content, check=True)
            lines.append(f"{table.name},{hashlib.sha256(table.read_bytes()).hexdigest()},{hashlib.sha256(content).hexdigest()}")
    manifest.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
