//! Generates random expressions. Each expression has a type, and the oracle has a result for the expression.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use gdf_core::Literal;
use gdf_expr::{BinaryOperator, Component, Expr, ExprKind, Function, UnaryOperator, Value, coalesce, col, lit, when};
use gdf_test::data::{NullPattern, random_array};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use crate::naive::transform::expression::{data_type, evaluate};

const MAX_DEPTH: usize = 8;

/// A table and expressions on its columns.
#[derive(Clone, Debug)]
pub struct RandomExpressions {
    /// The columns.
    pub columns: Vec<ArrayRef>,
    /// At least one expression.
    pub expressions: Vec<Expr>,
}

impl RandomExpressions {
    /// Generates expressions on a table of `rows` rows.
    pub fn new(rows: usize, seed: u64) -> RandomExpressions {
        let mut rng = SmallRng::seed_from_u64(seed);
        let types = column_types(&mut rng);
        let column = |(at, data_type): (usize, &DataType)| {
            let nulls = [NullPattern::None, NullPattern::Some, NullPattern::Some, NullPattern::All][at % 4];
            random_array(data_type, rows, nulls, seed.wrapping_mul(31).wrapping_add(at as u64))
        };
        let columns: Vec<_> = types.iter().enumerate().map(column).collect();
        // A few rows suffice to find out whether the oracle supports an expression.
        let sample: Vec<ArrayRef> = columns.iter().map(|column| column.slice(0, rows.min(3))).collect();
        let mut pool: Vec<(Expr, usize)> = (0..columns.len()).map(|position| (col(position), 1)).collect();
        for _ in 0..40 {
            let (expression, depth) = grown(&mut rng, &pool, &types);
            if depth <= MAX_DEPTH
                && data_type(&sample, &expression).is_ok()
                && evaluate(&sample, rows.min(3), &expression).is_ok()
            {
                pool.push((expression, depth));
            }
        }
        let count = rng.random_range(1..=4);
        let expressions: Vec<_> = pool.into_iter().map(|(expression, _)| expression).rev().take(count).collect();
        RandomExpressions { columns, expressions }
    }
}

fn column_types(rng: &mut SmallRng) -> Vec<DataType> {
    use DataType::*;
    let all = [
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Boolean,
        Date32,
        Date64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Decimal32(7, 2),
        Decimal64(15, 2),
        Decimal64(12, 4),
        Decimal128(30, 3),
        Decimal256(50, 5),
        Timestamp(TimeUnit::Second, None),
        Timestamp(TimeUnit::Nanosecond, None),
        Duration(TimeUnit::Millisecond),
        Time64(TimeUnit::Microsecond),
        Dictionary(Box::new(Int32), Box::new(Utf8)),
    ];
    (0..rng.random_range(2..=5)).filter_map(|_| all.choose(rng).cloned()).collect()
}

fn literal(rng: &mut SmallRng, types: &[DataType]) -> Expr {
    let number: i64 = *[0, 1, -1, 2, 3, 7, 100, -128, 1_000_000, i64::MAX].choose(rng).unwrap_or(&0);
    let typed = types.choose(rng).and_then(|data_type| match gdf_core::physical_type(data_type) {
        gdf_core::PhysicalType::I8 => Literal::typed(Some(number as i8), data_type).ok(),
        gdf_core::PhysicalType::I16 => Literal::typed(Some(number as i16), data_type).ok(),
        gdf_core::PhysicalType::I32 => Literal::typed(Some(number as i32), data_type).ok(),
        gdf_core::PhysicalType::I64 => Literal::typed(Some(number), data_type).ok(),
        gdf_core::PhysicalType::U64 => Literal::typed(Some(number as u64), data_type).ok(),
        gdf_core::PhysicalType::I128 => Literal::typed(Some(i128::from(number) << 40), data_type).ok(),
        gdf_core::PhysicalType::F32 => Literal::typed(Some(number as f32 / 4.0), data_type).ok(),
        _ => None,
    });
    let typed = typed.map(Value::new);
    match rng.random_range(0..8) {
        0 => lit(number as i32),
        1 => lit(number as f64 / 8.0),
        2 => lit(["", "a", "ab", "the", "sixteen bytes ar", "more than sixteen bytes"][(number & 3) as usize]),
        3 => lit(number % 2 == 0),
        4 => lit(None::<i32>),
        5 => Expr::new(ExprKind::Literal(Value::null(types.choose(rng).cloned().unwrap_or(DataType::Int8)))),
        _ => typed.map_or(lit(number), lit_of),
    }
}

fn lit_of(value: Value) -> Expr {
    Expr::new(ExprKind::Literal(value))
}

/// Returns a new expression and its depth.
fn grown(rng: &mut SmallRng, pool: &[(Expr, usize)], types: &[DataType]) -> (Expr, usize) {
    let mut depth = 0;
    let mut any = |rng: &mut SmallRng| {
        if rng.random_ratio(1, 5) {
            return literal(rng, types);
        }
        // The expressions at the end of the pool are the deepest.
        let from = if rng.random_ratio(1, 2) { pool.len() / 2 } else { 0 };
        let (expression, own) = pool[rng.random_range(from..pool.len())].clone();
        depth = depth.max(own);
        expression
    };
    let binary = |rng: &mut SmallRng| {
        let exact: Vec<_> = BinaryOperator::ALL.iter().filter(|op| op.is_exact()).collect();
        **exact.choose(rng).unwrap_or(&&BinaryOperator::Add)
    };
    let unary = |rng: &mut SmallRng| {
        let exact: Vec<_> = UnaryOperator::ALL.iter().filter(|op| op.is_exact()).collect();
        **exact.choose(rng).unwrap_or(&&UnaryOperator::Negate)
    };
    let text = ["", "a", "e", "th", "%a%", "_b%", "the%"][rng.random_range(0..7)];
    let expression = match rng.random_range(0..20) {
        0..8 => {
            let op = binary(rng);
            any(rng).binary(op, any(rng))
        }
        8 | 9 => {
            let op = unary(rng);
            any(rng).unary(op)
        }
        10 => any(rng).is_null(),
        11 => when(any(rng), any(rng)).otherwise(any(rng)),
        12 => when(any(rng), any(rng)).when(any(rng), any(rng)).end(),
        13 => coalesce([any(rng), any(rng), any(rng)]),
        14 => any(rng).between(any(rng), any(rng)),
        15 => {
            let list: Vec<Value> = (0..rng.random_range(0..20))
                .filter_map(|_| match literal(rng, types).kind() {
                    ExprKind::Literal(value) => Some(value.clone()),
                    _ => None,
                })
                .collect();
            Expr::new(ExprKind::IsIn { value: any(rng), list })
        }
        16 => {
            let component = *Component::ALL.choose(rng).unwrap_or(&Component::Year);
            any(rng).extract(component)
        }
        17 => {
            use Function::*;
            let function = *[StartsWith, EndsWith, Contains, Like].choose(rng).unwrap_or(&Contains);
            Expr::call(function, [any(rng), lit(text)])
        }
        18 => {
            use Function::*;
            let functions = [CountCharacters, CountBytes, ToUpper, ToLower, IsNan, IsNotNan];
            Expr::call(*functions.choose(rng).unwrap_or(&CountBytes), [any(rng)])
        }
        _ => {
            let to = types.choose(rng).cloned().unwrap_or(DataType::Float64);
            let numbers = [DataType::Int64, DataType::Float64, DataType::Int8, DataType::Decimal128(38, 2), to];
            any(rng).cast(numbers.choose(rng).cloned().unwrap_or(DataType::Int64))
        }
    };
    (expression, depth + 1)
}
