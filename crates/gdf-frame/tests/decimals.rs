//! Decimals in frames beside exact arithmetic: a result is right, or the verb returns an error.

use gdf::binaryop::{BinaryOperator, default_output_type};
use gdf::core::{I256, decimal_parts};
use gdf::frame::{Aggregation, AsofDirection, AsofJoin, Expr, Frame, LazyFrame, col, element, lit, when};
use gdf::prelude::*;
use gdf::{Error, scope};
use gdf_test::device::test_device;
use num_bigint::BigInt;

fn on_device(test: impl FnOnce()) {
    scope::with_device(test_device(), test);
}

fn power(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

fn decimal(width: usize, digits: u8, scale: i8) -> DataType {
    match width {
        4 => DataType::Decimal32(digits, scale),
        8 => DataType::Decimal64(digits, scale),
        16 => DataType::Decimal128(digits, scale),
        _ => DataType::Decimal256(digits, scale),
    }
}

/// Returns types of each width: all digits before the point, some after it, all after it, and few digits.
fn types() -> Vec<DataType> {
    let of_width = |(width, most): (usize, u8)| {
        [(most, 0), (most, most as i8 / 2), (most, most as i8), (most / 2, 2), (most / 3, 1)]
            .map(|(digits, scale)| decimal(width, digits, scale))
    };
    [(4, 9), (8, 18), (16, 38), (32, 76)].into_iter().flat_map(of_width).collect()
}

fn column(data_type: &DataType, values: &[BigInt]) -> Column {
    let text = |value: &BigInt| value.to_string();
    macro_rules! of {
        ($native:ty) => {{
            let values: Vec<$native> = values.iter().map(|value| text(value).parse().unwrap()).collect();
            Column::from_slice_typed(&values, data_type).unwrap()
        }};
    }
    match decimal_parts(data_type).unwrap().0 {
        4 => of!(i32),
        8 => of!(i64),
        16 => of!(i128),
        _ => {
            let wide = |value: &BigInt| {
                let mut bytes = [if *value < BigInt::ZERO { 0xff } else { 0 }; 32];
                let digits = value.to_signed_bytes_le();
                bytes[..digits.len()].copy_from_slice(&digits);
                I256(gdf::arrow::buffer::i256::from_le_bytes(bytes))
            };
            Column::from_slice_typed(&values.iter().map(wide).collect::<Vec<_>>(), data_type).unwrap()
        }
    }
}

fn stored(column: &Column) -> Vec<Option<BigInt>> {
    macro_rules! of {
        ($native:ty) => {
            column.to_vec::<$native>().unwrap().into_iter().map(|value| value.map(BigInt::from)).collect()
        };
    }
    match decimal_parts(column.data_type()).unwrap().0 {
        4 => of!(i32),
        8 => of!(i64),
        16 => of!(i128),
        _ => {
            let values = column.to_vec::<I256>().unwrap().into_iter();
            values.map(|value| value.map(|I256(value)| value.to_string().parse().unwrap())).collect()
        }
    }
}

/// Returns numbers with few digits, with all digits, and with the value 1.
fn numbers(data_type: &DataType) -> Vec<BigInt> {
    let (_, digits, scale) = decimal_parts(data_type).unwrap();
    let largest: BigInt = power(digits.into()) - 1;
    let one: BigInt = power(u32::try_from(scale).unwrap_or(0)).min(largest.clone());
    let half: BigInt = power(u32::from(digits / 2)) + 7;
    let more: BigInt = &one * 3 / 2;
    let more = more.min(largest.clone());
    vec![BigInt::from(1), one, -more, half, BigInt::ZERO, -largest.clone(), largest]
}

const OPERATIONS: [char; 5] = ['+', '-', '*', '/', '%'];

fn expression(op: char) -> Expr {
    match op {
        '+' => col("a") + col("b"),
        '-' => col("a") - col("b"),
        '*' => col("a") * col("b"),
        '/' => col("a") / col("b"),
        _ => col("a") % col("b"),
    }
}

fn operator(op: char) -> BinaryOperator {
    match op {
        '+' => BinaryOperator::Add,
        '-' => BinaryOperator::Sub,
        '*' => BinaryOperator::Mul,
        '/' => BinaryOperator::Div,
        _ => BinaryOperator::Mod,
    }
}

/// Returns the stored number of `a op b` at the scale `to`, truncated towards zero, or `None` for a division by zero.
fn exact(op: char, (a, of_a): (&BigInt, i8), (b, of_b): (&BigInt, i8), to: i8) -> Option<BigInt> {
    let at = |value: &BigInt, from: i32, to: i32| {
        let factor = power((to - from).unsigned_abs());
        if to >= from { value * factor } else { value / factor }
    };
    let (of_a, of_b, to) = (i32::from(of_a), i32::from(of_b), i32::from(to));
    let common = of_a.max(of_b);
    let (x, y) = (at(a, of_a, common), at(b, of_b, common));
    match op {
        '+' => Some(at(&(x + y), common, to)),
        '-' => Some(at(&(x - y), common, to)),
        '*' => Some(at(&(a * b), of_a + of_b, to)),
        _ if *b == BigInt::ZERO => None,
        '/' => Some(x * power(to as u32) / y),
        _ => Some(at(&(x % y), common, to)),
    }
}

fn frame_of(types: [&DataType; 2], rows: &[(BigInt, BigInt)]) -> Frame {
    let (a, b): (Vec<BigInt>, Vec<BigInt>) = rows.iter().cloned().unzip();
    Frame::try_new([("a", column(types[0], &a)), ("b", column(types[1], &b))]).unwrap()
}

fn is_typed(error: &Error) -> bool {
    matches!(error, Error::InvalidData { .. } | Error::InvalidArgument { .. })
}

/// Checks one operation of two types.
fn check(op: char, types: [&DataType; 2]) {
    let what = format!("{} {op} {}", types[0], types[1]);
    let pairs: Vec<(BigInt, BigInt)> =
        numbers(types[0]).iter().flat_map(|a| numbers(types[1]).into_iter().map(|b| (a.clone(), b))).collect();
    let found = match default_output_type(operator(op), types[0], types[1]) {
        Ok(found) => found,
        Err(error) => {
            assert!(matches!(error, Error::InvalidArgument { .. }), "{what}: {error}");
            return assert!(frame_of(types, &pairs).select([expression(op).alias("q")]).is_err(), "{what}");
        }
    };
    let scales = types.map(|of| decimal_parts(of).unwrap().2);
    let (width, digits, scale) = decimal_parts(&found).unwrap();
    let expected = |(a, b): &(BigInt, BigInt)| exact(op, (a, scales[0]), (b, scales[1]), scale);
    let fits = |pair: &&(BigInt, BigInt)| {
        expected(pair).is_none_or(|value| value.magnitude() < power(digits.into()).magnitude())
    };
    let (fitting, others): (Vec<_>, Vec<_>) = pairs.iter().partition(fits);
    // The scaled operands of wide decimals may need more than 256 bits.
    let mut computed = Vec::new();
    for pair in fitting {
        match frame_of(types, std::slice::from_ref(pair)).select([expression(op).alias("q")]) {
            Ok(found) => {
                assert_eq!(stored(found.column("q").unwrap()), [expected(pair)], "{what} of {pair:?}");
                computed.push(pair.clone());
            }
            Err(error) => assert!(width == 32 && is_typed(&error), "{what} of {pair:?}: {error}"),
        }
    }
    if !computed.is_empty() {
        let all = frame_of(types, &computed).select([expression(op).alias("q")]).unwrap();
        let expected: Vec<_> = computed.iter().map(expected).collect();
        assert_eq!(stored(all.column("q").unwrap()), expected, "{what}");
    }
    for pair in others {
        let rows = [computed.as_slice(), std::slice::from_ref(pair)].concat();
        let error = frame_of(types, &rows).select([expression(op).alias("q")]).expect_err(&what);
        assert!(is_typed(&error) && (width == 32 || matches!(error, Error::InvalidData { .. })), "{what}: {error}");
    }
}

#[test]
fn operations_are_right_or_errors() {
    on_device(|| {
        let types = types();
        for left in &types {
            for right in &types {
                OPERATIONS.into_iter().for_each(|op| check(op, [left, right]));
            }
        }
    });
}

/// Returns columns whose sums cancel, grow beyond the digits, or come close to them.
fn series(data_type: &DataType) -> Vec<Vec<BigInt>> {
    let (_, digits, _) = decimal_parts(data_type).unwrap();
    let largest: BigInt = power(digits.into()) - 1;
    let of = |signs: &[i32]| signs.iter().map(|sign| &largest * *sign).collect::<Vec<BigInt>>();
    vec![
        of(&[1]),
        of(&[1, 1]),
        of(&[-1, -1, -1, 0, 0]),
        of(&[1, 1, -1, -1, 1]),
        of(&[1, 1, 1, 1, 1, 1, 1, -1]),
        of(&[1; 40]),
        (1..30).map(|n: i32| &largest / n * if n % 2 == 0 { -1 } else { 1 }).collect(),
    ]
}

#[track_caller]
fn check_sums(what: &str, found: gdf::Result<Column>, expected: &[BigInt]) {
    match found {
        Ok(found) => {
            let expected: Vec<_> = expected.iter().cloned().map(Some).collect();
            assert_eq!(stored(&found), expected, "{what}");
            let digits = decimal_parts(found.data_type()).unwrap().1;
            let fits = |value: &Option<BigInt>| value.as_ref().unwrap().magnitude() < power(digits.into()).magnitude();
            assert!(expected.iter().all(fits), "{what}");
        }
        Err(error) => {
            let is_wide = what.contains("Decimal256");
            // Only scans of groups and windows of rows lack sums of 256 bits.
            let may_be_refused = is_wide && (what.contains("running sum over") || what.contains("window sum"));
            if may_be_refused && matches!(error, Error::Unsupported { .. }) {
                return;
            }
            assert!(matches!(error, Error::InvalidData { .. }), "{what}: {error}");
            let most = if is_wide { 76 } else { 38 };
            let exceeds = |value: &BigInt| *value.magnitude() >= *power(most).magnitude();
            assert!(expected.iter().any(exceeds), "{what}: {error}");
        }
    }
}

fn of_frame(frame: gdf::Result<Frame>) -> gdf::Result<Column> {
    frame.and_then(|frame| Ok(frame.column("x")?.clone()))
}

fn running(values: &[BigInt]) -> Vec<BigInt> {
    let sum = |sum: &mut BigInt, value: &BigInt| {
        *sum += value;
        Some(sum.clone())
    };
    values.iter().scan(BigInt::ZERO, sum).collect()
}

#[test]
fn sums_are_right_or_errors() {
    on_device(|| {
        for data_type in types() {
            for values in series(&data_type) {
                let what = |name: &str| format!("{name} of {} {data_type}", values.len());
                let keys = Column::from_slice(&vec![1_i32; values.len()]).unwrap();
                let frame = Frame::try_new([("k", keys), ("x", column(&data_type, &values))]).unwrap();
                let total: BigInt = values.iter().sum();
                let each = vec![total.clone(); values.len()];
                let sum = || col("x").sum();
                let total = [total];
                check_sums(&what("sum"), of_frame(frame.select([sum()])), &total);
                let filtered = frame.lazy().filter(col("k").eq(1)).select([sum()]).collect();
                check_sums(&what("filtered sum"), of_frame(filtered), &total);
                let chosen = when(col("k").eq(1)).then(col("x")).otherwise(lit(0)).sum().alias("x");
                check_sums(&what("chosen sum"), of_frame(frame.select([chosen])), &total);
                check_sums(&what("sum of groups"), of_frame(frame.group_by(["k"]).agg([sum()])), &total);
                check_sums(&what("sum over groups"), of_frame(frame.select([sum().over(["k"])])), &each);
                let parts = [frame.slice(0, 1).unwrap(), frame.slice(1, values.len()).unwrap()];
                let batches = || LazyFrame::from_batches(parts.clone()).unwrap();
                check_sums(&what("sum of batches"), of_frame(batches().select([sum()]).collect()), &total);
                let groups = batches().group_by(["k"]).agg([sum()]).collect();
                check_sums(&what("sum of groups of batches"), of_frame(groups), &total);
                let running = running(&values);
                check_sums(&what("running sum"), of_frame(frame.select([col("x").cum_sum()])), &running);
                let by_key = frame.select([col("x").cum_sum().over(["k"])]);
                check_sums(&what("running sum over groups"), of_frame(by_key), &running);
                let rolling = col("x").rolling(Aggregation::Sum, values.len(), 1);
                check_sums(&what("window sum"), of_frame(frame.select([rolling])), &running);
            }
        }
    });
}

#[track_caller]
fn check_means(what: &str, frame: gdf::Result<Frame>, expected: f64, largest: f64) {
    let found = match frame {
        Ok(frame) => frame.column("x").unwrap().to_vec::<f64>().unwrap(),
        Err(error) => panic!("{what}: {error}"),
    };
    for found in found {
        assert!((found.unwrap() - expected).abs() <= largest * 1e-12, "{what}: found {found:?}, expected {expected}");
    }
}

#[test]
fn means_are_right() {
    on_device(|| {
        for data_type in types() {
            let (_, digits, scale) = decimal_parts(&data_type).unwrap();
            let largest = 10_f64.powi(i32::from(digits) - i32::from(scale));
            for values in series(&data_type) {
                let what = |name: &str| format!("{name} of {} {data_type}", values.len());
                let keys = Column::from_slice(&vec![1_i32; values.len()]).unwrap();
                let frame = Frame::try_new([("k", keys), ("x", column(&data_type, &values))]).unwrap();
                let total: f64 = values.iter().sum::<BigInt>().to_string().parse().unwrap();
                let expected = total / values.len() as f64 / 10_f64.powi(scale.into());
                let mean = || col("x").mean();
                let check = |name: &str, frame| check_means(&what(name), frame, expected, largest);
                check("mean", frame.select([mean()]));
                check("filtered mean", frame.lazy().filter(col("k").eq(1)).select([mean()]).collect());
                check("mean of groups", frame.group_by(["k"]).agg([mean()]));
                check("mean over groups", frame.select([mean().over(["k"])]));
                let parts = [frame.slice(0, 1).unwrap(), frame.slice(1, values.len()).unwrap()];
                let batches = || LazyFrame::from_batches(parts.clone()).unwrap();
                check("mean of batches", batches().select([mean()]).collect());
                check("mean of groups of batches", batches().group_by(["k"]).agg([mean()]).collect());
            }
        }
    });
}

fn quotients() -> Frame {
    let values = |values: &[i128]| {
        column(&DataType::Decimal128(38, 18), &values.iter().map(|of| power(18) * *of).collect::<Vec<_>>())
    };
    Frame::try_new([("a", values(&[1, 3, 250_000, 1_000_000])), ("b", values(&[1, 2, 25, 0]))]).unwrap()
}

#[test]
fn quotients_of_18_places_filter_rows() {
    on_device(|| {
        let frame = quotients();
        let quotient = || col("a") / col("b");
        assert_eq!(frame.filter(quotient().eq(1)).unwrap().num_rows(), 1);
        assert_eq!(frame.filter(quotient().gt(1)).unwrap().num_rows(), 2);
        let found = frame.select([quotient().alias("q")]).unwrap();
        let found = found.column("q").unwrap();
        assert_eq!(*found.data_type(), DataType::Decimal128(38, 22));
        let expected = [(power(22), 1), (power(21), 15), (power(26), 1)].map(|(of, times)| Some(of * times));
        assert_eq!(stored(found), [expected.as_slice(), &[None]].concat());
    });
}

#[test]
fn rows_that_are_filtered_away_do_not_fail() {
    on_device(|| {
        let values = column(&DataType::Decimal32(9, 2), &[BigInt::from(900_000_000), BigInt::from(5)]);
        let frame = Frame::try_new([("k", Column::from_slice(&[1, 2]).unwrap()), ("x", values)]).unwrap();
        let doubled = || (col("x") + col("x")).alias("y");
        assert!(frame.select([doubled()]).is_err());
        let few = || frame.lazy().filter(col("k").eq(2));
        let stored_y = |frame: Frame| stored(frame.column("y").unwrap());
        assert_eq!(stored_y(few().select([doubled()]).collect().unwrap()), [Some(BigInt::from(10))]);
        let conditions = few().filter((col("x") + col("x")).lt(1)).select([col("x").alias("y")]);
        assert_eq!(stored_y(conditions.collect().unwrap()), [Some(BigInt::from(5))]);
        assert_eq!(
            stored_y(few().select([(col("x") + col("x")).sum().alias("y")]).collect().unwrap()),
            [Some(BigInt::from(10))]
        );
        let groups = few().group_by(["k"]).agg([(col("x") + col("x")).max().alias("y")]);
        assert_eq!(stored_y(groups.collect().unwrap()), [Some(BigInt::from(10))]);
        let sorted = few().sort([col("x") + col("x")]).select([doubled()]);
        assert_eq!(stored_y(sorted.collect().unwrap()), [Some(BigInt::from(10))]);
    });
}

#[test]
fn errors_name_the_verb_the_type_and_the_remedy() {
    on_device(|| {
        let values = column(&DataType::Decimal32(9, 2), &[BigInt::from(900_000_000)]);
        let frame = Frame::try_new([("x", values)]).unwrap();
        let text = frame.select([(col("x") + col("x")).alias("y")]).unwrap_err().to_string();
        for part in ["frame.select", "Decimal32(9, 2)", "more digits than its type", "cast the operands"] {
            assert!(text.contains(part), "{text}");
        }
        let sum = column(&DataType::Decimal128(38, 0), &[power(38) - 1, BigInt::from(1)]);
        let text = Frame::try_new([("x", sum)]).unwrap().select([col("x").sum()]).unwrap_err().to_string();
        for part in ["frame.select", "Decimal128(38, 0)", "a sum has more digits than its type", "Decimal256"] {
            assert!(text.contains(part), "{text}");
        }
    });
}

#[test]
fn casts_to_fewer_digits_are_right_or_errors() {
    on_device(|| {
        let frame = |value: i128| {
            let values = Column::from_slice_typed(&[value], &DataType::Decimal128(38, 4)).unwrap();
            Frame::try_new([("x", values)]).unwrap()
        };
        let cast = |value, to: &DataType| of_frame(frame(value).select([col("x").cast(to.clone())]));
        for to in [DataType::Decimal32(9, 2), DataType::Decimal64(9, 2), DataType::Decimal128(9, 2)] {
            assert_eq!(stored(&cast(99_999_999_999, &to).unwrap()), [Some(BigInt::from(999_999_999))]);
            assert!(matches!(cast(100_000_000_000, &to), Err(Error::InvalidData { .. })), "{to}");
        }
    });
}

#[test]
fn casts_to_fewer_digits_at_the_same_scale_are_right_or_errors() {
    on_device(|| {
        for (width, most) in [(4, 9), (8, 18), (16, 38), (32, 76)] {
            let (from, to) = (decimal(width, most, 2), decimal(width, most - 1, 2));
            let largest: BigInt = power(u32::from(most) - 1) - 1;
            let frame = |value: &BigInt| Frame::try_new([("x", column(&from, std::slice::from_ref(value)))]).unwrap();
            let cast = |value: &BigInt| of_frame(frame(value).select([col("x").cast(to.clone())]));
            let found = cast(&largest).unwrap();
            assert_eq!((found.data_type(), stored(&found)), (&to, vec![Some(largest.clone())]));
            assert!(matches!(cast(&(largest + 1)), Err(Error::InvalidData { .. })), "{to}");
        }
    });
}

#[test]
fn rounded_decimals_are_right_or_errors() {
    on_device(|| {
        let frame = |value: i32| {
            let values = Column::from_slice_typed(&[value], &DataType::Decimal32(9, 2)).unwrap();
            Frame::try_new([("x", values)]).unwrap()
        };
        let rounded = |value, expression: Expr| of_frame(frame(value).select([expression.alias("x")]));
        assert_eq!(stored(&rounded(123_456_789, col("x").ceil()).unwrap()), [Some(BigInt::from(123_456_800))]);
        assert!(matches!(rounded(999_999_901, col("x").ceil()), Err(Error::InvalidData { .. })));
        assert_eq!(stored(&rounded(-999_999_901, col("x").ceil()).unwrap()), [Some(BigInt::from(-999_999_900))]);
        assert_eq!(stored(&rounded(1234, col("x").round(4)).unwrap()), [Some(BigInt::from(123_400))]);
        assert!(matches!(rounded(123_456_789, col("x").round(4)), Err(Error::InvalidData { .. })));
        assert_eq!(stored(&rounded(999_999_999, col("x").round(1)).unwrap()), [Some(BigInt::from(100_000_000))]);
    });
}

#[test]
fn statistics_of_decimals_are_floats() {
    on_device(|| {
        let values = column(&DataType::Decimal64(9, 2), &[100, 250, 400, 700].map(BigInt::from));
        let frame = Frame::try_new([("k", Column::from_slice(&[1; 4]).unwrap()), ("x", values)]).unwrap();
        let statistics: [(Expr, f64); 5] = [
            (col("x").var(), 6.5625),
            (col("x").std(), 6.5625_f64.sqrt()),
            (col("x").median(), 3.25),
            (col("x").quantile(0.5), 3.25),
            (col("x").product(), 70.0),
        ];
        for (statistic, expected) in statistics {
            let all = frame.select([statistic.clone()]);
            let groups = frame.group_by(["k"]).agg([statistic.clone()]);
            let over = frame.select([statistic.over(["k"])]);
            for found in [all, groups, over] {
                let found = gdf::unary::cast(&of_frame(found).unwrap(), &DataType::Float64).unwrap();
                let found = found.get::<f64>(0).unwrap().unwrap();
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    });
}

#[test]
fn sums_of_large_unsigned_integers_stay_positive() {
    on_device(|| {
        let keys = Column::from_slice(&[1, 1]).unwrap();
        let frame = Frame::try_new([("k", keys), ("x", Column::from_slice(&[u64::MAX, 0]).unwrap())]).unwrap();
        let sum = || col("x").sum();
        let batches = LazyFrame::from_batches([frame.clone()]).unwrap();
        for found in [
            frame.select([sum()]),
            frame.group_by(["k"]).agg([sum()]),
            frame.select([sum().over(["k"])]),
            frame.select([col("x").cum_sum()]),
            frame.select([col("x").cum_sum().over(["k"])]),
            frame.rolling(2).agg([sum()]),
            batches.clone().select([sum()]).collect(),
            batches.group_by(["k"]).agg([sum()]).collect(),
        ] {
            let found = of_frame(found).unwrap();
            assert!(found.to_vec::<u64>().unwrap().iter().all(|sum| *sum == Some(u64::MAX)));
        }
    });
}

#[test]
fn prices_and_literals_of_floats_go_together() {
    on_device(|| {
        let prices = column(&DataType::Decimal64(9, 2), &[100, 150, 199].map(BigInt::from));
        let frame = Frame::try_new([("x", prices)]).unwrap();
        assert_eq!(frame.filter(col("x").gt(1.5)).unwrap().num_rows(), 1);
        assert_eq!(frame.filter(col("x").is_in([1.5, 1.99, 0.001])).unwrap().num_rows(), 2);
        let cheaper = of_frame(frame.select([(col("x") * 0.9).alias("x")])).unwrap();
        assert_eq!(stored(&cheaper), [900, 1350, 1791].map(|price| Some(BigInt::from(price))));
        let capped = when(col("x").gt(1.75)).then(1.75).otherwise(col("x")).alias("x");
        let capped = of_frame(frame.select([capped])).unwrap();
        assert_eq!(*capped.data_type(), DataType::Decimal64(9, 2));
        assert_eq!(stored(&capped), [100, 150, 175].map(|price| Some(BigInt::from(price))));
    });
}

#[test]
fn casts_of_floats_to_decimals_are_right_or_errors() {
    on_device(|| {
        let frame = |value: f64| Frame::try_new([("x", Column::from_slice(&[value]).unwrap())]).unwrap();
        for to in [4, 8, 16, 32].map(|width| decimal(width, 9, 2)) {
            let cast = |value: f64| of_frame(frame(value).select([col("x").cast(to.clone())]));
            for (value, expected) in [(1_234_567.5, 123_456_750), (-9_999_999.5, -999_999_950), (0.0, 0)] {
                assert_eq!(stored(&cast(value).unwrap()), [Some(BigInt::from(expected))], "{value} {to}");
            }
            for value in [1e7, -1e7, 1e30, -1e300, f64::INFINITY, f64::NAN] {
                assert!(matches!(cast(value), Err(Error::InvalidData { .. })), "{value} {to}");
                let filtered = frame(value).filter(col("x").cast(to.clone()).lt(col("x").cast(to.clone()) + 1));
                assert!(matches!(filtered, Err(Error::InvalidData { .. })), "{value} {to}");
            }
        }
    });
}

/// The same operations on rows and on the elements of lists have the same results, or are both errors.
#[test]
fn decimals_of_elements_are_right_or_errors() {
    on_device(|| {
        let (mut right, mut refused) = (0, 0);
        for data_type in types() {
            let all = numbers(&data_type);
            let few = all[..1].to_vec();
            for (values, op) in [all, few].iter().flat_map(|values| OPERATIONS.map(|op| (values, op))) {
                let rows =
                    frame_of([&data_type; 2], &values.iter().map(|v| (v.clone(), v.clone())).collect::<Vec<_>>());
                let expected = of_frame(rows.select([expression(op).alias("x")]));
                let offsets = Column::from_slice(&[0, values.len() as i32]).unwrap();
                let lists = gdf::core::make_lists_column(&offsets, column(&data_type, values), None).unwrap();
                let body = match op {
                    '+' => element() + element(),
                    '-' => element() - element(),
                    '*' => element() * element(),
                    '/' => element() / element(),
                    _ => element() % element(),
                };
                let lists = Frame::try_new([("x", lists)]).unwrap();
                let found = of_frame(lists.select([col("x").list().transform(body)]));
                match (found, expected) {
                    (Ok(found), Ok(expected)) => {
                        let found = &found.children()[0];
                        assert_eq!(found.data_type(), expected.data_type(), "{op} of {data_type}");
                        assert_eq!(stored(found), stored(&expected), "{op} of {data_type}");
                        right += 1;
                    }
                    (Err(found), Err(expected)) if is_typed(&found) && is_typed(&expected) => refused += 1,
                    (found, expected) => panic!("{op} of {data_type}: found {found:?}, expected {expected:?}"),
                }
            }
        }
        assert!(right > 20 && refused > 20, "{right} {refused}");
    });
}

#[test]
fn conditions_on_decimals_of_elements_are_right_or_errors() {
    on_device(|| {
        let of_values = |values: &[i32]| {
            let offsets = Column::from_slice(&[0, values.len() as i32]).unwrap();
            let elements = Column::from_slice_typed(values, &DataType::Decimal32(9, 2)).unwrap();
            let lists = gdf::core::make_lists_column(&offsets, elements, None).unwrap();
            Frame::try_new([("x", lists)]).unwrap()
        };
        let triple = || element() + element() + element();
        let kept = |values: &[i32]| of_frame(of_values(values).select([col("x").list().filter(triple().gt(0))]));
        assert_eq!(stored(&kept(&[5, -5, 0]).unwrap().children()[0]), [Some(BigInt::from(5))]);
        assert!(matches!(kept(&[5, 900_000_000]), Err(Error::InvalidData { .. })));
        let sum = |values: &[i32]| {
            let sum = col("x").list().aggregate(triple(), Aggregation::Sum).alias("x");
            of_frame(of_values(values).select([sum]))
        };
        assert_eq!(stored(&sum(&[5, 7]).unwrap()), [Some(BigInt::from(36))]);
        assert!(matches!(sum(&[5, 900_000_000]), Err(Error::InvalidData { .. })));
    });
}

#[test]
fn nearest_rows_by_decimals() {
    on_device(|| {
        for width in [4, 8, 16, 32] {
            let side = |name: &str, values: [i32; 3]| {
                let values = column(&decimal(width, 9, 2), &values.map(BigInt::from));
                Frame::try_new([(name, values)]).unwrap()
            };
            let (left, right) = (side("x", [100, 250, 900]), side("y", [90, 260, 700]));
            let found = |join: AsofJoin| left.asof_join(&right, join).map(|found| stored(found.column("y").unwrap()));
            let expected = |rows: [Option<i32>; 3]| rows.map(|row| row.map(BigInt::from));
            let join = || AsofJoin::new("x", "y");
            assert_eq!(found(join()).unwrap(), expected([Some(90), Some(90), Some(700)]));
            let nearest = || join().direction(AsofDirection::Nearest);
            if width > 8 {
                // Distances have 64 bits.
                for join in [nearest(), join().within(1)] {
                    assert!(matches!(found(join), Err(Error::Unsupported { .. })), "{width}");
                }
                continue;
            }
            assert_eq!(found(nearest()).unwrap(), expected([Some(90), Some(260), Some(700)]));
            // The tolerance is 1.00, and the distances are 0.10, 1.60 and 2.00.
            assert_eq!(found(join().within(1)).unwrap(), expected([Some(90), None, None]));
            assert_eq!(found(nearest().within(2)).unwrap(), expected([Some(90), Some(260), Some(700)]));
            assert!(matches!(found(join().within(-1)), Err(Error::InvalidArgument { .. })));
        }
    });
}
