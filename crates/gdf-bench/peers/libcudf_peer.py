"""Times libcudf, through pylibcudf, on the cases that gdf-bench times; prints one TSV line per case.

Usage: libcudf_peer.py [--rows 1000,100000,100000000] [--filter TEXT] [--out FILE]
Needs pylibcudf, rmm, cupy and pyarrow on a machine with an NVIDIA GPU (see README.md beside this file).

Method, as in gdf-bench: inputs made on the device before, 3 warm-ups, median of N calls, each ended by waiting for the
stream; results dropped after the clock was read; memory from a pool. Columns: case, rows, median ms, min ms, GB moved at
least, GB/s.
"""
import argparse
import gc
import statistics
import sys
import time

import cupy as cp
import pyarrow as pa
import pylibcudf as plc
import rmm
from rmm.pylibrmm.stream import DEFAULT_STREAM

BILLION = 10**9
PHRASES = ["the quick brown fox", "jumps over, the lazy dog", "PROMO special packages", "Éclair and 東京 café", "a,b,c,d"]
# What spreads small numbers over 64 bits, as in gdf-bench.
SPARSE = cp.uint64(0x9E3779B97F4A7C15)

ASC, LAST = plc.types.Order.ASCENDING, plc.types.NullOrder.AFTER
EQUAL, NANS = plc.types.NullEquality.EQUAL, plc.types.NanEquality.ALL_EQUAL
AGG = plc.aggregation
UNCHECKED = plc.copying.OutOfBoundsPolicy.DONT_CHECK


def column(array):
    return plc.Column.from_cuda_array_interface(array)


def of_type(name):
    return plc.DataType(getattr(plc.TypeId, name))


class Data:
    """The inputs of all cases at one size, each made when first asked for."""

    def __init__(self, rows):
        self.rows, self.made = rows, {}
        self.rng = cp.random.default_rng(7)
        self.built = max(rows // 10, 1)

    def __getattr__(self, name):
        if name not in self.made:
            self.made[name] = getattr(self, "make_" + name)()
        return self.made[name]

    def integers(self, low, high, kind=cp.int64, rows=None):
        return self.rng.integers(low, high, rows or self.rows, dtype=kind)

    def with_nulls(self, values):
        valid = self.rng.random(self.rows) >= 0.1
        mask, nulls = plc.transform.bools_to_mask(column(valid))
        return values.with_mask(mask, nulls)

    def make_a(self):
        return column(self.integers(-BILLION, BILLION))

    def make_b(self):
        return column(self.integers(1, BILLION))

    def make_an(self):
        return self.with_nulls(self.a)

    def make_bn(self):
        return self.with_nulls(self.b)

    def make_i(self):
        return column(self.integers(-BILLION, BILLION, cp.int32))

    def make_f(self):
        return column(self.rng.random(self.rows))

    def make_far(self):
        return column(self.rng.random(self.rows) + 1e6)

    def make_full(self):
        halves = self.rng.integers(0, 2**32, 2 * self.rows, dtype=cp.uint32)
        return column(halves.view(cp.int64))

    def make_half(self):
        return column(self.rng.random(self.rows) < 0.5)

    def make_perm(self):
        return column(cp.random.permutation(self.rows).astype(cp.int32))

    def make_reverse(self):
        return column(cp.arange(self.rows - 1, -1, -1, dtype=cp.int32))

    def make_hundred(self):
        return column(self.integers(0, 100, cp.int32))

    def make_bk(self):
        return column(cp.random.permutation(self.built).astype(cp.int64))

    def make_pk(self):
        return column(self.integers(0, self.built))

    def make_pk30(self):
        return column(self.integers(0, max(self.built * 10 // 3, 2)))

    def make_sparse_bk(self):
        return column((cp.random.permutation(self.built).astype(cp.uint64) * SPARSE).view(cp.int64))

    def make_sparse_pk(self):
        return column((self.integers(0, self.built).astype(cp.uint64) * SPARSE).view(cp.int64))

    def make_zipf(self):
        groups = 1_000_000
        ranks = cp.exp(self.rng.random(self.rows) * float(cp.log(groups + 1.0))).astype(cp.int64)
        order = cp.random.permutation(groups).astype(cp.int64)
        return column(order[cp.clip(ranks, 1, groups) - 1])

    def make_counts(self):
        return column(self.integers(0, BILLION))

    def make_digits(self):
        return plc.strings.convert.convert_integers.from_integers(self.counts)

    def make_phrases(self):
        few = plc.Table([plc.Column.from_arrow(pa.array(PHRASES))])
        return plc.copying.gather(few, column(self.integers(0, 5, cp.int32)), UNCHECKED).columns()[0]

    def groups(self, count):
        name = f"groups{count}"
        if name not in self.made:
            self.made[name] = column(self.integers(0, count))
        return self.made[name]


def table(*columns):
    return plc.Table(list(columns))


def grouped(keys, values, *aggregations):
    request = lambda: plc.groupby.GroupByRequest(values, [aggregation() for aggregation in aggregations])
    return lambda: plc.groupby.GroupBy(keys).aggregate([request()])


def sort_cases(d):
    for name, keys in (
        ("sort.i32", (d.i,)),
        ("sort.i64", (d.a,)),
        ("sort.i64_nulls", (d.an,)),
        ("sort.i64_full_range", (d.full,)),
        ("sort.i32xi64_two_keys", (d.i, d.a)),
    ):
        keys, n = table(*keys), len(keys)
        yield name, 0, 5, lambda: plc.sorting.sort(keys, [ASC] * n, [LAST] * n)
    yield "sorted_order.i64", 0, 5, lambda: plc.sorting.sorted_order(table(d.a), [ASC], [LAST])
    yield "sort_by_key.i64_f64", 0, 5, lambda: plc.sorting.sort_by_key(table(d.a, d.f), table(d.a), [ASC], [LAST])
    yield "top_k.f64_1000", 0, 5, lambda: plc.sorting.top_k(d.f, 1000, plc.types.Order.DESCENDING)


def groupby_cases(d):
    five = (AGG.sum, AGG.mean, AGG.min, AGG.max, AGG.count)
    for count in (10, 10_000, 1_000_000, 10_000_000):
        if count > d.rows:
            continue
        key = d.groups(count)
        yield f"groupby.sum_g{count}", 16, 5, grouped(table(key), d.f, AGG.sum)
        if count in (10_000, 1_000_000):
            yield f"groupby.multi_agg_g{count}", 16, 5, grouped(table(key), d.f, *five)
            yield f"groupby.two_keys_g{count}x100", 20, 5, grouped(table(key, d.hundred), d.f, AGG.sum)
        if count == 10_000:
            yield f"groupby.std_g{count}", 16, 5, grouped(table(key), d.f, AGG.std)
            yield f"groupby.std_far_g{count}", 16, 5, grouped(table(key), d.far, AGG.std)
        if count == 1_000_000:
            yield f"groupby.sum_zipf_g{count}", 16, 5, grouped(table(d.zipf), d.f, AGG.sum)


def join_cases(d):
    for name, join, probe, build in (
        ("join.inner_build10pct", plc.join.inner_join, d.pk, d.bk),
        ("join.left_build10pct", plc.join.left_join, d.pk, d.bk),
        ("join.semi_build10pct", plc.join.left_semi_join, d.pk, d.bk),
        ("join.inner_sel30", plc.join.inner_join, d.pk30, d.bk),
        ("join.inner_sparse", plc.join.inner_join, d.sparse_pk, d.sparse_bk),
    ):
        left, right = table(probe), table(build)
        yield name, 0, 5, lambda: join(left, right, EQUAL)
    keep = plc.stream_compaction.DuplicateKeepOption.KEEP_ANY
    yield "distinct.i64", 0, 5, lambda: plc.stream_compaction.distinct(table(d.pk), [0], keep, EQUAL, NANS)


def value_cases(d):
    operators = plc.binaryop.BinaryOperator
    i64, inclusive = of_type("INT64"), plc.reduce.ScanType.INCLUSIVE
    binary = plc.binaryop.binary_operation
    yield "binaryop.add_i64", 24, 9, lambda: binary(d.a, d.b, operators.ADD, i64)
    yield "binaryop.add_i64_nulls", 24.375, 9, lambda: binary(d.an, d.bn, operators.ADD, i64)
    yield "binaryop.lt_i64", 17, 9, lambda: binary(d.a, d.b, operators.LESS, of_type("BOOL8"))
    yield "cast.i64_f64", 16, 9, lambda: plc.unary.cast(d.a, of_type("FLOAT64"))
    yield "reduce.sum_i64", 8, 9, lambda: plc.reduce.reduce(d.a, AGG.sum(), i64)
    yield "reduce.sum_i64_nulls", 8.125, 9, lambda: plc.reduce.reduce(d.an, AGG.sum(), i64)
    yield "reduce.minmax_f64", 8, 9, lambda: plc.reduce.minmax(d.f)
    yield "scan.sum_i64", 16, 9, lambda: plc.reduce.scan(d.a, AGG.sum(), inclusive)
    retain = plc.stream_compaction.apply_retention_mask
    yield "filter.mask_i64x2_50pct", 25, 9, lambda: retain(table(d.a, d.f), d.half)
    yield "filter.mask_i64x2_nulls", 25, 9, lambda: retain(table(d.an, d.bn), d.half)
    yield "gather.random_i64", 20, 9, lambda: plc.copying.gather(table(d.a), d.perm, UNCHECKED)
    yield "scatter.random_i64", 20, 9, lambda: plc.copying.scatter(table(d.a), d.perm, table(d.b))
    yield "copy_if_else.i64", 25, 9, lambda: plc.copying.copy_if_else(d.a, d.b, d.half)
    yield "replace_nulls.i64", 24, 9, lambda: plc.replace.replace_nulls(d.an, d.b)
    yield "hash.murmur3_i64", 12, 9, lambda: plc.hashing.murmurhash3_x86_32(table(d.a))
    yield "partition.hash_64", 32, 5, lambda: plc.partitioning.hash_partition(table(d.a, d.f), [0], 64)
    count = 8 if d.rows < 50_000_000 else 2
    yield "concat.8", 0, 5, lambda: plc.concatenate.concatenate([d.a] * count)


def text_cases(d):
    yield "strings.gather", 0, 9, lambda: plc.copying.gather(table(d.phrases), d.reverse, UNCHECKED)
    yield "strings.sort", 0, 5, lambda: plc.sorting.sort(table(d.digits), [ASC], [LAST])
    yield "groupby.string_keys", 0, 5, grouped(table(d.phrases), d.counts, AGG.sum)
    yield "join.string_keys", 0, 5, lambda: plc.join.inner_join(table(d.digits), table(d.digits), EQUAL)


def measure(call, repetitions):
    for _ in range(3):
        call()
    DEFAULT_STREAM.synchronize()
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        result = call()
        DEFAULT_STREAM.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
        del result
    return statistics.median(times), min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="1000,100000,100000000")
    parser.add_argument("--filter", default="")
    parser.add_argument("--out")
    args = parser.parse_args()
    pool = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=60 << 30)
    rmm.mr.set_current_device_resource(pool)
    cp.cuda.set_allocator(None)
    file = open(args.out, "w") if args.out else None

    def line(text):
        for out in filter(None, (sys.stdout, file)):
            print(text, file=out, flush=True)

    line(f"libcudf {getattr(plc, '__version__', '')} case rows median_ms min_ms GB GB/s")
    for rows in map(int, args.rows.split(",")):
        d = Data(rows)
        families = [value_cases, sort_cases, groupby_cases, join_cases]
        if rows <= 10_000_000:
            families.append(text_cases)
        for family in families:
            for name, bytes_per_row, large, call in family(d):
                if args.filter not in name:
                    continue
                try:
                    median, least = measure(call, 60 if rows < 1_000_000 else large)
                except Exception as error:
                    line(f"{name}\t{rows}\tERR {type(error).__name__}: {str(error)[:150]}")
                    continue
                gigabytes = bytes_per_row * rows * 1e-9
                line(f"{name}\t{rows}\t{median:.4f}\t{least:.4f}\t{gigabytes:.3f}\t{gigabytes / median * 1e3:.0f}")
        del d
        gc.collect()


main()
