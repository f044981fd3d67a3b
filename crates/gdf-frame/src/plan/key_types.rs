//! Keys of a join whose types differ between the sides. Both sides are cast to one type before they are joined.

use std::borrow::Cow;

use gdf_core::{DataType, Error, Result, is_integral, is_signed_integral, same_type};
use gdf_expr::BinaryOperator;
use gdf_expr::types::{decoded_type, natural};

use super::{Named, Rows};
use crate::expr::{Expr, Leaf};
use crate::join::{Join, JoinKind};

/// A join whose keys have the same types on both sides, if both sides are changed as [`left`](Self::left) and
/// [`right`](Self::right) say.
pub(super) struct Unified<'j> {
    pub(super) join: Cow<'j, Join>,
    pub(super) left: Casts,
    pub(super) right: Casts,
}

/// The columns of a side that are keys and get another type.
#[derive(Default)]
pub(super) struct Casts(Vec<(String, DataType)>);

impl<'j> Unified<'j> {
    /// Finds the types of keys that differ between both sides.
    ///
    /// A key of the left side that is a column of the result keeps its type, except in right and full joins, in which
    /// the column also has keys of the right side.
    ///
    /// # Errors
    /// * [`TypeMismatch`](Error::TypeMismatch): no type has the values of both keys.
    pub(super) fn new(left: &Rows, right: &Rows, join: &'j Join) -> Result<Unified<'j>> {
        let mut found = Unified { join: Cow::Borrowed(join), left: Casts::default(), right: Casts::default() };
        let Some([of_left, of_right]) = types(left, right, join) else { return Ok(found) };
        let Some([to_left, to_right]) = common_types(join, &of_left, &of_right)? else { return Ok(found) };
        let fills_left = matches!(join.kind, JoinKind::Right | JoinKind::Full);
        let keys = &mut found.join.to_mut().keys;
        for (at, (left, right)) in keys.iter_mut().enumerate() {
            if !same_type(&of_left[at], &to_left[at]) {
                match name_of(left).filter(|_| fills_left) {
                    Some(name) => found.left.0.push((name, to_left[at].clone())),
                    None => *left = left.clone().cast(to_left[at].clone()),
                }
            }
            if !same_type(&of_right[at], &to_right[at]) {
                match name_of(right) {
                    Some(name) => found.right.0.push((name, to_right[at].clone())),
                    None => *right = right.clone().cast(to_right[at].clone()),
                }
            }
        }
        Ok(found)
    }
}

impl Casts {
    /// Casts the columns.
    pub(super) fn apply(&self, rows: &mut Rows) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let cast = |of: Named| match self.0.iter().find(|(name, _)| **name == *of.name) {
            Some((_, data_type)) => Named { value: of.value.cast(data_type.clone()), ..of },
            None => of,
        };
        let outputs = rows.outputs().into_iter().map(cast).collect();
        rows.set_outputs(outputs)
    }
}

/// Returns the types of the decoded keys of both sides, or `None` if keys have no type or are more than columns of a
/// row. The join itself then finds the error.
fn types(left: &Rows, right: &Rows, join: &Join) -> Option<[Vec<DataType>; 2]> {
    let of = |rows: &Rows, key: &Expr| Some(decoded_type(&rows.type_of(&rows.over_source(key)?).ok()?).clone());
    let left = join.keys.iter().map(|(key, _)| of(left, key)).collect::<Option<_>>()?;
    let right = join.keys.iter().map(|(_, key)| of(right, key)).collect::<Option<_>>()?;
    Some([left, right])
}

/// Returns the types to which the keys of both sides are cast, or `None` if the keys have the same types. Equal keys of
/// a side get one type.
fn common_types(join: &Join, left: &[DataType], right: &[DataType]) -> Result<Option<[Vec<DataType>; 2]>> {
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    let mut is_changed = false;
    while let Some(at) = (0..join.keys.len()).find(|at| !same_type(&left[*at], &right[*at])) {
        let (of_left, of_right) = &join.keys[at];
        let common = common_type(&left[at], &right[at]).ok_or_else(|| {
            Error::incompatible_types(&left[at], &right[at])
                .in_expression(|| format!("{of_left} = {of_right}"))
                .with_remedy("`cast` one of the two keys to the type of the other")
        })?;
        for (at, (a, b)) in join.keys.iter().enumerate() {
            if a.same(of_left) {
                left[at] = common.clone();
            }
            if b.same(of_right) {
                right[at] = common.clone();
            }
        }
        is_changed = true;
    }
    Ok(is_changed.then_some([left, right]))
}

/// Returns the type that has all values of two types of keys, or `None` if there is no such type, or if equality would
/// depend on more than a wider representation.
fn common_type(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{Binary, LargeBinary, LargeUtf8, UInt64, Utf8};
    match (a, b) {
        (Utf8, LargeUtf8) | (LargeUtf8, Utf8) => Some(LargeUtf8),
        (Binary, LargeBinary) | (LargeBinary, Binary) => Some(LargeBinary),
        (UInt64, other) | (other, UInt64) if is_signed_integral(other) => None,
        (a, b) if is_integral(a) && is_integral(b) => natural(BinaryOperator::NullMax, a, b).ok(),
        _ => None,
    }
}

/// Returns the name of the column that a key is.
fn name_of(key: &Expr) -> Option<String> {
    match (key.tree().kind(), key.leaves()) {
        (gdf_expr::ExprKind::Column(_), [Leaf::Column(name)]) => Some(name.to_string()),
        _ => None,
    }
}
