"""What DuckDB stores of an array: floats by ALP or ALP-RD, integers by bit packing, as it chooses for each group of 122,880 rows.

Only sizes can be compared: what takes time is a database, with SQL, transactions and a file. The size is that of the blocks of the
column, each up to its last byte that is not zero, because the next column would begin there. Statistics, row groups and the catalogue
are not in it.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy
from arrays import Array
from setting import Setting

HEADERS, BLOCK = 3 * 4096, 1 << 18  # of the file, in bytes


class Column:
    """An array in a file of DuckDB, which is gone when this is."""

    def __init__(self, array: Array):
        import duckdb
        import pyarrow

        self._folder = tempfile.TemporaryDirectory()
        self._file = Path(self._folder.name) / "column.db"
        with duckdb.connect(self._file, config={"threads": 1}) as database:
            # As Arrow: NaN would become NULL from NumPy.
            database.register("words", pyarrow.table({"word": pyarrow.array(array.flat)}))
            database.execute("CREATE TABLE stored AS SELECT word FROM words")
            database.execute("CHECKPOINT")
            self._blocks = self._used_blocks(database)

    @staticmethod
    def _used_blocks(database) -> list[int]:
        segments = database.execute("SELECT block_id, additional_block_ids FROM pragma_storage_info('stored')").fetchall()
        return sorted({block for first, others in segments for block in (first, *(others or ())) if block >= 0})

    def stored(self) -> bytes:
        content = self._file.read_bytes()[HEADERS:]
        return b"".join(content[block * BLOCK : (block + 1) * BLOCK].rstrip(b"\0") for block in self._blocks)

    def words(self) -> numpy.ndarray:
        import duckdb

        with duckdb.connect(self._file, read_only=True) as database:
            return database.sql("SELECT word FROM stored").to_arrow_table()["word"].combine_chunks().to_numpy()


def duckdb(array: Array) -> Iterator[Setting]:
    import duckdb

    if array.dtype in ("f32", "f64", "i32", "i64"):
        column = Column(array)
        name = "ALP, ALP-RD" if array.dtype in ("f32", "f64") else "bit packing"
        yield Setting("duckdb", name, duckdb.__version__, column.stored, lambda _: column.words(), is_timed=False)
