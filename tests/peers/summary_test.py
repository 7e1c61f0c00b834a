#!/usr/bin/env python3
"""Are the numbers on the page of the peers, and in README.md, those of peers.csv? And does the frontier hold what it should?"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "peers"))
from summary import Row, frontier, summaries  # noqa: E402

ROW = Row("a_f32_4.bin", "f32", "zstd", "-1", "", True, 2.0, 1.0, 4.0, 10.0)


class Pages(unittest.TestCase):
    def test_show_what_the_csv_says(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = Path(folder) / "benchmarks"
            shutil.copytree(ROOT / "docs" / "benchmarks", pages)
            readme = Path(shutil.copy(ROOT / "README.md", folder))
            subprocess.run([sys.executable, "-B", ROOT / "bench" / "peers" / "page.py", pages, readme], check=True)
            self.assertEqual((pages / "peers.md").read_text(), (ROOT / "docs" / "benchmarks" / "peers.md").read_text())
            self.assertEqual(readme.read_text(), (ROOT / "README.md").read_text())


class Summaries(unittest.TestCase):
    def test_are_geometric_means_with_the_worst_files(self):
        other = replace(ROW, file="b_f32_4.bin", ratio=8.0, compress=4.0, decompress=1.0)
        (found,) = summaries([ROW, other, replace(ROW, dtype="f64")], "f32")
        self.assertEqual((found.name, found.files), ("zstd -1", 2))
        self.assertAlmostEqual(found.ratio, 4.0)
        self.assertAlmostEqual(found.compress, 2.0)
        self.assertAlmostEqual(found.decompress, 2.0)
        self.assertEqual([row.array for row in (found.worst_ratio, found.slowest_compress, found.slowest_decompress)], ["a", "a", "b"])

    def test_leave_out_what_was_not_exact(self):
        self.assertEqual(summaries([ROW, replace(ROW, file="b_f32_4.bin", exact=False)], "f32"), [])

    def test_classes_of_several_types_compare_kinds_of_codecs(self):
        rows = [replace(ROW, dtype=dtype, compressor="floe", setting=codec) for dtype, codec in (("i32", "spspeed"), ("i64", "dpspeed"))]
        self.assertEqual([found.name for found in summaries(rows, "integers")], ["floe speed"])

    def test_sizes_alone_have_no_speeds(self):
        nan = float("nan")
        (found,) = summaries([replace(ROW, compress=nan, decompress=nan)], "f32")
        self.assertEqual((found.ratio, found.is_timed), (2.0, False))

    def test_frontier_is_what_nothing_beats_in_both(self):
        points = {"small": (3.0, 0.5), "beaten": (2.0, 0.4), "middle": (2.0, 2.0), "fast": (1.5, 3.0), "slow": (1.0, 1.0)}
        rows = [replace(ROW, setting=name, ratio=ratio, decompress=speed) for name, (ratio, speed) in points.items()]
        front = frontier(summaries(rows, "f32"), "decompress")
        self.assertEqual([found.setting for found in front], ["small", "middle", "fast"])


if __name__ == "__main__":
    unittest.main()
