//! Converts conditions of frames to predicates of readers, which skip row groups, pages and files.
//!
//! A predicate is true for every row for which the conditions are true. Parts of conditions that readers do not support
//! are left out. The frame also applies the conditions to the rows that were read.

use std::cell::Cell;

use gdf_core::{DataType, is_integral};
use gdf_expr::{BinaryOperator, ExprKind, UnaryOperator, Value};
use gdf_io::{Literal, Predicate};

use crate::expr::{Expr, Leaf};

/// The longest list of values of `is_in` that becomes comparisons.
const LONGEST_LIST: usize = 16;

/// The largest number of lists of conditions that are visited. A shared list is visited once for each path to it, and the
/// number of paths grows exponentially. Lists beyond the limit are left out.
const MAX_LISTS: usize = 4096;
/// The largest number of conditions that are visited. Conditions beyond the limit are left out.
const MAX_CONDITIONS: usize = 1 << 18;

/// Returns the predicate of conditions over the columns of a schema, or `None` if readers support none of them.
pub(crate) fn predicate_of(conditions: &[Expr], schema: &arrow_schema::Schema) -> Option<Predicate> {
    let left = [Cell::new(MAX_LISTS), Cell::new(MAX_CONDITIONS)];
    let of = |condition: &Expr| {
        // The verb reports a condition that is nested too deeply.
        let tree = Some(condition.tree()).filter(|tree| tree.depth() <= gdf_expr::MAX_DEPTH)?;
        Conditions { leaves: condition.leaves(), schema, left: [&left[0], &left[1]] }.predicate(tree, Lists::default())
    };
    conditions.iter().filter_map(of).reduce(Predicate::and)
}

/// The deepest nesting of lists of conditions that becomes a predicate. Readers accept a few more levels.
const DEEPEST: usize = 60;

/// The lists of conditions around a condition.
#[derive(Clone, Copy, Default)]
struct Lists {
    depth: usize,
    /// Whether the innermost list consists of conditions that must all be true.
    is_all: Option<bool>,
}

impl Lists {
    /// Returns the lists around a member of a list within these lists, or `None` if the nesting is too deep. A list in a
    /// list of the same kind belongs to that list.
    fn within(self, is_all: bool) -> Option<Lists> {
        let depth = self.depth + usize::from(self.is_all != Some(is_all));
        (depth <= DEEPEST).then_some(Lists { depth, is_all: Some(is_all) })
    }
}

/// Converts conditions whose columns are positions of leaves.
struct Conditions<'a> {
    leaves: &'a [Leaf],
    schema: &'a arrow_schema::Schema,
    /// The number of lists, and of conditions, that may still be visited.
    left: [&'a Cell<usize>; 2],
}

impl Conditions<'_> {
    fn predicate(&self, condition: &gdf_expr::Expr, lists: Lists) -> Option<Predicate> {
        use BinaryOperator::{LogicalAnd, LogicalOr};
        let is_list = matches!(
            condition.kind(),
            ExprKind::All(_) | ExprKind::Any(_) | ExprKind::Binary(LogicalAnd | LogicalOr, ..)
        );
        for left in &self.left[usize::from(!is_list)..] {
            left.set(left.get().checked_sub(1)?);
        }
        match condition.kind() {
            ExprKind::Column(_) => {
                let (name, data_type) = self.column(condition)?;
                (*data_type == DataType::Boolean).then(|| Predicate::eq(name, true))
            }
            ExprKind::All(members) => {
                let lists = lists.within(true)?;
                members.iter().filter_map(|member| self.predicate(member, lists)).reduce(Predicate::and)
            }
            ExprKind::Any(members) => {
                let lists = lists.within(false)?;
                let members = members.iter().map(|member| self.predicate(member, lists));
                members.collect::<Option<Vec<_>>>()?.into_iter().reduce(Predicate::or)
            }
            ExprKind::Binary(LogicalAnd, a, b) => {
                let lists = lists.within(true)?;
                match (self.predicate(a, lists), self.predicate(b, lists)) {
                    (Some(a), Some(b)) => Some(a.and(b)),
                    (a, b) => a.or(b),
                }
            }
            ExprKind::Binary(LogicalOr, a, b) => {
                let lists = lists.within(false)?;
                Some(self.predicate(a, lists)?.or(self.predicate(b, lists)?))
            }
            ExprKind::Binary(operator, a, b) => match (self.column(a), self.column(b)) {
                (Some(column), None) => self.compared(*operator, column, b),
                (None, Some(column)) => self.compared(exchanged(*operator)?, column, a),
                _ => None,
            },
            ExprKind::IsNull(value) => self.column(value).map(|(name, _)| Predicate::is_null(name)),
            ExprKind::Unary(UnaryOperator::Not, value) => match value.kind() {
                ExprKind::IsNull(value) => self.column(value).map(|(name, _)| Predicate::is_not_null(name)),
                _ => None,
            },
            ExprKind::Between { value, low, high } => {
                let column = self.column(value)?;
                let low = self.compared(BinaryOperator::GreaterEqual, column, low);
                let high = self.compared(BinaryOperator::LessEqual, column, high);
                match (low, high) {
                    (Some(low), Some(high)) => Some(low.and(high)),
                    (low, high) => low.or(high),
                }
            }
            ExprKind::IsIn { value, list } if list.len() <= LONGEST_LIST => {
                let (name, data_type) = self.column(value)?;
                let equal = |value: &Value| Some(Predicate::eq(name, literal(value, data_type)?));
                list.iter().map(equal).collect::<Option<Vec<_>>>()?.into_iter().reduce(Predicate::or)
            }
            _ => None,
        }
    }

    fn column(&self, value: &gdf_expr::Expr) -> Option<(&str, &DataType)> {
        let ExprKind::Column(leaf) = value.kind() else { return None };
        let Leaf::Column(name) = self.leaves.get(*leaf)? else { return None };
        let field = self.schema.field_with_name(name).ok()?;
        Some((field.name(), field.data_type()))
    }

    fn compared(
        &self,
        operator: BinaryOperator,
        (name, data_type): (&str, &DataType),
        value: &gdf_expr::Expr,
    ) -> Option<Predicate> {
        let ExprKind::Literal(value) = value.kind() else { return None };
        let literal = literal(value, data_type)?;
        match operator {
            BinaryOperator::Equal => Some(Predicate::eq(name, literal)),
            BinaryOperator::NotEqual => Some(Predicate::neq(name, literal)),
            BinaryOperator::Less => Some(Predicate::lt(name, literal)),
            BinaryOperator::LessEqual => Some(Predicate::lt_eq(name, literal)),
            BinaryOperator::Greater => Some(Predicate::gt(name, literal)),
            BinaryOperator::GreaterEqual => Some(Predicate::gt_eq(name, literal)),
            _ => None,
        }
    }
}

/// Returns the operator for exchanged operands.
fn exchanged(operator: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    match operator {
        Equal | NotEqual => Some(operator),
        Less => Some(Greater),
        LessEqual => Some(GreaterEqual),
        Greater => Some(Less),
        GreaterEqual => Some(LessEqual),
        _ => None,
    }
}

/// Returns a value as a literal for a column, if a reader compares the two as a frame does. A reader converts literals
/// to the type of the column, and a frame converts both to a common type.
fn literal(value: &Value, column: &DataType) -> Option<Literal> {
    use DataType::{Boolean, Date32, Float64, LargeUtf8, Utf8, Utf8View};
    match (column, value.data_type()) {
        (Boolean, Boolean) => value.boolean().map(Literal::Bool),
        (Float64, DataType::Float32 | Float64) => value.float().map(Literal::Float),
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8) => value.text().map(Literal::from),
        // Readers also parse text that is compared with dates and timestamps.
        (Date32 | DataType::Timestamp(_, None), Utf8 | LargeUtf8) => value.text().map(Literal::from),
        // The text of a day is `DATE '2026-01-31'`.
        (Date32, Date32) if !value.is_null() => value.to_string().split('\'').nth(1).map(Literal::from),
        (column, of) if is_integral(column) && is_integral(of) => {
            let number = value.integer()?;
            i64::try_from(number).map(Literal::Int).or_else(|_| u64::try_from(number).map(Literal::UInt)).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Field, Schema};

    use super::*;
    use crate::{col, lit};

    #[test]
    fn many_alternatives_become_one_predicate() {
        let schema = Schema::new(vec![Field::new("i", DataType::Int32, true)]);
        let any = (0..100_000).map(|number| col("i").eq(number)).reduce(Expr::or).unwrap();
        let found = predicate_of(&[any], &schema).unwrap().to_string();
        assert!(found.starts_with("(i = 0 or i = 1 or ") && found.ends_with(" or i = 99999)"));
        let all = (0..100_000).rev().map(|number| col("i").ne(number)).reduce(|all, next| next.and(all)).unwrap();
        assert!(predicate_of(&[all], &schema).unwrap().to_string().contains("(i != 0 and i != 1 and "));
    }

    #[test]
    fn conditions_become_weaker_predicates_or_none() {
        let types = [
            ("i", DataType::Int32),
            ("u", DataType::UInt64),
            ("f", DataType::Float64),
            ("g", DataType::Float32),
            ("s", DataType::Utf8),
            ("b", DataType::Boolean),
            ("d", DataType::Date32),
        ];
        let schema = Schema::new(types.map(|(name, of)| Field::new(name, of, true)).to_vec());
        let day = Value::new(gdf_core::Literal::typed(Some(20_484), &DataType::Date32).unwrap());
        for (condition, expected) in [
            (col("i").gt(3), Some("i > 3")),
            (lit(3).gt(col("i")), Some("i < 3")),
            (lit(3).le(col("u")), Some("u >= 3")),
            (col("i").ne(-1), Some("i != -1")),
            // A frame compares integers with a float as floats. A reader would refuse a float for a column of integers.
            (col("i").gt(2.5), None),
            (col("f").le(2.5), Some("f <= 2.5")),
            // A reader would round the literal to 32 bits, and a frame compares in 64 bits.
            (col("g").le(0.1), None),
            (col("s").eq("a"), Some(r#"s = "a""#)),
            (col("b"), Some("b = true")),
            (col("i"), None),
            (col("d").lt(day), Some(r#"d < "2026-01-31""#)),
            (col("d").lt("2026-01-31"), Some(r#"d < "2026-01-31""#)),
            (col("s").is_null(), Some("s is null")),
            (!col("s").is_null(), Some("s is not null")),
            (!col("b"), None),
            (col("i").gt(3) & col("i").lt(col("u")), Some("i > 3")),
            (col("i").gt(3) & col("f").lt(0.5), Some("(i > 3 and f < 0.5)")),
            (col("i").gt(3) | col("i").lt(col("u")), None),
            (col("i").gt(3) | col("b"), Some("(i > 3 or b = true)")),
            (col("i").between(1, 5), Some("(i >= 1 and i <= 5)")),
            (col("i").is_in([1, 2]), Some("(i = 1 or i = 2)")),
            // A predicate without the second element would refuse rows of the list.
            (col("i").is_in([Value::from(1), Value::from(2.5)]), None),
            (col("f").is_in([Value::from(0.5), Value::from(7)]), None),
            ((col("i") + 1).gt(3), None),
            (col("absent").gt(3), None),
        ] {
            let text = condition.to_string();
            let found = predicate_of(&[condition], &schema).map(|predicate| predicate.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
