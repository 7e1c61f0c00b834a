"""Does the bill of materials name floe, its licence, and all that the build looks for?"""
import re
import unittest

import make_sbom

ROOT = make_sbom.ROOT
# Of the language, of the system, or floe itself.
OF_THE_SYSTEM = {"Threads", "PkgConfig", "Python3", "Python", "CUDAToolkit", "MPI", "floe", "benchmark"}
NAMES = {"GTest": "GoogleTest", "rapidcheck": "RapidCheck"}


class Bill(unittest.TestCase):
    def setUp(self):
        self.bill = make_sbom.bill()
        self.packages = {package["name"]: package for package in self.bill["packages"]}

    def test_floe(self):
        self.assertEqual(self.packages["floe"]["versionInfo"], (ROOT / "VERSION").read_text(encoding="utf-8").strip())
        self.assertEqual(self.packages["floe"]["licenseDeclared"], "Apache-2.0")
        self.assertIn("Apache License", (ROOT / "LICENSE").read_text(encoding="utf-8"))

    def test_all_that_the_build_looks_for(self):
        files = [path for folder in ("apps", "src", "tests", "python", "cmake", "research") for path in (ROOT / folder).rglob("*.txt")]
        text = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "CMakeLists.txt", *files])
        wanted = {NAMES.get(name, name) for name in re.findall(r"find_package\((\w+)", text)} - OF_THE_SYSTEM
        self.assertLessEqual(wanted, set(self.packages))

    def test_relations_name_packages(self):
        known = {package["SPDXID"] for package in self.bill["packages"]} | {"SPDXRef-DOCUMENT"}
        for relation in self.bill["relationships"]:
            self.assertIn(relation["spdxElementId"], known)
            self.assertIn(relation["relatedSpdxElement"], known)


if __name__ == "__main__":
    unittest.main()
