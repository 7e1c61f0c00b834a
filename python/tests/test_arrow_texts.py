"""Do tables of Arrow with texts and nulls become tables of floe, and come back by value?"""

import datetime

import numpy as np
import pytest

import floe
from floe.__main__ import main

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

TEXTS = ["", None, "plain", "a,b", 'say "no"', '"', '""', "two\nlines", "cr\rcr\r\n", " blanks ", "1.50", "1e3", "true",
         "2020-01-01", "nan", "ünïcödé 🙂", "x" * 5000, "\\", "a;b|c\td", "# no comment", "\0", ',"', "null"]  # fmt: skip
FLOATS = [0.1, -0.0, None, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 1 / 3, 123456789.125]


def repeated(values, kind):
    return pyarrow.array((values * (500 // len(values) + 1))[:500], kind)


def all_types():
    integers = {
        f"{sign}{bits}": repeated([low, high, None, 0, 1], f"{'u' * (sign == 'u')}int{bits}")
        for bits in (8, 16, 32, 64)
        for sign, low, high in (("i", -(1 << (bits - 1)), (1 << (bits - 1)) - 1), ("u", 0, (1 << bits) - 1))
    }
    times = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59), None]
    return pyarrow.table({
        **integers,
        "text": repeated(TEXTS, pyarrow.string()),
        "large": repeated(TEXTS[::-1], pyarrow.large_string()),
        "view": repeated(TEXTS, pyarrow.string_view()),
        "words": repeated(["low", None, "high", "a,b"], pyarrow.string()).dictionary_encode(),
        "numbers": repeated([7, None, 9], pyarrow.int16()).dictionary_encode(),
        "f64": repeated(FLOATS, pyarrow.float64()),
        "f32": repeated([None, 0.1, -0.0, 3.4028234663852886e38, 1e-45, float("inf")], pyarrow.float32()),
        "flag": repeated([True, None, False], pyarrow.bool_()),
        "time": repeated(times, pyarrow.timestamp("s")),
        "micros": repeated(times, pyarrow.timestamp("us")),
        "day": repeated([datetime.date(2024, 2, 29), None], pyarrow.date32()),
        "all null": pyarrow.nulls(500),
        'a "name", with all': repeated([1, 2], pyarrow.int32()),
        " #": repeated([1, 2], pyarrow.int32()),
    })  # fmt: skip


def same(again, table):
    """By value; sign and place of NaN and zeros, too."""
    assert again.column_names == table.column_names and again.num_rows == table.num_rows
    for name in table.column_names:
        ours, theirs = again[name].to_pylist(), table[name].to_pylist()
        if name == "day":
            ours = [None if time is None else time.date() for time in ours]
        assert repr(ours) == repr(theirs), name


def test_all_types(tmp_path):
    table = all_types()
    floe.save(tmp_path / "t.floe", table)
    with floe.open(tmp_path / "t.floe") as file:
        again = pyarrow.table(file)
        again.validate(full=True)
        same(again, table)
        for name in ("i8", "u64", "f32", "f64", "flag"):
            assert again[name].type == table[name].type
        part = pyarrow.table(file.select(["large", "u64"], slice(3, 40)))
        assert part["large"].to_pylist() == table["large"].to_pylist()[3:40]
        assert file["text"].tolist() == table["text"].to_pylist()
        assert np.ma.count_masked(file["i32"]) == table["i32"].null_count
        assert np.array_equal(file["words", 0:4], ["low", None, "high", "a,b"])
    assert floe.compress(table) == (tmp_path / "t.floe").read_bytes()


def test_random_numbers_come_back():
    rng = np.random.default_rng(3)
    doubles = rng.integers(0, 1 << 64, 20_000, np.uint64).view("f8")
    decimals = rng.integers(-(10**9), 10**9, 20_000) / 10.0 ** rng.integers(0, 12, 20_000)
    table = pyarrow.table({
        "a": np.where(np.isnan(doubles), 0, doubles), "b": decimals, "c": decimals.astype("f4"),
        "d": rng.normal(size=20_000).round(3), "e": rng.normal(size=20_000), "f": np.array(["x", "y"] * 10_000),
    })  # fmt: skip
    again = floe.load(floe.compress(table, "speed"))
    for name in "abcde":
        assert again[name].dtype == table[name].to_numpy().dtype
        assert again[name].tobytes() == table[name].to_numpy().tobytes(), name


@pytest.mark.parametrize("rows", [0, 1, 70_000])
def test_lengths_and_chunks(rows):
    table = pyarrow.table({"only": pyarrow.array([None, "x", ""] * (rows // 3) + [None] * (rows % 3), pyarrow.string())})
    table = pyarrow.concat_tables([table, table.slice(0, rows // 2)])
    same(pyarrow.table(floe.open(floe.compress(table, "speed"))), table)


def test_frames_and_relations_of_others():
    pandas, polars, duckdb = map(pytest.importorskip, ("pandas", "polars", "duckdb"))
    texts = ["a", None, 'b "c"', ""]
    frame = polars.DataFrame({"n": [1, None, 3, 4], "t": texts, "c": ["u", "v", "u", None]})
    frame = frame.with_columns(frame["c"].cast(polars.Categorical))
    again = polars.DataFrame(floe.open(floe.compress(frame)))
    assert again["t"].to_list() == texts and again["n"].to_list() == [1, None, 3, 4]
    assert again["c"].to_list() == ["u", "v", "u", None]
    relation = duckdb.sql("select * from frame where n > 2")
    assert pyarrow.table(floe.open(floe.compress(relation)))["t"].to_pylist() == texts[2:]
    assert duckdb.from_arrow(floe.open(floe.compress(frame))).filter("t is null").fetchall() == [(None, None, "v")]
    numbers = pandas.DataFrame({"x": [1.5, float("nan"), 3.0], "k": pandas.array([1, None, 3], "Int64"), "t": ["a", None, ""]})
    loaded = floe.load(floe.compress(numbers))
    assert np.array_equal(loaded["x"], [1.5, np.nan, 3.0], equal_nan=True) and loaded["k"].tolist() == [1, None, 3]
    assert loaded["t"].tolist() == ["a", None, ""]
    with floe.open(floe.compress(numbers[["x"]])) as file:  # NaN is a number there
        assert file.info["source"] == "columns"
    reader = pyarrow.RecordBatchReader.from_stream(floe.open(floe.compress(frame)))
    assert pyarrow.table(floe.open(floe.compress(reader)))["t"].to_pylist() == texts


@pytest.mark.parametrize(
    "values, kind",
    [([b"x"], pyarrow.binary()), ([[1]], pyarrow.list_(pyarrow.int8())), ([{"a": 1}], pyarrow.struct([("a", "int8")])),
     ([1], pyarrow.decimal128(5, 2)), ([1], pyarrow.duration("s")), ([1], pyarrow.time32("s")),
     ([1.0, None], pyarrow.float16()), (["x" * (1 << 20), None], pyarrow.string()),
     ([datetime.datetime(2020, 1, 1, 0, 0, 0, 5), None], pyarrow.timestamp("us")),
     ([1 << 40, None], pyarrow.timestamp("s"))],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_what_cannot_be_stored_is_said(values, kind, tmp_path):
    calls = []
    with pytest.raises(floe.UnsupportedError, match="column 'bad'"):
        floe.save(
            tmp_path / "t.floe",
            pyarrow.table({"good": ["x"] * len(values), "bad": pyarrow.array(values, kind)}),
            progress=lambda *done: calls.append(done),
        )
    assert not calls and not list(tmp_path.iterdir())
    with pytest.raises(floe.UnsupportedError, match="line end"):
        floe.compress(pyarrow.table({"a\r\nb": ["x"]}))


def test_progress():
    calls = []
    table = pyarrow.table({"t": ["text"] * 200_000})
    floe.compress(table, "speed", progress=lambda *done: calls.append(done))
    assert len(calls) > 2 and calls == sorted(calls) and calls[-1][0] == calls[-1][1] > 0


def test_files_of_parquet_and_arrow(tmp_path):
    table = all_types().drop_columns(["view"])
    parquet, packed, again, arrow = (tmp_path / name for name in ("t.parquet", "t.floe", "again.parquet", "again.arrow"))
    pyarrow.parquet.write_table(table, parquet)
    for words in (["compress", parquet, "-o", packed], ["decompress", "-o", again, packed],
                  ["decompress", "-o", arrow, packed], ["compress", arrow]):  # fmt: skip
        assert main([str(word) for word in words]) == 0
    same(pyarrow.parquet.read_table(again), pyarrow.parquet.read_table(parquet))
    same(pyarrow.table(floe.open(tmp_path / "again.arrow.floe")), pyarrow.parquet.read_table(parquet))
