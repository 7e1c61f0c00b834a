#!/usr/bin/env python3
"""Does check_includes.py find forbidden includes, and only those?"""

import tempfile
import unittest
import unittest.mock
from pathlib import Path

from check_includes import ALLOWED, forbidden_includes, unused_entries, upward_entries


class CheckIncludes(unittest.TestCase):
    def findings(self, path: str, *includes: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text("".join(f"#include {name}\n" for name in includes), encoding="utf-8")
            return forbidden_includes(Path(folder))

    def test_allows_what_the_table_says(self):
        self.assertEqual(self.findings("src/core/bits.hpp", "<bit>", '"core/word.hpp"', "<immintrin.h>"), [])
        self.assertEqual(self.findings("src/api/compress.cpp", '"floe/floe.hpp"', '"chunks/registry/codec_entry.hpp"'), [])
        self.assertEqual(self.findings("apps/cli/main.cpp", '"floe/floe.hpp"', '"arguments/arguments.hpp"', "<CLI/CLI.hpp>"), [])

    def test_finds_a_layer_that_looks_up(self):
        self.assertEqual(
            self.findings("src/chunks/stages/delta.hpp", '"core/word.hpp"', '"chunks/cpu/scan.hpp"'),
            ["src/chunks/stages/delta.hpp:2: src/chunks/stages may not include chunks/cpu/scan.hpp"],
        )
        self.assertEqual(len(self.findings("src/core/bits.hpp", '"tree/plan.hpp"')), 1)
        self.assertEqual(len(self.findings("src/container/header.cpp", '"plan/planner.hpp"')), 1)

    def test_finds_floors_that_look_up(self):
        for path, include in (
            ("src/chunks/cpu/scan.hpp", '"chunks/registry/codec_entry.hpp"'),
            ("src/core/bits.hpp", '"simd/lanes.hpp"'),
            ("src/tree/plan.hpp", '"plan/planner.hpp"'),
            ("src/container/header.hpp", '"rows/cells/decimal_text.hpp"'),
            ("src/rows/column_format.hpp", '"pipeline/restorer.hpp"'),
            ("src/pipeline/restorer.hpp", '"api/array_checks.hpp"'),
        ):
            self.assertEqual(len(self.findings(path, include)), 1, include)

    def test_table_has_no_entry_that_looks_up(self):
        self.assertEqual(upward_entries(), [])
        with unittest.mock.patch.dict(ALLOWED, {"src/core": {"plan"}}):
            self.assertEqual(len(upward_entries()), 1)

    def test_finds_entries_that_nothing_needs(self):
        every_entry = {(module, entry) for module, entries in ALLOWED.items() for entry in entries}
        self.assertEqual(unused_entries(every_entry), [])
        self.assertEqual(
            unused_entries(every_entry - {("src/tree", "chunks")}),
            ["tools/check_includes.py: src/tree no longer needs chunks"],
        )

    def test_finds_a_program_that_looks_inside_the_library(self):
        self.assertEqual(len(self.findings("apps/cli/main.cpp", '"core/word.hpp"')), 1)
        self.assertEqual(len(self.findings("apps/cli/main.cpp", '"../../src/core/word.hpp"')), 1)

    def test_finds_packages_in_the_library(self):
        self.assertEqual(len(self.findings("src/container/header.cpp", "<fmt/format.h>")), 1)

    def test_finds_a_folder_without_a_row(self):
        self.assertEqual(len(self.findings("src/extras/odd.hpp")), 1)

    def test_leaves_tests_alone(self):
        self.assertEqual(self.findings("src/chunks/stages/delta_test.cpp", '"chunks/cpu/scan.hpp"'), [])


if __name__ == "__main__":
    unittest.main()
