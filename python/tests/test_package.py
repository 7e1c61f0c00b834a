"""Is what was installed whole: typed, of one version, and without needs that a bare machine does not meet?"""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import floe
from floe import _floe

ROOT = Path(__file__).resolve().parents[2]


def test_version():
    assert floe.__version__ == (ROOT / "VERSION").read_text().strip() == metadata.version("floe")


def test_types_are_shipped():
    folder = Path(floe.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_floe.pyi").exists()


def test_only_the_c_library_is_needed():
    """The C++ library is part of the module, so that it runs where another one, or none, is."""
    needed = subprocess.run(["ldd", _floe.__file__], capture_output=True, text=True, check=True).stdout
    assert "libstdc++" not in needed and "libfloe" not in needed


def test_all_is_documented():
    for name in floe.__all__:
        assert getattr(floe, name).__doc__, name


def test_importing_is_cheap():
    """No package but NumPy, and what it needs, is imported before it is asked for."""
    asked = "import sys, floe; print([name for name in ('zarr', 'torch', 'ml_dtypes', 'pyarrow') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout == "[]\n"
