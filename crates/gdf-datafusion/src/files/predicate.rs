//! Converts filters of DataFusion to predicates of scans.

use arrow_schema::{DataType, Schema};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::scalar::ScalarValue;
use gdf_core::{is_decimal, is_floating, is_string};
use gdf_io::{Literal, Predicate};

use crate::schema::REPEATED_NAME;

/// Returns a predicate that selects the same rows as `filter`, or `None` if a scan cannot evaluate such a predicate.
pub(super) fn predicate(filter: &Expr, schema: &Schema) -> Option<Predicate> {
    match filter {
        Expr::BinaryExpr(BinaryExpr { op: op @ (Operator::And | Operator::Or), .. }) => {
            let terms = terms(filter, *op).into_iter().map(|term| predicate(term, schema));
            let terms = terms.collect::<Option<Vec<Predicate>>>()?;
            terms.into_iter().reduce(if *op == Operator::And { Predicate::and } else { Predicate::or })
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), Expr::Literal(value, _)) => compare(&column.name, *op, value, schema),
            (Expr::Literal(value, _), Expr::Column(column)) => compare(&column.name, op.swap()?, value, schema),
            _ => None,
        },
        Expr::InList(list) if !list.negated => {
            let Expr::Column(column) = list.expr.as_ref() else { return None };
            list_of(&column.name, &list.list, schema)
        }
        Expr::IsNull(of) => column_of(of, schema).map(Predicate::is_null),
        Expr::IsNotNull(of) => column_of(of, schema).map(Predicate::is_not_null),
        Expr::Column(column) => compare(&column.name, Operator::Eq, &ScalarValue::from(true), schema),
        Expr::Not(of) => {
            let Expr::Column(column) = of.as_ref() else { return None };
            compare(&column.name, Operator::Eq, &ScalarValue::from(false), schema)
        }
        _ => None,
    }
}

/// Returns the condition that a column equals one of the values.
fn list_of(name: &str, values: &[Expr], schema: &Schema) -> Option<Predicate> {
    let data_type = known_type(name, schema)?;
    let value = |value: &Expr| match value {
        Expr::Literal(value, _) => compared_literal(data_type, value),
        _ => None,
    };
    let literals = values.iter().map(value).collect::<Option<Vec<Literal>>>()?;
    match <[Literal; 1]>::try_from(literals) {
        Ok([only]) => Some(Predicate::eq(name, only)),
        Err(literals) => Some(Predicate::is_in(name, literals)),
    }
}

/// Returns the operands of a chain of one operator, which may have any length.
fn terms(chain: &Expr, wanted: Operator) -> Vec<&Expr> {
    let (mut found, mut waiting) = (Vec::new(), vec![chain]);
    while let Some(expr) = waiting.pop() {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if *op == wanted => {
                waiting.extend([right.as_ref(), left.as_ref()]);
            }
            term => found.push(term),
        }
    }
    found
}

/// Returns the name of the column, or `None` if `of` is not a column that a scan can compare.
fn column_of(of: &Expr, schema: &Schema) -> Option<String> {
    let Expr::Column(column) = of else { return None };
    known_type(&column.name, schema).map(|_| column.name.clone())
}

/// Returns the type of the column, or of the values of a dictionary column. Returns `None` for types that a scan cannot
/// compare, and for names that are missing or not unique.
fn known_type<'s>(name: &str, schema: &'s Schema) -> Option<&'s DataType> {
    let mut named = schema.fields().iter().filter(|field| field.name() == name);
    let field = named.next()?;
    if named.next().is_some() || field.metadata().contains_key(REPEATED_NAME) {
        return None;
    }
    let data_type = field.data_type();
    let of_values = match data_type {
        DataType::Dictionary(_, values) => values.as_ref(),
        other => other,
    };
    let is_known = of_values.is_integer()
        || is_floating(of_values)
        || is_decimal(of_values)
        || is_string(of_values)
        || matches!(of_values, DataType::Boolean | DataType::Utf8View | DataType::Date32 | DataType::Timestamp(..));
    is_known.then_some(of_values)
}

fn compare(name: &str, op: Operator, value: &ScalarValue, schema: &Schema) -> Option<Predicate> {
    let data_type = known_type(name, schema)?;
    let literal = compared_literal(data_type, value)?;
    // NaN is greater than every number in DataFusion, but not in a scan, which compares floats by IEEE 754. Therefore a
    // scan does not evaluate `>` and `>=` of floats.
    let is_bounded = !is_floating(data_type) && *data_type != DataType::Boolean;
    let is_below = is_bounded || is_floating(data_type);
    match op {
        Operator::Eq => Some(Predicate::eq(name, literal)),
        Operator::NotEq => Some(Predicate::neq(name, literal)),
        Operator::Lt if is_below => Some(Predicate::lt(name, literal)),
        Operator::LtEq if is_below => Some(Predicate::lt_eq(name, literal)),
        Operator::Gt if is_bounded => Some(Predicate::gt(name, literal)),
        Operator::GtEq if is_bounded => Some(Predicate::gt_eq(name, literal)),
        _ => None,
    }
}

/// Returns a value as a literal that a scan compares with a column of the type.
fn compared_literal(data_type: &DataType, value: &ScalarValue) -> Option<Literal> {
    let value = match value {
        ScalarValue::Dictionary(_, value) => value.as_ref(),
        value => value,
    };
    let are_texts = value.data_type().is_string() && (is_string(data_type) || *data_type == DataType::Utf8View);
    if value.is_null() || (value.data_type() != *data_type && !are_texts) {
        return None;
    }
    literal(value)
}

/// Returns a value as a literal of a scan. Returns `None` for NaN, for types that scans have no literals of, and for
/// values whose text a scan would parse as a different value.
fn literal(value: &ScalarValue) -> Option<Literal> {
    use ScalarValue::*;
    Some(match value {
        Boolean(Some(value)) => Literal::Bool(*value),
        Int8(Some(value)) => Literal::Int((*value).into()),
        Int16(Some(value)) => Literal::Int((*value).into()),
        Int32(Some(value)) => Literal::Int((*value).into()),
        Int64(Some(value)) => Literal::Int(*value),
        UInt8(Some(value)) => Literal::UInt((*value).into()),
        UInt16(Some(value)) => Literal::UInt((*value).into()),
        UInt32(Some(value)) => Literal::UInt((*value).into()),
        UInt64(Some(value)) => Literal::UInt(*value),
        Float32(Some(value)) if !value.is_nan() => Literal::Float((*value).into()),
        Float64(Some(value)) if !value.is_nan() => Literal::Float(*value),
        Utf8(Some(text)) | LargeUtf8(Some(text)) | Utf8View(Some(text)) => Literal::Text(text.clone()),
        Date32(_)
        | TimestampSecond(..)
        | TimestampMillisecond(..)
        | TimestampMicrosecond(..)
        | TimestampNanosecond(..)
        | Decimal32(..)
        | Decimal64(..)
        | Decimal128(..)
        | Decimal256(..) => {
            let Ok(Utf8(Some(text))) = value.cast_to(&DataType::Utf8) else { return None };
            let read = ScalarValue::try_from_string(text.clone(), &value.data_type());
            read.is_ok_and(|read| read == *value).then_some(Literal::Text(text))?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Field, TimeUnit};
    use datafusion::prelude::{col, lit};

    use super::*;

    fn schema() -> Schema {
        let field = |name: &str, data_type: DataType| Field::new(name, data_type, true);
        Schema::new(vec![
            field("i", DataType::Int32),
            field("f", DataType::Float64),
            field("s", DataType::Utf8View),
            field("d", DataType::Date32),
            field("t", DataType::Timestamp(TimeUnit::Nanosecond, None)),
            field("m", DataType::Decimal128(10, 2)),
            field("b", DataType::Boolean),
        ])
    }

    #[test]
    fn filters_with_the_same_rows_are_conditions_of_the_scan() {
        let day = lit(ScalarValue::Date32(Some(10_957)));
        let time = lit(ScalarValue::TimestampNanosecond(Some(1_500_000_000), None));
        let cases = [
            (col("i").gt(lit(3)), "i > 3"),
            (lit(3).gt_eq(col("i")), "i <= 3"),
            (col("s").eq(lit("a")).or(col("i").is_null()), "(s = \"a\" or i is null)"),
            (col("d").lt(day).and(col("b")), "(d < \"2000-01-01\" and b = true)"),
            (col("t").gt(time), "t > \"1970-01-01T00:00:01.500\""),
            (col("m").gt(lit(ScalarValue::Decimal128(Some(5), 10, 2))), "m > \"0.05\""),
            (col("i").in_list(vec![lit(1), lit(2)], false), "i in (1, 2)"),
            (!col("b"), "b = false"),
            (col("f").lt(lit(1.5)), "f < 1.5"),
        ];
        for (filter, expected) in cases {
            assert_eq!(predicate(&filter, &schema()).map(|found| found.to_string()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_filters_stay_with_datafusion() {
        for filter in [
            // NaN is greater than every number in DataFusion, but not in a scan.
            col("f").gt(lit(1.5)),
            col("f").eq(lit(f64::NAN)),
            col("i").gt(lit(3_i64)),
            col("i").eq(col("f")),
            (col("i") + lit(1)).eq(lit(3)),
            col("i").eq(lit(ScalarValue::Int32(None))),
            col("i").in_list(vec![lit(1)], true),
            col("none").is_null(),
            col("s").like(lit("a%")),
        ] {
            assert!(predicate(&filter, &schema()).is_none(), "{filter}");
        }
    }
}
