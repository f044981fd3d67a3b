"""Times gdf, pyarrow, polars and DuckDB in turn on Parquet files, so that all run under the same load of the machine.

    cargo build --release -p gdf-io --example time_read
    pip install pyarrow polars duckdb
    python crates/gdf-io/benches/peers/read_parquet.py target/release/examples/time_read [ROWS] [ROUNDS] [--columns]

pyarrow writes the files to a temporary folder, with Snappy and with Zstandard. Each file has eight columns of integers,
floats, text and days, in row groups of 1,048,576 rows. Each library runs in its own process and reads the file four
times. The time of a round is the shortest time of the last three reads. For each codec, the script prints the shortest
time and the median of all rounds. It also prints the median of the ratios of a library's time to the time of gdf in the
same round. With `--columns`, each column is read alone.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

READS = 4
COLUMNS = ["id", "key", "small", "price", "rate", "city", "note", "day"]

PEERS = {
    # pyarrow returns a chunked table, whose chunks are not concatenated.
    "pyarrow": "import pyarrow.parquet as m; read = lambda p, c: m.read_table(p, columns=c)",
    "polars": "import polars as m; read = lambda p, c: m.read_parquet(p, columns=c)",
    # The chunks are concatenated, because gdf also returns each column in one piece of memory.
    "polars, one piece": "import polars as m; read = lambda p, c: m.read_parquet(p, columns=c).rechunk()",
    "pyarrow, one piece": "import pyarrow.parquet as m; read = lambda p, c: m.read_table(p, columns=c).combine_chunks()",
    "duckdb to arrow": "import duckdb as m; read = lambda p, c:"
                       " m.sql(f\"select {', '.join(c or ['*'])} from '{p}'\").to_arrow_table()",
}

LOOP = """
import sys, time
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    table = read(sys.argv[1], sys.argv[3:] or None)
    print((time.perf_counter() - start) * 1e3)
    del table
"""


def make(folder, rows):
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    words = pa.array([f"word {i} of many" for i in range(1000)])
    table = pa.table({
        "id": pa.array(np.arange(rows, dtype=np.int64)),
        "key": pa.array(rng.integers(0, 1 << 40, rows)),
        "small": pa.array(rng.integers(0, 100, rows, dtype=np.int32)),
        "price": pa.array(rng.random(rows) * 1000),
        "rate": pa.array(rng.integers(0, 1000, rows) / 100, mask=rng.random(rows) < 0.1),
        "city": words.take(pa.array(rng.integers(0, len(words), rows))),
        "note": pc.binary_join_element_wise("n", pa.array(rng.integers(0, 1 << 40, rows)).cast(pa.string()), ""),
        "day": pa.array(rng.integers(0, 20000, rows, dtype=np.int32), type=pa.date32()),
    })
    for codec in ["snappy", "zstd"]:
        pq.write_table(table, os.path.join(folder, f"{codec}.parquet"), compression=codec, row_group_size=1 << 20)


def run(command):
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return min(map(float, out.split()[1:]))


def main():
    args = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    program = args[0]
    rows = int(args[1]) if len(args) > 1 else 10_000_000
    rounds = int(args[2]) if len(args) > 2 else 7
    selections = [[column] for column in COLUMNS] if "--columns" in sys.argv else [[]]
    folder = os.environ.get("GDF_IO_BENCH_FOLDER") or tempfile.mkdtemp()
    if not os.path.exists(os.path.join(folder, "zstd.parquet")):
        make(folder, rows)
    for codec, columns in [(codec, columns) for codec in ["snappy", "zstd"] for columns in selections]:
        path = os.path.join(folder, f"{codec}.parquet")
        times = {name: [] for name in ["gdf", *PEERS]}
        for _ in range(rounds):
            times["gdf"].append(run([program, path, str(READS), *columns]))
            for name, setup in PEERS.items():
                times[name].append(run([sys.executable, "-c", setup + LOOP, path, str(READS), *columns]))
        print(codec, *columns, f"{os.path.getsize(path) / 1e6:.0f} MB")
        for name, all_times in times.items():
            ratio = statistics.median(a / b for a, b in zip(all_times, times["gdf"]))
            least, median = min(all_times), statistics.median(all_times)
            print(f"  {name:20} {least:8.1f} {median:8.1f} ms   {ratio:5.2f} of gdf's", flush=True)
        print(json.dumps({"codec": codec, "rows": rows, "columns": columns, "ms": times}), file=sys.stderr)


if __name__ == "__main__":
    main()
