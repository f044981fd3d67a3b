"""Compares what the command `gdf` reads of files with what pyarrow reads of them: columns, types, rows.

    python crates/gdf-io/tests/data/compare_files.py GDF FOLDER...

GDF is the command. The script searches the FOLDERs for files of Parquet, CSV, JSON lines and Arrow IPC. The package of
pyarrow and the repositories parquet-testing, arrow-testing and arrow-rs have such files. The script prints a line for
each file that differs, and counts. The names of the fields of lists and maps, and the nullability of types, are not
compared.
"""

import pathlib
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet as pq

from read_back import same


def ipc(path):
    try:
        return pa.ipc.open_file(path).read_all()
    except pa.ArrowInvalid:
        return pa.ipc.open_stream(path.open("rb")).read_all()


# For each extension: the name of the format for gdf, and the function of pyarrow that reads a single file.
READERS = {
    ".parquet": ("parquet", lambda path: pq.ParquetFile(path).read()),
    ".encrypted": ("parquet", lambda path: pq.ParquetFile(path).read()),
    ".csv": ("csv", pyarrow.csv.read_csv),
    ".gz": ("csv", pyarrow.csv.read_csv),
    ".json": ("json", pyarrow.json.read_json),
    ".arrow": ("arrow", ipc),
    ".arrow_file": ("arrow", ipc),
    ".stream": ("arrow", ipc),
    ".feather": ("arrow", ipc),
}


def shape(kind):
    """Returns the text of a type without the names of list fields and without nullability."""
    if isinstance(kind, pa.BaseExtensionType):
        return f"extension<{kind.extension_name}>"
    if pa.types.is_map(kind):
        return f"map<{shape(kind.key_type)}, {shape(kind.item_type)}>"
    if pa.types.is_struct(kind):
        return "struct<" + ", ".join(f"{field.name}: {shape(field.type)}" for field in kind) + ">"
    if pa.types.is_fixed_size_list(kind):
        return f"fixed_size_list<{shape(kind.value_type)}>[{kind.list_size}]"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return ("large_" if pa.types.is_large_list(kind) else "") + f"list<{shape(kind.value_type)}>"
    if pa.types.is_dictionary(kind):
        return f"dictionary<{shape(kind.index_type)}, {shape(kind.value_type)}>"
    return str(kind)


def equal(found, expected):
    """Returns whether arrays are equal. NaN differs from itself, so arrays that differ are compared as Python values."""
    if found.type == expected.type and found.equals(expected):
        return True
    try:
        return same(found.to_pylist(), expected.to_pylist())
    except (KeyError, ValueError, OverflowError):
        return False


def read(attempt):
    """Returns a table and no error, or no table and the first line of the error."""
    try:
        return attempt(), None
    except Exception as error:
        return None, (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def by_gdf(command, path, folder):
    out = folder / "out.arrow"
    form = READERS[path.suffix][0]
    done = subprocess.run([command, "convert", "--force", "--format", form, path, out], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip() or f"ended with {done.returncode}")
    table = pa.ipc.open_file(out).read_all()
    table.validate()
    return table


def differences(found, expected):
    if found.num_rows != expected.num_rows:
        yield f"{found.num_rows} rows, pyarrow {expected.num_rows}"
        return
    if found.schema.names != expected.schema.names:
        yield f"columns {found.schema.names}, pyarrow {expected.schema.names}"
        return
    for index, field in enumerate(expected.schema):
        own, theirs = shape(found.schema.field(index).type), shape(field.type)
        # Columns are compared by position, because names may occur twice.
        is_equal = equal(found.column(index), expected.column(index))
        if own != theirs:
            yield f"{field.name}: {own}, pyarrow {theirs}" + ("" if is_equal else ", other values")
        elif not is_equal:
            yield f"{field.name}: other values"


def main(command, *folders):
    counts = {}
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*")):
            if path.suffix not in READERS or not path.is_file():
                continue
            expected, refused = read(lambda: READERS[path.suffix][1](path))
            found, error = read(lambda: by_gdf(command, path, pathlib.Path(temporary)))
            if expected is None and found is None:
                verdict, detail = "neither", [f"gdf: {error}; pyarrow: {refused}"]
            elif found is None:
                verdict, detail = "only pyarrow", [error]
            elif expected is None:
                verdict, detail = "only gdf", [refused]
            else:
                detail = list(differences(found, expected))
                verdict = "differs" if detail else "equal"
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict != "equal":
                print(f"{path}\t{verdict}\t{'; '.join(detail)}", flush=True)
    print(", ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
