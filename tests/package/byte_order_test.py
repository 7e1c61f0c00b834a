"""Is floe refused for big-endian machines, with the reason, before anything is compiled? Needs a compiler for s390x."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMPILER = "s390x-linux-gnu-"


@unittest.skipUnless(shutil.which(COMPILER + "g++") and shutil.which("cmake"), "there is no compiler for s390x")
class ByteOrder(unittest.TestCase):
    def test_big_endian_machines_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=s390x",
                 f"-DCMAKE_C_COMPILER={COMPILER}gcc", f"-DCMAKE_CXX_COMPILER={COMPILER}g++"],
                capture_output=True, text=True, check=False)  # fmt: skip
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("big-endian machines are not supported", done.stderr)


if __name__ == "__main__":
    unittest.main()
