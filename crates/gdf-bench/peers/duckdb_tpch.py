#!/usr/bin/env python3
"""Times DuckDB on the TPC-H queries of the example `tpch`, with tables in memory and all threads.

Usage: duckdb_tpch.py DATA SCALE QUERIES REPEAT
DATA is a folder with the files <table>.parquet that the example makes. QUERIES is the folder
crates/gdf-datafusion/tests/tpch, which has the SQL of the queries. The script prints a line for each query: its number,
and the milliseconds of each of REPEAT runs. One more run before these is not timed.
"""

import pathlib
import sys
import time

import duckdb

TABLES = "customer lineitem nation orders part partsupp region supplier".split()


def milliseconds(db, sql):
    start = time.perf_counter()
    db.execute(sql).fetchall()
    return (time.perf_counter() - start) * 1e3


def main(data, scale, queries, repeat):
    db = duckdb.connect()
    for table in TABLES:
        db.execute(f"create table {table} as select * from read_parquet('{data}/{table}.parquet')")
    for path in sorted(pathlib.Path(queries).glob("q[0-9]*.sql")):
        sql = path.read_text().replace("{FRACTION}", f"{0.0001 / float(scale):.10f}")
        times = [milliseconds(db, sql) for _ in range(1 + int(repeat))][1:]
        print(int(path.stem[1:]), *(f"{ms:.3f}" for ms in times), sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
