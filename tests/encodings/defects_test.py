"""Does every defect of the table in README.md have tests, and do they exist?"""

import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent


class Defects(unittest.TestCase):
    def test_every_defect_has_tests(self):
        rows = re.findall(r"^\| (\d+) \|.*\| ([^|]+) \|$", (FOLDER / "README.md").read_text(), re.MULTILINE)
        self.assertEqual([int(number) for number, _ in rows], list(range(1, 16)))
        for number, tests in rows:
            files = re.findall(r"`([^`]+\.(?:cpp|py))` ([^;`]+)", tests)
            self.assertTrue(files, number)
            for file, names in files:
                source = (FOLDER / file).read_text()
                found = re.findall(r"\w+\.\w+|test_\w+", names)
                self.assertTrue(found, f"{number}: {file}")
                for name in found:
                    suite, _, test = name.partition(".")
                    pattern = rf"TEST(?:_P|_F)?\({suite}, {test}\)" if test else rf"def {name}\(self"
                    self.assertRegex(source, pattern, f"defect {number}: {file} has no test {name}")


if __name__ == "__main__":
    unittest.main()
