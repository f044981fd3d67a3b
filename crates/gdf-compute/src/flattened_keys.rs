//! Keys of structs as keys of their fields, for operations that compare keys only for equality.
//!
//! A struct column becomes one key column per field, and so do the structs within it.
//!
//! If there would be more key columns than engines take, [`nested_keys`](crate::nested_keys) replaces each key by one
//! column instead.

use gdf_core::layout::child_types;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, NullCount, Position, Result, StructsView, TableView, same_type,
};
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, DecodedColumns, decoded_type, has_null_values};
use gdf_engine::keys::{MAX_KEYS, NullEquality};
use gdf_engine::mask::{bools_to_mask, null_where_null};

use crate::Ctx;
use crate::nested_keys::{
    KeyNulls, has_floats, is_replaced, keys_with_nans, paired_keys, ranked_keys, replaced_equal, replaces_alone,
};
use crate::vouch;
use gdf_engine::null_rows::valid_rows;

/// How the rows of one key column become key columns.
#[derive(Clone, Debug)]
enum Shape {
    Column,
    /// The columns of each field, and then the validity of the struct if `validity` is set.
    Struct {
        fields: Vec<Shape>,
        validity: bool,
        mark: Option<usize>,
    },
}

/// The nulls that a shape must distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShapeNulls {
    /// The nulls of the given columns, which are equal to each other.
    Given,
    /// The nulls of the given columns and of columns that are compared with them later.
    GivenAndLater,
    /// None. A row with a null at any depth differs from all rows, so nulls need not be told apart.
    None,
}

impl ShapeNulls {
    fn of(nulls: NullEquality) -> Self {
        if nulls == NullEquality::Equal { Self::Given } else { Self::None }
    }
}

impl Shape {
    /// Returns the shape of columns of one type.
    fn of(columns: &[ColumnView<'_>], nulls: ShapeNulls, next: &mut usize) -> Result<(Self, Option<usize>)> {
        let nullable = |column: &ColumnView<'_>| column.has_validity() || has_null_values(*column);
        let DataType::Struct(fields) = columns[0].data_type() else {
            *next += 1;
            return Ok((Shape::Column, (!columns.iter().any(nullable)).then_some(*next - 1)));
        };
        if fields.is_empty() {
            *next += 1;
            return Ok((Shape::Column, (!columns.iter().any(nullable)).then_some(*next - 1)));
        }
        let (mut shapes, mut never_null) = (Vec::new(), None);
        for i in 0..fields.len() {
            let of_all = columns.iter().map(|column| StructsView::try_from(*column)?.child(i));
            let (shape, found) = Self::of(&of_all.collect::<Result<Vec<_>>>()?, nulls, next)?;
            shapes.push(shape);
            never_null = never_null.or(found);
        }
        let nullable = columns.iter().any(nullable);
        let validity = match nulls {
            ShapeNulls::None => false,
            ShapeNulls::Given => nullable && never_null.is_none(),
            // A later column may have nulls in every field.
            ShapeNulls::GivenAndLater => nullable || never_null.is_none(),
        };
        let own = *next;
        *next += usize::from(validity);
        let mark = if validity { None } else { never_null.filter(|_| nullable) };
        let found = match (validity, nullable) {
            (true, _) => Some(own),
            (false, true) => None,
            (false, false) => never_null,
        };
        Ok((Shape::Struct { fields: shapes, validity, mark }, found))
    }

    /// Appends the key columns of each side to the columns of that side.
    fn flatten<'k>(
        &self,
        sides: &[ColumnView<'k>],
        parents: &mut [Vec<ColumnView<'k>>],
        plain: &mut dyn FnMut(&[ColumnView<'k>]) -> Result<Vec<Decoded<'k>>>,
        out: &mut [Vec<Decoded<'k>>],
        nulls: NullEquality,
        ctx: Ctx<'_>,
    ) -> Result<()> {
        let Shape::Struct { fields, validity, .. } = self else {
            let columns = plain(sides)?.into_iter().zip(parents).zip(out);
            return columns.into_iter().try_for_each(|((column, parents), out)| {
                out.push(with_parents(column, parents, ctx)?);
                if nulls == NullEquality::Unequal {
                    // A null in one key column makes the key null, so further columns need not repeat the nulls of the
                    // structs.
                    parents.clear();
                }
                Ok(())
            });
        };
        let around: Vec<_> = parents.iter().map(Vec::len).collect();
        for (side, parents) in sides.iter().zip(&mut *parents) {
            parents.extend(Some(*side).filter(|side| side.has_validity()));
        }
        for (i, field) in fields.iter().enumerate() {
            let children = sides.iter().map(|side| StructsView::try_from(*side)?.child(i));
            field.flatten(&children.collect::<Result<Vec<_>>>()?, parents, plain, out, nulls, ctx)?;
        }
        for ((parents, around), (side, out)) in parents.iter_mut().zip(around).zip(sides.iter().zip(out)) {
            parents.truncate(around);
            if *validity {
                out.push(with_parents(Decoded::Made(valid_rows(*side, ctx)?), parents, ctx)?);
            }
        }
        Ok(())
    }

    fn keeps_type(&self, data_type: &DataType) -> bool {
        match self {
            Shape::Column => !is_replaced(data_type) && same_type(decoded_type(data_type), data_type),
            Shape::Struct { fields, .. } => {
                fields.iter().zip(child_types(data_type)).all(|(shape, data_type)| shape.keeps_type(data_type))
            }
        }
    }

    /// Restores a column of the type from its key columns.
    fn rebuilt(&self, data_type: &DataType, columns: &[Column], next: &mut usize, ctx: Ctx<'_>) -> Result<Column> {
        let key = |at: usize| columns.get(at).ok_or_else(|| Error::column_count(at + 1, columns.len()));
        let Shape::Struct { fields, validity, mark } = self else {
            *next += 1;
            return Ok(key(*next - 1)?.clone());
        };
        let children = fields.iter().zip(child_types(data_type));
        let children = children.map(|(shape, data_type)| shape.rebuilt(data_type, columns, next, ctx));
        let children = children.collect::<Result<Vec<_>>>()?;
        let valid = match (validity, mark) {
            (true, _) => {
                *next += 1;
                let valid = key(*next - 1)?;
                if valid.has_validity() || valid.offset() > 0 {
                    bools_to_mask(valid.view(), ctx)?.into_parts()
                } else {
                    (valid.buffers().first().cloned(), NullCount::Unknown)
                }
            }
            (false, Some(mark)) => {
                let parts = key(*mark)?.clone().into_parts();
                (parts.validity, parts.null_count)
            }
            (false, None) => (None, NullCount::Known(0)),
        };
        let rows = children.first().map_or(0, Column::len);
        let parts = ColumnParts { children, ..ColumnParts::new(data_type.clone(), ctx.stream.device(), rows) };
        vouch::result(parts.validity(valid.0, valid.1))
    }

    fn columns(&self) -> usize {
        match self {
            Shape::Column => 1,
            Shape::Struct { fields, validity, .. } => {
                fields.iter().map(Shape::columns).sum::<usize>() + usize::from(*validity)
            }
        }
    }
}

/// Returns the column with additional nulls: a row becomes null where one of `parents` is null.
fn with_parents<'k>(column: Decoded<'k>, parents: &[ColumnView<'k>], ctx: Ctx<'_>) -> Result<Decoded<'k>> {
    if parents.is_empty() {
        return Ok(column);
    }
    let masked = null_where_null(column.view(), parents, ctx)?;
    masked.map(Decoded::Made).ok_or_else(|| Error::internal("nulls cannot be added to the field of a key"))
}

fn has_structs(keys: &TableView<'_>) -> bool {
    keys.columns().iter().any(|key| matches!(key.data_type(), DataType::Struct(_)) && is_replaced(key.data_type()))
}

/// The shapes of all key columns of a table.
#[derive(Clone, Debug)]
pub struct KeyShapes {
    shapes: Vec<Shape>,
    nulls: NullEquality,
}

impl KeyShapes {
    /// Returns the shapes of the columns.
    ///
    /// # Errors
    /// * Errors of the fields, which do not occur if the columns are valid.
    pub fn of(keys: &TableView<'_>, nulls: NullEquality) -> Result<Option<Self>> {
        if keys.columns().iter().any(|key| is_replaced(key.data_type()) && !replaces_alone(key.data_type())) {
            return Ok(None);
        }
        let of = if nulls == NullEquality::Equal { ShapeNulls::GivenAndLater } else { ShapeNulls::None };
        let columns = keys.columns().iter().map(|key| vec![*key]);
        let shapes = shapes(columns, of)?;
        Ok((shapes.iter().map(Shape::columns).sum::<usize>() <= MAX_KEYS).then_some(Self { shapes, nulls }))
    }

    /// Returns the key columns of a table. Its columns must have the types of the columns from which the shapes were
    /// made.
    ///
    /// # Errors
    /// * The errors of [`Decoded::of`].
    pub fn keys<'k>(&self, operation: &'static str, keys: &TableView<'k>, ctx: Ctx<'_>) -> Result<DecodedColumns<'k>> {
        check::table(keys, ctx)?;
        let mut plain = |columns: &[ColumnView<'k>]| -> Result<Vec<Decoded<'k>>> {
            columns.iter().map(|column| plain_key(operation, *column, self.nulls, ctx)).collect()
        };
        let columns: Vec<_> = keys.columns().iter().map(|key| vec![*key]).collect();
        let mut out = flattened(&self.shapes, &columns, &mut plain, self.nulls, ctx)?;
        DecodedColumns::from_columns(out.pop().unwrap_or_default(), keys.num_rows())
    }
}

fn plain_key<'k>(
    operation: &'static str,
    column: ColumnView<'k>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<Decoded<'k>> {
    if !is_replaced(column.data_type()) {
        return Decoded::of(column, ctx);
    }
    let replaced = replaced_equal(operation, &[column], nulls, ctx)?.pop();
    replaced.map(Decoded::Made).ok_or_else(|| Error::column_count(1, 0))
}

fn shapes<'k>(columns: impl Iterator<Item = Vec<ColumnView<'k>>>, nulls: ShapeNulls) -> Result<Vec<Shape>> {
    let mut next = 0;
    let shapes = columns.enumerate().map(|(i, sides)| {
        let shape = Shape::of(&sides, nulls, &mut next);
        shape.map(|(shape, _)| shape).map_err(|error| error.at(Position::Column(i)))
    });
    shapes.collect()
}

fn flattened<'k>(
    shapes: &[Shape],
    columns: &[Vec<ColumnView<'k>>],
    plain: &mut dyn FnMut(&[ColumnView<'k>]) -> Result<Vec<Decoded<'k>>>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<Vec<Vec<Decoded<'k>>>> {
    let sides = columns.first().map_or(1, Vec::len);
    let mut out: Vec<_> = (0..sides).map(|_| Vec::new()).collect();
    for (i, (shape, sides)) in shapes.iter().zip(columns).enumerate() {
        let mut parents = vec![Vec::new(); sides.len()];
        let done = shape.flatten(sides, &mut parents, plain, &mut out, nulls, ctx);
        done.map_err(|error| error.at(Position::Column(i)))?;
    }
    Ok(out)
}

/// The key columns of a table whose rows are compared only with each other, for equality. Null keys are equal.
#[derive(Debug)]
pub struct FlattenedKeys<'a> {
    /// The key columns.
    pub decoded: DecodedColumns<'a>,
    shapes: Vec<Shape>,
    types: Vec<DataType>,
}

impl<'a> FlattenedKeys<'a> {
    /// Returns the key columns of a table, or `None` if no key is a struct or if there are too many fields.
    ///
    /// # Errors
    /// * The errors of [`ranked_keys`].
    pub fn of(operation: &'static str, keys: &TableView<'a>, ctx: Ctx<'_>) -> Result<Option<Self>> {
        Self::new(operation, keys, NullEquality::Equal, false, ctx)
    }

    fn new(
        operation: &'static str,
        keys: &TableView<'a>,
        nulls: NullEquality,
        by_value: bool,
        ctx: Ctx<'_>,
    ) -> Result<Option<Self>> {
        if !has_structs(keys) {
            return Ok(None);
        }
        check::table(keys, ctx)?;
        let columns: Vec<_> = keys.columns().iter().map(|key| vec![*key]).collect();
        let shapes = shapes(columns.iter().cloned(), ShapeNulls::of(nulls))?;
        if shapes.iter().map(Shape::columns).sum::<usize>() > MAX_KEYS {
            return Ok(None);
        }
        let mut plain = |columns: &[ColumnView<'a>]| -> Result<Vec<Decoded<'a>>> {
            let key = |column: &ColumnView<'a>| match column.data_type() {
                data_type if by_value && has_floats(data_type) => Decoded::of(*column, ctx),
                data_type if by_value || is_replaced(data_type) => plain_key(operation, *column, nulls, ctx),
                _ => Decoded::ranked(*column, ctx),
            };
            columns.iter().map(key).collect()
        };
        let mut out = flattened(&shapes, &columns, &mut plain, nulls, ctx)?;
        let decoded = DecodedColumns::from_columns(out.pop().unwrap_or_default(), keys.num_rows())?;
        let types = keys.columns().iter().map(|key| key.data_type().clone()).collect();
        Ok(Some(Self { decoded, shapes, types }))
    }

    /// Returns whether a struct has fields that may be null, at any depth.
    pub fn has_null_fields(keys: &TableView<'_>) -> Result<bool> {
        fn nullable(column: ColumnView<'_>) -> Result<bool> {
            let Ok(structs) = StructsView::try_from(column) else { return Ok(false) };
            for i in 0..structs.num_children() {
                let field = structs.child(i)?;
                if field.has_validity() || has_null_values(field) || nullable(field)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        keys.columns().iter().try_fold(false, |any, key| Ok(any || nullable(*key)?))
    }

    /// Restores the keys of groups in the types of the given keys. `columns` has the key columns of the groups.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn rebuilt(&self, columns: &[Column], ctx: Ctx<'_>) -> Result<Vec<Option<Column>>> {
        let mut next = 0;
        let keys = self.shapes.iter().zip(&self.types).map(|(shape, data_type)| {
            let keeps = shape.keeps_type(data_type);
            if !keeps {
                next += shape.columns();
                return Ok(None);
            }
            shape.rebuilt(data_type, columns, &mut next, ctx).map(Some)
        });
        keys.collect()
    }

    /// Returns whether [`rebuilt`](Self::rebuilt) returns a column for every key.
    pub fn all_rebuilt(&self) -> bool {
        self.shapes.iter().zip(&self.types).all(|(shape, data_type)| shape.keeps_type(data_type))
    }
}

/// Returns key columns whose rows are compared only with each other, and only for equality.
///
/// # Errors
/// * The errors of [`ranked_keys`].
pub fn equality_keys<'a>(
    operation: &'static str,
    keys: &TableView<'a>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<DecodedColumns<'a>> {
    match FlattenedKeys::new(operation, keys, nulls, false, ctx)? {
        Some(flattened) => Ok(flattened.decoded),
        None => ranked_keys(operation, keys, nulls.into(), ctx),
    }
}

/// Returns key columns that are compared only with each other. Floats stay floats, so that the operation decides
/// whether a NaN equals another NaN.
///
/// # Errors
/// * The errors of [`equality_keys`].
pub fn equality_keys_with_nans<'a>(
    operation: &'static str,
    keys: &TableView<'a>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<DecodedColumns<'a>> {
    match FlattenedKeys::new(operation, keys, nulls, true, ctx)? {
        Some(flattened) => Ok(flattened.decoded),
        None => keys_with_nans(operation, keys, nulls, ctx),
    }
}

/// Returns the key columns of two tables whose rows are compared only for equality.
///
/// # Errors
/// * The errors of [`paired_keys`].
pub fn paired_equality_keys<'k>(
    operation: &'static str,
    left: &TableView<'k>,
    right: &TableView<'k>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<(DecodedColumns<'k>, DecodedColumns<'k>)> {
    let ranked = || paired_keys(operation, left, right, KeyNulls::from(nulls), ctx);
    if !has_structs(left) && !has_structs(right) || left.num_columns() != right.num_columns() {
        return ranked();
    }
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    let pairs: Vec<_> = left.columns().iter().zip(right.columns()).map(|(left, right)| vec![*left, *right]).collect();
    for (i, pair) in pairs.iter().enumerate() {
        same_structs(pair[0], pair[1]).map_err(|error| error.at(Position::Column(i)))?;
    }
    let shapes = shapes(pairs.iter().cloned(), ShapeNulls::of(nulls))?;
    if shapes.iter().map(Shape::columns).sum::<usize>() > MAX_KEYS {
        return ranked();
    }
    let mut plain = |sides: &[ColumnView<'k>]| -> Result<Vec<Decoded<'k>>> {
        if sides.iter().any(|side| is_replaced(side.data_type())) {
            check::types(sides[0].data_type(), sides[1].data_type())?;
            return Ok(replaced_equal(operation, sides, nulls, ctx)?.into_iter().map(Decoded::Made).collect());
        }
        sides.iter().map(|side| Decoded::of(*side, ctx)).collect()
    };
    let mut out = flattened(&shapes, &pairs, &mut plain, nulls, ctx)?;
    let of_right = DecodedColumns::from_columns(out.pop().unwrap_or_default(), right.num_rows())?;
    let of_left = DecodedColumns::from_columns(out.pop().unwrap_or_default(), left.num_rows())?;
    Ok((of_left, of_right))
}

fn same_structs(left: ColumnView<'_>, right: ColumnView<'_>) -> Result<()> {
    let (left, right) = (left.data_type(), right.data_type());
    if is_replaced(left) || is_replaced(right) { check::types(left, right) } else { Ok(()) }
}
