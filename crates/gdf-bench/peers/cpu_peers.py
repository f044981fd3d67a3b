"""Times one CPU library on the cases that gdf-bench times, and prints a line of tab-separated values for each case.

Usage: cpu_peers.py polars|pyarrow|duckdb [--rows 1000,100000] [--filter TEXT] [--out FILE]
The script needs numpy and pyarrow, and polars or duckdb if they are timed (see README.md in this folder).

The method is that of gdf-bench. The inputs are made first, and 3 calls run as a warm-up. Then N single calls are timed.
The result of a call is dropped after the clock was read. All libraries run with the number of threads that they choose
themselves. The columns are: case, rows, median ms, minimum ms, the smallest number of GB that the case must move, GB/s.
The script also times cases that gdf-bench does not have yet.
"""
import argparse
import statistics
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

BILLION = 10**9
PHRASES = ["the quick brown fox", "jumps over, the lazy dog", "PROMO special packages", "Éclair and 東京 café", "a,b,c,d"]
GROUPS = (10, 10_000, 1_000_000, 10_000_000)
ZIPF = 1_000_000


class Data:
    """The inputs of all cases at one size, as Arrow arrays, with the shapes of the libcudf program."""

    def __init__(self, rows):
        rng = np.random.default_rng(7)
        self.rows = rows
        i64 = rng.integers(-BILLION, BILLION, rows, dtype=np.int64)
        j64 = rng.integers(1, BILLION, rows, dtype=np.int64)
        self.a, self.b = pa.array(i64), pa.array(j64)
        self.f = pa.array(rng.random(rows))
        self.far = pc.add(self.f, 1e6)
        self.times = self.a.cast(pa.timestamp("s"))
        self.i = pa.array(rng.integers(-BILLION, BILLION, rows, dtype=np.int32))
        self.an = pa.array(i64, mask=rng.random(rows) < 0.1)
        self.bn = pa.array(j64, mask=rng.random(rows) < 0.1)
        self.half = pa.array(i64 > 0)
        self.perm = pa.array(rng.permutation(rows).astype(np.int32))
        self.reverse = pa.array(np.arange(rows - 1, -1, -1, dtype=np.int32))
        self.groups = {g: pa.array(rng.integers(0, g, rows, dtype=np.int64)) for g in GROUPS if g <= rows}
        self.full = pa.array(rng.integers(-(2**63), 2**63 - 1, rows, dtype=np.int64, endpoint=True))
        self.zipf = None
        if rows >= ZIPF:
            ranks = np.clip(np.exp(rng.random(rows) * np.log(ZIPF + 1)).astype(np.int64), 1, ZIPF) - 1
            self.zipf = pa.array(rng.permutation(ZIPF).astype(np.int64)[ranks])
        self.k2 = pa.array(rng.integers(0, 100, rows, dtype=np.int32))
        built = max(rows // 10, 1)
        self.bk = pa.array(rng.permutation(built).astype(np.int64))
        self.pk = pa.array(rng.integers(0, built, rows, dtype=np.int64))
        self.pk30 = pa.array(rng.integers(0, max(built * 10 // 3, 2), rows, dtype=np.int64))
        if rows <= 10_000_000:
            self.ints = pa.array(rng.integers(0, BILLION, rows, dtype=np.int64))
            self.s = self.ints.cast(pa.string())
            self.w = pa.array(PHRASES).take(pa.array(rng.integers(0, 5, rows, dtype=np.int32)))

    def numbers(self):
        """Returns the columns of numbers, by name."""
        names = ("a", "b", "f", "far", "times", "i", "an", "bn", "full", "half", "perm", "k2", "zipf", "pk", "pk30")
        columns = {name: getattr(self, name) for name in names} | {f"g{g}": k for g, k in self.groups.items()}
        return {name: column for name, column in columns.items() if column is not None}


def pyarrow_cases(d):
    """Yields for each case of pyarrow: name, bytes per row, number of timed calls from a million rows on, call."""
    an_bn = pa.table({"a": d.an, "b": d.bn})
    af = pa.table({"a": d.a, "f": d.f})
    key = lambda *names: [(name, "ascending") for name in names]
    yield "binaryop.add_i64", 24, 9, lambda: pc.add(d.a, d.b)
    yield "binaryop.add_i64_nulls", 24.375, 9, lambda: pc.add(d.an, d.bn)
    yield "binaryop.lt_i64", 17, 9, lambda: pc.less(d.a, d.b)
    yield "cast.i64_f64", 16, 9, lambda: pc.cast(d.a, pa.float64(), safe=False)
    yield "reduce.sum_i64", 8, 9, lambda: pc.sum(d.a)
    yield "reduce.sum_i64_nulls", 8.125, 9, lambda: pc.sum(d.an)
    yield "reduce.minmax_f64", 8, 9, lambda: pc.min_max(d.f)
    yield "scan.sum_i64", 16, 9, lambda: pc.cumulative_sum(d.a)
    yield "filter.mask_i64x2_50pct", 25, 9, lambda: af.filter(d.half)
    yield "filter.mask_i64x2_nulls", 25, 9, lambda: an_bn.filter(d.half)
    yield "drop_nulls.i64x2", 32, 9, lambda: an_bn.drop_null()
    yield "gather.random_i64", 20, 9, lambda: d.a.take(d.perm)
    yield "copy_if_else.i64", 25, 9, lambda: pc.if_else(d.half, d.a, d.b)
    sorts = {"sort.i32": d.i, "sort.i64": d.a, "sort.i64_nulls": d.an, "sort.i64_full_range": d.full}
    for name, column in sorts.items():
        yield name, 0, 5, lambda column=column: column.take(pc.array_sort_indices(column))
    yield "sorted_order.i64", 0, 5, lambda: pc.array_sort_indices(d.a)
    yield "sort_by_key.i64_f64", 0, 5, lambda: af.sort_by(key("a"))
    yield "sort.i32xi64_two_keys", 0, 5, lambda: pa.table({"i": d.i, "a": d.a}).sort_by(key("i", "a"))
    for g, k in d.groups.items():
        t = pa.table({"k": k, "k2": d.k2, "f": d.f})
        yield f"groupby.sum_g{g}", 16, 5, lambda t=t: t.group_by("k").aggregate([("f", "sum")])
        if g in (10_000, 1_000_000):
            many = [("f", how) for how in ("sum", "mean", "min", "max", "count")]
            yield f"groupby.multi_agg_g{g}", 16, 5, lambda t=t, many=many: t.group_by("k").aggregate(many)
            if g == 10_000:
                far = pa.table({"k": k, "f": pc.add(d.f, 1e6)})
                for name, t2 in (("std", t), ("std_far", far)):
                    yield f"groupby.{name}_g{g}", 16, 5, lambda t=t2: t.group_by("k").aggregate(
                        [("f", "stddev", pc.VarianceOptions(ddof=1))]
                    )
            yield f"groupby.two_keys_g{g}x100", 20, 5, lambda t=t: t.group_by(["k", "k2"]).aggregate([("f", "sum")])
    if d.zipf is not None:
        t = pa.table({"k": d.zipf, "f": d.f})
        yield "groupby.sum_zipf_g1000000", 16, 5, lambda t=t: t.group_by("k").aggregate([("f", "sum")])
    numbered = lambda keys, name: pa.table({"k": keys, name: pa.array(np.arange(len(keys), dtype=np.int32))})
    build, probe, probe30 = numbered(d.bk, "r"), numbered(d.pk, "l"), numbered(d.pk30, "l")
    yield "join.inner_build10pct", 16.8, 5, lambda: probe.join(build, "k", join_type="inner")
    yield "join.left_build10pct", 16.8, 5, lambda: probe.join(build, "k", join_type="left outer")
    yield "join.semi_build10pct", 0, 5, lambda: probe.join(build, "k", join_type="left semi")
    yield "join.inner_sel30", 0, 5, lambda: probe30.join(build, "k", join_type="inner")
    yield "distinct.i64", 0, 5, lambda: pc.unique(d.pk)
    copies = [d.a] * (8 if d.rows < 5e7 else 2)
    yield "concat.8", 0, 5, lambda: pa.concat_arrays(copies)
    yield "quantile.f64", 0, 5, lambda: pc.quantile(d.f, q=[0.5, 0.9])
    yield "replace_nulls.i64", 24, 9, lambda: pc.coalesce(d.an, d.b)
    yield "binaryop.div_f64", 24, 9, lambda: pc.divide(d.f, d.far)
    yield "binaryop.pow_f64", 24, 9, lambda: pc.power(d.far, d.f)
    yield "binaryop.null_max_i64", 24.375, 9, lambda: pc.max_element_wise(d.an, d.bn)
    yield "unary.sqrt_f64", 16, 9, lambda: pc.sqrt(d.f)
    yield "unary.exp_f64", 16, 9, lambda: pc.exp(d.f)
    yield "unary.abs_i64", 16, 9, lambda: pc.abs(d.a)
    yield "cast.f64_i32", 12, 9, lambda: pc.cast(d.f, pa.int32(), safe=False)
    yield "cast.i64_decimal128", 24, 9, lambda: pc.cast(d.a, pa.decimal128(38, 0))
    yield "round.half_up_f64", 16, 9, lambda: pc.round(d.f, 2, "half_towards_infinity")
    yield "datetime.extract_year", 10, 9, lambda: pc.year(d.times)
    yield "datetime.extract_hour", 10, 9, lambda: pc.hour(d.times)
    yield "datetime.floor_hour", 16, 9, lambda: pc.floor_temporal(d.times, unit="hour")
    yield "replace_nulls.preceding_i64", 16.25, 9, lambda: pc.fill_null_forward(d.an)
    yield "replace_nans.f64", 16, 9, lambda: pc.if_else(pc.is_nan(d.f), 0.0, d.f)
    yield "replace.clamp_i64", 16, 9, lambda: pc.min_element_wise(pc.max_element_wise(d.a, -BILLION // 2), BILLION // 2)
    yield "reduce.var_f64", 8, 9, lambda: pc.variance(d.f, ddof=1)
    yield "reduce.product_f64", 8, 9, lambda: pc.product(d.f)
    yield "reduce.median_f64", 0, 5, lambda: pc.quantile(d.f, q=0.5)
    yield "reduce.nunique_i64", 0, 5, lambda: pc.count_distinct(d.pk)
    yield "scan.max_i64", 16, 9, lambda: pc.cumulative_max(d.a)
    yield "scan.sum_f64", 16, 9, lambda: pc.cumulative_sum(d.f)
    yield "rank.min_i64", 0, 5, lambda: pc.rank(d.a, tiebreaker="min")
    yield "search.contains_i64", 9.8, 5, lambda: pc.is_in(d.pk30, d.bk)
    if d.rows > 10_000_000:
        return
    yield "strings.to_upper", 0, 9, lambda: pc.utf8_upper(d.w)
    yield "strings.contains", 0, 9, lambda: pc.match_substring(d.w, "special")
    yield "strings.like", 0, 9, lambda: pc.match_like(d.w, "%o%the%")
    yield "strings.contains_re", 0, 9, lambda: pc.match_substring_regex(d.w, "q[a-z]+k|sp.c")
    yield "strings.replace", 0, 9, lambda: pc.replace_substring(d.w, "the", "THAT")
    yield "strings.split_record", 0, 9, lambda: pc.split_pattern(d.w, ",")
    yield "strings.slice", 0, 9, lambda: pc.utf8_slice_codeunits(d.w, 2, 8)
    yield "strings.from_integers", 0, 9, lambda: pc.cast(d.ints, pa.string())
    yield "strings.to_integers", 0, 9, lambda: pc.cast(d.s, pa.int64())
    yield "strings.concat_cols", 0, 9, lambda: pc.binary_join_element_wise(d.w, d.s, "-")
    money = pc.cast(d.ints, pa.decimal128(22, 3))
    thousandths, lists = pc.cast(money, pa.string()), pc.split_pattern(d.w, " ")
    yield "strings.starts_with", 0, 9, lambda: pc.starts_with(d.w, "PROMO")
    yield "strings.ends_with", 0, 9, lambda: pc.ends_with(d.w, "dog")
    yield "strings.find", 0, 9, lambda: pc.find_substring(d.w, "the")
    yield "strings.count_characters", 0, 9, lambda: pc.utf8_length(d.w)
    yield "strings.is_alpha", 0, 9, lambda: pc.utf8_is_alpha(d.w)
    yield "strings.strip", 0, 9, lambda: pc.utf8_trim(d.w, "tad")
    yield "strings.pad", 0, 9, lambda: pc.utf8_lpad(d.w, 32, " ")
    yield "strings.repeat", 0, 9, lambda: pc.binary_repeat(d.w, 2)
    yield "strings.join_list_elements", 0, 9, lambda: pc.binary_join(lists, "+")
    yield "strings.to_fixed_point", 0, 9, lambda: pc.cast(thousandths, pa.decimal128(22, 3))
    yield "strings.from_fixed_point", 0, 9, lambda: pc.cast(money, pa.string())
    yield "strings.count_re", 0, 9, lambda: pc.count_substring_regex(d.w, "[a-z]+")
    yield "strings.extract", 0, 9, lambda: pc.extract_regex(d.w, "(?P<a>[a-z]+) (?P<b>[a-z]+)")
    yield "strings.replace_re", 0, 9, lambda: pc.replace_substring_regex(d.w, "o[a-z]|, ", "_")
    yield "strings.split_record_re", 0, 9, lambda: pc.split_pattern_regex(d.w, "[ ,]+")
    yield "strings.gather", 0, 9, lambda: d.w.take(d.reverse)
    yield "strings.sort", 0, 5, lambda: d.s.take(pc.array_sort_indices(d.s))
    wi = pa.table({"w": d.w, "i": d.ints})
    yield "groupby.string_keys", 0, 5, lambda: wi.group_by("w").aggregate([("i", "sum")])
    t = pa.table({"s": d.s})
    yield "join.string_keys", 0, 5, lambda: t.join(t, "s", join_type="inner")


def polars_cases(d):
    """Yields the cases of polars in the form of `pyarrow_cases`. The calls are eager where polars has eager calls."""
    import polars as pl

    c = {name: pl.from_arrow(array, rechunk=True) for name, array in d.numbers().items()}
    a, b, an, bn, f, i, half, perm = (c[name] for name in ("a", "b", "an", "bn", "f", "i", "half", "perm"))
    frame = lambda **columns: pl.DataFrame(columns)
    col = pl.col
    af, an_bn, ab = frame(a=a, f=f), frame(a=an, b=bn), frame(a=a, b=b, half=half, an=an)
    indices = perm.cast(pl.UInt32)
    yield "binaryop.add_i64", 24, 9, lambda: a + b
    yield "binaryop.add_i64_nulls", 24.375, 9, lambda: an + bn
    yield "binaryop.lt_i64", 17, 9, lambda: a < b
    wanted = col("a").ge(-500_000_000) & col("a").lt(500_000_000) & col("f").lt(0.25) & col("b").ne(7)
    abf = frame(a=a, b=b, f=f)
    yield "predicate.and_4", 24.1, 9, lambda: abf.select(wanted)
    yield "transform.compute_column_and_4", 24.1, 9, lambda: abf.lazy().select(wanted).collect()
    far = pl.from_arrow(d.far, rechunk=True)
    ffar, five = frame(f=f, far=far).lazy(), (col("f") * col("far") + col("f")) * (col("far") - 0.5) - col("f")
    yield "transform.compute_column_5_f64", 24, 9, lambda: ffar.select(five).collect()
    ints, of_ints = frame(a=a, b=b).lazy(), (col("a") * col("b") + col("a")) * (col("b") - 7) - col("a")
    yield "transform.compute_column_5_i64", 24, 9, lambda: ints.select(of_ints).collect()
    yield "cast.i64_f64", 16, 9, lambda: a.cast(pl.Float64)
    yield "reduce.sum_i64", 8, 9, lambda: a.sum()
    yield "reduce.sum_i64_nulls", 8.125, 9, lambda: an.sum()
    # A polars series caches its extremes, and whether it is sorted. Expressions of a frame compute the extremes anew.
    yield "reduce.minmax_f64", 8, 9, lambda: af.select(col("f").min().alias("least"), col("f").max())
    yield "scan.sum_i64", 16, 9, lambda: a.cum_sum()
    yield "filter.mask_i64x2_50pct", 25, 9, lambda: af.filter(half)
    yield "filter.mask_i64x2_nulls", 25, 9, lambda: an_bn.filter(half)
    yield "drop_nulls.i64x2", 32, 9, lambda: an_bn.drop_nulls()
    yield "gather.random_i64", 20, 9, lambda: a.gather(indices)
    yield "copy_if_else.i64", 25, 9, lambda: a.zip_with(half, b)
    yield "sort.i32", 0, 5, lambda: i.sort()
    yield "sort.i64", 0, 5, lambda: a.sort()
    yield "sort.i64_nulls", 0, 5, lambda: an.sort(nulls_last=True)
    yield "sort.i64_full_range", 0, 5, lambda: c["full"].sort()
    yield "sorted_order.i64", 0, 5, lambda: a.arg_sort()
    yield "top_k.f64_1000", 0, 5, lambda: f.top_k(1000)
    yield "sort_by_key.i64_f64", 0, 5, lambda: af.sort("a")
    two = frame(i=i, a=a)
    yield "sort.i32xi64_two_keys", 0, 5, lambda: two.sort("i", "a")
    for g in d.groups:
        t = frame(k=c[f"g{g}"], k2=c["k2"], f=f)
        yield f"groupby.sum_g{g}", 16, 5, lambda t=t: t.group_by("k").agg(col("f").sum())
        if g in (10_000, 1_000_000):
            many = [getattr(col("f"), how)().alias(how) for how in ("sum", "mean", "min", "max", "count")]
            yield f"groupby.multi_agg_g{g}", 16, 5, lambda t=t, many=many: t.group_by("k").agg(many)
            if g == 10_000:
                for name, t2 in (("std", t), ("std_far", t.with_columns(f=col("f") + 1e6))):
                    yield f"groupby.{name}_g{g}", 16, 5, lambda t=t2: t.group_by("k").agg(col("f").std())
            yield f"groupby.two_keys_g{g}x100", 20, 5, lambda t=t: t.group_by("k", "k2").agg(col("f").sum())
    if d.zipf is not None:
        t = frame(k=c["zipf"], f=f)
        yield "groupby.sum_zipf_g1000000", 16, 5, lambda t=t: t.group_by("k").agg(col("f").sum())
    numbered = lambda keys, name: pl.DataFrame({"k": keys}).with_row_index(name)
    build, probe = numbered(pl.from_arrow(d.bk), "r"), numbered(c["pk"], "l")
    probe30 = numbered(c["pk30"], "l")
    yield "join.inner_build10pct", 16.8, 5, lambda: probe.join(build, on="k")
    yield "join.left_build10pct", 16.8, 5, lambda: probe.join(build, on="k", how="left")
    yield "join.semi_build10pct", 0, 5, lambda: probe.join(build, on="k", how="semi")
    yield "join.inner_sel30", 0, 5, lambda: probe30.join(build, on="k")
    yield "distinct.i64", 0, 5, lambda: c["pk"].unique()
    yield "hash.murmur3_i64", 12, 9, lambda: a.hash()
    copies = [a] * (8 if d.rows < 5e7 else 2)
    yield "concat.8", 0, 5, lambda: pl.concat(copies, rechunk=True)
    yield "rolling.sum_w100", 16, 5, lambda: f.rolling_sum(100, min_samples=1)
    yield "quantile.f64", 0, 5, lambda: (f.quantile(0.5, "linear"), f.quantile(0.9, "linear"))
    yield "replace_nulls.i64", 24, 9, lambda: an.zip_with(an.is_not_null(), b)
    far, times, k2, bk = c["far"], c["times"], c["k2"], pl.from_arrow(d.bk)
    nulls = frame(an=an, bn=bn)
    yield "binaryop.div_f64", 24, 9, lambda: f / far
    yield "binaryop.pow_f64", 24, 9, lambda: far**f
    yield "binaryop.mod_i64", 24, 9, lambda: a % b
    yield "binaryop.floor_div_i64", 24, 9, lambda: a // b
    yield "binaryop.null_max_i64", 24.375, 9, lambda: nulls.select(pl.max_horizontal("an", "bn"))
    yield "unary.sqrt_f64", 16, 9, lambda: f.sqrt()
    yield "unary.exp_f64", 16, 9, lambda: f.exp()
    yield "unary.abs_i64", 16, 9, lambda: a.abs()
    yield "cast.f64_i32", 12, 9, lambda: f.cast(pl.Int32)
    yield "cast.i64_decimal128", 24, 9, lambda: a.cast(pl.Decimal(38, 0))
    yield "round.half_up_f64", 16, 9, lambda: f.round(2, mode="half_away_from_zero")
    yield "datetime.extract_year", 10, 9, lambda: times.dt.year()
    yield "datetime.extract_hour", 10, 9, lambda: times.dt.hour()
    yield "datetime.floor_hour", 16, 9, lambda: times.dt.truncate("1h")
    yield "replace_nulls.preceding_i64", 16.25, 9, lambda: an.forward_fill()
    yield "replace_nans.f64", 16, 9, lambda: f.fill_nan(0.0)
    yield "transform.nans_to_nulls_f64", 8.125, 9, lambda: f.fill_nan(None)
    yield "replace.clamp_i64", 16, 9, lambda: a.clip(-BILLION // 2, BILLION // 2)
    hundred = list(range(100))
    yield "replace.find_and_replace_100", 8, 9, lambda: k2.replace(hundred, [2 * value for value in hundred])
    yield "labeling.label_bins_f64", 12, 9, lambda: f.cut([tenth / 10 for tenth in range(1, 10)])
    yield "filling.sequence_i64", 8, 9, lambda: pl.int_range(5, 5 + 3 * d.rows, 3, eager=True)
    yield "copying.reverse_i64", 16, 9, lambda: a.reverse()
    yield "copying.sample_10pct", 1.6, 9, lambda: a.sample(d.rows // 10)
    yield "shift.i64", 16, 9, lambda: a.shift(1000, fill_value=0)
    yield "reduce.var_f64", 8, 9, lambda: af.select(col("f").var())
    yield "reduce.product_f64", 8, 9, lambda: af.select(col("f").product())
    yield "reduce.median_f64", 0, 5, lambda: af.select(col("f").median())
    yield "reduce.nunique_i64", 0, 5, lambda: c["pk"].n_unique()
    yield "scan.max_i64", 16, 9, lambda: a.cum_max()
    yield "scan.sum_f64", 16, 9, lambda: f.cum_sum()
    yield "rank.min_i64", 0, 5, lambda: a.rank("min")
    haystack = bk.sort()
    yield "search.lower_bound_i64", 12.8, 5, lambda: haystack.search_sorted(c["pk30"], side="left")
    yield "search.contains_i64", 9.8, 5, lambda: c["pk30"].is_in(bk.implode())
    yield "rolling.sum_w10", 16, 5, lambda: f.rolling_sum(10, min_samples=1)
    yield "rolling.sum_w100000", 16, 5, lambda: f.rolling_sum(100_000, min_samples=1)
    for window in (10, 100_000):
        yield f"rolling.mean_f64_w{window}", 16, 5, lambda: f.rolling_mean(window, min_samples=1)
        yield f"rolling.sum_i64_w{window}", 16, 5, lambda: a.rolling_sum(window, min_samples=1)
        yield f"rolling.min_i64_w{window}", 16, 5, lambda: a.rolling_min(window, min_samples=1)
    if d.rows > 10_000_000:
        return
    w, s, ints = (pl.from_arrow(array, rechunk=True) for array in (d.w, d.s, d.ints))
    backwards = pl.Series(d.reverse).cast(pl.UInt32)
    yield "strings.to_upper", 0, 9, lambda: w.str.to_uppercase()
    yield "strings.contains", 0, 9, lambda: w.str.contains("special", literal=True)
    yield "strings.like", 0, 9, lambda: w.str.contains("o.*the")
    yield "strings.contains_re", 0, 9, lambda: w.str.contains("q[a-z]+k|sp.c")
    yield "strings.replace", 0, 9, lambda: w.str.replace_all("the", "THAT", literal=True)
    yield "strings.split_record", 0, 9, lambda: w.str.split(",")
    yield "strings.slice", 0, 9, lambda: w.str.slice(2, 6)
    yield "strings.from_integers", 0, 9, lambda: ints.cast(pl.String)
    yield "strings.to_integers", 0, 9, lambda: s.cast(pl.Int64)
    yield "strings.concat_cols", 0, 9, lambda: w + "-" + s
    money = ints.cast(pl.Decimal(18, 3))
    thousandths, lists = money.cast(pl.String), w.str.split(" ")
    words, two = "[a-z]+", "([a-z]+) ([a-z]+)"
    yield "strings.starts_with", 0, 9, lambda: w.str.starts_with("PROMO")
    yield "strings.ends_with", 0, 9, lambda: w.str.ends_with("dog")
    yield "strings.find", 0, 9, lambda: w.str.find("the", literal=True)
    yield "strings.count_characters", 0, 9, lambda: w.str.len_chars()
    yield "strings.strip", 0, 9, lambda: w.str.strip_chars("tad")
    yield "strings.pad", 0, 9, lambda: w.str.pad_start(32, " ")
    yield "strings.zfill", 0, 9, lambda: s.str.zfill(12)
    yield "strings.replace_multiple", 0, 9, lambda: w.str.replace_many(["the", "special", ","], ["a", "SPECIAL", "; "])
    yield "strings.join_strings", 0, 9, lambda: w.str.join(";")
    yield "strings.join_list_elements", 0, 9, lambda: lists.list.join("+")
    yield "strings.to_fixed_point", 0, 9, lambda: thousandths.cast(pl.Decimal(18, 3))
    yield "strings.from_fixed_point", 0, 9, lambda: money.cast(pl.String)
    yield "strings.count_re", 0, 9, lambda: w.str.count_matches(words)
    yield "strings.findall", 0, 9, lambda: w.str.extract_all(words)
    yield "strings.extract_single", 0, 9, lambda: w.str.extract(two, 1)
    yield "strings.extract", 0, 9, lambda: w.str.extract_groups(two)
    yield "strings.replace_re", 0, 9, lambda: w.str.replace_all("o[a-z]|, ", "_")
    yield "strings.gather", 0, 9, lambda: w.gather(backwards)
    yield "strings.sort", 0, 5, lambda: s.sort()
    wi = frame(w=w, i=ints)
    yield "groupby.string_keys", 0, 5, lambda: wi.group_by("w").agg(col("i").sum())
    t = frame(s=s)
    yield "join.string_keys", 0, 5, lambda: t.join(t, on="s")
    table = pl.DataFrame({"counts": ints, "digits": s, "phrases": w})
    yield "interop.to_arrow", 0, 5, lambda: table.to_arrow()
    arrow = pa.table({"counts": d.ints, "digits": d.s, "phrases": d.w})
    yield "interop.from_arrow", 0, 5, lambda: pl.from_arrow(arrow)


def polars_nested(d):
    """Yields the cases of lists, arrays and keys that are structs in the form of `pyarrow_cases`."""
    import polars as pl

    def lists(size, child):
        sizes = np.array([size(row) for row in range(17408)])
        ends = np.zeros(d.rows + 1, dtype=np.int64)
        np.cumsum(np.resize(sizes, d.rows), out=ends[1:])
        return pl.from_arrow(pa.LargeListArray.from_arrays(pa.array(ends), child(int(ends[-1]))), rechunk=True)

    rng = np.random.default_rng(11)
    numbers = lambda count: pa.array(rng.integers(0, 1000, count, dtype=np.int64))
    letters = pa.array([chr(97 + at % 26) * (1 + at % 11) for at in range(286)])
    even = lists(lambda row: (7 * row + 3) % 17, numbers)
    texts = lists(lambda row: (7 * row + 3) % 17, lambda count: letters.take(pa.array(np.arange(count) % 286)))
    uneven = lists(lambda row: 7169 if row % 1024 == 1023 else 1, numbers)
    perm, half = pl.Series(d.perm).cast(pl.UInt32), pl.from_arrow(d.half)
    wide = pl.DataFrame({"a": pl.from_arrow(d.a), "l": even})
    yield "lists.gather", 0, 5, lambda: even.gather(perm)
    yield "lists.gather_text", 0, 5, lambda: texts.gather(perm)
    yield "lists.filter", 0, 5, lambda: even.filter(half)
    yield "lists.filter_text", 0, 5, lambda: texts.filter(half)
    yield "lists.concat", 0, 5, lambda: pl.concat([even, even], rechunk=True)
    yield "lists.explode", 0, 5, lambda: wide.explode("l")
    yield "lists.sort", 0, 5, lambda: even.list.sort()
    yield "lists.contains", 0, 5, lambda: even.list.contains(500)
    yield "lists.distinct", 0, 5, lambda: even.list.unique()
    yield "lists.gather_uneven", 0, 5, lambda: uneven.gather(perm)
    yield "lists.filter_uneven", 0, 5, lambda: uneven.filter(half)
    yield "lists.sort_uneven", 0, 5, lambda: uneven.list.sort()
    yield "lists.contains_uneven", 0, 5, lambda: uneven.list.contains(500)
    yield "lists.distinct_uneven", 0, 5, lambda: uneven.list.unique()
    for width, most in ((96, 1_000_000), (768, 1_000_000)):
        if d.rows <= most:
            floats = pa.array(np.arange(d.rows * width, dtype=np.float32))
            arrays = pl.from_arrow(pa.FixedSizeListArray.from_arrays(floats, width), rechunk=True)
            yield f"arrays.gather_f32x{width}", 0, 5, lambda: arrays.gather(perm)
    if d.rows <= 1_000_000:
        yield from polars_json(d)


def polars_json(d):
    """Yields the cases of JSON in the form of `pyarrow_cases`."""
    import polars as pl

    def text(row):
        open_now = "true" if row % 3 == 0 else "false"
        tags = f"[{row % 7}, {row % 11}, {row % 13}]"
        return f'{{"id": {row}, "name": "n{row % 1000}", "tags": {tags}, "price": {row % 100}.5, "open": {open_now}}}'

    texts = pl.Series([text(row) for row in range(d.rows)])
    fields = {"id": pl.Int64, "name": pl.String, "tags": pl.List(pl.Int64), "price": pl.Float64, "open": pl.Boolean}
    document = pl.Struct(fields)
    values = texts.str.json_decode(document)
    yield "json.get_json_object", 0, 5, lambda: texts.str.json_path_match("$.tags[1]")
    yield "json.from_json", 0, 5, lambda: texts.str.json_decode(document)
    yield "json.to_json", 0, 5, lambda: values.struct.json_encode()


def duckdb_cases(d):
    """Yields the cases of DuckDB in the form of `pyarrow_cases`. Tables are in memory, and results are Arrow tables."""
    import duckdb

    con = duckdb.connect()
    sources = {"t": pa.table(d.numbers()), "build": pa.table({"k": d.bk})}
    if d.rows <= 10_000_000:
        sources["texts"] = pa.table({"ints": d.ints, "s": d.s, "w": d.w})
    for name, source in sources.items():
        con.register("source", source)
        con.execute(f"CREATE TABLE {name} AS SELECT * FROM source")
        con.unregister("source")
    q = lambda sql: lambda: con.sql(sql).to_arrow_table()
    yield "binaryop.add_i64", 24, 9, q("SELECT a + b FROM t")
    yield "binaryop.add_i64_nulls", 24.375, 9, q("SELECT an + bn FROM t")
    yield "binaryop.lt_i64", 17, 9, q("SELECT a < b FROM t")
    wanted = "a >= -500000000 AND a < 500000000 AND f < 0.25 AND b <> 7"
    yield "predicate.and_4", 24.1, 9, q(f"SELECT {wanted} FROM t")
    yield "transform.compute_column_and_4", 24.1, 9, q(f"SELECT {wanted} FROM t")
    if d.rows <= 10_000_000:
        far = pa.table({"f": d.f, "far": d.far})
        con.register("source", far)
        con.execute("CREATE TABLE far AS SELECT * FROM source")
        con.unregister("source")
        yield "transform.compute_column_5_f64", 24, 9, q("SELECT (f * far + f) * (far - 0.5::DOUBLE) - f FROM far")
    yield "cast.i64_f64", 16, 9, q("SELECT a::DOUBLE FROM t")
    yield "reduce.sum_i64", 8, 9, q("SELECT sum(a) FROM t")
    yield "reduce.sum_i64_nulls", 8.125, 9, q("SELECT sum(an) FROM t")
    # DuckDB would answer min(f) from the table's statistics. The addition of 0 prevents the shortcut.
    yield "reduce.minmax_f64", 8, 9, q("SELECT min(f + 0), max(f + 0) FROM t")
    yield "scan.sum_i64", 16, 9, q("SELECT sum(a) OVER (ROWS UNBOUNDED PRECEDING) FROM t")
    yield "filter.mask_i64x2_50pct", 25, 9, q("SELECT a, f FROM t WHERE half")
    yield "filter.mask_i64x2_nulls", 25, 9, q("SELECT an, bn FROM t WHERE half")
    yield "drop_nulls.i64x2", 32, 9, q("SELECT an, bn FROM t WHERE an IS NOT NULL AND bn IS NOT NULL")
    yield "copy_if_else.i64", 25, 9, q("SELECT CASE WHEN half THEN a ELSE b END FROM t")
    yield "sort.i32", 0, 5, q("SELECT i FROM t ORDER BY i")
    yield "sort.i64", 0, 5, q("SELECT a FROM t ORDER BY a")
    yield "sort.i64_nulls", 0, 5, q("SELECT an FROM t ORDER BY an NULLS LAST")
    yield "sort.i64_full_range", 0, 5, q("SELECT \"full\" FROM t ORDER BY \"full\"")
    yield "sorted_order.i64", 0, 5, q("SELECT rowid FROM t ORDER BY a")
    yield "sort_by_key.i64_f64", 0, 5, q("SELECT a, f FROM t ORDER BY a")
    yield "sort.i32xi64_two_keys", 0, 5, q("SELECT i, a FROM t ORDER BY i, a")
    for g in d.groups:
        yield f"groupby.sum_g{g}", 16, 5, q(f"SELECT g{g}, sum(f) FROM t GROUP BY g{g}")
        if g in (10_000, 1_000_000):
            many = "sum(f), avg(f), min(f), max(f), count(f)"
            yield f"groupby.multi_agg_g{g}", 16, 5, q(f"SELECT g{g}, {many} FROM t GROUP BY g{g}")
            if g == 10_000:
                yield f"groupby.std_g{g}", 16, 5, q(f"SELECT g{g}, stddev(f) FROM t GROUP BY g{g}")
                yield f"groupby.std_far_g{g}", 16, 5, q(f"SELECT g{g}, stddev(f + 1e6) FROM t GROUP BY g{g}")
            yield f"groupby.two_keys_g{g}x100", 20, 5, q(f"SELECT g{g}, k2, sum(f) FROM t GROUP BY g{g}, k2")
    if d.zipf is not None:
        yield "groupby.sum_zipf_g1000000", 16, 5, q("SELECT zipf, sum(f) FROM t GROUP BY zipf")
    joined = "SELECT t.rowid, build.rowid FROM t {} JOIN build ON t.{} = build.k"
    yield "join.inner_build10pct", 16.8, 5, q(joined.format("", "pk"))
    yield "join.left_build10pct", 16.8, 5, q(joined.format("LEFT", "pk"))
    yield "join.semi_build10pct", 0, 5, q("SELECT t.rowid FROM t SEMI JOIN build ON t.pk = build.k")
    yield "join.inner_sel30", 0, 5, q(joined.format("", "pk30"))
    yield "distinct.i64", 0, 5, q("SELECT DISTINCT pk FROM t")
    yield "hash.murmur3_i64", 12, 9, q("SELECT hash(a) FROM t")
    yield "rolling.sum_w100", 16, 5, q("SELECT sum(f) OVER (ROWS 99 PRECEDING) FROM t")
    yield "quantile.f64", 0, 5, q("SELECT quantile_cont(f, [0.5, 0.9]) FROM t")
    yield "replace_nulls.i64", 24, 9, q("SELECT coalesce(an, b) FROM t")
    for name, bytes_per_row, expression in (
        ("binaryop.div_f64", 24, "f / far"),
        ("binaryop.pow_f64", 24, "pow(far, f)"),
        ("binaryop.mod_i64", 24, "a % b"),
        ("binaryop.floor_div_i64", 24, "a // b"),
        ("binaryop.null_max_i64", 24.375, "greatest(an, bn)"),
        ("unary.sqrt_f64", 16, "sqrt(f)"),
        ("unary.exp_f64", 16, "exp(f)"),
        ("unary.abs_i64", 16, "abs(a)"),
        ("cast.f64_i32", 12, "f::INTEGER"),
        ("cast.i64_decimal128", 24, "a::DECIMAL(38, 0)"),
        ("round.half_up_f64", 16, "round(f, 2)"),
        ("datetime.extract_year", 10, "year(times)"),
        ("datetime.extract_hour", 10, "hour(times)"),
        ("datetime.floor_hour", 16, "date_trunc('hour', times)"),
        ("datetime.add_months", 20, "times + to_months(k2)"),
        ("replace_nulls.preceding_i64", 16.25, "last_value(an IGNORE NULLS) OVER (ROWS UNBOUNDED PRECEDING)"),
        ("replace.clamp_i64", 16, "least(greatest(a, -500000000), 500000000)"),
        ("reduce.var_f64", 8, "var_samp(f)"),
        ("reduce.product_f64", 8, "product(f)"),
        ("reduce.median_f64", 0, "median(f)"),
        ("reduce.nunique_i64", 0, "count(DISTINCT pk)"),
        ("scan.max_i64", 16, "max(a) OVER (ROWS UNBOUNDED PRECEDING)"),
        ("scan.sum_f64", 16, "sum(f) OVER (ROWS UNBOUNDED PRECEDING)"),
        ("rank.min_i64", 0, "rank() OVER (ORDER BY a)"),
        ("search.contains_i64", 9.8, "pk30 IN (SELECT k FROM build)"),
        ("rolling.sum_w10", 16, "sum(f) OVER (ROWS 9 PRECEDING)"),
        ("rolling.sum_w100000", 16, "sum(f) OVER (ROWS 99999 PRECEDING)"),
        ("rolling.mean_f64_w10", 16, "avg(f) OVER (ROWS 9 PRECEDING)"),
        ("rolling.mean_f64_w100000", 16, "avg(f) OVER (ROWS 99999 PRECEDING)"),
        ("rolling.sum_i64_w10", 16, "sum(a) OVER (ROWS 9 PRECEDING)"),
        ("rolling.sum_i64_w100000", 16, "sum(a) OVER (ROWS 99999 PRECEDING)"),
        ("rolling.min_i64_w10", 16, "min(a) OVER (ROWS 9 PRECEDING)"),
        ("rolling.min_i64_w100000", 16, "min(a) OVER (ROWS 99999 PRECEDING)"),
    ):
        yield name, bytes_per_row, 9, q(f"SELECT {expression} FROM t")
    yield "filling.sequence_i64", 8, 9, q(f"SELECT 5 + 3 * range FROM range({d.rows})")
    if d.rows > 10_000_000:
        return
    yield "strings.to_upper", 0, 9, q("SELECT upper(w) FROM texts")
    yield "strings.contains", 0, 9, q("SELECT contains(w, 'special') FROM texts")
    yield "strings.like", 0, 9, q("SELECT w LIKE '%o%the%' FROM texts")
    yield "strings.contains_re", 0, 9, q("SELECT regexp_matches(w, 'q[a-z]+k|sp.c') FROM texts")
    yield "strings.replace", 0, 9, q("SELECT replace(w, 'the', 'THAT') FROM texts")
    yield "strings.split_record", 0, 9, q("SELECT string_split(w, ',') FROM texts")
    yield "strings.slice", 0, 9, q("SELECT substring(w, 3, 6) FROM texts")
    yield "strings.from_integers", 0, 9, q("SELECT ints::VARCHAR FROM texts")
    yield "strings.to_integers", 0, 9, q("SELECT s::BIGINT FROM texts")
    yield "strings.concat_cols", 0, 9, q("SELECT w || '-' || s FROM texts")
    for name, expression in (
        ("starts_with", "starts_with(w, 'PROMO')"),
        ("ends_with", "ends_with(w, 'dog')"),
        ("find", "strpos(w, 'the')"),
        ("count_characters", "length(w)"),
        ("strip", "trim(w, 'tad')"),
        ("pad", "lpad(w, 32, ' ')"),
        ("zfill", "lpad(s, 12, '0')"),
        ("repeat", "repeat(w, 2)"),
        ("split_part", "split_part(w, ' ', 2)"),
        ("join_strings", "string_agg(w, ';')"),
        ("is_integer", "TRY_CAST(s AS BIGINT) IS NOT NULL"),
        ("to_fixed_point", "s::DECIMAL(18, 3)"),
        ("from_fixed_point", "ints::DECIMAL(18, 3)::VARCHAR"),
        ("findall", "regexp_extract_all(w, '[a-z]+')"),
        ("extract_single", "regexp_extract(w, '([a-z]+) ([a-z]+)', 1)"),
        ("replace_re", "regexp_replace(w, 'o[a-z]|, ', '_', 'g')"),
        ("split_record_re", "regexp_split_to_array(w, '[ ,]+')"),
    ):
        yield f"strings.{name}", 0, 9, q(f"SELECT {expression} FROM texts")
    yield "strings.sort", 0, 5, q("SELECT s FROM texts ORDER BY s")
    yield "groupby.string_keys", 0, 5, q("SELECT w, sum(ints) FROM texts GROUP BY w")
    yield "join.string_keys", 0, 5, q("SELECT x.rowid, y.rowid FROM texts x JOIN texts y ON x.s = y.s")
    yield "interop.to_arrow", 0, 5, q("SELECT * FROM texts")


def all_polars_cases(d):
    yield from polars_cases(d)
    if d.rows <= 10_000_000:
        yield from polars_nested(d)


LIBRARIES = {"pyarrow": pyarrow_cases, "polars": all_polars_cases, "duckdb": duckdb_cases}


def measure(call, repetitions):
    """Returns the median and the minimum of the times in ms. Results are dropped after the clock was read."""
    for _ in range(3):
        result = call()
        del result
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = call()
        times.append((time.perf_counter() - start) * 1e3)
        del result
    return statistics.median(times), min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--rows", default="1000,100000,1000000,10000000")
    parser.add_argument("--filter", default="", help="only cases whose name contains one of these, with commas between")
    parser.add_argument("--out")
    args = parser.parse_args()
    wanted = args.filter.split(",")
    file = open(args.out, "w") if args.out else None

    def line(text):
        print(text, flush=True)
        if file:
            print(text, file=file, flush=True)

    line(f"{args.library} case rows median_ms min_ms GB GB/s")
    line(f"# {args.library} {__import__(args.library).__version__}, Python {sys.version.split()[0]}")
    for rows in (int(text) for text in args.rows.split(",")):
        for name, bytes_per_row, large, call in LIBRARIES[args.library](Data(rows)):
            if not any(part in name for part in wanted):
                continue
            try:
                median, least = measure(call, 60 if rows < 1_000_000 else large)
            except Exception as error:
                what = " ".join(str(error).split())[:150]
                line(f"{name}\t{rows}\tERR {type(error).__name__}: {what}")
                continue
            gigabytes = bytes_per_row * rows * 1e-9
            line(f"{name}\t{rows}\t{median:.4f}\t{least:.4f}\t{gigabytes:.3f}\t{gigabytes / median * 1e3:.0f}")


if __name__ == "__main__":
    main()
