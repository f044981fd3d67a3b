//! `scan`: running aggregates within groups. Rows are sorted by keys. Values of up to 64 bits are scanned run by run.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::keys::is_replaced;
use gdf_compute::scan::by_ranks;
use gdf_compute::scan::{ScanAggregation, ScanType, scan_runs};
use gdf_compute::unary::is_valid;
use gdf_core::{
    Column, ColumnView, DataType, Error, PhysicalType, Result, TableView, is_decimal, is_floating, physical_type, width,
};
use gdf_engine::cast::cast;
use gdf_engine::windows::storage_type;

use super::aggregate::check as check_keys;
use super::empty::empty_column;
use super::rows::GroupRows;
use super::{GroupByAggregation, NullPolicy};
use crate::Ctx;
use crate::rolling::{RollingAggregation, running};
use crate::vouch::gather_column;

/// Implements `gdf_api::groupby::GroupBy::scan` with the stream and the resources of `ctx`.
pub fn scan(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    values: ColumnView<'_>,
    aggregation: ScanAggregation,
    scan_type: ScanType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    use ScanAggregation as A;
    check_keys(keys, std::iter::once(values), ctx)?;
    let decoded = aggregation.reads().decode(values, ctx.scratch())?;
    let values = decoded.view();
    let exclusive = scan_type == ScanType::Exclusive;
    let aggregate = match aggregation {
        A::Sum => GroupByAggregation::Sum,
        A::Product if is_decimal(values.data_type()) => {
            let error = Error::unsupported("scan", values.data_type()).in_variant(aggregation.name());
            return Err(error.with_remedy("cast the values to Float64"));
        }
        A::Product => GroupByAggregation::Product,
        A::Min | A::Max if exclusive => {
            let error = Error::invalid_argument(
                "the first row of a group has no exclusive minimum or maximum; use an inclusive scan",
            )
            .in_argument("scan_type");
            return Err(error.in_variant(aggregation.name()));
        }
        A::Min => GroupByAggregation::Min,
        A::Max => GroupByAggregation::Max,
        A::CountValid => GroupByAggregation::CountValid,
        A::CountAll => GroupByAggregation::CountAll,
        _ => return Err(Error::unsupported("scan", values.data_type()).in_variant(aggregation.name())),
    };
    let output = aggregate.result_type(values.data_type(), values.len())?;
    if matches!(aggregation, A::Min | A::Max) && is_replaced(values.data_type()) {
        return by_ranks("groupby scan", values, ctx, |ranks, ctx| {
            scan(keys, null_policy, ranks, aggregation, scan_type, ctx)
        });
    }
    if values.is_empty() {
        return empty_column(&output, ctx);
    }
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let groups = GroupRows::new(keys, null_policy, scratch)?;
    let in_order = |column: ColumnView<'_>| gather_column(column, groups.order.view(), scratch);
    let words = |words: &Column| scan_runs(words.view(), groups.runs.begins.view(), aggregation, scan_type, scratch);
    let result = match aggregation {
        A::CountAll => {
            let before = of(&groups.runs.position, Op::Sub, (&groups.runs.first()?).into(), long, scratch)?;
            let counts = of(&before, Op::Add, i64::from(!exclusive).into(), long, scratch)?;
            return groups.in_input_order(&counts, &[], ctx);
        }
        A::CountValid => {
            let valid = in_order(is_valid(values, scratch)?.view())?;
            return groups.in_input_order(&words(&cast(valid.view(), long, scratch)?)?, &[], ctx);
        }
        _ => {
            let sorted = in_order(values)?;
            match as_words(&sorted, &output, scratch)? {
                Some(column) => of_words(words(&column)?, &output, scratch)?,
                None => {
                    let first = of(&groups.runs.first()?, Op::Sub, 1_i64.into(), long, scratch)?;
                    let wide = if width(&output).is_some() { cast(sorted.view(), &output, scratch)? } else { sorted };
                    let aggregation = match aggregation {
                        A::Min => RollingAggregation::Min,
                        A::Max => RollingAggregation::Max,
                        A::Sum => RollingAggregation::Sum,
                        // The operands of products and counts have at most 64 bits and are scanned above, so this case
                        // cannot occur.
                        _ => return Err(Error::internal("windows do not support this scan of wide values")),
                    };
                    running(wide.view(), first.view(), scan_type, aggregation, scratch)?
                }
            }
        }
    };
    groups.in_input_order(&result, &[values], ctx)
}

/// Returns the values as 64-bit words, from which [`of_words`] computes results of type `output`.
fn as_words(values: &Column, output: &DataType, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let physical = physical_type(values.data_type());
    let wide = match physical_type(output) {
        PhysicalType::Bool => return Ok(Some(cast(values.view(), &DataType::Int64, ctx)?)),
        physical => physical.width().is_none_or(|width| width > 8),
    };
    Ok(match physical.width() {
        _ if wide => None,
        Some(8) => Some(values.clone()),
        _ if is_floating(values.data_type()) => Some(cast(values.view(), &DataType::Float64, ctx)?),
        None => Some(cast(values.view(), &DataType::Int64, ctx)?),
        Some(_) => Some(cast(values.bit_cast(storage_type(physical))?.view(), &DataType::Int64, ctx)?),
    })
}

fn of_words(words: Column, output: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    match physical_type(output) {
        PhysicalType::Bool => of(&words, Op::NotEqual, 0_i64.into(), output, ctx),
        physical if physical.width() == Some(8) => words.bit_cast(output.clone()),
        physical => cast(words.view(), &storage_type(physical), ctx)?.bit_cast(output.clone()),
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::NativeType;
    use gdf_driver::Stream;
    use gdf_engine::host::HostColumn;
    use gdf_engine::test_device::{on_host, setup};

    use super::*;

    fn scanned<T: NativeType>(rows: &[T], data_type: &DataType, aggregation: ScanAggregation) -> Result<Column> {
        let (stream, mr) = setup();
        let some: Vec<_> = rows.iter().copied().map(Some).collect();
        let values = Column::from_options_typed_on(&some, data_type, &stream, mr.as_ref()).unwrap();
        let keys = Column::from_options_on(&vec![Some(7_i32); rows.len()], &stream, mr.as_ref()).unwrap();
        let keys = TableView::try_new(vec![keys.view()]).unwrap();
        let ctx = Ctx::new(&stream, &mr);
        scan(&keys, NullPolicy::Exclude, values.view(), aggregation, ScanType::Inclusive, ctx)
    }

    fn values<T: NativeType>(column: &Column) -> Vec<T> {
        let (column, stream) = (on_host(column), Stream::cpu());
        HostColumn::open(column.view(), &stream).unwrap().values::<T>().unwrap().to_vec()
    }

    #[test]
    fn wide_values_are_aggregated_as_asked() {
        let decimal = DataType::Decimal128(10, 1);
        let of = |aggregation| values::<i128>(&scanned(&[3_i128, 2, 4], &decimal, aggregation).unwrap());
        assert_eq!(of(ScanAggregation::Sum), [3, 5, 9]);
        assert_eq!(of(ScanAggregation::Min), [3, 2, 2]);
        assert_eq!(of(ScanAggregation::Max), [3, 3, 4]);
    }

    #[test]
    fn products_are_no_sums() {
        for data_type in [DataType::Decimal128(10, 1), DataType::Decimal128(38, 0)] {
            let refused = scanned(&[3_i128, 2, 4], &data_type, ScanAggregation::Product);
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{data_type}");
        }
        let product = scanned(&[3_i8, 2, 4], &DataType::Int8, ScanAggregation::Product).unwrap();
        assert_eq!(values::<i64>(&product), [3, 6, 24]);
        let product = scanned(&[3.0_f32, 2.0, 4.0], &DataType::Float32, ScanAggregation::Product).unwrap();
        assert_eq!(values::<f32>(&product), [3.0, 6.0, 24.0]);
    }
}
