"""Times libcudf, through pylibcudf, on the cases of gdf-bench, and prints a line of tab-separated values for each case.

Usage: libcudf_peer.py [--suite usual|adversarial] [--rows 1000,100000,100000000] [--filter TEXT] [--out FILE]
The script needs pylibcudf, rmm, cupy and pyarrow on a machine with an NVIDIA GPU (see README.md in this folder).

The method is that of gdf-bench. The inputs are made on the device first, and 3 calls run as a warm-up. Then N calls are
timed, and each time includes a wait for the stream. The result of a call is dropped after the clock was read. Memory
comes from a pool. The columns are: case, rows, median ms, minimum ms, the smallest number of GB that the case must
move, GB/s.
"""
import argparse
import gc
import statistics
import sys
import time

import cupy as cp
import pylibcudf as plc
import rmm
from rmm.pylibrmm.stream import DEFAULT_STREAM

from libcudf_adversarial import ADVERSARIAL, ADVERSARIAL_TEXT, AT_THRESHOLDS, THRESHOLDS
from libcudf_data import AGG, ASC, EQUAL, LAST, NANS, UNCHECKED, Data, grouped, of_type, table
from libcudf_fixed import fill_cases, number_cases, statistic_cases
from libcudf_nested import json_cases, nested_cases
from libcudf_text import ADVERSARIAL_LENGTHS, text_cases


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
    yield "groupby.runs_4", 16, 5, grouped(table(d.runs_4), d.f, AGG.sum)


def head(column, rows):
    return plc.copying.slice(column, [0, min(rows, column.size())])[0]


def join_cases(d):
    few = d.bk.size() // 1000 or 1
    inner, semi = plc.join.inner_join, plc.join.left_semi_join
    for name, join, probe, build in (
        ("join.inner_build10pct", inner, table(d.pk), table(d.bk)),
        ("join.left_build10pct", plc.join.left_join, table(d.pk), table(d.bk)),
        ("join.semi_build10pct", semi, table(d.pk), table(d.bk)),
        ("join.inner_sel30", inner, table(d.pk30), table(d.bk)),
        ("join.semi_sel0.1pct", semi, table(d.pk), table(head(d.bk, few))),
        ("join.inner_sel0.1pct", inner, table(d.pk), table(head(d.bk, few))),
        ("join.semi_60_keys", semi, table(d.pk), table(head(d.bk, 60))),
        ("join.inner_sparse", inner, table(d.sparse_pk), table(d.sparse_bk)),
        ("join.inner_two_keys", inner, table(*d.pk_pairs), table(*d.bk_pairs)),
    ):
        yield name, 0, 5, lambda: join(probe, build, EQUAL)
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


def key_cases(d):
    yield "strings.gather", 0, 9, lambda: plc.copying.gather(table(d.phrases), d.reverse, UNCHECKED)
    yield "strings.sort", 0, 5, lambda: plc.sorting.sort(table(d.digits), [ASC], [LAST])
    yield "groupby.string_keys", 0, 5, grouped(table(d.phrases), d.counts, AGG.sum)
    yield "join.string_keys", 0, 5, lambda: plc.join.inner_join(table(d.digits), table(d.digits), EQUAL)


def usual(d):
    """Yields the name, the bytes per row, the timed calls from a million rows on, and the call of each usual case."""
    families = [value_cases, number_cases, fill_cases, statistic_cases, sort_cases, groupby_cases, join_cases]
    if d.rows <= 10_000_000:
        families += [key_cases, nested_cases, text_cases]
    if d.rows <= 1_000_000:
        families += [json_cases]
    for family in families:
        yield from family(d)


def adversarial(d):
    """Yields the adversarial cases. In place of the call, a case has a function that prepares and returns the call."""
    listed = AT_THRESHOLDS if d.rows in THRESHOLDS else ADVERSARIAL
    if d.rows <= 10_000_000 and d.rows not in THRESHOLDS:
        listed = listed + ADVERSARIAL_TEXT + ADVERSARIAL_LENGTHS
    for name, prepare, large in listed:
        yield name, 0, large, lambda: prepare(d)


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
    parser.add_argument("--suite", choices=["usual", "adversarial"], default="usual")
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
    lazy = args.suite == "adversarial"
    sizes = [int(rows) for rows in args.rows.split(",")]
    if lazy:
        sizes += [size for size in THRESHOLDS if size <= max(sizes)]
    for rows in sorted(sizes):
        d = Data(rows)
        for name, bytes_per_row, large, call in (adversarial if lazy else usual)(d):
            if args.filter not in name:
                continue
            try:
                call = call() if lazy else call
                median, least = measure(call, 60 if rows < 1_000_000 else large)
            except Exception as error:
                line(f"{name}\t{rows}\tERR {type(error).__name__}: {str(error)[:150]}")
                continue
            finally:
                call = None
            gigabytes = bytes_per_row * rows * 1e-9
            line(f"{name}\t{rows}\t{median:.4f}\t{least:.4f}\t{gigabytes:.3f}\t{gigabytes / median * 1e3:.0f}")
        del d
        gc.collect()


main()
