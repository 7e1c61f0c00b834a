"""Do the program and the decoder that was written from the format pages agree on tables: on what they hold, and on what is wrong with them?"""

import collections
import pathlib
import random
import re
import struct
import sys

from program import ProgramTest, floe, main, read, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "reference_decoder"), str(ROOT / "tests" / "golden")]

import floe_series  # noqa: E402
import floe_table  # noqa: E402
from floe_frame import crc32c, number  # noqa: E402
from table_samples import TYPES, later_trees_of, text_of_many_kinds, texts_of_all_writings, trees_of, unique_trees_of, values_of  # noqa: E402

def reseal(table, segments=True):
    """Makes all checksums right again; None if the parts cannot be found any more."""
    table = bytearray(table)

    def seal(begin, end):
        table[end - 4 : end] = crc32c(table[begin : end - 4]).to_bytes(4, "little")

    header_bytes = number(table, 8, 4)
    if not 32 <= header_bytes <= len(table) - 48:
        return None
    seal(0, header_bytes)
    crc = table[header_bytes - 4 : header_bytes]
    footer = len(table) - number(table, len(table) - 16, 8)
    if not header_bytes <= footer <= len(table) - 48:
        return None
    table[footer + 4 : footer + 8] = crc
    places = [number(table, footer + 32 + 16 * i, 8) for i in range(min(number(table, footer + 16, 8), (len(table) - footer - 48) // 16))]
    for offset in places if segments else ():
        head_bytes = number(table, offset + 4, 4) if offset + 8 <= footer else 0
        if not 56 <= head_bytes <= footer - offset:
            return None
        table[offset + 44 : offset + 48] = crc
        seal_streams(table, offset, head_bytes)
        seal(offset, offset + head_bytes)
    seal(footer, len(table))
    return bytes(table)


def seal_streams(table, offset, head_bytes):
    """The checksums of the streams, as far as the head can be read."""
    flags, columns = number(table, offset + 36, 4), number(table, offset + 40, 4)
    at, payload = offset + 56, offset + head_bytes

    def stream():
        nonlocal at, payload
        stored = number(table, at + 16, 8) if at + 24 <= offset + head_bytes else len(table)
        if payload + stored <= len(table):
            table[at + 4 : at + 8] = crc32c(table[payload : payload + stored]).to_bytes(4, "little")
        at, payload = at + 24, payload + stored

    for _ in range((3 if flags & 2 else 0) + (1 if flags & 4 else 0)):
        stream()
    for _ in range(min(columns, 100)):
        try:
            count = floe_table.Writing(bytes(table[at : at + 16])).stream_count()
        except (floe_table.Corrupt, ValueError):
            return
        at += 40
        for _ in range(count):
            stream()


def payload_ranges(table):
    """Where the payloads of the segments are."""
    footer = len(table) - number(table, len(table) - 16, 8)
    offsets = [number(table, footer + 32 + 16 * i, 8) for i in range(number(table, footer + 16, 8))]
    return [range(offset + number(table, offset + 4, 4), end) for offset, end in zip(offsets, offsets[1:] + [footer])]


def all_trees_of(type_name):
    return [*trees_of(type_name), *later_trees_of(type_name), *unique_trees_of(type_name)]


class TableDecoders(ProgramTest):
    def by_program(self, tables):
        """What the program, started once, says of each table: content, or the error as the format pages call it."""
        names = [f"{i}.fts" for i in range(len(tables))]
        for name, table in zip(names, tables):
            write(name, table)
        result = floe("series", "decompress", "-q", "--force", "-T", "1", "--memory", str(floe_table.MEMORY_LIMIT), *names)
        messages = dict(re.findall(r"^floe: (\d+\.fts): (.*)$", result.err, re.MULTILINE))
        self.assertEqual(len(messages), len(result.lines), result.err)
        outcomes = [self.error_of(messages[name]) if name in messages else read(name.removesuffix(".fts")) for name in names]
        errors = {outcome for outcome in outcomes if isinstance(outcome, str)}
        self.assertEqual(result.code, 3 if errors & {"corrupt_frame", "truncated_frame"} else 1 if errors else 0, result.err)
        return outcomes

    @staticmethod
    def error_of(message):
        for words, error in (
            ("corrupt:", "corrupt_frame"),
            ("truncated:", "truncated_frame"),
            ("version", "unsupported_version"),
            ("feature", "unsupported_version"),
            ("memory_limit", "out_of_memory"),
        ):
            if words in message:
                return error
        return message

    @staticmethod
    def by_reference(table):
        try:
            return floe_table.decode(table).content
        except floe_table.FORMAT_ERRORS as error:
            return floe_table.ERROR_CODES[type(error)]

    def make(self, content, *options):
        write("t.in", content)
        self.succeed("series", "compress", "-q", "--force", "-T", "1", "-o", "t.fts", *options, "t.in")
        return read("t.fts")

    def tables_of_all_encodings(self, rows):
        """Small tables of records, one for each type and tree: (name, table)."""
        generator = random.Random(rows)
        for type_name in TYPES:
            write("t.inf", f"a,{type_name},6\n".encode())
            for tree in all_trees_of(type_name):
                content = b"".join(values_of(type_name, rows, generator))
                yield f"{type_name} {tree}", self.make(content, "-f", "bin", "-h", "t.inf", "--tree", f"a={tree}")

    def test_every_encoding(self):
        used = collections.Counter()
        generator = random.Random(1)
        for rows in (1, 40, 1300):
            for type_name in TYPES:
                # A column for each tree.
                trees = all_trees_of(type_name)
                write("t.inf", "".join(f"c{i},{type_name},6\n" for i in range(len(trees))).encode())
                columns = [values_of(type_name, rows, generator) for _ in trees]
                options = (option for i, tree in enumerate(trees) for option in ("--tree", f"c{i}={tree}"))
                with self.subTest(type_name, rows=rows):
                    table = self.make(b"".join(map(b"".join, zip(*columns))), "-f", "bin", "-h", "t.inf", *options)
                    decoded = floe_table.decode(table)
                    size = len(columns[0][0])
                    words = [decoded.content[i : i + size] for i in range(0, len(decoded.content), size)]
                    self.assertEqual(len(words), rows * len(trees))
                    self.assertEqual([tree for i, tree in enumerate(trees) if words[i :: len(trees)] != columns[i]], [])
                    used.update(decoded.encodings())
        self.assertEqual(set(used), set(floe_series.ENCODINGS.values()), "encodings that no table used")

    def test_parts_and_planners(self):
        rows = text_of_many_kinds()
        table = self.make(rows)
        self.assertEqual(self.by_reference(table), rows)
        stored = floe_table.decode(table).segments[0].stored[0]
        self.assertGreater(floe_series.Reader(stored).varint(), 2, "the parts of a segment that this is about")
        edgestat = self.make(rows[:200000], "--planner", "edgestat", "--segment-rows", "3000")
        self.assertEqual(self.by_reference(edgestat), rows[:200000])

    def test_every_way_of_writing(self):
        kinds = set()
        for name, text, options in texts_of_all_writings():
            with self.subTest(name):
                table = self.make(text, *options)
                self.assertEqual(self.by_reference(table), text)
                kinds |= {column.writing.kind for segment in floe_table.decode(table).segments for column in segment.columns}
        self.assertEqual(kinds, set(range(1, 8)), "ways of writing that no table has")

    def test_damaged_streams(self):
        """Bytes of encoded segments are changed behind the checksums."""
        generator = random.Random(5)
        cases = []
        for name, table in self.tables_of_all_encodings(70):
            (payload,) = payload_ranges(table)
            for _ in range(3):
                damaged = bytearray(table)
                for _ in range(generator.choice((1, 1, 1, 2, 5))):
                    # Headers and plans stand at the front.
                    place = payload[min(generator.randrange(len(payload)), generator.randrange(len(payload)), generator.randrange(len(payload)))]
                    damaged[place] = generator.choice((damaged[place] ^ 1 << generator.randrange(8), generator.randrange(256)))
                cases.append((name, reseal(damaged)))
        outcomes = collections.Counter("content" if isinstance(outcome, bytes) else outcome for outcome in self.check_agreement(cases))
        self.assertGreater(min(outcomes["content"], outcomes["corrupt_frame"]), 100, outcomes)

    def test_damaged_parts(self):
        """Bytes of header, heads and footer are changed behind the checksums; also cut tables, and changes that the checksums must notice."""
        generator = random.Random(6)
        write("r.inf", b"t,time,0\nv,float,2\nk,char,0\n")
        records = b"".join(struct.pack("<qfb", 1000 + i, i / 4, i % 5) + bytes((i % 2, 0)) for i in range(40)) + b"rest"
        text = b"time,x,y,z,w\n" + b"".join(b"2016-02-01 00:00:%02d,%d.%02d,%s,\"%d\",%.7g\n" % (i, i % 3, i, (b"on", b"NA", b"off 1")[i % 3], i, 1 / (i + 1)) for i in range(40)) + b"stray\n"
        for table in (self.make(records, "-f", "bin", "-h", "r.inf", "-p", "2"), self.make(text, "--segment-rows", "30"), self.make(text.replace(b"0.", b"x.", 4)), self.make(b"")):
            payloads = set().union(*map(set, payload_ranges(table)))
            heads = [i for i in range(len(table)) if i not in payloads]
            cases = [("whole", table)]
            for _ in range(130):
                damaged = bytearray(table)
                damaged[generator.choice(heads)] = generator.choice((0, 1, 2, 3, 7, 8, 12, 64, 128, 255, generator.randrange(256)))
                if (resealed := reseal(damaged)) is not None:
                    cases.append(("resealed", resealed))
            self.check_agreement(cases)
            cases = [("longer", table + b"x")]
            for _ in range(15):
                damaged = bytearray(table)
                damaged[generator.randrange(len(table))] ^= 1 << generator.randrange(8)
                cases += [("not resealed", bytes(damaged)), ("cut", table[: generator.randrange(len(table))])]
            self.check_agreement(cases, errors_only=True)

    def check_agreement(self, cases, errors_only=False):
        """Both get the same content or the same error of each (name, table); where several errors are true, only that there is one.
        Returns what they got."""
        agreed = []
        for (name, table), program in zip(cases, self.by_program([table for _, table in cases])):
            reference = self.by_reference(table)
            if errors_only:
                program, reference = (outcome if isinstance(outcome, bytes) else "error" for outcome in (program, reference))
            # A number of words that is too large may be noticed because of the memory or because of the bytes.
            program, reference = ("corrupt_frame" if outcome == "out_of_memory" else outcome for outcome in (program, reference))
            if program != reference:
                short = [outcome if isinstance(outcome, str) else f"{len(outcome)} bytes" for outcome in (program, reference)]
                with self.subTest(name):
                    raise AssertionError(f"the program says {short[0]}, the reference decoder {short[1]}")
            agreed.append(program)
        return agreed


if __name__ == "__main__":
    main()
