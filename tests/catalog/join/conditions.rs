//! Entries of joins by conditions, and of joins by equal keys and conditions.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::join::{self as api, JoinKeys, NullEquality};
use gdf_core::{Column, Error, Result, TableView};
use gdf_expr::{BinaryOperator, Expr, Graph, Input, col, lit, when};
use gdf_external::bounds;

use super::tables::Join;
use crate::catalog::shared::tables::{shape_of, shown, sides, values_of};
use crate::catalog::{Case, Entry};
use crate::naive::join::{condition_matches, filtered_of, mixed_matches, pairs_of};
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, cases| Entry::new(name, Equality::Exact, cases).guessing();
    vec![
        entry("join.conditional_inner_join", || conditional(Join::Inner)),
        entry("join.conditional_left_join", || conditional(Join::Left)),
        entry("join.conditional_full_join", || conditional(Join::Full)),
        entry("join.conditional_left_semi_join", || conditional(Join::Semi)),
        entry("join.conditional_left_anti_join", || conditional(Join::Anti)),
        entry("join.conditional_inner_join_size", || conditional_sizes(Join::Inner)),
        entry("join.conditional_left_join_size", || conditional_sizes(Join::Left)),
        entry("join.conditional_left_semi_join_size", || conditional_sizes(Join::Semi)),
        entry("join.conditional_left_anti_join_size", || conditional_sizes(Join::Anti)),
        entry("join.conditional_match_counts", conditional_counts),
        entry("join.mixed_match_counts", mixed_counts),
        entry("join.mixed_inner_join", || mixed(Join::Inner)),
        entry("join.mixed_left_join", || mixed(Join::Left)),
        entry("join.mixed_full_join", || mixed(Join::Full)),
        entry("join.mixed_left_semi_join", || mixed(Join::Semi)),
        entry("join.mixed_left_anti_join", || mixed(Join::Anti)),
        entry("join.mixed_inner_join_size", || mixed_sizes(Join::Inner)),
        entry("join.mixed_left_join_size", || mixed_sizes(Join::Left)),
    ]
}

/// The largest number of waits of a case.
const WAITS: u64 = 24;

type Sides<'a> = (TableView<'a>, TableView<'a>);

impl Join {
    /// Returns the bound of a join by a condition. If `keys` is given, the join is also by equal keys.
    fn bound(self, inputs: &[Column], left_columns: usize, condition: &Expr, keys: Option<Keys>) -> Option<usize> {
        let (left, right) = inputs.split_at_checked(left_columns)?;
        let mut graph = Graph::new(inputs.iter().map(|column| Input::new(column.data_type().clone())).collect());
        let root = graph.bind(condition).ok()?;
        let [mut left_read, mut right_read] = [Vec::new(), Vec::new()];
        for column in graph.columns(&[root]) {
            if column < left_columns { &mut left_read } else { &mut right_read }.push(inputs[column].clone());
        }
        let inner = values_of(inputs, std::slice::from_ref(condition))?.inner;
        let read = [&shape_of(&left_read), &shape_of(&right_read), &inner];
        let sides = [&shape_of(left), &shape_of(right)];
        Some(bounds::join_where(sides, read, self.kind(), (keys.is_some(), false)))
    }

    fn conditional(self, (left, right): Sides<'_>, condition: &Expr) -> Result<Vec<Column>> {
        let pair = |(left, right)| vec![left, right];
        Ok(match self {
            Join::Inner => pair(api::conditional_inner_join(left, right, condition)?),
            Join::Left => pair(api::conditional_left_join(left, right, condition)?),
            Join::Full => pair(api::conditional_full_join(left, right, condition)?),
            Join::Semi => vec![api::conditional_left_semi_join(left, right, condition)?],
            Join::Anti => vec![api::conditional_left_anti_join(left, right, condition)?],
        })
    }

    fn conditional_size(self, (left, right): Sides<'_>, condition: &Expr) -> Result<usize> {
        match self {
            Join::Inner => api::conditional_inner_join_size(left, right, condition),
            Join::Left => api::conditional_left_join_size(left, right, condition),
            Join::Semi => api::conditional_left_semi_join_size(left, right, condition),
            Join::Anti => api::conditional_left_anti_join_size(left, right, condition),
            Join::Full => Err(Error::invalid_argument("full joins have no function for the size")),
        }
    }

    fn mixed(self, (left, right): Sides<'_>, on: &JoinKeys<'_>, condition: &Expr) -> Result<Vec<Column>> {
        let pair = |(left, right)| vec![left, right];
        Ok(match self {
            Join::Inner => pair(api::mixed_inner_join(left, right, on, condition)?),
            Join::Left => pair(api::mixed_left_join(left, right, on, condition)?),
            Join::Full => pair(api::mixed_full_join(left, right, on, condition)?),
            Join::Semi => vec![api::mixed_left_semi_join(left, right, on, condition)?],
            Join::Anti => vec![api::mixed_left_anti_join(left, right, on, condition)?],
        })
    }

    fn mixed_size(self, (left, right): Sides<'_>, on: &JoinKeys<'_>, condition: &Expr) -> Result<usize> {
        match self {
            Join::Inner => api::mixed_inner_join_size(left, right, on, condition),
            Join::Left => api::mixed_left_join_size(left, right, on, condition),
            _ => Err(Error::invalid_argument("only inner and left joins have a function for the size")),
        }
    }

    fn rows(self, found: &[Vec<usize>], right: &[ArrayRef]) -> Vec<ArrayRef> {
        let right_rows = right.first().map_or(0, |column| column.len());
        match self {
            Join::Inner => pairs_of(found, right_rows, false, false),
            Join::Left => pairs_of(found, right_rows, true, false),
            Join::Full => pairs_of(found, right_rows, true, true),
            Join::Semi => filtered_of(found, false),
            Join::Anti => filtered_of(found, true),
        }
    }
}

#[derive(Clone, Debug)]
struct Given {
    label: String,
    left: Vec<ArrayRef>,
    right: Vec<ArrayRef>,
    condition: Expr,
}

impl Given {
    fn inputs(&self) -> Vec<ArrayRef> {
        [self.left.as_slice(), &self.right].concat()
    }

    /// Returns whether the functions that return the size of the join are tested with these inputs.
    fn is_for_sizes(&self) -> bool {
        ["less/", "text/", "numbers", "one key"].iter().any(|label| self.label.starts_with(label))
    }

    fn has_rows(&self) -> bool {
        [&self.left, &self.right].iter().all(|side| side.iter().all(|column| !column.is_empty()))
    }
}

fn small(data_type: &DataType, len: usize, nulls: NullPattern, seed: usize) -> ArrayRef {
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int(((row * 7 + seed * 13) % 50) as i128))).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(len, seed as u64))
}

fn words(len: usize, nulls: NullPattern, seed: usize) -> ArrayRef {
    const WORDS: [&str; 6] = ["", "a", "the", "them", "häuser", "a word of more than sixteen bytes"];
    let values: Vec<_> = (0..len).map(|row| Some(Value::Str(WORDS[(row * 5 + seed) % 6].to_owned()))).collect();
    with_validity(&from_values(&DataType::Utf8, &values), nulls.validity(len, seed as u64))
}

/// Returns the columns of one side: small integers, floats, words, small decimals, booleans, string views, and a
/// dictionary of strings.
fn side(len: usize, nulls: NullPattern, seed: usize) -> Vec<ArrayRef> {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    vec![
        small(&DataType::Int32, len, nulls, seed),
        random_array(&DataType::Float64, len, nulls, seed as u64 + 1),
        words(len, nulls, seed + 2),
        small(&DataType::Decimal128(30, 3), len, nulls, seed + 3),
        random_array(&DataType::Boolean, len, nulls, seed as u64 + 4),
        random_array(&DataType::Utf8View, len, nulls, seed as u64 + 5),
        random_array(&dictionary, len, nulls, seed as u64 + 6),
    ]
}

const COLUMNS: usize = 7;

fn right(column: usize) -> Expr {
    col(COLUMNS + column)
}

/// Returns conditions of every kind over the columns of both sides.
fn conditions() -> Vec<(&'static str, Expr)> {
    vec![
        ("true", lit(true)),
        ("false", lit(false)),
        ("null", lit(None::<bool>)),
        ("left", col(4)),
        ("right", right(0).gt(20)),
        ("less", col(0).lt(right(0))),
        ("floats", col(1).ge(right(1))),
        ("decimals", col(3).eq(right(3))),
        ("sum", (col(0) + col(3)).lt(right(0) * 2)),
        ("both and left", col(0).gt(right(0)).and(col(4)).and(right(2).ne("the"))),
        ("or", col(0).eq(right(0)).or(col(4).and(right(4)))),
        ("nulls", col(0).binary(BinaryOperator::NullEquals, right(0))),
        ("no nulls", col(0).is_null().or(right(0).is_null())),
        ("case", when(col(4), col(0).lt(right(0))).otherwise(right(4))),
        ("text", col(2).eq(right(2))),
        ("text order", col(2).lt(right(2)).and(col(0).lt(right(0)))),
        ("text functions", col(2).starts_with("th").and(right(2).contains("e")).and(col(0).ne(right(0)))),
        ("views", col(5).le(right(5))),
        ("dictionaries", col(6).eq(right(2))),
        ("wide", (col(3).cast(DataType::Decimal256(60, 3)) + right(3).cast(DataType::Decimal256(60, 3))).gt(lit(40))),
    ]
}

fn given() -> Vec<Given> {
    let mut all = Vec::new();
    for (label, condition) in conditions() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let (left, right) = (side(33, nulls, 1), side(20, nulls, 5));
            all.push(Given { label: format!("{label}/{nulls:?}"), left, right, condition: condition.clone() });
        }
    }
    // The numbers of rows are near the sizes of mask words and of blocks.
    for (left_len, right_len) in [(0, 0), (0, 5), (5, 0), (1, 1), (64, 65), (1, 1023), (1024, 3), (3, 1025), (3, 2100)]
    {
        let patterns = [NullPattern::Some, NullPattern::All];
        for nulls in patterns.into_iter().take(if left_len * right_len > 1000 { 1 } else { 2 }) {
            let columns = |len, seed| vec![small(&DataType::Int16, len, nulls, seed), words(len, nulls, seed)];
            for (label, condition) in [("numbers", col(0).ge(col(2))), ("texts", col(1).lt(col(3)))] {
                let label = format!("{label}, {left_len} rows, {right_len} rows/{nulls:?}");
                all.push(Given { label, left: columns(left_len, 1), right: columns(right_len, 2), condition });
            }
        }
    }
    all
}

fn conditional(join: Join) -> Vec<Case> {
    let case = |given: Given| {
        let (own, of_bound) = (given.condition.clone(), given.condition.clone());
        let left_columns = given.left.len();
        Case::new(
            given.label.clone(),
            given.inputs(),
            move |inputs| join.conditional(sides(inputs, left_columns)?, &own),
            move |inputs| {
                let (left, right) = inputs.split_at(left_columns);
                Ok(join.rows(&condition_matches(left, right, &given.condition)?, right))
            },
            WAITS,
        )
        .with_bound(move |inputs| join.bound(inputs, left_columns, &of_bound, None))
    };
    let mut cases: Vec<Case> = given().into_iter().map(case).collect();
    let refused = |label: &str, condition: Expr, is_right: fn(&Error) -> bool| {
        let inputs = [side(3, NullPattern::None, 1), side(0, NullPattern::None, 2)].concat();
        let run = move |inputs: &[Column]| join.conditional(sides(inputs, COLUMNS)?, &condition);
        Case::refused(format!("refused {label}"), inputs, run, is_right)
    };
    cases.push(refused("type", col(0) + right(0), |error| matches!(error, Error::TypeMismatch { .. })));
    cases.push(refused("column", right(7).is_null(), |error| matches!(error, Error::OutOfBounds { .. })));
    cases.push(refused("operands", col(0).eq(right(2)), |error| {
        matches!(error, Error::TypeMismatch { .. } | Error::Unsupported { .. })
    }));
    cases
}

fn conditional_sizes(join: Join) -> Vec<Case> {
    let case = |given: Given| {
        let (own, left_columns) = (given.condition.clone(), given.left.len());
        Case::new(
            given.label.clone(),
            given.inputs(),
            move |inputs| {
                let size = join.conditional_size(sides(inputs, left_columns)?, &own)?;
                Ok(vec![shown(&[size as i64], inputs[0].device())?])
            },
            move |inputs| {
                let (left, right) = inputs.split_at(left_columns);
                Ok(size_of(&join.rows(&condition_matches(left, right, &given.condition)?, right)))
            },
            WAITS,
        )
    };
    given().into_iter().filter(|given| given.has_rows() && given.is_for_sizes()).map(case).collect()
}

fn counts_of(found: &[Vec<usize>]) -> Vec<ArrayRef> {
    let counts: Vec<_> = found.iter().map(|others| Some(Value::Int(others.len() as i128))).collect();
    vec![from_values(&DataType::Int64, &counts)]
}

fn conditional_counts() -> Vec<Case> {
    let case = |given: Given| {
        let (own, left_columns) = (given.condition.clone(), given.left.len());
        Case::new(
            given.label.clone(),
            given.inputs(),
            move |inputs| {
                let (left, right) = sides(inputs, left_columns)?;
                Ok(vec![api::conditional_match_counts(left, right, &own)?])
            },
            move |inputs| {
                let (left, right) = inputs.split_at(left_columns);
                Ok(counts_of(&condition_matches(left, right, &given.condition)?))
            },
            WAITS,
        )
    };
    given().into_iter().filter(|given| !given.has_rows() || given.is_for_sizes()).map(case).collect()
}

fn mixed_counts() -> Vec<Case> {
    let case = |(given, keys): (Given, Keys)| {
        let (own, left_columns) = (given.condition.clone(), given.left.len());
        Case::new(
            given.label.clone(),
            given.inputs(),
            move |inputs| {
                let (left, right) = sides(inputs, left_columns)?;
                Ok(vec![api::mixed_match_counts(left, right, &keys.on(), &own)?])
            },
            move |inputs| {
                let (left, right) = inputs.split_at(left_columns);
                Ok(counts_of(&mixed_matches(left, right, &keys.on(), &given.condition)?))
            },
            WAITS,
        )
    };
    mixed_given().into_iter().map(case).collect()
}

fn size_of(rows: &[ArrayRef]) -> Vec<ArrayRef> {
    vec![from_values(&DataType::Int64, &[Some(Value::Int(rows[0].len() as i128))])]
}

#[derive(Clone, Copy, Debug)]
struct Keys {
    left: &'static [usize],
    right: &'static [usize],
    nulls: NullEquality,
}

impl Keys {
    fn on(&self) -> JoinKeys<'static> {
        JoinKeys::new(self.left, self.right).with_nulls(self.nulls)
    }
}

fn mixed_given() -> Vec<(Given, Keys)> {
    let mut all = Vec::new();
    for equality in [NullEquality::Equal, NullEquality::Unequal] {
        let keys = Keys { left: &[0], right: &[0], nulls: equality };
        let some = ["true", "null", "less", "sum", "case", "text", "dictionaries", "wide"];
        for (label, condition) in conditions().into_iter().filter(|(label, _)| some.contains(label)) {
            let label = format!("{label}/{equality:?}");
            let (left, right) = (side(60, NullPattern::Every(3), 1), side(150, NullPattern::Every(4), 5));
            all.push((Given { label, left, right, condition }, keys));
        }
        let keys = Keys { left: &[2, 0], right: &[2, 0], nulls: equality };
        let (left, right_side) = (side(90, NullPattern::Some, 1), side(120, NullPattern::Some, 4));
        let label = format!("two keys/{equality:?}");
        all.push((Given { label, left, right: right_side, condition: col(3).le(right(3)) }, keys));
        // All keys are equal, so that there are many pairs for each left row.
        for (left_len, right_len) in [(0, 0), (0, 5), (5, 0), (1, 1), (3, 1025), (300, 40)] {
            let ones = |len: usize| from_values(&DataType::Int8, &vec![Some(Value::Int(1)); len]);
            let columns = |len, seed| vec![ones(len), small(&DataType::Int64, len, NullPattern::Some, seed)];
            let label = format!("one key, {left_len} rows, {right_len} rows/{equality:?}");
            let (left, right) = (columns(left_len, 1), columns(right_len, 2));
            let keys = Keys { left: &[0], right: &[0], nulls: equality };
            all.push((Given { label, left, right, condition: col(1).gt(col(3)) }, keys));
        }
    }
    all
}

fn mixed(join: Join) -> Vec<Case> {
    let case = |(given, keys): (Given, Keys)| {
        let (own, of_bound) = (given.condition.clone(), given.condition.clone());
        let left_columns = given.left.len();
        Case::new(
            given.label.clone(),
            given.inputs(),
            move |inputs| join.mixed(sides(inputs, left_columns)?, &keys.on(), &own),
            move |inputs| {
                let (left, right) = inputs.split_at(left_columns);
                Ok(join.rows(&mixed_matches(left, right, &keys.on(), &given.condition)?, right))
            },
            WAITS,
        )
        .with_bound(move |inputs| join.bound(inputs, left_columns, &of_bound, Some(keys)))
    };
    let mut cases: Vec<Case> = mixed_given().into_iter().map(case).collect();
    let refused = |label: &str, keys: Keys, condition: Expr, is_right: fn(&Error) -> bool| {
        let inputs = [side(3, NullPattern::None, 1), side(0, NullPattern::None, 2)].concat();
        let run = move |inputs: &[Column]| join.mixed(sides(inputs, COLUMNS)?, &keys.on(), &condition);
        Case::refused(format!("refused {label}"), inputs, run, is_right)
    };
    let keys = |left: &'static [usize], right: &'static [usize]| Keys { left, right, nulls: NullEquality::Equal };
    let mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. } | Error::Unsupported { .. });
    cases.push(refused("condition", keys(&[0], &[0]), col(0) + 1, mismatch));
    cases.push(refused("keys", keys(&[0], &[2]), lit(true), mismatch));
    cases.push(refused("place", keys(&[9], &[0]), lit(true), |error| matches!(error, Error::OutOfBounds { .. })));
    cases.push(refused("no keys", keys(&[], &[]), lit(true), |error| matches!(error, Error::InvalidArgument { .. })));
    cases
}

fn mixed_sizes(join: Join) -> Vec<Case> {
    let case = |(given, keys): (Given, Keys)| {
        let (own, left_columns) = (given.condition.clone(), given.left.len());
        Case::new(
            given.label.clone(),
            given.inputs(),
            move |inputs| {
                let size = join.mixed_size(sides(inputs, left_columns)?, &keys.on(), &own)?;
                Ok(vec![shown(&[size as i64], inputs[0].device())?])
            },
            move |inputs| {
                let (left, right) = inputs.split_at(left_columns);
                Ok(size_of(&join.rows(&mixed_matches(left, right, &keys.on(), &given.condition)?, right)))
            },
            WAITS,
        )
    };
    mixed_given().into_iter().filter(|(given, _)| given.has_rows() && given.is_for_sizes()).map(case).collect()
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
