"""Runs statements with DuckDB: `rows.py FOLDER`.

The tables are the Parquet files of the folder. Each line of the input is a statement in JSON. The line of output is
`{"rows": [[…], …]}`, whose cells are texts or null, or `{"error": "…"}`.
"""

import json
import os
import sys

import duckdb

# The functions and settings by which both dialects have the same meaning.
PRELUDE = """
SET integer_division = true;
SET default_null_order = 'nulls_last_on_asc_first_on_desc';
SET threads = 1;
CREATE MACRO btrim(x) AS trim(x, ' ');
CREATE MACRO lpad(x, n) AS system.main.lpad(x, greatest(n, 0)::INTEGER, ' '),
             (x, n, fill) AS system.main.lpad(x, greatest(n, 0)::INTEGER, fill);
CREATE MACRO rpad(x, n) AS system.main.rpad(x, greatest(n, 0)::INTEGER, ' '),
             (x, n, fill) AS system.main.rpad(x, greatest(n, 0)::INTEGER, fill);
CREATE MACRO substr(x, n) AS system.main.substring(x, greatest(n, 1)::BIGINT);
"""


def cell(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def main():
    database = duckdb.connect()
    for name in sorted(os.listdir(sys.argv[1])):
        table, extension = os.path.splitext(name)
        if extension == ".parquet":
            path = os.path.join(sys.argv[1], name).replace("'", "''")
            database.execute(f"CREATE TABLE {table} AS FROM read_parquet('{path}')")
    database.execute(PRELUDE)
    for line in sys.stdin:
        try:
            rows = database.execute(json.loads(line)).fetchall()
            answer = {"rows": [[cell(value) for value in row] for row in rows]}
        except Exception as error:  # an error of DuckDB is an answer
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
