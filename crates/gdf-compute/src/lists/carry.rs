//! Support for columns of all types in operations that copy rows.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, Fields, PhysicalType, Result, Scalar, StructsView,
    Table, TableView, physical_type,
};
use gdf_engine::cast::cast;
use gdf_engine::policy::NullPolicy;
use gdf_engine::vouch;

use super::arrays::{to_bytes, to_lists};
use super::composite::{close, open, values_of};
use super::open::Lists;
use super::ranges::Ranges;
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::scan::{ScanAggregation, ScanType, scan};

/// Applies `work`, which copies rows, to a table of columns of any type. `work` may make some of these rows null.
///
/// # Errors
/// * The errors of `work`.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn carry(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    work: impl Fn(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    apart(
        table,
        ctx,
        |apart, ctx| {
            let opened = carry_lists(&open(apart, &[], ctx.scratch())?.view(), ctx.scratch(), &work)?;
            close(apart, opened, values_of(apart)?, ctx)
        },
        |plain, ctx| carry_lists(plain, ctx, &work),
    )
}

/// Applies `composite` to the table of the composite columns, and `plain` to the table of the other columns. The
/// columns of the result have the order of the columns of `table`.
pub fn apart(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    composite: impl FnOnce(&TableView<'_>, Ctx<'_>) -> Result<Table>,
    plain: impl FnOnce(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    let is_composite = |column: &usize| Abilities::of(table.columns()[*column].data_type()).composite;
    let (of_composite, of_plain): (Vec<_>, Vec<_>) = (0..table.num_columns()).partition(is_composite);
    if of_composite.is_empty() {
        return plain(table, ctx);
    }
    let closed = composite(&table.select(&of_composite)?, ctx)?;
    if of_plain.is_empty() {
        return Ok(closed);
    }
    let (rows, mut closed) = (closed.num_rows(), closed.into_columns().into_iter());
    let mut rest = plain(&table.select(&of_plain)?, ctx)?.into_columns().into_iter();
    let columns =
        (0..table.num_columns()).map(|column| if is_composite(&column) { closed.next() } else { rest.next() });
    let columns =
        columns.collect::<Option<_>>().ok_or_else(|| Error::internal("a copied table has too few columns"))?;
    Table::try_with_rows(columns, rows)
}

/// Does the same as [`carry`] for a table without composite columns.
fn carry_lists(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    work: &impl Fn(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    if !table.columns().iter().any(|column| Abilities::of(column.data_type()).lists) {
        return work(table, ctx);
    }
    if let Some(bytes) = to_bytes(table)? {
        return to_lists(table, carry_lists(&bytes.view(), ctx, work)?);
    }
    let (rows, scratch) = (table.num_rows(), ctx.scratch());
    let result = work(&list_skeleton(table)?.view(), ctx)?;
    let lists = lists_of(table, scratch)?;
    let mut ranges = Vec::new();
    for lists in &lists {
        ranges.push(lists.begins()?);
        ranges.extend(lists.width.is_none().then(|| lists.sizes.clone()));
    }
    let mut ranges = work(&Table::try_with_rows(ranges, rows)?.view(), scratch)?.into_columns().into_iter();
    let mut next = || ranges.next().ok_or_else(|| Error::internal("a copied table has too few columns"));
    let columns = lists.into_iter().map(|lists| match lists.width {
        None => gathered(&next()?, &next()?, lists.elements, scratch),
        Some(width) => gathered_of_width(&next()?, width, lists.elements, scratch),
    });
    restore(table, result, columns.collect::<Result<Vec<_>>>()?, ctx)
}

/// Returns the table with each list column replaced by a struct column without fields that is null in the same rows.
pub fn list_skeleton(table: &TableView<'_>) -> Result<Table> {
    skeleton(table, &|data_type| Abilities::of(data_type).lists)
}

/// Returns the table with each column of a type that `is_replaced` replaced by a struct column without fields that is
/// null in the same rows. Fields of structs are replaced, structs are not.
pub fn skeleton(table: &TableView<'_>, is_replaced: &dyn Fn(&DataType) -> bool) -> Result<Table> {
    fn bare(column: Column, is_replaced: &dyn Fn(&DataType) -> bool) -> Result<Column> {
        let mut parts = column.into_parts();
        match &parts.data_type {
            DataType::Struct(fields) => {
                parts.children =
                    parts.children.into_iter().map(|child| bare(child, is_replaced)).collect::<Result<_>>()?;
                let types = parts.children.iter().map(|child| child.data_type().clone());
                let fields = fields.iter().zip(types).map(|(field, of)| field.as_ref().clone().with_data_type(of));
                parts.data_type = DataType::Struct(fields.collect());
            }
            other if is_replaced(other) => {
                parts.data_type = DataType::Struct(Fields::empty());
                parts.buffers.clear();
                parts.children.clear();
                parts.sanitized = true;
            }
            _ => return vouch::result(parts),
        }
        vouch::result(parts)
    }
    let columns = table.columns().iter().map(|column| bare(column.to_column(), is_replaced)).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

/// Returns the lists of each outermost list column, in the order of columns and fields.
pub(super) fn lists_of(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Vec<Lists>> {
    let mut all = Vec::new();
    for_each_list(table, &mut |lists, around| {
        all.push(Lists::of(lists, around, ctx)?);
        Ok(())
    })?;
    Ok(all)
}

/// Calls `see` with each outermost list column, and with the struct columns that enclose it.
pub fn for_each_list<'a>(
    table: &TableView<'a>,
    see: &mut dyn FnMut(ColumnView<'a>, &[ColumnView<'a>]) -> Result<()>,
) -> Result<()> {
    fn visit<'a>(
        view: ColumnView<'a>,
        around: &mut Vec<ColumnView<'a>>,
        see: &mut dyn FnMut(ColumnView<'a>, &[ColumnView<'a>]) -> Result<()>,
    ) -> Result<()> {
        match physical_type(view.data_type()) {
            PhysicalType::Struct => {
                let fields = StructsView::try_from(view)?;
                around.push(view);
                (0..fields.num_children()).try_for_each(|i| visit(fields.child(i)?, around, see))?;
                around.pop();
                Ok(())
            }
            _ if Abilities::of(view.data_type()).lists => see(view, around),
            _ => Ok(()),
        }
    }
    table.columns().iter().try_for_each(|column| visit(*column, &mut Vec::new(), see))
}

/// Offsets and elements of lists.
pub struct Parts {
    /// The offsets of the lists, as `Int64`.
    pub offsets: Option<Column>,
    /// Whether `offsets` have the offset type of the list column, and are in output memory.
    pub is_final: bool,
    /// The elements in the order of the lists. If `ranges` are given, the elements are the ranges of this column.
    pub elements: Column,
    /// The ranges of `elements`, one for each list, or `None` if `elements` already has the order of the lists.
    pub ranges: Option<Ranges>,
}

/// Returns the parts of lists. List `i` has `sizes[i]` elements, from element `begins[i]` of `elements` on.
pub fn gathered(begins: &Column, sizes: &Column, elements: Column, ctx: Ctx<'_>) -> Result<Parts> {
    // No size is negative.
    let sizes =
        if sizes.has_validity() { of(sizes, Op::NullMax, 0_i64.into(), &DataType::Int64, ctx)? } else { sizes.clone() };
    // The sum of the sizes may exceed 64 bits.
    if sizes.len() as u128 * elements.len() as u128 > i64::MAX as u128 {
        let floats = cast(sizes.view(), &DataType::Float64, ctx)?;
        let sums = scan(floats.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, ctx)?;
        let sum = Scalar::from_column(sums.slice(sums.len() - 1, 1)?)?.value_on::<f64>(ctx.stream)?;
        if sum.is_some_and(|sum| sum >= isize::MAX as f64) {
            return Err(Error::offset_overflow(u64::MAX));
        }
    }
    let (ranges, offsets) = Ranges::new(begins.clone(), &sizes, ctx)?;
    Ok(Parts { offsets: Some(offsets), is_final: false, elements, ranges: Some(ranges) })
}

/// Returns the parts of lists of `width` elements each in the same way as [`gathered`].
fn gathered_of_width(begins: &Column, width: usize, elements: Column, ctx: Ctx<'_>) -> Result<Parts> {
    let ranges = Ranges::even(begins.clone(), width, ctx)?;
    Ok(Parts { offsets: None, is_final: false, elements, ranges: Some(ranges) })
}

/// Restores the column types of `like`.
pub fn restore(like: &TableView<'_>, skeleton: Table, lists: Vec<Parts>, ctx: Ctx<'_>) -> Result<Table> {
    let (rows, mut lists) = (skeleton.num_rows(), lists.into_iter());
    let columns = like.columns().iter().zip(skeleton.into_columns());
    let columns = columns.map(|(like, column)| fill(like.data_type(), column, &mut lists, ctx));
    Table::try_with_rows(columns.collect::<Result<_>>()?, rows)
}

fn fill(like: &DataType, bare: Column, lists: &mut dyn Iterator<Item = Parts>, ctx: Ctx<'_>) -> Result<Column> {
    if !Abilities::of(like).lists {
        return Ok(bare);
    }
    let mut parts = bare.into_parts();
    if let DataType::Struct(fields) = like {
        parts.data_type = like.clone();
        let children = fields.iter().zip(parts.children);
        parts.children =
            children.map(|(field, child)| fill(field.data_type(), child, lists, ctx)).collect::<Result<_>>()?;
        return vouch::result(parts);
    }
    let Parts { offsets, is_final, elements, ranges } =
        lists.next().ok_or_else(|| Error::internal("the elements of a list column are missing"))?;
    let count = ranges.as_ref().map_or(elements.len(), |ranges| ranges.total);
    let selected = |elements: Column| match &ranges {
        Some(ranges) => ranges.copy_column(elements.view(), ctx),
        None => Ok(elements),
    };
    if let DataType::FixedSizeList(..) = like {
        let lists = ColumnParts::new(like.clone(), parts.device, parts.len);
        let lists = ColumnParts { children: vec![selected(elements)?], ..lists };
        return vouch::result(lists.validity(parts.validity, parts.null_count));
    }
    let offsets = match offsets {
        Some(offsets) if is_final => offsets.into_parts().buffers.into_iter().next(),
        offsets => offsets.map(|offsets| offsets_buffer(&offsets, like, count, ctx)).transpose()?.flatten(),
    };
    let offsets = offsets.ok_or_else(|| Error::buffer_count(like, 1, 0))?;
    let elements = selected(elements)?;
    let lists = ColumnParts::lists(parts.len, offsets, physical_type(like).is_large(), elements, true);
    vouch::result(ColumnParts { data_type: like.clone(), ..lists }.validity(parts.validity, parts.null_count))
}

fn offsets_buffer(
    offsets: &Column,
    data_type: &DataType,
    elements: usize,
    ctx: Ctx<'_>,
) -> Result<Option<gdf_memory::Buffer>> {
    if let PhysicalType::List { large: true } = physical_type(data_type) {
        return Ok(Some(offsets.buffers()[0].deep_copy(ctx.stream, ctx.mr.output)?));
    }
    if i32::try_from(elements).is_err() {
        return Err(Error::offset_overflow(elements as u64));
    }
    let narrow = cast(offsets.view(), &DataType::Int32, ctx)?;
    Ok(narrow.into_parts().buffers.into_iter().next())
}
