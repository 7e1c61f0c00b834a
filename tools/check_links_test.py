#!/usr/bin/env python3
"""Does check_links.py find broken links, and only those?"""

import tempfile
import unittest
from pathlib import Path

from check_links import broken_links


class CheckLinks(unittest.TestCase):
    def findings(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page.md").write_text("# Head, and tail\n" + text, encoding="utf-8")
            return broken_links(Path(folder))

    def test_accepts_files_headings_and_addresses(self):
        self.assertEqual(self.findings("[a](page.md) [b](#head-and-tail) [c](page.md#head-and-tail) [d](https://example.org/x)"), [])

    def test_finds_missing_files_and_headings(self):
        self.assertEqual(self.findings("\n[a](other.md)"), ["page.md:3: there is no other.md"])
        self.assertEqual(len(self.findings("[a](#tail)")), 1)

    def test_ignores_code(self):
        self.assertEqual(self.findings("`a[i](j)` and\n```\nb[i](j)\n```\n"), [])


if __name__ == "__main__":
    unittest.main()
