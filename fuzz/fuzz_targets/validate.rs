//! Columns of arbitrary bytes. Operations, downloads and Arrow's own validation must accept a column that `validate`
//! accepts.
#![no_main]

use std::sync::Arc;

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::sorting::sorted_order;
use gdf_api::validation::validate;
use gdf_core::{Column, ColumnParts, DataType, Field, NullCount, TableView};
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, HostResource, Resource};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

struct Maker<'b, 'a> {
    bytes: &'b mut Unstructured<'a>,
    stream: Stream,
    mr: Resource,
}

impl Maker<'_, '_> {
    /// Returns a buffer of `count` numbers of `width` bytes. Most numbers are small and ascend, and a few numbers are
    /// arbitrary.
    fn buffer(&mut self, count: usize, width: usize) -> Result<Buffer> {
        let mut all = Vec::new();
        let mut number = 0_i64;
        for _ in 0..count {
            number = if self.bytes.ratio(1, 32)? {
                i64::arbitrary(self.bytes)?
            } else {
                number.wrapping_add(self.bytes.int_in_range(0..=2)?)
            };
            let word = number.to_le_bytes();
            all.extend((0..width).map(|byte| word.get(byte).copied().unwrap_or(0)));
        }
        Ok(Buffer::from_host(&all, &self.stream, self.mr.as_ref()).expect("there is enough memory"))
    }

    fn text(&mut self, most: usize) -> Result<Buffer> {
        let count = self.bytes.int_in_range(0..=most)?;
        let bytes = self.bytes.bytes(count)?.to_vec();
        Ok(Buffer::from_host(&bytes, &self.stream, self.mr.as_ref()).expect("there is enough memory"))
    }

    fn column(&mut self, rows: usize, depth: usize) -> Result<Option<Column>> {
        let item = |child: &Column| Arc::new(Field::new("item", child.data_type().clone(), true));
        let kind = self.bytes.int_in_range(0..=if depth < 3 { 10 } else { 4 })?;
        let offset = self.bytes.int_in_range(0..=2)?;
        let (stored, mut children, mut buffers) = (rows + offset, Vec::new(), Vec::new());
        let data_type = match kind {
            0 => {
                buffers.push(self.buffer(stored, 4)?);
                DataType::Int32
            }
            1 | 2 => {
                buffers.push(self.buffer(stored + 1, if kind == 1 { 4 } else { 8 })?);
                buffers.push(self.text(24)?);
                if kind == 1 { DataType::Utf8 } else { DataType::LargeUtf8 }
            }
            3 => {
                buffers.push(self.text(stored.div_ceil(8).max(1))?);
                DataType::Boolean
            }
            4 => {
                buffers.push(self.buffer(stored + 1, 4)?);
                buffers.push(self.text(24)?);
                DataType::Binary
            }
            5 | 6 => {
                let child_rows = self.bytes.int_in_range(0..=6)?;
                let Some(child) = self.column(child_rows, depth + 1)? else { return Ok(None) };
                buffers.push(self.buffer(stored + 1, if kind == 5 { 4 } else { 8 })?);
                let list = if kind == 5 { DataType::List(item(&child)) } else { DataType::LargeList(item(&child)) };
                children.push(child);
                list
            }
            7 => {
                let value_rows = self.bytes.int_in_range(0..=4)?;
                let Some(values) = self.column(value_rows, depth + 1)? else { return Ok(None) };
                buffers.push(self.buffer(stored, 1)?);
                let keys = if bool::arbitrary(self.bytes)? { DataType::Int8 } else { DataType::UInt8 };
                let data_type = DataType::Dictionary(Box::new(keys), Box::new(values.data_type().clone()));
                children.push(values);
                data_type
            }
            8 => {
                let Some(child) = self.column(stored, depth + 1)? else { return Ok(None) };
                let field = Field::new("a", child.data_type().clone(), true);
                children.push(child);
                DataType::Struct(vec![field].into())
            }
            9 => {
                let runs = self.bytes.int_in_range(0..=4)?;
                let ends = self.buffer(runs, 4)?;
                let parts = ColumnParts::new(DataType::Int32, Device::Cpu, runs).buffer(ends);
                let Ok(ends) = Column::try_from_parts(parts) else { return Ok(None) };
                let Some(values) = self.column(runs, depth + 1)? else { return Ok(None) };
                let data_type = DataType::RunEndEncoded(
                    Arc::new(Field::new("run_ends", DataType::Int32, false)),
                    Arc::new(Field::new("values", values.data_type().clone(), true)),
                );
                children.extend([ends, values]);
                data_type
            }
            _ => {
                buffers.push(self.buffer(stored, 16)?);
                buffers.push(self.text(24)?);
                DataType::Utf8View
            }
        };
        let mut parts = ColumnParts::new(data_type, Device::Cpu, rows);
        parts.offset = offset;
        parts.buffers = buffers.into_iter().collect();
        parts.children = children;
        if kind != 9 && bool::arbitrary(self.bytes)? {
            parts.validity = Some(self.text(stored.div_ceil(8) + 1)?);
            parts.null_count = NullCount::Unknown;
        }
        Ok(Column::try_from_parts(parts).ok())
    }
}

/// Runs some operations on the column. An error is a valid result.
fn work(column: &Column, map: &Column) -> gdf_core::Result<()> {
    let table = TableView::try_new(vec![column.view()])?;
    let _ = gather(table.clone(), map.view(), OutOfBoundsPolicy::Nullify);
    let _ = sorted_order(table.clone(), &[], &[]);
    let _ = gdf_api::hashing::xxhash_64(table.clone(), 0);
    let _ = gdf_api::concatenate::concatenate_columns(&[column.view(), column.view()]);
    let _ = gdf_api::unary::is_null(column.view());
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let stream = Stream::cpu();
    let mut bytes = Unstructured::new(bytes);
    let mut maker = Maker { bytes: &mut bytes, stream: stream.clone(), mr: Resource::new(HostResource::new()) };
    let Ok(rows) = maker.bytes.int_in_range(0..=9) else { return };
    let Ok(Some(column)) = maker.column(rows, 0) else { return };
    let Ok(map) = maker.buffer(4, 4) else { return };
    let map = Column::try_from_parts(ColumnParts::new(DataType::Int32, Device::Cpu, 4).buffer(map))
        .expect("16 bytes are four values of Int32");
    if let Ok(column) = validate(column.view()) {
        let values = column.to_arrow(&stream).expect("validated data can be exported");
        if let Err(error) = values.to_data().validate_full() {
            // If all bytes together are UTF-8, arrow-rs also refuses an empty row whose offset lies within a
            // character. The format requires only that each row is UTF-8, and an empty row is UTF-8.
            assert!(
                error.to_string().contains("incomplete utf-8 byte sequence"),
                "arrow-rs refuses the column for another reason: {error}"
            );
        }
        work(&column, &map).expect("one column makes a table");
    }
});
