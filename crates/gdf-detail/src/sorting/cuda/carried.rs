//! `sort_by_key` on CUDA: a single column of values goes through the passes with the keys; others are gathered.

use gdf_core::{Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::middle::Attempt;
use super::passes::{Moved, Passes, Payload};
use super::sorted_order::{Layout, Sorting, Target, order_column, whole_order};
use super::{middle, small};
use crate::cuda::{CudaColumn, CudaOutput};
use crate::sorting::key::KeyColumn;
use crate::sorting::plan::WORD_FIELDS;
use crate::sorting::rows::rows_in_order;

/// The rows of `values`, of which there are some, in the order of the keys.
pub(in super::super) fn sort_by_key(
    values: &TableView<'_>,
    keys: &[KeyColumn<'_>],
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Table> {
    let rows = values.num_rows();
    if small::suits(keys, rows) {
        if small::takes_values(values) {
            return small::sort(keys, values, rows, stream, mr);
        }
        let order = small::sorted_order(keys, rows, rows, stream, mr.scratch())?;
        return rows_in_order(values, &order, stream, mr);
    }
    let mut outputs = None;
    if middle::suits(keys, rows) {
        if !middle::moves(values) {
            let order = whole_order(keys, rows, stream, mr.scratch())?;
            return rows_in_order(values, &order, stream, mr);
        }
        match middle::sort(keys, values, stream, mr)? {
            Attempt::Sorted(sorted) => return Ok(sorted),
            Attempt::Left(left) => outputs = Some(left),
        }
    }
    let mut sorting = Sorting::new(keys, rows, stream, mr)?;
    let payload = payload(values, sorting.wide);
    if payload == Payload::None || sorting.long_text().is_some() {
        let order = sorting.order(None, mr.scratch())?;
        return middle::rows_into(values, &order, outputs, stream, mr);
    }
    let layout = sorting.layout()?;
    if (1..=64).contains(&layout.plan.bits) && layout.plan.fields.len() <= WORD_FIELDS {
        let outputs = match outputs {
            Some(outputs) => outputs,
            None => middle::outputs(values, stream, mr)?,
        };
        return carry(&mut sorting, &layout, values, outputs, payload, mr);
    }
    let order = order_column(sorting.order_by(&layout, None, mr.scratch())?, rows, stream)?;
    middle::rows_into(values, &order, outputs, stream, mr)
}

/// How passes carry the only column of `values`, if they can.
fn payload(values: &TableView<'_>, wide: bool) -> Payload {
    match values.columns() {
        [only] if !only.has_validity() => match physical_type(only.data_type()) {
            gdf_core::PhysicalType::FixedBinary(_) => Payload::None,
            physical => match physical.width() {
                Some(4) if !wide => Payload::Four,
                Some(8) => Payload::Eight,
                _ => Payload::None,
            },
        },
        _ => Payload::None,
    }
}

/// Sorts keys of one word with the only column of `values` beside them.
fn carry(
    sorting: &mut Sorting<'_, '_>,
    layout: &Layout,
    values: &TableView<'_>,
    mut outputs: Vec<CudaOutput>,
    payload: Payload,
    mr: Resources<'_>,
) -> Result<Table> {
    let (rows, stream) = (sorting.rows, sorting.stream);
    let (view, width) = (values.column(0)?, if payload == Payload::Four { 4 } else { 8 });
    let [word] = layout.plan.words()[..] else {
        return Err(gdf_core::Error::InvalidArgument { what: "a key of one word" });
    };
    let key_bytes = if word.bits > 32 { 8 } else { 4 };
    let mut keys_a = Buffer::uninitialized(rows * key_bytes, stream, mr.temporary)?;
    let mut keys_b = Buffer::uninitialized(rows * key_bytes, stream, mr.temporary)?;
    let mut other = Buffer::uninitialized(rows * width, stream, mr.temporary)?;
    let (passes, mut state) = Passes::new(rows, word.bits, key_bytes, payload, sorting.wide, stream, sorting.mr)?;
    {
        let source = CudaColumn::open(view, stream)?;
        let first = source.desc.data + view.offset() as u64 * width as u64;
        let (a, b, state) = (keys_a.write_on(stream)?, keys_b.write_on(stream)?, state.write_on(stream)?);
        let (open, other) = (outputs.iter_mut().map(|output| output.open(stream)), other.write_on(stream)?);
        let open = open.collect::<Result<Vec<_>>>()?;
        let [result] = &open[..] else {
            return Err(gdf_core::Error::InvalidArgument { what: "one column of values" });
        };
        // The last pass writes the result: the second of the two if their number is odd.
        let moved = [result.desc.data, other.address()];
        let moved = if passes.count() % 2 == 1 { [moved[1], moved[0]] } else { moved };
        let keys = [a.address(), b.address()];
        let codec = sorting.codec(layout);
        let moved = Moved {
            keys,
            key_bytes,
            values: moved,
            first_values: first,
            value_bytes: width,
            source: codec,
            target: None,
            values_only: true,
            first_bit: 0,
        };
        let target = Target { word, key_bytes, keys: keys[0], order: 0, row_numbers: 0, first_bit: 0, mailbox: 0 };
        // SAFETY: both key buffers have room for `rows` keys of the word, both others for as many values of the
        // column's width; the column has as many rows, all valid; the state is that of `passes`, the codec that of the
        // only key. All are held until the launches are enqueued on their stream.
        unsafe {
            match codec {
                Some((source, codec)) => sorting.count(source, codec, key_bytes, &passes, state.address(), 0)?,
                None => sorting.encode(layout, &target, &passes, state.address())?,
            }
            passes.run(state.address(), &moved, stream)?;
        }
    }
    middle::finish(outputs, rows, stream)
}
