"""Runs random programs of frame verbs with polars, and compares the rows and types with those that gdf has found.

    frame_programs.py PROGRAMS

PROGRAMS is a file that the test `random_programs_equal_polars` of gdf-frame writes. A program is a table, steps, and
the rows and types that gdf returns. A step is a verb with its arguments, or `rows`: the rows of the naive interpreter after a verb
that is not translated, from which the program goes on. If rows or types differ, the program ends with an error.

Differences that the translation takes into account:

- Numbers of rows and of values are UInt32 in polars, and Int64 in gdf. `frame_types.py` has all differences of types.
- The sum of no values is null in gdf and 0 in polars.
- `n_unique` does not count nulls in gdf.
- An aggregation of a literal has a value for each row in gdf, so values are columns before they are aggregated.
- Columns that `unpivot` leaves out may have the name of one of its results in gdf.
- The keys of a right join stand where the left side has them in gdf. polars puts the columns of the right side last.
"""

import collections
import json
import sys

import polars as pl

TYPES = {"int": pl.Int64, "text": pl.String, "bool": pl.Boolean}


def table(of):
    columns = [[row[at] for row in of["rows"]] for at in range(len(of["columns"]))]
    # A list of series would not keep an empty name.
    named = zip(of["columns"], columns)
    return pl.DataFrame({name: pl.Series(name, values, TYPES[kind]) for (name, kind), values in named})


def expression(node):
    name, *parts = node
    if name == "column":
        return pl.col(parts[0])
    if name == "value":
        return pl.lit(parts[0], dtype=pl.Int64 if isinstance(parts[0], int) else pl.String)
    parts = [expression(part) for part in parts]
    if name == "when":
        return pl.when(parts[0]).then(parts[1]).otherwise(parts[2])
    a, b = parts[0], parts[-1]
    return {
        "add": lambda: a + b,
        "mul": lambda: a * b,
        "less": lambda: a < b,
        "equal": lambda: a == b,
        "and": lambda: a & b,
        "or": lambda: a | b,
        "not": lambda: ~a,
        "is_null": lambda: a.is_null(),
        "coalesce": lambda: pl.coalesce(a, b),
        "length": lambda: a.str.len_chars().cast(pl.Int64),
    }[name]()


def aggregation(name, column):
    values = pl.col(column)
    return {
        "sum": lambda: pl.when(values.count() > 0).then(values.sum()),
        "min": lambda: values.min(),
        "max": lambda: values.max(),
        "count": lambda: values.count().cast(pl.Int64),
        "len": lambda: pl.len().cast(pl.Int64),
        "n_unique": lambda: values.drop_nulls().n_unique().cast(pl.Int64),
    }[name]()


def grouped(frame, keys, outputs):
    values = [expression(node).alias(f"#{at}") for at, (_, (_, node)) in enumerate(outputs)]
    found = [aggregation(name, f"#{at}").alias(to) for at, (to, (name, _)) in enumerate(outputs)]
    return frame.with_columns(values).group_by(keys).agg(found)


def over(frame, to, keys, of):
    name, node = of[:2]
    frame = frame.with_columns(expression(node).alias("#value"))
    values = pl.col("#value")
    if name == "shift":
        found = values.shift(of[2])
    elif name == "cum_sum":
        found = values.cum_sum()
    else:
        found = aggregation(name, "#value")
    return frame.with_columns(found.over(keys).alias(to)).drop("#value")


def run(frame, step):
    verb = step["verb"]
    if verb == "rows":
        return table(step["table"])
    if verb == "filter":
        return frame.with_columns(expression(step["condition"]).alias("#c")).filter(pl.col("#c")).drop("#c")
    if verb == "with":
        return frame.with_columns(expression(step["value"]).alias(step["to"]))
    if verb == "select":
        return frame.select([expression(node).alias(name) for name, node in step["outputs"]])
    if verb == "sort":
        return frame.sort(frame.columns, descending=step["descending"], nulls_last=True)
    if verb == "slice":
        return frame.slice(step["offset"], step["len"])
    if verb == "distinct":
        return frame.unique()
    if verb == "group_by":
        return grouped(frame, step["keys"], step["outputs"])
    if verb == "over":
        return over(frame, step["to"], step["keys"], step["of"])
    if verb == "join":
        right = table(step["right"])
        how = step["how"].lower()
        coalesced = {} if how in ("semi", "anti") else {"coalesce": True}
        return frame.join(right, on="a", how=how, suffix="_right", **coalesced).select(step["columns"])
    if verb == "cross_join":
        return frame.join(table(step["right"]), how="cross", suffix="_right")
    if verb == "unpivot":
        return frame.select(step["index"], *step["on"]).unpivot(index=step["index"], on=step["on"])
    if verb == "rename":
        return frame.rename({step["old"]: step["new"]})
    if verb == "same":
        return frame
    raise ValueError(verb)


def key(row):
    return [(value is not None, isinstance(value, str), value if value is not None else 0) for value in row]


def compare(program):
    frame = table(program["start"])
    for step in program["steps"]:
        frame = run(frame, step)
    names = [name for name, _ in program["found"]["columns"]]
    if frame.columns != names:
        return f"columns {frame.columns} instead of {names}"
    types = [str(of) for of in frame.dtypes]
    if types != program["types"]:
        return f"types {types} instead of {program['types']}"
    found, expected = [list(row) for row in frame.rows()], program["found"]["rows"]
    if not program["ordered"]:
        found, expected = sorted(found, key=key), sorted(expected, key=key)
    for at, (one, other) in enumerate(zip(found, expected)):
        if one != other:
            return f"row {at}: polars {one}, gdf {other}"
    return None if len(found) == len(expected) else f"{len(found)} rows instead of {len(expected)}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        programs = json.load(file)
    verbs, differences = collections.Counter(), 0
    for program in programs:
        verbs.update(step["verb"] for step in program["steps"])
        try:
            difference = compare(program)
        except Exception as error:  # noqa: BLE001: any error of a program is a difference
            difference = f"{type(error).__name__}: {error}"
        if difference is not None:
            differences += 1
            if differences <= 10:
                print(f"seed {program['seed']}: {difference}\n  " + "\n  ".join(program["verbs"]))
    translated = sum(verbs.values()) - verbs["rows"]
    print(f"polars {pl.__version__}: {len(programs)} programs, {differences} differ; steps: {dict(verbs)}")
    # A test that translates nothing would not fail.
    sys.exit(1 if differences or translated <= len(programs) else 0)


main()
