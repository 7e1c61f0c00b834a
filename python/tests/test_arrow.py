"""Do PyArrow and Polars take tables as they are?"""

import io

import numpy as np
import pytest

import floe

pyarrow = pytest.importorskip("pyarrow")

ROWS = 5000
CSV = b"time,count,price,name,flag\n2020-01-01 00:00:00,1,2.5,a,1\n2020-01-01 00:00:01,,3.25,\xc3\xbc,0\n,3,,,1\n"


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(1)
    return {
        "time": np.arange(ROWS).astype("M8[s]"),
        "price": rng.normal(size=ROWS).round(3),
        "flag": rng.integers(0, 2, ROWS).astype(bool),
        "half": rng.normal(size=ROWS).astype("f2"),
        "single": rng.normal(size=ROWS).astype("f4"),
        **{f"{t[0]}{8 * int(t[1])}": rng.integers(0, 100, ROWS).astype(t) for t in "i1 i2 i4 i8 u1 u2 u4 u8".split()},
    }


def test_pyarrow(columns):
    table = pyarrow.table(floe.open(floe.compress(columns)))
    assert table.column_names == list(columns) and table.num_rows == ROWS
    table.validate(full=True)
    for name, values in columns.items():
        again = table[name].to_numpy()
        assert again.dtype == values.dtype and np.array_equal(again, values), name
        assert table[name].null_count == 0


def test_batches_outlive_the_file(columns):
    with floe.open(floe.compress(columns)) as file:
        reader = pyarrow.RecordBatchReader.from_stream(file)
        batches = list(reader)
    assert sum(batch.num_rows for batch in batches) == ROWS
    assert batches[0]["price"].to_numpy()[:10].tolist() == columns["price"][:10].tolist()


def test_csv_with_missing_cells():
    table = pyarrow.table(floe.open(floe.compress_csv(io.BytesIO(CSV))))
    table.validate(full=True)
    assert table["count"].to_pylist() == [1, None, 3]
    assert table["price"].to_pylist() == [2.5, 3.25, None]
    assert table["name"].to_pylist() == ["a", "ü", ""]
    assert table["time"].null_count == 1 and table["time"].type == pyarrow.timestamp("s")


def test_empty():
    table = pyarrow.table(floe.open(floe.compress({"a": np.zeros(0), "b": np.zeros(0, bool)})))
    assert table.num_rows == 0 and table.column_names == ["a", "b"]


def test_unused_streams_are_freed(columns):
    import gc
    import weakref

    file = floe.open(floe.compress(columns))
    alive = weakref.ref(file)
    capsule = file.__arrow_c_stream__()
    del capsule, file
    gc.collect()
    assert alive() is None


def test_errors_reach_the_reader(columns):
    file = floe.open(floe.compress(columns))
    reader = pyarrow.RecordBatchReader.from_stream(file)
    file.close()
    with pytest.raises(OSError, match="closed"):
        list(reader)


def test_polars(columns):
    polars = pytest.importorskip("polars")
    columns = {name: values for name, values in columns.items() if name != "half"}
    frame = polars.DataFrame(floe.open(floe.compress(columns)))
    assert frame.shape == (ROWS, len(columns))
    for name, values in columns.items():
        if name != "time":
            assert np.array_equal(frame[name].to_numpy(), values), name
    frame = polars.DataFrame(floe.open(floe.compress_csv(io.BytesIO(CSV))))
    assert frame["count"].to_list() == [1, None, 3] and frame["name"].to_list() == ["a", "ü", ""]
