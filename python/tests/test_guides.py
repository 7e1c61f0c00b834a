"""Does what the pages for users of Python show work? Their blocks run one after the other, as a reader would type them."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import floe.cuda
import pytest

ROOT = Path(__file__).resolve().parents[2]
OF_C = {"pages"}  # whose program is tested with the library: tests/readme
PAGES = [
    ROOT / "python/README.md",
    *(page for page in sorted((ROOT / "docs/guide").glob("*.md")) if page.stem not in OF_C),
]
NEEDED = {"torch": "torch"}  # packages that another environment has
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_commands(text, folder):
    """Without the lines that install floe: the tests run with the wheel of this checkout installed."""
    lines = [line for line in text.splitlines() if not line.startswith("pip install")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page(page, tmp_path):
    if page.stem in NEEDED:
        pytest.importorskip(NEEDED[page.stem])
    if page.stem == "cluster" and "FLOE_MPI_LIBRARY" not in os.environ:
        pytest.skip("floe_mpi was not built")
    languages = ("sh",) if page.stem == "gpu" and not floe.cuda.is_available() else ("python", "sh")
    names = {"__name__": "__main__"}
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks
    with contextlib.chdir(tmp_path):
        for language, text in blocks:
            if language not in languages:
                continue
            if language == "sh":
                run_commands(text, tmp_path)
            else:
                exec(compile(text, str(page), "exec"), names)
