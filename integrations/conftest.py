"""What tests of several integrations share."""

import tempfile

import pytest


@pytest.fixture(autouse=True, scope="session")
def folder_of_mpirun():
    """Each worker of pytest has a folder of its own for what mpirun keeps while it runs: in one folder, one makes what
    the other one is about to make."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMPI_MCA_orte_tmpdir_base", folder)
        yield
