"""Do the tables of pages say what their CSV files say, and are the promises kept there?"""

import csv
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "benchmarks"
sys.path[:0] = [str(ROOT / "tools"), *(str(ROOT / "bench" / folder) for folder in ("peers", "limits", "goals", "text"))]

import ablation  # noqa: E402
import compare_sizes  # noqa: E402
import growth  # noqa: E402
import short  # noqa: E402
import sizes as text  # noqa: E402


def rows(name):
    """Numbers as numbers; cells without a value are left out."""
    with open(PAGES / name, newline="") as file:
        return [{key: int(cell) if re.fullmatch(r"-?\d+", cell) else cell for key, cell in row.items() if cell} for row in csv.DictReader(file)]


def block(page, name):
    return re.search(rf"<!-- begin {name}\b[^>]*-->\n(.*?)\n<!-- end {name} -->", (PAGES / page).read_text(), re.DOTALL)[1]


class Pages(unittest.TestCase):
    def test_sizes(self):
        sizes = rows("sizes.csv")
        references = compare_sizes.read_references(PAGES / "published_sizes.csv")
        self.assertEqual(compare_sizes.page_table(sizes), block("sizes.md", "sizes"))
        self.assertEqual(compare_sizes.complaints(sizes, references), [])
        for row in sizes:
            if "reference_bytes" in row:
                self.assertEqual(row["excess_bytes"], row["stored_bytes"] - row["reference_bytes"])
                self.assertEqual(row["reference_bytes"], references[row["file"], compare_sizes.REFERENCE_NAMES.get(row["codec"], row["codec"])])

    def test_ablation(self):
        for goal in ("ratio", "max"):
            self.assertEqual(ablation.goal_table(goal), block("ablation.md", goal))

    def test_text(self):
        for kind in text.KINDS:
            self.assertEqual(text.kind_table([row for row in text.read_rows() if row["kind"] == kind]), block("text.md", kind))

    def test_short_arrays(self):
        self.assertEqual(short.short_table(rows("peers_short.csv")), block("peers.md", "short"))

    def test_limits(self):
        growths = rows("limits.csv")
        self.assertEqual(growth.growth_table(growths), block("limits.md", "growth"))
        for row in growths:
            self.assertEqual(row["growth_bytes"], row["stored_bytes"] - row["input_bytes"])
            self.assertEqual((row["exact"], row["within"]), ("yes", "yes"))
            self.assertLessEqual(row["growth_bytes"], growth.ALLOWED_SHARE * row["input_bytes"] + growth.ALLOWED_BYTES)


if __name__ == "__main__":
    unittest.main()
