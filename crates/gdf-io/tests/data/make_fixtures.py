"""Writes the fixtures in this folder: files of pyarrow, polars and DuckDB, each with its content as Arrow IPC.

    pip install pyarrow polars duckdb cryptography
    python crates/gdf-io/tests/data/make_fixtures.py

The content is the result of pyarrow for the file. For a file of pyarrow, the content is the table that was written. The
script also writes versions.txt, which contains the versions of the libraries that wrote the tracked files.
"""

import base64
import datetime
import decimal
import pathlib

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

HERE = pathlib.Path(__file__).parent
ROWS = 100


def expect(name, table):
    """Writes the expected content, uncompressed and in one batch, with plain types."""
    table = table.combine_chunks()
    with pa.ipc.new_file(HERE / f"{name}.expected.arrow", table.schema,
                         options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)


def nulls(values):
    return [None if i % 7 == 3 else value for i, value in enumerate(values)]


def flat():
    rows = range(ROWS)
    day = datetime.date(2000, 2, 28)
    noon = datetime.datetime(1999, 12, 31, 12)
    return pa.table({
        "b": pa.array(nulls([i % 3 == 0 for i in rows])),
        "i8": pa.array(nulls([i - 60 for i in rows]), pa.int8()),
        "i32": pa.array(nulls([i * 7919 % 1000 for i in rows]), pa.int32()),
        "i64": pa.array([i * 10**12 for i in rows], pa.int64()),
        "u16": pa.array(nulls([i * 500 for i in rows]), pa.uint16()),
        "u64": pa.array(nulls([2**64 - 1 - i for i in rows]), pa.uint64()),
        "f32": pa.array(nulls([i / 3 for i in rows]), pa.float32()),
        "f64": pa.array(nulls([float("nan") if i == 5 else i / 3 for i in rows])),
        "money": pa.array(nulls([decimal.Decimal(i) / 100 for i in rows]), pa.decimal128(15, 2)),
        "wide": pa.array(nulls([decimal.Decimal(i) * 10**20 for i in rows]), pa.decimal128(38, 3)),
        "day": pa.array(nulls([day + datetime.timedelta(days=i) for i in rows])),
        "at": pa.array(nulls([noon + datetime.timedelta(milliseconds=i) for i in rows]), pa.timestamp("us")),
        "zoned": pa.array(nulls([noon + datetime.timedelta(hours=i) for i in rows]), pa.timestamp("ns", "UTC")),
        "time": pa.array(nulls([datetime.time(i % 24, 5, 6, 7000) for i in rows]), pa.time64("us")),
        "text": pa.array(nulls(["" if i % 5 == 0 else f"text {i % 13} é" for i in rows])),
        "bytes": pa.array(nulls([bytes([i, 255]) for i in rows]), pa.binary()),
        "fixed": pa.array(nulls([bytes([i, 1, 2, 3]) for i in rows]), pa.binary(4)),
    })


def nested():
    rows = range(ROWS)
    pair = pa.struct([("a", pa.int32()), ("b", pa.string())])
    return pa.table({
        "list": pa.array(nulls([[j if j != 1 else None for j in range(i % 4)] for i in rows]), pa.list_(pa.int64())),
        "struct": pa.array(nulls([{"a": i, "b": None if i % 2 else str(i)} for i in rows]), pair),
        "map": pa.array(nulls([[(f"k{j}", j) for j in range(i % 3)] for i in rows]), pa.map_(pa.string(), pa.int64())),
        "deep": pa.array(nulls([[[{"a": i, "b": "x"}] * (j % 2) for j in range(i % 4)] for i in rows]),
                         pa.list_(pa.list_(pair))),
    })


def pyarrow_files():
    table = flat()
    only = table.select(["i32", "i64", "f64", "day", "text"])
    written = {
        "plain": (table, {"use_dictionary": False, "compression": "none"}),
        "dictionary_v1": (table, {"data_page_version": "1.0", "compression": "snappy"}),
        "dictionary_v2": (table, {"data_page_version": "2.0", "compression": "zstd"}),
        "gzip": (only, {"compression": "gzip"}),
        "lz4": (only, {"compression": "lz4"}),
        "brotli": (only, {"compression": "brotli"}),
        "small_pages": (only, {"data_page_size": 64, "write_batch_size": 8, "write_page_index": True, "row_group_size": 50}),
        "delta": (only, {"use_dictionary": False, "column_encoding": {
            "i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED", "f64": "BYTE_STREAM_SPLIT",
            "day": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"}}),
        "delta_length": (table.select(["text", "f32", "fixed"]), {"use_dictionary": False, "column_encoding": {
            "text": "DELTA_LENGTH_BYTE_ARRAY", "f32": "BYTE_STREAM_SPLIT", "fixed": "BYTE_STREAM_SPLIT"}}),
        "int96": (table.select(["at"]), {"use_deprecated_int96_timestamps": True}),
        "nested": (nested(), {"compression": "snappy"}),
        "nested_v2": (nested(), {"compression": "zstd", "data_page_version": "2.0", "row_group_size": 33}),
        "no_rows": (table.slice(0, 0), {}),
        "no_statistics": (only, {"write_statistics": False, "store_schema": False}),
        "checksums": (only, {"write_page_checksum": True}),
    }
    for name, (content, options) in written.items():
        path = HERE / f"pyarrow_{name}.parquet"
        pq.write_table(content, path, **options)
    expect("flat", table)
    expect("only", only)
    expect("nested", nested())
    expect("at", table.select(["at"]))
    expect("delta_length", table.select(["text", "f32", "fixed"]))


class Kms(pe.KmsClient):
    """Returns keys unencrypted, because the test expects that the encrypted file is refused."""

    def __init__(self, config):
        super().__init__()

    def wrap_key(self, key, name):
        return base64.b64encode(key)

    def unwrap_key(self, key, name):
        return base64.b64decode(key)


def encrypted():
    factory = pe.CryptoFactory(Kms)
    connection = pe.KmsConnectionConfig()
    for name, plaintext in [("footer", False), ("columns", True)]:
        config = pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["text"]}, plaintext_footer=plaintext)
        properties = factory.file_encryption_properties(connection, config)
        table = flat().select(["i32", "text"])
        with pq.ParquetWriter(HERE / f"encrypted_{name}.parquet", table.schema,
                              encryption_properties=properties) as writer:
            writer.write_table(table)


def polars_files():
    plain = flat().drop_columns(["wide", "fixed"])
    frame = pl.from_arrow(plain).with_columns(
        pl.col("text").cast(pl.Categorical).alias("category"),
        pl.col("i32").cast(pl.Duration("us")).alias("duration"),
        pl.concat_list("i32", "i8").alias("list"),
        pl.struct("i8", "text").alias("struct"),
    )
    for codec in ["zstd", "lz4"]:
        path = HERE / f"polars_{codec}.parquet"
        frame.write_parquet(path, compression=codec, row_group_size=50)
    expect("polars", pq.read_table(path))
    frame.write_ipc(HERE / "polars_lz4.arrow", compression="lz4")


def duckdb_files():
    connection = duckdb.connect()
    query = f"""
        select i::integer as i, (i * 7919 % 100)::tinyint as t, i::hugeint as h, i / 3 as f, i::decimal(9, 2) as d,
            'text ' || (i % 13) as s, date '2000-02-28' + i::integer as day,
            timestamp '1999-12-31' + interval (i) hour as at, [i, null, i + 1] as l, {{'a': i, 'b': 'x'}} as st,
            map {{'k': i}} as m, case when i % 7 = 3 then null else i end as n, i % 3 = 0 as b, ('\\x00' || i)::varchar::blob as bl
        from range({ROWS}) as r(i)
    """
    for name, options in [("snappy", "codec 'snappy'"), ("zstd_v2", "codec 'zstd', parquet_version v2"),
                          ("groups", "codec 'gzip', row_group_size 50")]:
        path = HERE / f"duckdb_{name}.parquet"
        connection.execute(f"copy ({query}) to '{path}' (format parquet, {options})")
    expect("duckdb", pq.read_table(path))


def text_files():
    table = flat().select(["i64", "f64", "b", "day", "text"])
    table = table.set_column(1, "f64", pa.array([i / 3 for i in range(ROWS)]))
    pa.csv.write_csv(table, HERE / "pyarrow.csv")
    expect("text", table)
    pl.from_arrow(table).write_csv(HERE / "polars.csv")
    pl.from_arrow(table).write_ndjson(HERE / "polars.jsonl")
    connection = duckdb.connect()
    connection.register("tbl", table)
    connection.execute(f"copy tbl to '{HERE / 'duckdb.csv'}' (header)")
    connection.execute(f"copy tbl to '{HERE / 'duckdb.jsonl'}' (format json)")


def ipc_files():
    table = flat().append_column("dictionary", flat().column("text").dictionary_encode())
    table = table.append_column("list", nested().column("list"))
    with pa.ipc.new_file(HERE / "pyarrow_lz4.arrow", table.schema,
                         options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table, max_chunksize=50)
    with pa.ipc.new_stream(HERE / "pyarrow_zstd.arrows", table.schema,
                           options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table, max_chunksize=50)
    expect("ipc", table)
    # These files claim that they are compressed, like compressed files of Arrow 0.17, but they are not compressed.
    numbers = pa.record_batch({"n": [1, 2, 3]})
    for name, new in [("old_compression.arrow", pa.ipc.new_file), ("old_compression.arrows", pa.ipc.new_stream)]:
        with new(HERE / name, numbers.schema) as writer:
            writer.write_batch(numbers, custom_metadata={"ARROW:experimental_compression": "lz4"})


def main():
    pyarrow_files()
    encrypted()
    polars_files()
    duckdb_files()
    text_files()
    ipc_files()
    versions = f"pyarrow {pa.__version__}, polars {pl.__version__}, DuckDB {duckdb.__version__}\n"
    (HERE / "versions.txt").write_text(versions)


if __name__ == "__main__":
    main()
