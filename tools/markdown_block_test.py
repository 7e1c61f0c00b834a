#!/usr/bin/env python3
"""Does markdown_block.py replace what it should, and nothing else?"""

import tempfile
import unittest
from pathlib import Path

from markdown_block import replace_block, table


class MarkdownBlock(unittest.TestCase):
    def replaced(self, page: str, name: str, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "page.md"
            file.write_text(page, encoding="utf-8")
            replace_block(file, name, text)
            return file.read_text(encoding="utf-8")

    def test_replaces_the_named_block_only(self):
        page = "a\n<!-- begin x (written by y) -->\nold\n<!-- end x -->\nb\n<!-- begin xx -->\nkept\n<!-- end xx -->\n"
        self.assertEqual(self.replaced(page, "x", "new \\1\n"), page.replace("old", "new \\1"))

    def test_replacing_again_changes_nothing(self):
        page = self.replaced("<!-- begin x -->\n<!-- end x -->\n", "x", "new")
        self.assertEqual(self.replaced(page, "x", "new"), page)

    def test_wants_exactly_one_block(self):
        for page in ("", "<!-- begin x -->\n<!-- end x -->\n" * 2):
            with self.assertRaises(ValueError):
                self.replaced(page, "x", "new")

    def test_tables_align_numbers_right(self):
        self.assertEqual(table(["name", "n"], [["a", "1"]]), "| name | n |\n| --- | ---: |\n| a | 1 |")


if __name__ == "__main__":
    unittest.main()
