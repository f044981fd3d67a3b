"""Runs operations of frames on columns of all types with polars, and compares the types of the results with gdf's.

    frame_types.py OPERATIONS

OPERATIONS is a file that the test `types_equal_those_of_polars` of gdf-frame writes: for each operation, the types of
its columns and the type that gdf returns, or null if gdf refuses the operation. Operations that only one of the two
has are counted. If types differ in a way that DIFFERENCES does not contain, or if a difference of DIFFERENCES does not
occur, the program ends with an error.
"""

import collections
import json
import sys

import polars as pl

Difference = collections.namedtuple("Difference", ["operations", "types", "polars", "gdf", "reason"])

SIGNED, UNSIGNED = ["Int8", "Int16", "Int32", "Int64"], ["UInt8", "UInt16", "UInt32", "UInt64"]
INTEGERS = SIGNED + UNSIGNED


def in_groups(*names):
    return [form for name in names for form in (f"grouped {name}", f"{name} over")]


def everywhere(*names):
    return [*names, *in_groups(*names)]


# A difference holds if the operation is one of `operations`, each type is one of `types`, and the types of the results
# are among those of `polars` and `gdf`.
DIFFERENCES = [
    Difference(
        everywhere("count", "len", "n_unique"), None, ["UInt32"], ["Int64"],
        "Numbers of rows and of values are Int64.",
    ),
    Difference(["length"], ["String"], ["UInt32"], ["Int32"], "Lengths have the type of the offsets of text."),
    Difference(
        ["month", "day", "weekday", "hour", "quarter"], None, ["Int8"], ["Int16"],
        "Components of dates and times, but for the year, are Int16.",
    ),
    Difference(
        ["div"], [*INTEGERS, "Boolean", "Duration"], ["Float64"], INTEGERS,
        "`/` of integers and of durations is an integer, as in Rust and SQL.",
    ),
    Difference(
        ["add", "sub", "mul", "rem", "fill_null", "when"], INTEGERS, ["Int128"], ["Int64"],
        "The common type of UInt64 and a signed integer is Int64. There are no integers of 128 bits in Arrow.",
    ),
    Difference(
        ["add", "sub", "mul", "rem", "fill_null", "when"], ["Boolean", "Int8"], ["Int8", "UInt32"], ["Int16", "UInt8"],
        "Booleans count as UInt8 beside numbers.",
    ),
    Difference(
        ["sum", "product"], [*INTEGERS, "Boolean"], ["Int32", "Int64", "UInt32"], ["Int64", "UInt64"],
        "Sums and products of all rows have the widest type of the same sign, so that fewer of them wrap.",
    ),
    Difference(
        ["rolling sum", *in_groups("sum", "product")], [*INTEGERS, "Boolean"], ["Int32", "UInt32", "UInt64"], ["Int64"],
        "Sums and products of groups and windows of integers are Int64, also of unsigned ones, as in libcudf.",
    ),
    Difference(
        ["rolling mean", *everywhere("mean", "median", "var", "std", "quantile")], ["Float32", "Boolean"],
        ["Float32", "Boolean"], ["Float64"],
        "Means, variances and quantiles are Float64.",
    ),
    Difference(
        ["cum_sum", "cum_prod"], ["Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "Boolean"],
        ["Int64", "UInt32"], ["Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "Boolean"],
        "Running sums and products have the type of the values, and wrap. `cast` the values first for a wider type.",
    ),
    Difference(
        ["diff"], UNSIGNED, ["Int16", "Int32", "Int64"], UNSIGNED,
        "A difference is a subtraction, which keeps the type, and wraps.",
    ),
    Difference(["diff", "sub"], ["Date"], ["Duration"], ["Duration(s)"], "The difference of two days is in seconds."),
    Difference(
        ["add", "sub"], ["Date", "Duration"], ["Date"], ["Datetime"],
        "A day and a duration are a moment, with the unit of the duration.",
    ),
    Difference(
        ["plus one"], INTEGERS, ["Int8", "Int16", "UInt8", "UInt16", "UInt32", "UInt64"], ["Int32", "Int64"],
        "A literal has the type that it has in Rust: `1` is Int32.",
    ),
    Difference(
        ["plus one", "times one and a half"], ["Float32"], ["Float32"], ["Float64"],
        "A literal has the type that it has in Rust, and Int32 beside Float32 is Float64.",
    ),
]


def holds(difference, name, types, other, own):
    among = difference.types is None or all(of in difference.types for of in types)
    return name in difference.operations and among and other in difference.polars and own in difference.gdf


def column(name):
    if name == "String":
        return pl.Series(["1", "2", "3"])
    if name == "Boolean":
        return pl.Series([True, False, True])
    return pl.Series([1, 2, 3], dtype=pl.Int64).cast(getattr(pl, name) if name not in TIMES else TIMES[name])


TIMES = {"Datetime": pl.Datetime("us"), "Duration": pl.Duration("us")}

a, b = pl.col("a"), pl.col("b")

ROWS = {
    "plus one": lambda: a + 1,
    "times one and a half": lambda: a * 1.5,
    "negated": lambda: -a,
    "is_null": lambda: a.is_null(),
    "length": lambda: a.str.len_chars(),
    "to_upper": lambda: a.str.to_uppercase(),
    "contains": lambda: a.str.contains("1", literal=True),
    "year": lambda: a.dt.year(),
    "month": lambda: a.dt.month(),
    "day": lambda: a.dt.day(),
    "weekday": lambda: a.dt.weekday(),
    "hour": lambda: a.dt.hour(),
    "quarter": lambda: a.dt.quarter(),
    "shift": lambda: a.shift(1),
    "diff": lambda: a.diff(1),
    "cum_sum": lambda: a.cum_sum(),
    "cum_prod": lambda: a.cum_prod(),
    "cum_min": lambda: a.cum_min(),
    "cum_max": lambda: a.cum_max(),
    "rank min": lambda: a.rank("min"),
    "rank average": lambda: a.rank("average"),
    "rolling sum": lambda: a.rolling_sum(2, min_samples=1),
    "rolling mean": lambda: a.rolling_mean(2, min_samples=1),
    "rolling min": lambda: a.rolling_min(2, min_samples=1),
    "add": lambda: a + b,
    "sub": lambda: a - b,
    "mul": lambda: a * b,
    "div": lambda: a / b,
    "rem": lambda: a % b,
    "less": lambda: a < b,
    "fill_null": lambda: a.fill_null(b),
    "when": lambda: pl.when(pl.col("k") > 1).then(a).otherwise(b),
}

AGGREGATIONS = {
    "sum": lambda: a.sum(),
    "product": lambda: a.product(),
    "min": lambda: a.min(),
    "max": lambda: a.max(),
    "mean": lambda: a.mean(),
    "median": lambda: a.median(),
    "var": lambda: a.var(),
    "std": lambda: a.std(),
    "count": lambda: a.count(),
    "n_unique": lambda: a.n_unique(),
    "first": lambda: a.first(),
    "last": lambda: a.last(),
    "quantile": lambda: a.quantile(0.3, interpolation="linear"),
    "len": lambda: pl.len(),
}


def result(frame, name):
    if name in ROWS:
        return frame.with_columns(ROWS[name]().alias("r"))
    if name.startswith("grouped "):
        return frame.group_by("k").agg(AGGREGATIONS[name.removeprefix("grouped ")]().alias("r"))
    if name.endswith(" over"):
        return frame.with_columns(AGGREGATIONS[name.removesuffix(" over")]().over("k").alias("r"))
    return frame.select(AGGREGATIONS[name]().alias("r"))


def text(of):
    return "Datetime" if of == pl.Datetime("us") else "Duration" if of == pl.Duration("us") else str(of)


def found_by_polars(name, types):
    frame = pl.DataFrame({"k": [1, 2, 3], "a": column(types[0]), "b": column(types[-1])})
    try:
        return text(result(frame, name)["r"].dtype)
    except (pl.exceptions.PolarsError, TypeError):
        return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        operations = json.load(file)
    counts, unknown, used = collections.Counter(), [], set()
    for operation in operations:
        name, types, own = operation["operation"], operation["types"], operation["found"]
        other = found_by_polars(name, types)
        if own is None or other is None:
            counts["neither" if own == other else "only gdf" if other is None else "only polars"] += 1
        elif own == other:
            counts["equal"] += 1
        else:
            of = [at for at, difference in enumerate(DIFFERENCES) if holds(difference, name, types, other, own)]
            used.update(of)
            counts["intended" if of else "unknown"] += 1
            if not of:
                unknown.append(f"{name}\t{', '.join(types)}\tpolars {other}\tgdf {own}")
    print(f"polars {pl.__version__}: {len(operations)} operations, {dict(counts)}")
    print("\n".join(unknown))
    idle = [difference for at, difference in enumerate(DIFFERENCES) if at not in used]
    print("\n".join(f"does not occur: {difference}" for difference in idle))
    sys.exit(1 if unknown or idle or not counts["equal"] else 0)


main()
