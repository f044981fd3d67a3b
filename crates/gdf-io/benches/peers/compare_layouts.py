"""Compares files of the same rows: their sizes, and the time that pyarrow and DuckDB take to read them.

    pip install pyarrow duckdb
    python crates/gdf-io/benches/peers/compare_layouts.py FILE… [--rounds N] [--threads N]

Each library reads the files by turns in a process of its own, all columns and two of them, so that all files are read
under the same load of the machine. For each read, the script prints the shortest time, and the median of the ratios to
the first file in the same round: of the time by the clock, and of the time of the processors, which depends less on other
programs. It fails if the files have different rows.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

READS = {
    "pyarrow, all columns": "pq.read_table(path)",
    "pyarrow, two columns": "pq.read_table(path, columns=names[:2])",
    "DuckDB to Arrow, all columns": "db.sql(f\"from '{path}'\").to_arrow_table()",
    "DuckDB, a hash of all columns": "db.sql(f\"select bit_xor(hash({columns})) from '{path}'\").fetchall()",
}

CHILD = """
import json, sys, time
import duckdb as db, pyarrow as pa, pyarrow.parquet as pq
threads, paths = int(sys.argv[1]), sys.argv[2:]
pa.set_cpu_count(threads)
db.sql(f"set threads = {threads}")
# The bar would go to the standard output.
db.sql("set enable_progress_bar = false")
names = pq.read_schema(paths[0]).names
columns = ", ".join(f'"{name}"' for name in names)
times = {}
for path in paths:
    for again in range(2):
        start, cpu = time.perf_counter(), time.process_time()
        read = READ
        times[path] = (time.perf_counter() - start) * 1e3, (time.process_time() - cpu) * 1e3
        del read
print(json.dumps(times))
"""


def row_groups(path):
    import pyarrow.parquet as pq

    metadata = pq.ParquetFile(path).metadata
    return f"{metadata.num_row_groups} row groups, the first of {metadata.row_group(0).num_rows} rows"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = arguments.parse_args()

    import pyarrow.parquet as pq

    first = arguments.files[0]
    rows = pq.read_table(first)
    for path in arguments.files:
        print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB, {row_groups(path)}")
        assert pq.read_table(path).equals(rows), f"{path} has other rows than {first}"
    del rows
    for name, read in READS.items():
        times = {path: [] for path in arguments.files}
        for number in range(arguments.rounds):
            order = arguments.files if number % 2 == 0 else arguments.files[::-1]
            command = [sys.executable, "-c", CHILD.replace("READ", read), str(arguments.threads), *order]
            for path, took in json.loads(subprocess.check_output(command)).items():
                times[path].append(took)
        print(name)
        for path, took in times.items():
            shortest = [min(each) for each in zip(*took)]
            ratios = [[mine / its for mine, its in zip(*pair)] for pair in zip(took, times[first])]
            clock, cpu = (statistics.median(each) for each in zip(*ratios))
            print(f"  {path}: {shortest[0]:.0f} ms, ratio {clock:.2f}; processors {shortest[1]:.0f} ms, ratio {cpu:.2f}")


if __name__ == "__main__":
    main()
