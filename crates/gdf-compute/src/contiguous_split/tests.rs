//! Tests of manipulated metadata, and of the number of packed bytes.

use gdf_core::{Column, Table, make_lists_column};
use gdf_engine::test_device::setup;

use super::*;

fn packed() -> PackedTable {
    let (stream, mr) = setup();
    let numbers = Column::from_options_on(&[Some(1_i64), None, Some(3)], &stream, mr.as_ref()).unwrap();
    let text = Column::from_strs_on(&[Some("a"), None, Some("bcd")], &stream, mr.as_ref()).unwrap();
    let offsets = Column::from_slice_on(&[0_i32, 1, 1, 3], &stream, mr.as_ref()).unwrap();
    let lists = make_lists_column(&offsets, text.clone(), None).unwrap();
    let table = Table::try_new(vec![numbers, text, lists]).unwrap();
    pack(&table.view(), Ctx::new(&stream, &mr)).unwrap()
}

fn open(metadata: &[u8], data: &Buffer) -> Result<()> {
    let (stream, mr) = setup();
    check::table(&unpack(metadata, data)?.view(), Ctx::new(&stream, &mr))
}

#[test]
fn no_byte_of_metadata_is_believed() {
    let packed = packed();
    let metadata = packed.metadata().unwrap();
    assert!(open(&metadata, packed.data()).is_ok());
    let (mut refused, mut accepted) = (0, 0);
    for at in 0..metadata.len() {
        for byte in [b'9', b'0', b'-', b']', b'"', b'7', 0xff] {
            let mut changed = metadata.clone();
            changed[at] = byte;
            match open(&changed, packed.data()) {
                Ok(()) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(open(&metadata[..at], packed.data()).is_err(), "{at} bytes");
    }
    // Some changes have no effect, or make metadata of another valid table, for example of another type of the same
    // width.
    assert!(refused > 5 * accepted, "{accepted} accepted, {refused} refused");
}

#[test]
fn hostile_metadata_are_typed_errors() {
    let packed = packed();
    let text = String::from_utf8(packed.metadata().unwrap()).unwrap();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        open(text.replacen(from, to, 1).as_bytes(), packed.data()).unwrap_err()
    };
    assert!(matches!(with("\"version\":1", "\"version\":2"), Error::InvalidArgument { .. }));
    assert!(matches!(with("\"rows\":3", "\"rows\":4"), Error::LengthMismatch { .. }));
    assert!(matches!(
        with("\"len\":3", "\"len\":18446744073709551615"),
        Error::InvalidArgument { .. } | Error::BufferTooSmall { .. }
    ));
    assert!(matches!(
        with("\"offset\":0", "\"offset\":18446744073709551615"),
        Error::InvalidArgument { .. } | Error::BufferTooSmall { .. }
    ));
    assert!(matches!(with("[0,1]", "[18446744073709551615,18446744073709551615]"), Error::Memory(_)));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(open(deep.as_bytes(), packed.data()), Err(Error::InvalidData { .. })));
    let short = packed.data().slice(0, packed.data().len() - 1).unwrap();
    assert!(matches!(open(text.as_bytes(), &short), Err(Error::BufferTooSmall { .. })));
}

#[test]
fn slices_are_packed_without_what_is_around_them() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let text = Column::from_strs_on(vec!["0123456789"; 1000].as_slice(), &stream, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![text]).unwrap();
    let parts = contiguous_split(&table.view(), &[1, 999], ctx).unwrap();
    let bytes: Vec<_> = parts.iter().map(|part| part.data().len()).collect();
    assert_eq!(bytes, [128, 998 * 10 + 64 - 9980 % 64 + 4032, 128]);
    assert_eq!(packed_size(&table.view(), ctx).unwrap(), 4032 + 10_048);
}
