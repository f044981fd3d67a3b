//! `find_and_replace_all`. Each row is looked up among the values to replace. If the row is found, the result is the
//! replacement. Otherwise the result is the row.

use gdf_compute::binaryop::{BinaryOperator, binary_operation};
use gdf_compute::copying::copy_if_else;
use gdf_compute::copying::{OutOfBoundsPolicy, gather};
use gdf_compute::lists::may_share_values;
use gdf_compute::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct_indices};
use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, NativeType, PhysicalType, Result, TableView, is_nested,
    physical_type,
};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::choose::{Condition, choose_inputs};
use gdf_engine::cuda::CudaColumn;
use gdf_engine::decoded::Reads;
use gdf_engine::elementwise::{self, Launch, Nulls, Rows};
use gdf_engine::host::HostColumn;
use gdf_engine::null_count::null_count;
use gdf_kernels::generated::replace::FindAndReplaceAll;

use crate::Ctx;
use crate::join::{JOIN_NO_MATCH, row_of_each};
use crate::vouch::rows::gather_trusted;

const OPERATION: &str = "find_and_replace_all";

/// Returns the largest number of values for which each row is compared with all values.
fn most_compared(rows: usize, device: Device) -> usize {
    match device {
        Device::Cpu => 16,
        // With at most this number of rows, the launches of a hash table take as long as 80 additional comparisons per
        // row.
        Device::Cuda(_) if rows <= 1 << 20 => 128,
        Device::Cuda(_) => 48,
    }
}

/// Implements `gdf_api::replace::find_and_replace_all` with the stream and the resources of `ctx`.
pub fn find_and_replace_all(
    column: ColumnView<'_>,
    values_to_replace: ColumnView<'_>,
    replacement_values: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::column(column, ctx)?;
    for (values, argument) in [(values_to_replace, "values_to_replace"), (replacement_values, "replacement_values")] {
        check::column(values, ctx)?;
        check::types(column.data_type(), values.data_type()).map_err(|error| error.in_argument(argument))?;
    }
    check::length(values_to_replace.len(), replacement_values.len())
        .map_err(|error| error.in_argument("replacement_values"))?;
    let decoded = Reads::Nulls.decode(values_to_replace, ctx.scratch())?;
    if null_count(decoded.view(), 0, values_to_replace.len(), ctx.stream)? > 0 {
        return Err(Error::invalid_argument("a value to replace is null")
            .with_remedy("call `replace_nulls` to replace nulls")
            .in_argument("values_to_replace"));
    }
    if values_to_replace.is_empty() || column.is_empty() {
        return Ok(column.to_column());
    }
    if may_share_values(column.data_type()) || is_nested(column.data_type()) {
        return by_rows(column, values_to_replace, replacement_values, ctx);
    }
    let few = most_compared(column.len(), ctx.stream.device());
    let physical = physical_type(column.data_type());
    let comparable = gdf_core::dispatch_fixed_width!(physical, T => size_of::<T>() <= 16, else => false);
    if values_to_replace.len() <= few && comparable {
        return by_comparison(column, values_to_replace, replacement_values, physical, ctx);
    }
    let scratch = ctx.scratch();
    // If several values to replace are equal, the first of these values is used.
    let pairs = TableView::try_new(vec![values_to_replace, replacement_values])?;
    let keys = TableView::try_new(vec![values_to_replace])?;
    let first = first_of_equal(keys, scratch)?;
    let pairs = gather_trusted(&pairs, first.view(), scratch)?;
    let [keys, replacements] = [pairs.column(0)?, pairs.column(1)?];
    let [row, found] = rows_in(column, keys.view(), scratch)?;
    let replacements = TableView::try_new(vec![replacements.view()])?;
    let replaced = gather(replacements, row.view(), OutOfBoundsPolicy::Nullify, scratch)?;
    let nulls = Nulls::Own { nullable: column.has_validity() || replacement_values.has_validity() };
    let replaced = replaced.column(0)?.view();
    let replaced = choose_inputs(OPERATION, replaced.into(), column.into(), Condition::True(found.view()), nulls, ctx)?;
    replaced.with_type(column.data_type().clone())
}

/// Gathers the replacement of each row, and selects between the row and its replacement.
fn by_rows(column: ColumnView<'_>, old: ColumnView<'_>, new: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if !Abilities::of(column.data_type()).is_key() {
        return Err(Error::unsupported(OPERATION, column.data_type()));
    }
    let scratch = ctx.scratch();
    let first = first_of_equal(TableView::from(old), scratch)?;
    let keys = crate::vouch::gather_column(old, first.view(), scratch)?;
    let [row, found] = rows_in(column, keys.view(), scratch)?;
    let row = gather(TableView::from(first.view()), row.view(), OutOfBoundsPolicy::Nullify, scratch)?;
    let replaced = crate::vouch::gather_column(new, row.column(0)?.view(), scratch)?;
    copy_if_else((&replaced).into(), column.into(), found.view(), ctx)?.with_type(column.data_type().clone())
}

fn first_of_equal(values: TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    distinct_indices(values, DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual, ctx)
}

/// Looks up each row of the column among distinct keys. Returns the number of the equal key, and whether there is one.
fn rows_in(column: ColumnView<'_>, keys: ColumnView<'_>, ctx: Ctx<'_>) -> Result<[Column; 2]> {
    let row = row_of_each(&TableView::from(column), &TableView::from(keys), ctx)?;
    let none = JOIN_NO_MATCH.into();
    let found = binary_operation(row.view().into(), none, BinaryOperator::NotEqual, &DataType::Boolean, ctx)?;
    Ok([row, found])
}

fn by_comparison(
    column: ColumnView<'_>,
    old: ColumnView<'_>,
    new: ColumnView<'_>,
    physical: PhysicalType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    elementwise::map_column(
        column,
        column.data_type(),
        Nulls::Own { nullable: column.has_validity() || new.has_validity() },
        ctx,
        |rows| {
            let (old, new) = (HostColumn::open(old, ctx.stream)?, HostColumn::open(new, ctx.stream)?);
            gdf_core::dispatch_fixed_width!(physical, T => replaced::<T>(rows, old.values()?, &new),
                else => Err(Error::unsupported(OPERATION, column.data_type())))
        },
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            let (old, replacement) = (CudaColumn::open(old, ctx.stream)?, CudaColumn::open(new, ctx.stream)?);
            launch.run_only(&FindAndReplaceAll { input, old: old.desc(), replacement: replacement.desc(), out })
        },
    )
}

fn replaced<T: NativeType + PartialEq>(rows: &Rows<'_, 1>, old: &[T], new: &HostColumn<'_>) -> Result<Column> {
    let (values, replacements, valid) = (rows.input().values::<T>()?, new.values::<T>()?, new.validity()?);
    // NaN equals NaN.
    #[expect(clippy::eq_op, reason = "the comparison finds NaN, which differs from itself")]
    let equal = |a: T, b: T| a == b || (a != a && b != b);
    let found = |value: T| old.iter().position(|&old| equal(old, value));
    let mask = || {
        rows.mask_by(|word, [own]| match &valid {
            None => own,
            Some(valid) => {
                let rows = values[word * 64..].iter().take(64).enumerate();
                let is_null = |value: T| found(value).is_some_and(|row| !valid.get(row));
                rows.fold(own, |bits, (bit, &value)| bits & !(u64::from(is_null(value)) << bit))
            }
        })
    };
    rows.filled(mask, |first, out| {
        for (slot, &value) in out.iter_mut().zip(&values[first..]) {
            *slot = found(value).map_or(value, |row| replacements[row]);
        }
    })
}
