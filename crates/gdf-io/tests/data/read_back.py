"""Reads files of gdf with pyarrow, polars and DuckDB, and compares the results.

    GDF_IO_WRITTEN=FOLDER cargo test -p gdf-io --test it -- --ignored files_for_other_readers
    python crates/gdf-io/tests/data/read_back.py FOLDER

Each result is compared, column by column and as values of Python, with the result of pyarrow for the uncompressed Arrow
IPC file. The output names the columns whose types a reader does not support.
"""

import math
import pathlib
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return a == b


def raw(column):
    """Returns the values as Python objects, or as integers if Python cannot represent a day or time."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_temporal(column.type):
        wide = column.type.bit_width == 64
        column = column.cast(pa.int64()) if wide else column.cast(pa.int32())
    return column.to_pylist()


def compare(name, found, expected):
    differing = []
    for field in expected.schema:
        if field.name not in found.schema.names:
            differing.append(f"{field.name} is missing")
            continue
        try:
            column = found.column(field.name)
            if pa.types.is_temporal(field.type):
                # Other readers may return another unit of time.
                column = column.cast(field.type)
            ok = same(raw(column), raw(expected.column(field.name)))
        except Exception as error:
            ok = False
            field = field.with_name(f"{field.name} ({type(error).__name__})")
        if not ok:
            differing.append(f"{field.name}: {expected.schema.field(field.name).type if field.name in expected.schema.names else ''}")
    print(f"{name}: {found.num_rows} rows, {len(expected.schema) - len(differing)} of {len(expected.schema)} columns equal"
          + (f"; not: {', '.join(differing)}" if differing else ""))


def polars_by_column(read, columns):
    """Reads each column separately, because polars refuses a whole file if it does not support one column."""
    arrays = {}
    for name in columns:
        try:
            arrays[name] = read([name]).to_arrow().column(name)
        except BaseException as error:
            print(f"    polars refuses {name}: {str(error).splitlines()[0][:90]}")
    return pa.table(arrays)


def main():
    folder = pathlib.Path(sys.argv[1])
    whole = pa.ipc.open_file(folder / "none.arrow").read_all()
    for path in sorted(folder.glob("*.arrow*")):
        table = (pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file)(path).read_all()
        compare(f"pyarrow {path.name}", table, whole)
    for path in sorted(folder.glob("*.parquet")):
        expected = whole if path.name.startswith("all") else whole.select(pq.read_schema(path).names)
        compare(f"pyarrow {path.name}", pq.read_table(path), expected)
        if path.name.startswith("all"):
            # polars refuses a whole file if it does not support the type of one column.
            continue
        table = polars_by_column(lambda names: pl.read_parquet(path, columns=names), expected.schema.names)
        compare(f"polars  {path.name}", table, expected)
        arrays = {}
        for name in expected.schema.names:
            try:
                arrays[name] = duckdb.sql(f"select \"{name}\" from '{path}'").to_arrow_table().column(name)
            except Exception as error:
                print(f"    DuckDB refuses {name}: {str(error).splitlines()[0][:90]}")
        compare(f"DuckDB  {path.name}", pa.table(arrays), expected)
    text = pa.ipc.open_file(HERE / "text.expected.arrow").read_all()
    compare("pyarrow text.csv", pa.csv.read_csv(folder / "text.csv", convert_options=pa.csv.ConvertOptions(
        column_types=text.schema, strings_can_be_null=True)), text)
    compare("polars  text.csv", pl.read_csv(folder / "text.csv", try_parse_dates=True).to_arrow(), text)
    compare("DuckDB  text.csv", duckdb.sql(f"from '{folder / 'text.csv'}'").to_arrow_table(), text)
    # polars and DuckDB read an empty cell, such as an empty text, as null. pyarrow reads no days from JSON.
    without_days = text.drop_columns(["day"])
    parse = pa.json.ParseOptions(explicit_schema=without_days.schema, unexpected_field_behavior="ignore")
    compare("pyarrow text.jsonl", pa.json.read_json(folder / "text.jsonl", parse_options=parse), without_days)
    compare("DuckDB  text.jsonl", duckdb.sql(f"from '{folder / 'text.jsonl'}'").to_arrow_table(), text)


if __name__ == "__main__":
    main()
