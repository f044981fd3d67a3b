//! Runs the entries on the CPU, and compares the oracle with arrow's own validation.

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::ArrowError;

use super::columns;
use crate::naive::validation::Raw;
use gdf_test::runner::{RunnerOptions, run_entry};

#[test]
fn passes_on_the_cpu() {
    for entry in super::entries() {
        run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
    }
}

/// Builds the column as `ArrayData` of arrow.
fn theirs(raw: &Raw) -> Result<ArrayData, ArrowError> {
    let nulls = raw
        .mask
        .as_ref()
        .map(|mask| NullBuffer::new(BooleanBuffer::new(Buffer::from(mask.as_slice()), raw.offset, raw.len)));
    let children = raw.children.iter().map(theirs).collect::<Result<_, _>>()?;
    let buffers = raw.buffers.iter().map(|bytes| Buffer::from(bytes.as_slice())).collect();
    let builder = ArrayData::builder(raw.data_type.clone()).len(raw.len).offset(raw.offset).nulls(nulls);
    builder.buffers(buffers).child_data(children).align_buffers(true).build()
}

#[test]
fn arrow_says_the_same() {
    for (label, mut raw) in columns() {
        raw.null_count = None;
        let theirs = theirs(&raw);
        assert_eq!(raw.fault().is_none(), theirs.is_ok(), "{label}: {:?}, {theirs:?}", raw.fault());
    }
}
