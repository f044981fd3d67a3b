//! Copies the parts of a table to a device as they are generated, and concatenates the parts there, column by column.
//!
//! On a GPU, each part is an allocation of the driver and not of a pool, which would be left with holes. The driver can
//! use the memory of one column's parts for the next column. A table therefore needs memory of its own size, and of the
//! size of a column while that is concatenated.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use gdf::concatenate::concatenate_columns;
use gdf::memory::{CudaResource, Resource, current_resource};
use gdf::scope::{current_stream, with_resource};
use gdf::unary::cast;
use gdf::{Column, ColumnView, DataType, Device, Error, Frame, Result, Stream, Table};

/// The largest number of text bytes that 32-bit offsets can address.
const LIMIT: usize = i32::MAX as usize;

/// The parts of a table on a device.
pub(crate) struct Gathered {
    schema: SchemaRef,
    stream: Stream,
    /// The memory resource that only the parts use.
    resource: Resource,
    columns: Vec<Pieces>,
}

/// The parts of a column, in the order of the rows.
struct Pieces {
    parts: Vec<Option<Column>>,
    text_bytes: usize,
}

impl Gathered {
    /// Creates a table for the given number of parts, which are still missing.
    pub(crate) fn new(device: Device, schema: &SchemaRef, parts: usize) -> Result<Gathered> {
        let resource = match device {
            Device::Cuda(_) => Resource::new(CudaResource::new(device)?),
            Device::Cpu => current_resource(device)?,
        };
        let pieces = |_| Pieces { parts: vec![None; parts], text_bytes: 0 };
        let columns = (0..schema.fields().len()).map(pieces).collect();
        Ok(Gathered { schema: schema.clone(), stream: current_stream(device)?, resource, columns })
    }

    /// Copies a part to the device. Waits until the copy no longer needs the host memory of the part.
    pub(crate) fn put(&mut self, place: usize, batch: &RecordBatch) -> Result<()> {
        for (pieces, array) in self.columns.iter_mut().zip(batch.columns()) {
            pieces.text_bytes += text_bytes(array);
            pieces.parts[place] = Some(Column::from_arrow(array, &self.stream, &self.resource)?);
        }
        Ok(self.stream.synchronize()?)
    }

    /// Concatenates the parts, and returns the table. Columns with more than `text_limit` bytes of text, or more than
    /// 32-bit offsets can address, get 64-bit offsets.
    pub(crate) fn finish(self, text_limit: usize) -> Result<Frame> {
        let (mut fields, mut columns) = (Vec::new(), Vec::new());
        for (field, pieces) in self.schema.fields().iter().zip(self.columns) {
            let is_large = *field.data_type() == DataType::Utf8 && pieces.text_bytes > text_limit.min(LIMIT);
            let part = |part: Option<Column>| {
                let part =
                    part.ok_or_else(|| Error::invalid_argument("a part of the table is missing; `put` it first"))?;
                if is_large { cast(&part, &DataType::LargeUtf8) } else { Ok(part) }
            };
            // The 32-bit offsets of each part are freed as soon as its 64-bit offsets exist.
            let parts = pieces.parts.into_iter().map(part);
            let parts: Vec<Column> = with_resource(&self.resource, || parts.collect::<Result<_>>())?;
            let views: Vec<ColumnView<'_>> = parts.iter().map(Column::view).collect();
            let column = concatenate_columns(&views)?;
            self.stream.synchronize()?;
            fields.push(Field::new(field.name(), column.data_type().clone(), false));
            columns.push(column);
        }
        Frame::from_table(Schema::new(fields), Table::try_new(columns)?)
    }
}

fn text_bytes(array: &dyn Array) -> usize {
    match array.as_string_opt::<i32>().map(|text| text.value_offsets()) {
        Some([first, .., last]) => (last - first) as usize,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    fn part(rows: std::ops::Range<i64>) -> RecordBatch {
        let texts: ArrayRef = Arc::new(rows.clone().map(|row| Some("x".repeat(row as usize))).collect::<StringArray>());
        let numbers: ArrayRef = Arc::new(rows.collect::<Int64Array>());
        RecordBatch::try_from_iter([("text", texts), ("number", numbers)]).unwrap()
    }

    #[test]
    fn parts_come_in_any_order() {
        let whole = part(0..9);
        for (limit, data_type) in [(36, DataType::Utf8), (35, DataType::LargeUtf8), (usize::MAX, DataType::Utf8)] {
            let mut gathered = Gathered::new(Device::Cpu, &whole.schema(), 3).unwrap();
            for (place, rows) in [(2, 7..9), (0, 0..3), (1, 3..7)] {
                gathered.put(place, &part(rows)).unwrap();
            }
            let batch = gathered.finish(limit).unwrap();
            assert_eq!(batch.schema().field(0).data_type(), &data_type, "{limit}");
            let made = batch.to_arrow().unwrap();
            assert_eq!(made.column(1), whole.column(1));
            let texts = arrow_cast::cast(made.column(0), &DataType::Utf8).unwrap();
            assert_eq!(&texts, whole.column(0));
        }
    }

    #[test]
    fn a_missing_part_is_an_error() {
        let mut gathered = Gathered::new(Device::Cpu, &part(0..1).schema(), 2).unwrap();
        gathered.put(1, &part(0..1)).unwrap();
        assert!(gathered.finish(0).is_err());
    }
}
