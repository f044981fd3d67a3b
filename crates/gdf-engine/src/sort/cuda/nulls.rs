//! `sort` of a single column of numbers with nulls. The valid values are selected and sorted without the nulls.

use gdf_core::{ColumnParts, DataType, NullCount, Result, Table, TableView};
use gdf_kernels::ColumnIn;
use gdf_kernels::generated::sorting::SortNulls;
use gdf_memory::Resources;

use super::decode::write;
use super::passes::CodedValues;
use super::sort_values::sort_values;
use super::sorting::{KeyLayout, Sorting};
use super::{bin_sort, codec, inputs};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, In, Kernel, Rows};
use crate::rows::select;
use crate::sort::KeyColumn;
use crate::sort::plan::KeyPlan;
use crate::vouch;

/// Sorts the only key column. **Waits** for the number of nulls.
pub(super) fn sort(
    sorting: &mut Sorting<'_, '_>,
    layout: &KeyLayout,
    keys: &[KeyColumn<'_>],
    mr: Resources<'_>,
) -> Result<Option<Table>> {
    let (rows, stream) = (sorting.rows, sorting.ctx.stream);
    let ([key], [field]) = (keys, &layout.plan.fields[..]) else { return Ok(None) };
    let pays = rows > bin_sort::MAX_ROWS && field.null_position.is_some() && !field.lossy;
    let Some((view, mask)) = key.view.validity().map(|mask| (key.view, mask)).filter(|_| pays) else {
        return Ok(None);
    };
    let plan = KeyPlan::new(sorting.stats_without_nulls());
    let codec = |column| codec::of_plan(&plan, &ColumnIn { validity: In::NULL, ..column });
    let Some(codec) = sorting.column(0).and_then(codec) else {
        return Ok(None);
    };
    let parts = ColumnParts { validity: None, null_count: NullCount::Known(0), ..view.to_column().into_parts() };
    let values = vouch::result(parts)?;
    let parts = ColumnParts::new(DataType::Boolean, view.device(), rows).buffer(mask.clone());
    let mask = vouch::result(ColumnParts { offset: view.offset(), ..parts })?;
    let table = TableView::try_new(vec![values.view()])?;
    let valid = select(&table, mask.view(), Ctx { stream, mr }.scratch())?;
    let mut output =
        CudaOutput::fixed_width(view.data_type(), rows, Ctx { stream, mr })?.nullable(true, Ctx { stream, mr })?;
    sorting.rows = valid.num_rows();
    let first = if key.nulls_first { rows - valid.num_rows() } else { 0 };
    {
        let source = CudaColumn::open(valid.view().column(0)?, stream)?;
        let open = output.open(stream)?;
        let (end, width) = (first + sorting.rows, codec::width(codec));
        let source = CodedValues { values: source.values(width), codec };
        sort_values(sorting, source, plan.bits, open.values().skip(first * width))?;
        let kernel = Kernel::find(stream)?;
        let arguments = SortNulls {
            column: open.values().rows(rows, width)?,
            words: (width / 4) as i32,
            mask: open.desc().validity,
            null_count: open.desc().null_count,
            rows: Rows::new(rows),
            first: first as i64,
            end: end as i64,
        };
        write(&kernel, rows, &arguments, stream)?;
    }
    inputs::finish(vec![output], rows, stream).map(Some)
}
