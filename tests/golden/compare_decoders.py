#!/usr/bin/env python3
"""Do the library and the decoder that was written from the format pages agree on frames that are wrong? compare_decoders.py READ_FRAMES [COUNT [SEED]]

Changes golden files at random, makes their checksums right again, and compares what both make of them: the content, or none. What has several things wrong
may be refused for any of them.
"""

import hashlib
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from frame_draft import HERE, Draft

from reject_compact import sealed

import floe_decode
from floe_bytes import ERROR_CODES, FORMAT_ERRORS
from floe_compact import body_of, is_compact

LONGEST_FRAME = 8000
FRAMES_AT_ONCE = 200


def changed(data, generator):
    """A part with a byte changed, put in or taken out."""
    data = bytearray(data)
    at = generator.randrange(len(data))
    data[at] = generator.choice([data[at] ^ 1 << generator.randrange(8), generator.randrange(256), 0, 255])
    if generator.random() < 0.1:
        data[at + 1 :] = generator.choice([data[at + 2 :], data[at:]])
    return data


def damaged_compact(frame, generator):
    """With the length and the checksum of what became of the body."""
    body = body_of(frame)
    data = body.take(body.remaining())
    for _ in range(generator.choice([1, 1, 1, 2, 3])):
        data = changed(data, generator)
    return sealed(bytes(data))


def damaged(name, generator):
    frame = (HERE / f"{name}.floe").read_bytes()
    if is_compact(frame):
        return damaged_compact(frame, generator)
    draft = Draft.of(name)
    segment = generator.choice(draft.segments) if draft.segments else None
    streams = [stream for stream in segment.streams if stream.stored] if segment else []
    part = generator.choice(["header", "footer"] + ["segment"] * 3 + ["stream"] * 10)
    for _ in range(generator.choice([1, 1, 1, 2, 3])):
        if part == "stream" and streams:
            stream = generator.choice(streams)
            size = len(stream.stored)
            stream.stored = changed(stream.stored, generator)
            stream.stored = (stream.stored + bytes(size))[:size]
        elif part == "segment" and segment:
            segment.header[:] = changed(segment.header, generator)[: len(segment.header)].ljust(len(segment.header), b"\0")
        else:
            target = draft.header if part == "header" else draft.footer
            target[:] = changed(target, generator)[: len(target)].ljust(len(target), b"\0")
    reseal(draft, is_whole=part == "stream")
    return bytes(draft)


def reseal(draft, is_whole):
    """As far as the parts can be found."""
    if is_whole:
        for stream in [stream for segment in draft.segments for stream in segment.streams]:
            try:
                if stream.is_leaf_stream() and draft.header[8] & 1:
                    stream.seal_chunks()
            except (struct.error, ValueError):
                pass
        draft.seal_digests()
    draft.seal()


def outcome(frame):
    try:
        return hashlib.sha256(floe_decode.decode(frame).content).hexdigest()
    except FORMAT_ERRORS as error:
        return ERROR_CODES[type(error)]


def is_same(found, expected):
    if "out_of_memory" in (found, expected):
        return True
    refusals = ("corrupt_frame", "unsupported_version")
    return found == expected or (found in refusals and expected in refusals)


def compare(program, frames):
    """Pairs of a number of a frame and what both said, where that differs."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, frame in frames:
            paths.append(pathlib.Path(folder) / str(number))
            paths[-1].write_bytes(frame)
        lines = subprocess.run([program, *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    for (number, frame), found in zip(frames, lines, strict=True):
        expected = outcome(frame)
        if not is_same(found, expected):
            yield number, found, expected


def main(program, count=1500, seed=1):
    generator = random.Random(seed)
    names = sorted(str(path.relative_to(HERE).with_suffix("")) for folder in ("arrays", "tables") for path in (HERE / folder).rglob("*.floe") if path.stat().st_size <= LONGEST_FRAME)
    chosen = [(number, generator.choice(names)) for number in range(count)]
    frames = [(f"{number} {name.replace('/', ' ')}", damaged(name, generator)) for number, name in chosen]
    differences = [found for at in range(0, count, FRAMES_AT_ONCE) for found in compare(program, frames[at : at + FRAMES_AT_ONCE])]
    for number, found, expected in differences:
        print(f"{number}: the library says {found}, the reference decoder {expected}")
    print(f"{count} frames, {len(differences)} differences")
    return 1 if differences or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
