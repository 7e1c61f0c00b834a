"""Does the reference decoder, written from the format pages, read every golden table? Do the tables use all that the pages know?"""

import csv
import hashlib
import pathlib
import re
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "tables"
ROOT = FOLDER.parents[2]
DECODER = ROOT / "tools" / "reference_decoder" / "floe_table.py"
sys.path.insert(0, str(DECODER.parent))

import floe_series  # noqa: E402
import floe_table  # noqa: E402


def rows():
    with open(FOLDER / "manifest.csv", newline="") as file:
        return list(csv.DictReader(file))


class GoldenTables(unittest.TestCase):
    def test_golden_tables(self):
        encodings, kinds, types = set(), set(), set()
        for row in rows():
            with self.subTest(row["file"]):
                data = (FOLDER / row["file"]).read_bytes()
                self.assertEqual(hashlib.sha256(data).hexdigest(), row["table_sha256"])
                table = floe_table.decode(data)
                self.assertEqual(hashlib.sha256(table.content).hexdigest(), row["content_sha256"])
                encodings |= table.encodings()
                types |= {stream.type for segment in table.segments for column in segment.columns for stream in column.streams}
                kinds |= {column.writing.kind for segment in table.segments for column in segment.columns}
        self.assertEqual(encodings, set(floe_series.ENCODINGS.values()), "encodings that no golden table uses")
        self.assertEqual(types, {name for name, _ in floe_series.TYPES.values()}, "types that no golden table has")
        self.assertEqual(kinds, set(range(8)), "ways of writing that no golden table has")

    def test_every_table_is_in_the_manifest(self):
        self.assertEqual(sorted(row["file"] for row in rows()), sorted(path.name for path in FOLDER.glob("*.fts")))

    def test_pages_describe_every_encoding(self):
        page = ROOT / "docs" / "format" / "series" / "README.md"
        listed = {int(number): (name, link) for number, name, link in re.findall(r"^\| (\d+) \| \[(\w+)\]\(([^)]+)\)", page.read_text(), re.MULTILINE)}
        self.assertEqual(set(listed), set(floe_series.ENCODINGS))
        for number, (name, link) in listed.items():
            self.assertEqual(floe_series.ENCODINGS[number].__name__.lower(), name.replace("_", ""))
            text = (page.parent / link.partition("#")[0]).read_text()
            self.assertRegex(text, rf"(?m)^#+ .*\b{name}\b")

    def test_program(self):
        content = (FOLDER / "text.csv").read_bytes()
        self.assertEqual(subprocess.run([sys.executable, DECODER, FOLDER / "text.fts"], check=True, capture_output=True).stdout, content)
        info = subprocess.run([sys.executable, DECODER, "--info", FOLDER / "text.fts"], check=True, capture_output=True, text=True).stdout
        self.assertIn("rows      300", info)
        bad = subprocess.run([sys.executable, DECODER, __file__], capture_output=True, text=True)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("corrupt_frame", bad.stderr)


if __name__ == "__main__":
    unittest.main()
