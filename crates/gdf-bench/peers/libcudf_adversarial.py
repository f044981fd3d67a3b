"""The adversarial suite of libcudf_peer.py.

The function of a case makes the columns of the case and returns the call that is timed. The columns are freed after the
case.

libcudf 26.10 ends with an illegal memory access in hash_partition into 10,000 partitions, so that case of gdf-bench is
missing here.
"""
import cupy as cp
import pylibcudf as plc

from libcudf_data import (
    AGG, ASC, BILLION, EQUAL, LAST, NANS, SPARSE, UNCHECKED, column, grouped, of_type, table)

URL = "https://www.example.com/catalogue/products/item/"
THRESHOLDS = [size + step for size in (1024, 4096, 32768, 65536, 131072, 262144, 2**21) for step in (-1, 1)]


def spread(numbers, factor=SPARSE):
    return column((numbers.astype(cp.uint64) * factor).view(cp.int64))


def row_numbers(d, kind=cp.int64):
    return cp.arange(d.rows, dtype=kind)


def equal(d):
    return column(cp.full(d.rows, 7, dtype=cp.int64))


def permuted(count):
    return cp.random.permutation(count).astype(cp.int64)


def summed(d, *keys):
    return grouped(table(*keys), d.f, AGG.sum)


def hot(d, share):
    return summed(d, column(cp.where(d.rng.random(d.rows) < share, -1, permuted(d.rows))))


def digits(numbers):
    return plc.strings.convert.convert_integers.from_integers(column(numbers))


def urls(numbers):
    prefix = plc.Column.from_scalar(plc.Scalar.from_py(URL), len(numbers))
    return plc.strings.combine.concatenate(plc.Table([prefix, digits(numbers)]), plc.Scalar.from_py(""))


def text_sums(d, key):
    return grouped(table(key), d.counts, AGG.sum)


def one_long(d):
    texts, middle = digits(d.integers(0, 10_000)), d.rows // 2
    before, after = plc.copying.slice(texts, [0, middle, middle + 1, d.rows])
    return text_sums(d, plc.concatenate.concatenate([before, column_of("0" * 2**20), after]))


def column_of(text):
    return plc.Column.from_scalar(plc.Scalar.from_py(text), 1)


def joined(probe, build):
    left, right = table(column(probe)), table(column(build))
    return lambda: plc.join.inner_join(left, right, EQUAL)


def joined_columns(probe, build):
    return lambda: plc.join.inner_join(table(probe), table(build), EQUAL)


def outlier(d):
    build = permuted(d.built)
    build[0] = 2**63 - 1
    return joined(d.integers(0, d.built), build)


def hundred_per_key(d):
    keys = max(d.built // 100, 1)
    return joined(d.integers(0, keys, rows=max(d.rows // 100, 1)), permuted(d.built) % keys)


def hot_both(d):
    build, probe = permuted(d.built), d.integers(0, d.built)
    build[: min(1000, d.built // 10)] = -1
    return joined(cp.where(d.rng.random(d.rows) < 0.001, -1, probe), build)


def distinct_rows(key):
    keep = plc.stream_compaction.DuplicateKeepOption.KEEP_ANY
    return lambda: plc.stream_compaction.distinct(table(key), [0], keep, EQUAL, NANS)


def ordered(*keys):
    keys, n = table(*keys), len(keys)
    return lambda: plc.sorting.sort(keys, [ASC] * n, [LAST] * n)


def two_values(d):
    return ordered(column(cp.where(d.rng.random(d.rows) < 0.5, 0x123456789ABCDEF0, 0x6B5A493827160504)))


def shifted(d, shift):
    return ordered(column(d.integers(0, 2**32) << shift))


def top(values, k):
    return lambda: plc.sorting.top_k(values, min(k, values.size()), plc.types.Order.DESCENDING)


def kept(mask, *columns):
    return lambda: plc.stream_compaction.apply_retention_mask(table(*columns), column(mask))


def wide(d, count):
    rows = -(-d.rows // count)
    return kept(d.rng.random(rows) < 0.5, *[column(d.integers(-BILLION, BILLION, rows=rows))] * count)


def gathered(rows_map, *columns):
    return lambda: plc.copying.gather(table(*columns), column(rows_map), UNCHECKED)


def wide_gather(d):
    rows = -(-d.rows // 100)
    return gathered(permuted(rows), *[column(d.integers(-BILLION, BILLION, rows=rows))] * 100)


def long_texts(d):
    both = plc.Table([plc.concatenate.concatenate([column_of("a" * 4), column_of("a" * 100)])])
    is_long = column((row_numbers(d) % 100 == 0).astype(cp.int32))
    texts = plc.copying.gather(both, is_long, UNCHECKED).columns()[0]
    return gathered((d.integers(0, -(-d.rows // 100)) * 100).astype(cp.int32), texts)


def all_to_one(d):
    one = column(cp.full(d.rows, d.rows // 2, dtype=cp.int32))
    return lambda: plc.copying.scatter(table(d.a), one, table(d.b))


def hashed(d, key, count):
    return lambda: plc.partitioning.hash_partition(table(key, d.f), [0], count)


def pieces(d):
    bounds = [bound for start in range(0, d.rows, 1000) for bound in (start, min(start + 1000, d.rows))]
    parts = plc.copying.slice(d.a, bounds)
    return lambda: plc.concatenate.concatenate(parts)


def one_valid(d):
    return d.masked(d.a, row_numbers(d) % 1_000_000 == 999_999)


def total(values):
    return lambda: plc.reduce.reduce(values, AGG.sum(), of_type("INT64"))


def running(values):
    return lambda: plc.reduce.scan(values, AGG.sum(), plc.reduce.ScanType.INCLUSIVE)


def half_kept(d):
    return lambda: plc.stream_compaction.apply_retention_mask(table(d.a, d.f), d.half)


# For each case: the name, the function that prepares the call, and the number of timed calls from a million rows on.
ADVERSARIAL = [
    ("groupby.hot_0.2pct", lambda d: hot(d, 0.002), 5),
    ("groupby.hot_1pct", lambda d: hot(d, 0.01), 5),
    ("groupby.hot_50pct", lambda d: hot(d, 0.5), 5),
    ("groupby.all_unique", lambda d: summed(d, column(permuted(d.rows))), 5),
    ("groupby.all_equal", lambda d: summed(d, equal(d)), 5),
    ("groupby.sparse_g10000", lambda d: summed(d, spread(d.integers(0, 10_000))), 5),
    ("groupby.sparse_g1000000", lambda d: summed(d, spread(d.integers(0, 1_000_000))), 5),
    ("groupby.runs_1000", lambda d: summed(d, column(row_numbers(d) // 1000)), 5),
    ("groupby.two_dense_g1000x1000", lambda d: summed(d, *[column(d.integers(0, 1000)) for _ in "ab"]), 5),
    ("groupby.two_sparse_g1000x1000", lambda d: summed(d, *[spread(d.integers(0, 1000)) for _ in "ab"]), 5),
    ("groupby.half_null_g10000", lambda d: summed(d, d.masked(d.groups(10_000), d.rng.random(d.rows) < 0.5)), 5),
    ("join.outlier", outlier, 5),
    ("join.hundred_per_key", hundred_per_key, 5),
    ("join.hot_probe",
     lambda d: joined(cp.where(d.rng.random(d.rows) < 0.5, 0, d.integers(0, d.built)), permuted(d.built)), 5),
    ("join.hot_both", hot_both, 5),
    ("join.build_as_large", lambda d: joined(d.integers(0, d.rows), permuted(d.rows)), 5),
    ("join.no_match", lambda d: joined(d.integers(0, d.built) * 2 + 1, permuted(d.built) * 2), 5),
    ("join.sorted_probe",
     lambda d: joined((cp.minimum(row_numbers(d) // 10, d.built - 1).astype(cp.uint64) * SPARSE).view(cp.int64),
                      (permuted(d.built).astype(cp.uint64) * SPARSE).view(cp.int64)), 5),
    ("distinct.all_equal", lambda d: distinct_rows(equal(d)), 5),
    ("distinct.all_unique", lambda d: distinct_rows(column(permuted(d.rows))), 5),
    ("distinct.sparse", lambda d: distinct_rows(d.sparse_pk), 5),
    ("sort.sorted", lambda d: ordered(column(row_numbers(d) * 1_000_000_007)), 5),
    ("sort.reversed", lambda d: ordered(column((d.rows - row_numbers(d)) * 1_000_000_007)), 5),
    ("sort.all_equal", lambda d: ordered(equal(d)), 5),
    ("sort.two_values", two_values, 5),
    ("sort.low_32_bits", lambda d: shifted(d, 0), 5),
    ("sort.high_32_bits", lambda d: shifted(d, 32), 5),
    ("sort.null_99pct", lambda d: ordered(d.masked(d.a, d.rng.random(d.rows) < 0.01)), 5),
    ("sort.three_keys_first_constant", lambda d: ordered(equal(d), d.i, d.a), 5),
    ("top_k.sorted", lambda d: top(column(row_numbers(d).astype(cp.float64)), 1000), 5),
    ("top_k.reversed", lambda d: top(column(-row_numbers(d).astype(cp.float64)), 1000), 5),
    ("top_k.all_equal", lambda d: top(column(cp.full(d.rows, 0.5)), 1000), 5),
    ("top_k.k100000", lambda d: top(d.f, 100_000), 5),
    ("filter.0.1pct", lambda d: kept(d.rng.random(d.rows) < 0.001, d.a, d.f), 9),
    ("filter.99.9pct", lambda d: kept(d.rng.random(d.rows) < 0.999, d.a, d.f), 9),
    ("filter.first_half", lambda d: kept(row_numbers(d) < d.rows // 2, d.a, d.f), 9),
    ("filter.100_columns", lambda d: wide(d, 100), 9),
    ("filter.500_columns", lambda d: wide(d, 500), 9),
    ("gather.one_row", lambda d: gathered(cp.full(d.rows, d.rows // 2, dtype=cp.int32), d.a), 9),
    ("gather.runs_1000", lambda d: gathered(row_numbers(d, cp.int32) // 1000, d.a), 9),
    ("gather.100_columns", wide_gather, 9),
    ("scatter.all_to_one", all_to_one, 9),
    ("partition.hot_64", lambda d: hashed(d, equal(d), 64), 5),
    ("partition.hash_1000", lambda d: hashed(d, d.a, 1000), 5),
    ("reduce.one_valid_in_1000000", lambda d: total(one_valid(d)), 9),
    ("scan.one_valid_in_1000000", lambda d: running(one_valid(d)), 9),
]
# These cases run with at most ten million rows.
ADVERSARIAL_TEXT = [
    ("groupby.urls_g10000", lambda d: text_sums(d, urls(d.integers(0, 10_000))), 5),
    ("groupby.urls_g1000000", lambda d: text_sums(d, urls(d.integers(0, 1_000_000))), 5),
    ("groupby.urls_unique", lambda d: text_sums(d, urls(permuted(d.rows))), 5),
    ("groupby.one_text_of_1mib_g10000", one_long, 5),
    ("sort.urls", lambda d: ordered(urls(d.integers(0, BILLION))), 5),
    ("gather.long_texts", long_texts, 9),
    ("concat.10000", pieces, 9),
]
# These cases run only with the numbers of rows around the thresholds.
AT_THRESHOLDS = [
    ("threshold.sort_i64", lambda d: ordered(d.full), 9),
    ("threshold.sort_text", lambda d: ordered(d.digits), 9),
    ("threshold.top_k_100", lambda d: top(d.f, 100), 9),
    ("threshold.groupby_g100", lambda d: summed(d, d.groups(100)), 9),
    ("threshold.groupby_unique", lambda d: summed(d, d.full), 9),
    ("threshold.join_sparse", lambda d: joined_columns(d.sparse_pk, d.sparse_bk), 9),
    ("threshold.distinct", lambda d: distinct_rows(d.pk), 9),
    ("threshold.filter_50pct", half_kept, 9),
    ("threshold.gather", lambda d: (lambda: plc.copying.gather(table(d.a), d.perm, UNCHECKED)), 9),
    ("threshold.partition_64", lambda d: hashed(d, d.a, 64), 9),
    ("threshold.scan_sum", lambda d: running(d.a), 9),
]
