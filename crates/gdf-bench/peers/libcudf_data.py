"""The inputs of all cases of libcudf, and short names for calls."""
import cupy as cp
import pyarrow as pa
import pylibcudf as plc

BILLION = 10**9
PHRASES = ["the quick brown fox", "jumps over, the lazy dog", "PROMO special packages", "Éclair and 東京 café", "a,b,c,d"]
# The factor that spreads small numbers over 64 bits. gdf-bench uses the same factor.
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
    """The inputs of all cases at one size. An input is made when a case first uses it."""

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
        return self.masked(values, self.rng.random(self.rows) >= 0.1)

    def masked(self, values, valid):
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

    def make_times(self):
        return plc.unary.bit_cast(self.a, of_type("TIMESTAMP_SECONDS"))

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

    def make_bk_pairs(self):
        keys = cp.random.permutation(self.built).astype(cp.int64)
        return column(keys // 4), column(keys % 4)

    def make_pk_pairs(self):
        keys = self.integers(0, self.built)
        return column(keys // 4), column(keys % 4)

    def make_runs_4(self):
        return column(cp.arange(self.rows, dtype=cp.int64) // 4)

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
