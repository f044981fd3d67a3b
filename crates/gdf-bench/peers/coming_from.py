"""The ten analyses of crates/gdf/examples/coming_from.rs in polars, pandas and DuckDB, for docs/guide/coming_from.md.

    coming_from.py polars|pandas|duckdb [ROWS]

The script prints the same table as the example: the analysis, the rows of the result, the sum of its last column, and
the best of three times in ms. `coming_from.py page` prints the section of each analysis for the page, with the code and
the number of lines for each library.
"""

import pathlib
import re
import sys
import textwrap
import time

import numpy as np

CITIES = ["Bern", "Graz", "Lyon", "Nantes", "Oslo", "Porto", "Riga", "Turin"]
LANDS = ["AT", "CH", "FR", "NO", "PT"]
EXAMPLE = pathlib.Path(__file__).parents[2] / "gdf/examples/coming_from.rs"


def tables(rows):
    """Returns the tables of the example, as Arrow tables."""
    import pyarrow as pa

    word = np.arange(rows, dtype=np.uint32) * np.uint32(2654435761)
    for _ in range(2):
        word = (word ^ word >> 16) * np.uint32(0x045D9F3B)
    word = word ^ word >> 16
    city = pa.DictionaryArray.from_arrays(((word >> 3) % 8).astype(np.int32), CITIES).cast(pa.string())
    sales = pa.table({
        "id": np.arange(rows, dtype=np.int64),
        "user": ((word >> 4).astype(np.int32) % 100_000),
        "city": city,
        "day": pa.array((19_000 + (word >> 5).astype(np.int32) % 1_000), pa.int32()).cast(pa.date32()),
        "time": word.astype(np.int64),
        "amount": (word % 100_000) / 100.0,
        "units": pa.array((word % 7).astype(np.int32), mask=word % 10 == 0),
    })
    user = np.arange(100_000, dtype=np.int32)
    users = pa.table({"user": user, "land": [LANDS[of % 5] for of in user]})
    at = np.arange(100_000, dtype=np.int64)
    return sales, users, pa.table({"time": at * 42_949, "rate": 1.0 + (at % 100) / 100.0})


def polars(rows):
    import polars as pl
    from polars import col

    sales, users, rates = map(pl.from_arrow, tables(rows))

    def filter():
        expensive = sales.lazy().filter((col("amount") > 500) & (col("city") == "Lyon"))
        return expensive.select((col("amount") * col("units")).alias("revenue")).collect()

    def few_groups():
        return sales.group_by("city").agg(pl.len(), col("amount").mean().alias("mean"), col("amount").sum()).sort("city")

    def many_groups():
        return sales.group_by("user").agg(col("amount").sum()).top_k(10, by="amount")

    def join():
        return sales.lazy().join(users.lazy(), on="user").group_by("land").agg(col("amount").sum()).sort("land").collect()

    def share():
        share = col("amount") / col("amount").sum().over("user")
        return sales.lazy().with_columns(share=share).filter(col("share") > 0.02).select("id", "share").collect()

    def rolling():
        return sales.select(col("amount").rolling_sum(7, min_samples=1))

    def pivot():
        days = sales.with_columns(weekday=col("day").dt.weekday())
        return days.pivot("weekday", index="city", values="amount", aggregate_function="sum", sort_columns=True).sort("city")

    def as_of():
        # Both sides must be sorted; the order of the sales is restored.
        return sales.sort("time").join_asof(rates, on="time").sort("id")

    def months():
        months = sales.lazy().with_columns(year=col("day").dt.year(), month=col("day").dt.month())
        return months.group_by("year", "month").agg(col("amount").mean()).sort("year", "month").collect()

    def bins():
        size = col("units").fill_null(0).bin_intervals([0, 3], labels=["none", "few", "many"], right_closed=True)
        return sales.select(size.alias("size"))["size"].value_counts(sort=True)

    run(locals(), lambda table: (table.height, table[:, -1].sum()))


def pandas(rows):
    import pandas as pd

    sales, users, rates = (table.to_pandas(date_as_object=False) for table in tables(rows))

    def filter():
        expensive = sales[(sales.amount > 500) & (sales.city == "Lyon")]
        return (expensive.amount * expensive.units).to_frame("revenue")

    def few_groups():
        return sales.groupby("city").agg(len=("id", "size"), mean=("amount", "mean"), amount=("amount", "sum"))

    def many_groups():
        return sales.groupby("user")[["amount"]].sum().nlargest(10, "amount")

    def join():
        return sales.merge(users, on="user").groupby("land")[["amount"]].sum()

    def share():
        share = sales.amount / sales.groupby("user").amount.transform("sum")
        return sales.assign(share=share).loc[share > 0.02, ["id", "share"]]

    def rolling():
        return sales[["amount"]].rolling(7, min_periods=1).sum()

    def pivot():
        days = sales.assign(weekday=sales.day.dt.day_of_week + 1)
        return days.pivot_table(index="city", columns="weekday", values="amount", aggfunc="sum")

    def as_of():
        # Both sides must be sorted; the order of the sales is restored.
        return pd.merge_asof(sales.sort_values("time"), rates, on="time").sort_values("id")

    def months():
        return sales.groupby([sales.day.dt.year, sales.day.dt.month])[["amount"]].mean()

    def bins():
        size = pd.cut(sales.units.fillna(0), [-1, 0, 3, 9], labels=["none", "few", "many"])
        return size.value_counts().to_frame("count")

    run(locals(), lambda table: (len(table), table.iloc[:, -1].sum()))


def duckdb(rows):
    import duckdb as db

    names = ["sales", "users", "rates"]
    connection = db.connect()
    for name, table in zip(names, tables(rows)):
        connection.register("arrow", table)
        connection.execute(f"create table {name} as from arrow")

    def sql(text):
        return connection.sql(text).to_arrow_table()

    def filter():
        return sql("select amount * units as revenue from sales where amount > 500 and city = 'Lyon'")

    def few_groups():
        return sql("select city, count(*), avg(amount) as mean, sum(amount) from sales group by city order by city")

    def many_groups():
        return sql("select user, sum(amount) as sum from sales group by user order by sum desc limit 10")

    def join():
        return sql("select land, sum(amount) from sales join users using (user) group by land order by land")

    def share():
        return sql("""select id, amount / sum(amount) over (partition by user) as share
            from sales qualify share > 0.02""")

    def rolling():
        return sql("select sum(amount) over (order by id rows 6 preceding) from sales")

    def pivot():
        return sql("""pivot (select city, amount, isodow(day) as weekday from sales)
            on weekday using sum(amount) order by city""")

    def as_of():
        return sql("select sales.*, rate from sales asof left join rates on sales.time >= rates.time")

    def months():
        return sql("""select year(day) as year, month(day) as month, avg(amount)
            from sales group by all order by all""")

    def bins():
        return sql("""select case when coalesce(units, 0) <= 0 then 'none' when units <= 3 then 'few' else 'many' end
            as size, count(*) from sales group by size order by 2 desc""")

    import pyarrow.compute as pc

    run(locals(), lambda table: (table.num_rows, pc.sum(table.column(table.num_columns - 1)).as_py()))


ANALYSES = "filter few_groups many_groups join share rolling pivot as_of months bins".split()


def run(functions, check):
    print("analysis\trows\tsum of the last column\tms")
    for name in ANALYSES:
        of = functions[name]
        found, best = of(), float("inf")
        for _ in range(3):
            start = time.perf_counter()
            found = of()
            best = min(best, (time.perf_counter() - start) * 1e3)
        count, total = check(found)
        name = name.replace("as_of", "as of").replace("_", " ")
        print(f"{name}\t{count}\t{float(total):.4f}\t{best:.0f}", flush=True)


def page():
    """Prints the bodies of the analyses of each library, with their numbers of lines."""

    def lines(body):
        return sum(bool(line.strip()) and not line.strip().startswith(("#", "//")) for line in body.splitlines())

    example, script = EXAMPLE.read_text(), pathlib.Path(__file__).read_text()
    for name in ANALYSES:
        title, body = re.search(rf"\n/// ([^\n]*)\nfn {name}\(.*?\{{\n(.*?)\n\}}", example, re.S).groups()
        found = {"gdf": textwrap.dedent(body)}
        for library in ["polars", "pandas", "duckdb"]:
            of = script[script.index(f"def {library}(") :]
            body = re.search(rf"\n    def {name}\(\):\n(.*?)\n\n", of, re.S)[1]
            found[library] = textwrap.dedent(body).replace("return sql(", "").replace("return ", "")
        text = re.sub(r'^"+|"+\)$', "", found["duckdb"])
        found["duckdb"] = "\n".join(line.strip() for line in text.splitlines())
        counts = ", ".join(f"{lines(body)} of {NAMES[library]}" for library, body in found.items())
        print(f"### {title.rstrip('.')}\n\nLines: {counts}.\n\n```rust")
        print(f"# {USES}\n# fn {name}(of: &Data) -> gdf::Result<Frame> {{\n{found['gdf']}\n# }}\n```\n")
        print(f"```python\n{found['polars']}  # polars\n```\n\n```python\n{found['pandas']}  # pandas\n```\n")
        print(f"```sql\n{found['duckdb']}\n```\n")


NAMES = {"gdf": "gdf", "polars": "polars", "pandas": "pandas", "duckdb": "SQL"}
USES = """use gdf::frame::{AsofJoin, Frame, Join, col, len};
# use gdf::groupby::GroupByAggregation;
# struct Data { sales: Frame, users: Frame, rates: Frame }"""

if __name__ == "__main__":
    if sys.argv[1] == "page":
        page()
    else:
        {"polars": polars, "pandas": pandas, "duckdb": duckdb}[sys.argv[1]](int((sys.argv + ["100000"])[2]))
