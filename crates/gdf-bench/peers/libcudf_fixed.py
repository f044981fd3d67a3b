"""Cases of libcudf for columns of fixed width: arithmetic, dates, replaced and filled values, statistics."""
import cupy as cp
import pyarrow as pa
import pylibcudf as plc

from libcudf_data import AGG, ASC, EQUAL, LAST, column, of_type, table


def scalar(value, kind):
    return plc.Scalar.from_arrow(pa.scalar(value, kind))


def number_cases(d):
    operators, unary = plc.binaryop.BinaryOperator, plc.unary.UnaryOperator
    binary, apply, cast = plc.binaryop.binary_operation, plc.unary.unary_operation, plc.unary.cast
    f64, i64 = of_type("FLOAT64"), of_type("INT64")
    for name, bytes_per_row, lhs, rhs, operator, output in (
        ("div_f64", 24, d.f, d.far, operators.TRUE_DIV, f64),
        ("pow_f64", 24, d.far, d.f, operators.POW, f64),
        ("mod_i64", 24, d.a, d.b, operators.MOD, i64),
        ("floor_div_i64", 24, d.a, d.b, operators.FLOOR_DIV, i64),
        ("null_max_i64", 24.375, d.an, d.bn, operators.NULL_MAX, i64),
    ):
        yield f"binaryop.{name}", bytes_per_row, 9, lambda: binary(lhs, rhs, operator, output)
    for name, input, operator in (("sqrt_f64", d.f, unary.SQRT), ("exp_f64", d.f, unary.EXP), ("abs_i64", d.a, unary.ABS)):
        yield f"unary.{name}", 16, 9, lambda: apply(input, operator)
    yield "cast.f64_i32", 12, 9, lambda: cast(d.f, of_type("INT32"))
    yield "cast.i64_decimal128", 24, 9, lambda: cast(d.a, of_type("DECIMAL128"))
    yield "round.half_up_f64", 16, 9, lambda: plc.round.round(d.f, 2)
    dates = plc.datetime
    for component in ("YEAR", "HOUR"):
        part = getattr(dates.DatetimeComponent, component)
        yield f"datetime.extract_{component.lower()}", 10, 9, lambda: dates.extract_datetime_component(d.times, part)
    yield "datetime.floor_hour", 16, 9, lambda: dates.floor_datetimes(d.times, dates.RoundingFrequency.HOUR)
    yield "datetime.add_months", 20, 9, lambda: dates.add_calendrical_months(d.times, d.hundred)
    replace, policy = plc.replace, plc.replace.ReplacePolicy
    yield "replace_nulls.preceding_i64", 16.25, 9, lambda: replace.replace_nulls(d.an, policy.PRECEDING)
    yield "transform.nans_to_nulls_f64", 8.125, 9, lambda: plc.transform.column_nans_to_nulls(d.f)
    low, high = (scalar(value, pa.int64()) for value in (-500_000_000, 500_000_000))
    yield "replace.clamp_i64", 16, 9, lambda: replace.clamp(d.a, low, high)
    old = cp.arange(100, dtype=cp.int32)
    old, new = column(old), column(old * 2)
    yield "replace.find_and_replace_100", 8, 9, lambda: replace.find_and_replace_all(d.hundred, old, new)
    tenths = cp.arange(11) / 10.0
    left, right, inclusive = column(tenths[:10].copy()), column(tenths[1:].copy()), plc.labeling.Inclusive
    yield "labeling.label_bins_f64", 12, 9, lambda: plc.labeling.label_bins(d.f, left, inclusive.YES, right, inclusive.NO)

    yield "predicate.and_4", 24.1, 9, conditions(d)
    yield "transform.compute_column_and_4", 24.1, 9, conditions(d)
    yield "transform.compute_column_5_f64", 24, 9, five_operators(table(d.f, d.far), scalar(0.5, pa.float64()))
    yield "transform.compute_column_5_i64", 24, 9, five_operators(table(d.a, d.b), scalar(7, pa.int64()))


def five_operators(columns, number):
    """Returns a call that computes (a * b + a) * (b - number) - a with the interpreter of expressions."""
    from pylibcudf.expressions import ASTOperator, ColumnReference, Literal, Operation

    a, b = ColumnReference(0), ColumnReference(1)
    left = Operation(ASTOperator.ADD, Operation(ASTOperator.MUL, a, b), a)
    product = Operation(ASTOperator.MUL, left, Operation(ASTOperator.SUB, b, Literal(number)))
    wanted = Operation(ASTOperator.SUB, product, a)
    return lambda: plc.transform.compute_column(columns, wanted)


def conditions(d):
    """Returns a call that evaluates four conditions as one expression, with the interpreter of expressions."""
    from pylibcudf.expressions import ASTOperator, ColumnReference, Literal, Operation

    a, f, b = (ColumnReference(column) for column in range(3))
    compared = [
        Operation(ASTOperator.GREATER_EQUAL, a, Literal(scalar(-500_000_000, pa.int64()))),
        Operation(ASTOperator.LESS, a, Literal(scalar(500_000_000, pa.int64()))),
        Operation(ASTOperator.LESS, f, Literal(scalar(0.25, pa.float64()))),
        Operation(ASTOperator.NOT_EQUAL, b, Literal(scalar(7, pa.int64()))),
    ]
    wanted = compared[0]
    for other in compared[1:]:
        wanted = Operation(ASTOperator.LOGICAL_AND, wanted, other)
    return lambda: plc.transform.compute_column(table(d.a, d.f, d.b), wanted)


def fill_cases(d):
    rows, filling = d.rows, plc.filling
    seven, five, three = (scalar(value, pa.int64()) for value in (7, 5, 3))
    yield "filling.fill_i64", 12, 9, lambda: filling.fill(d.a, rows // 4, rows // 4 * 3, seven)
    yield "filling.sequence_i64", 8, 9, lambda: filling.sequence(rows, five, three)
    if rows <= 10_000_000:
        yield "filling.repeat_3", 32, 9, lambda: filling.repeat(table(d.a), 3)
        yield "reshape.tile_3", 32, 9, lambda: plc.reshape.tile(table(d.a), 3)
    if rows <= 10_000:
        yield "reshape.transpose_10", 160, 9, lambda: plc.transpose.transpose(table(*[d.a] * 10))
    yield "reshape.interleave_2", 32, 9, lambda: plc.reshape.interleave_columns(table(d.a, d.b))
    yield "copying.reverse_i64", 16, 9, lambda: plc.copying.reverse(table(d.a))
    yield "copying.copy_range_i64", 20, 9, lambda: plc.copying.copy_range(d.b, d.a, 0, rows // 2, rows // 4)
    first = plc.copying.get_element(d.a, 0)
    yield "shift.i64", 16, 9, lambda: plc.copying.shift(d.a, 1000, first)
    yield "contiguous_split.pack", 32, 5, lambda: plc.contiguous_split.pack(table(d.a, d.f))
    yield "drop_nulls.i64x2", 32, 9, lambda: plc.stream_compaction.drop_nulls(table(d.an, d.bn), [0, 1], 2)


def statistic_cases(d):
    reduce, scan, f64 = plc.reduce.reduce, plc.reduce.scan, of_type("FLOAT64")
    inclusive = plc.reduce.ScanType.INCLUSIVE
    yield "reduce.var_f64", 8, 9, lambda: reduce(d.f, AGG.variance(), f64)
    yield "reduce.product_f64", 8, 9, lambda: reduce(d.f, AGG.product(), f64)
    yield "tdigest.f64_1000", 8, 5, lambda: reduce(d.f, AGG.tdigest(1000), f64)
    yield "reduce.median_f64", 0, 5, lambda: reduce(d.f, AGG.median(), f64)
    yield "reduce.nunique_i64", 0, 5, lambda: reduce(d.pk, AGG.nunique(), of_type("INT32"))
    yield "scan.max_i64", 16, 9, lambda: scan(d.a, AGG.max(), inclusive)
    yield "scan.sum_f64", 16, 9, lambda: scan(d.f, AGG.sum(), inclusive)
    method, exclude = plc.aggregation.RankMethod.MIN, plc.types.NullPolicy.EXCLUDE
    yield "rank.min_i64", 0, 5, lambda: plc.sorting.rank(d.a, method, ASC, exclude, LAST, False)
    yield "quantile.sorted_f64", 0, 5, lambda: plc.quantiles.quantile(d.f, [0.5, 0.9])
    ordered = plc.sorting.sort(table(d.pk), [ASC], [LAST])
    first = plc.stream_compaction.DuplicateKeepOption.KEEP_FIRST
    yield "unique.i64", 0, 5, lambda: plc.stream_compaction.unique(ordered, [0], first, EQUAL)
    haystack = plc.sorting.sort(table(d.bk), [ASC], [LAST])
    yield "search.lower_bound_i64", 12.8, 5, lambda: plc.search.lower_bound(haystack, table(d.pk30), [ASC], [LAST])
    yield "search.contains_i64", 9.8, 5, lambda: plc.search.contains(d.bk, d.pk30)
    for window in (10, 100, 100_000):
        yield f"rolling.sum_w{window}", 16, 5, lambda: plc.rolling.rolling_window(d.f, window - 1, 0, 1, AGG.sum())
    for window in (10, 100_000):
        for name, input, aggregation in (("mean_f64", d.f, AGG.mean), ("sum_i64", d.a, AGG.sum), ("min_i64", d.a, AGG.min)):
            run = plc.rolling.rolling_window
            yield f"rolling.{name}_w{window}", 16, 5, lambda: run(input, window, 0, 1, aggregation())
    hashing = plc.hashing
    yield "hash.xxhash64_i64", 16, 9, lambda: hashing.xxhash_64(table(d.a))
    if d.rows <= 10_000_000:
        yield "hash.md5_i64", 44, 9, lambda: hashing.md5(table(d.a))
        yield "hash.sha256_i64", 76, 9, lambda: hashing.sha256(table(d.a))
