#!/usr/bin/env python3
"""Does compare_sizes.py complain about what breaks a limit, and about nothing else?"""

import tempfile
import unittest
from pathlib import Path

from compare_sizes import complaints, files_in

REFERENCES = {("a_f32_5.bin", "spspeed"): 1000, ("b_f64_5.bin", "gfc-dim1-n1000"): 1000, ("b_f64_5.bin", "gfc-dim1-n1"): 900}


def row(file: str = "a_f32_5.bin", codec: str = "spspeed", excess_bytes: int = 0, exact: str = "yes") -> dict:
    return {"file": file, "codec": codec, "excess_bytes": excess_bytes, "allowed_bytes": 260, "exact": exact}


class CompareSizes(unittest.TestCase):
    def test_is_content_up_to_the_limit(self):
        self.assertEqual(complaints([row(excess_bytes=260), row("b_f64_5.bin", "gfc", -50)], REFERENCES), [])

    def test_finds_too_large_and_inexact(self):
        found = complaints([row(excess_bytes=261), row("b_f64_5.bin", "gfc", exact="no")], REFERENCES)
        self.assertEqual(len(found), 2)
        self.assertIn("b_f64_5.bin, gfc: what comes back differs", found)
        self.assertIn("a_f32_5.bin, spspeed: 261 bytes above the reference, allowed are 260", found)

    def test_finds_references_without_a_file(self):
        self.assertEqual(len(complaints([row("c_f32_5.bin"), row("b_f64_5.bin", "gfc")], REFERENCES)), 1)

    def test_takes_arrays_and_tables_by_their_names(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a_f32_5.bin", "t_csv_5x3.csv", "w_bf16_1x5.bin", "README.md", "REFERENCE.csv", "n.bin"):
                (Path(folder) / name).touch()
            found = [(path.name, dtype) for path, dtype in files_in(Path(folder))]
            self.assertEqual(found, [("a_f32_5.bin", "f32"), ("t_csv_5x3.csv", "u8"), ("w_bf16_1x5.bin", "bf16")])


if __name__ == "__main__":
    unittest.main()
