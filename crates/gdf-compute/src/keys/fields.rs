//! Keys of structs as keys of their fields, for operations that compare keys only for equality.
//!
//! A struct column becomes one key column per field, and so do the structs within it.

use gdf_core::layout::child_types;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, NullCount, Position, Result, StructsView, TableView, same_type,
};
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, decoded_type, has_null_values};
use gdf_engine::keys::{MAX_KEYS, NullEquality};
use gdf_engine::mask::{bools_to_mask, null_where_null};
use gdf_engine::sort::NullOrder;

use super::columns::{Rules, Side, Sides};
use super::ranks::{is_replaced, replaces_alone};
use crate::Ctx;
use crate::unary::is_valid;
use crate::vouch;

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
    /// None. A row with a null at any depth differs from all rows, so nulls need not be distinguished.
    None,
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

    /// Appends the key columns of each side to the keys of that side.
    fn prepare<'a>(
        &self,
        columns: &[ColumnView<'a>],
        parents: &mut [Vec<ColumnView<'a>>],
        sides: &mut [Side<'_, 'a>],
        rules: &Rules<'_>,
    ) -> Result<()> {
        let Shape::Struct { fields, validity, .. } = self else {
            let keys = rules.keys(columns, NullOrder::default())?.into_iter();
            return keys.zip(parents).zip(sides).try_for_each(|((key, parents), side)| {
                side.keys.push(with_parents(key, parents, rules.ctx)?);
                if rules.nulls == NullEquality::Unequal {
                    // A null in one key column makes the key null, so further columns need not repeat the nulls of the
                    // structs.
                    parents.clear();
                }
                Ok(())
            });
        };
        let around: Sides<_> = parents.iter().map(Vec::len).collect();
        for (column, parents) in columns.iter().zip(&mut *parents) {
            parents.extend(Some(*column).filter(|column| column.has_validity()));
        }
        for (i, field) in fields.iter().enumerate() {
            let children = columns.iter().map(|column| StructsView::try_from(*column)?.child(i));
            field.prepare(&children.collect::<Result<Sides<_>>>()?, parents, sides, rules)?;
        }
        for ((parents, around), (column, side)) in parents.iter_mut().zip(around).zip(columns.iter().zip(sides)) {
            parents.truncate(around);
            if *validity {
                let valid = Decoded::Made(is_valid(*column, rules.ctx)?);
                side.keys.push(with_parents(valid, parents, rules.ctx)?);
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
    fn restore(&self, data_type: &DataType, columns: &[Column], next: &mut usize, ctx: Ctx<'_>) -> Result<Column> {
        let key = |at: usize| columns.get(at).ok_or_else(|| Error::column_count(at + 1, columns.len()));
        let Shape::Struct { fields, validity, mark } = self else {
            *next += 1;
            return Ok(key(*next - 1)?.clone());
        };
        let children = fields.iter().zip(child_types(data_type));
        let children = children.map(|(shape, data_type)| shape.restore(data_type, columns, next, ctx));
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

/// The fields that replace the keys of tables.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    /// The shape of each given column.
    shapes: Vec<Shape>,
    nulls: NullEquality,
}

impl Fields {
    /// Returns the fields for tables that are prepared together. The result is `None` if no key is a struct, if there
    /// would be too many key columns, and if the tables have different numbers of columns.
    pub(super) fn of(sides: &[Side<'_, '_>], nulls: NullEquality) -> Result<Option<Self>> {
        let columns = sides.first().map_or(0, |side| side.table.num_columns());
        let have_structs = sides.iter().any(|side| has_structs(side.table));
        if !have_structs || sides.iter().any(|side| side.table.num_columns() != columns) {
            return Ok(None);
        }
        let columns = (0..columns).map(|i| columns_at(sides, i)).collect::<Result<Vec<_>>>()?;
        for (i, of_sides) in columns.iter().enumerate() {
            same_structs(of_sides).map_err(|error| error.at(Position::Column(i)))?;
        }
        let of = if nulls == NullEquality::Equal { ShapeNulls::Given } else { ShapeNulls::None };
        Self::of_columns(columns.iter().map(|of_sides| &of_sides[..]), of, nulls)
    }

    /// Returns the fields for a table and tables that are compared with it later. The result is `None` if keys can only
    /// be prepared together with those of the other table, or if there would be too many key columns.
    pub(super) fn for_later(keys: &TableView<'_>, nulls: NullEquality) -> Result<Option<Self>> {
        if keys.columns().iter().any(|key| is_replaced(key.data_type()) && !replaces_alone(key.data_type())) {
            return Ok(None);
        }
        let of = if nulls == NullEquality::Equal { ShapeNulls::GivenAndLater } else { ShapeNulls::None };
        Self::of_columns(keys.columns().iter().map(std::slice::from_ref), of, nulls)
    }

    fn of_columns<'c, 'a: 'c>(
        columns: impl Iterator<Item = &'c [ColumnView<'a>]>,
        of: ShapeNulls,
        nulls: NullEquality,
    ) -> Result<Option<Self>> {
        let mut next = 0;
        let shapes = columns.enumerate().map(|(i, of_sides)| {
            let shape = Shape::of(of_sides, of, &mut next);
            shape.map(|(shape, _)| shape).map_err(|error| error.at(Position::Column(i)))
        });
        let shapes = shapes.collect::<Result<Vec<_>>>()?;
        Ok((shapes.iter().map(Shape::columns).sum::<usize>() <= MAX_KEYS).then_some(Self { shapes, nulls }))
    }

    pub(super) fn nulls(&self) -> NullEquality {
        self.nulls
    }

    /// Appends the key columns of each side. The columns have the types of the columns from which the fields were made.
    pub(super) fn prepare(&self, sides: &mut [Side<'_, '_>], rules: &Rules<'_>) -> Result<()> {
        for (i, shape) in self.shapes.iter().enumerate() {
            let columns = columns_at(sides, i)?;
            let mut parents: Sides<_> = columns.iter().map(|_| Vec::new()).collect();
            let done = shape.prepare(&columns, &mut parents, sides, rules);
            done.map_err(|error| error.at(Position::Column(i)))?;
        }
        Ok(())
    }

    /// Restores columns of the types of the given keys. `None` stands for a column that its key columns do not
    /// determine.
    pub(super) fn restore(&self, given: &TableView<'_>, keys: &[Column], ctx: Ctx<'_>) -> Result<Vec<Option<Column>>> {
        let mut next = 0;
        let columns = self.shapes.iter().zip(given.columns()).map(|(shape, given)| {
            if !self.restores(shape, given.data_type()) {
                next += shape.columns();
                return Ok(None);
            }
            shape.restore(given.data_type(), keys, &mut next, ctx).map(Some)
        });
        columns.collect()
    }

    /// Returns whether [`restore`](Self::restore) returns a column for every key.
    pub(super) fn restore_all(&self, given: &TableView<'_>) -> bool {
        self.shapes.iter().zip(given.columns()).all(|(shape, given)| self.restores(shape, given.data_type()))
    }

    /// Returns whether the key columns determine a given column. If nulls are unequal, key columns do not tell a null
    /// struct from a struct with a null field.
    fn restores(&self, shape: &Shape, data_type: &DataType) -> bool {
        let keeps_nulls = matches!(shape, Shape::Column) || self.nulls == NullEquality::Equal;
        keeps_nulls && shape.keeps_type(data_type)
    }
}

fn columns_at<'a>(sides: &[Side<'_, 'a>], i: usize) -> Result<Sides<ColumnView<'a>>> {
    sides.iter().map(|side| side.table.column(i)).collect()
}

fn has_structs(keys: &TableView<'_>) -> bool {
    keys.columns().iter().any(|key| matches!(key.data_type(), DataType::Struct(_)) && is_replaced(key.data_type()))
}

fn same_structs(columns: &[ColumnView<'_>]) -> Result<()> {
    if !columns.iter().any(|column| is_replaced(column.data_type())) {
        return Ok(());
    }
    let mut others = columns[1..].iter();
    others.try_for_each(|other| check::types(columns[0].data_type(), other.data_type()))
}

/// Returns whether a struct has fields that may be null, at any depth.
pub(super) fn has_null_fields(keys: &TableView<'_>) -> Result<bool> {
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
