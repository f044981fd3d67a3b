//! Metadata and data of packed tables from an untrusted sender. `unpack` must return an error, or a table whose use
//! reports errors without a panic.
#![no_main]

use gdf_api::contiguous_split::{pack, unpack};
use gdf_api::copying::reverse;
use gdf_core::{Column, Table};
use gdf_driver::Stream;
use gdf_memory::{Buffer, HostResource, Resource};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (stream, mr) = (Stream::cpu(), Resource::new(HostResource::new()));
    let columns = [
        Column::from_options(&[Some(1), None, Some(3)]),
        Column::from_strs([Some("a"), None, Some("éé")]),
        Column::from_slice(&[true, false, true]),
    ];
    let table = Table::try_new(columns.into_iter().map(|column| column.expect("there is enough memory")).collect())
        .expect("the columns have one length");
    let packed = pack(&table).expect("there is enough memory");
    let mut metadata = packed.metadata().expect("a packed table has metadata");
    let mut data = packed.data().to_host(&stream).expect("the bytes can be copied to the host");
    for _ in 0..bytes.int_in_range(0..=6)? {
        let target = if bytes.ratio(3, 4)? { &mut metadata } else { &mut data };
        let Some(last) = target.len().checked_sub(1) else { break };
        let at = bytes.int_in_range(0..=last)?;
        match bytes.int_in_range(0..=3)? {
            0 => target.truncate(at),
            1 => target.insert(at, bytes.arbitrary()?),
            _ => target[at] = bytes.arbitrary()?,
        }
    }
    let data = Buffer::from_host(&data, &stream, mr.as_ref()).expect("there is enough memory");
    if let Ok(table) = unpack(&metadata, &data) {
        // A table without data may state any number of rows, so large tables are not reversed.
        if table.num_rows() < 1 << 20 {
            let _ = reverse(&table);
        }
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});
