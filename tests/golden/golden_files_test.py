"""Does the reference decoder, written from the format pages, read every golden file, and refuse every bad one for the right reason?"""

import csv
import hashlib
import itertools
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
DECODER = ROOT / "tools" / "reference_decoder" / "floe_decode.py"
sys.path.insert(0, str(DECODER.parent))

import floe_cells  # noqa: E402
import floe_decode  # noqa: E402
from floe_bytes import ERROR_CODES, FORMAT_ERRORS  # noqa: E402
from floe_encodings import ENCODINGS, WIDTHS  # noqa: E402

SOURCES = ("csv", "records", "columns")


def rows(folder):
    with open(FOLDER / folder / "manifest.csv", newline="") as file:
        return list(csv.DictReader(file))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def parameters_of(encoding):
    """Both ends of every range."""
    return itertools.product(*[sorted(set(bounds)) for bounds in encoding.ranges])


class GoldenFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.frames = {}
        for folder in ("arrays", "tables"):
            for row in rows(folder):
                data = (FOLDER / folder / row["file"]).read_bytes()
                cls.frames[f"{folder}/{row['file']}"] = (row, data, floe_decode.decode(data))

    def test_good_files(self):
        for name, (row, data, frame) in self.frames.items():
            with self.subTest(name):
                header = frame.header
                holds = SOURCES[header.source] if header.is_table else header.dtype
                shape = [frame.footer.element_count, len(header.columns)] if header.is_table else frame.footer.shape
                prefix_bytes = 0 if header.is_table else len(header.prefix)
                found = (holds, "x".join(map(str, shape)), len(frame.segments), "yes" if header.has_checksums else "no", prefix_bytes, len(frame.content), sha256(frame.content), len(data), sha256(data))
                columns = ("holds", "shape", "segments", "checksums", "prefix_bytes", "content_bytes", "content_sha256", "frame_bytes", "frame_sha256")
                self.assertEqual(list(map(str, found)), [row[column] for column in columns])

    def test_bad_files(self):
        for row in rows("reject"):
            with self.subTest(row["file"]):
                with self.assertRaises(FORMAT_ERRORS) as caught:
                    floe_decode.decode((FOLDER / "reject" / row["file"]).read_bytes())
                self.assertEqual(ERROR_CODES[type(caught.exception)], row["error"], caught.exception)

    def test_newer_and_unusual_files(self):
        for folder in ("newer", "unusual"):
            for row in rows(folder):
                with self.subTest(row["file"]):
                    frame = floe_decode.decode((FOLDER / folder / row["file"]).read_bytes())
                    self.assertEqual(sha256(frame.content), row["content_sha256"])

    def test_every_encoding_has_every_type(self):
        found = {node for _, _, frame in self.frames.values() for node in frame.encodings()}
        wanted = set()
        for identifier, encoding in ENCODINGS.items():
            choices = [(codec, 1) for codec in range(1, 9)] if encoding.name == "codec" else list(parameters_of(encoding))
            wanted |= {(encoding.name, type_name) for type_name in WIDTHS if any(encoding.takes(type_name, *choice) for choice in choices)}
        self.assertEqual(wanted - found, set())

    def test_every_cell_format_is_there(self):
        formats = [column.format for _, _, frame in self.frames.values() for segment in frame.segments for column in segment.entries.columns]
        self.assertEqual({cells.kind for cells in formats}, set(range(floe_cells.TEXT + 1)))
        self.assertEqual({cells.style for cells in formats if cells.kind in (floe_cells.F32, floe_cells.F64)}, set(range(floe_cells.FIXED + 1)))
        self.assertEqual({cells.layout for cells in formats if cells.kind == floe_cells.TIME}, set(range(floe_cells.CTIME + 1)))
        numbers = range(floe_cells.DECIMAL, floe_cells.TIME + 1)
        self.assertTrue(any(cells.is_quoted for cells in formats))
        self.assertEqual({cells.kind for cells in formats if cells.omits_zero}, {floe_cells.DECIMAL, floe_cells.FREE_DECIMAL})
        self.assertLessEqual({floe_cells.DECIMAL, floe_cells.F32, floe_cells.TIME}, {cells.kind for cells in formats if cells.has_exceptions and cells.kind in numbers})

    def test_leaves_of_both_kinds(self):
        kinds = {stream.leaf.kind for _, _, frame in self.frames.values() for stream in frame.streams() if stream.leaf}
        self.assertEqual(kinds, {0, 1})

    def test_streams_of_several_parts(self):
        self.assertTrue(any(len(stream.parts) > 1 for _, _, frame in self.frames.values() for stream in frame.streams()))

    def test_every_encoding_has_a_page(self):
        table = (ROOT / "docs" / "format" / "trees.md").read_text()
        for identifier, encoding in ENCODINGS.items():
            page = "leaves.md" if encoding.name == "codec" else f"encodings/{encoding.name}.md"
            self.assertIn(f"| {identifier} | [{encoding.name}]({page}) |", table)
            self.assertIn(f"d {identifier}", (ROOT / "docs" / "format" / page).read_text())

    def test_program(self):
        path = FOLDER / "arrays" / "example" / "leaf.floe"
        _, _, frame = self.frames["arrays/example/leaf.floe"]
        self.assertEqual(subprocess.run([sys.executable, DECODER, path], check=True, capture_output=True).stdout, frame.content)
        info = subprocess.run([sys.executable, DECODER, "--info", path], check=True, capture_output=True, text=True).stdout
        self.assertIn("shape        4 6", info)
        bad = subprocess.run([sys.executable, DECODER, FOLDER / "reject" / "footer" / "digest.floe"], capture_output=True, text=True)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("corrupt_frame", bad.stderr)


if __name__ == "__main__":
    unittest.main()
