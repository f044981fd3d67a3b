//! Tests of published values, and of invalid inputs.

use gdf_core::{Column, Error, Table, make_structs_column};
use gdf_engine::row_hash::{Function, Murmur32, Murmur128, XxHash32, XxHash64};
use gdf_memory::Resources;

use super::{murmurhash3_x64_128, murmurhash3_x86_32, xxhash_64};
use crate::Ctx;

#[test]
fn bytes_hash_as_published() {
    let text = b"The quick brown fox jumps over the lazy dog";
    assert_eq!(Murmur32::hash(b"", 0), 0);
    assert_eq!(Murmur32::hash(text, 0), 0x2e4f_f723);
    assert_eq!(XxHash32::hash(b"", 0), 0x02cc_5d05);
    assert_eq!(XxHash32::hash(text, 0), 0xe85e_a4de);
    assert_eq!(XxHash64::hash(b"", 0), 0xef46_db37_51d8_e999);
    assert_eq!(XxHash64::hash(text, 0), 0x0b24_2d36_1fda_71bc);
    assert_eq!(Murmur128::hash(text, 0), [0xe34b_bc7b_bc07_1b6c, 0x7a43_3ca9_c49a_9347]);
}

#[test]
fn what_cannot_be_hashed_is_refused() {
    let (stream, mr) = gdf_engine::test_device::setup();
    let none = Table::try_with_rows(vec![], 3).unwrap();
    let resources = Resources::from(&mr);
    assert!(matches!(
        murmurhash3_x86_32(none.view(), 0, Ctx::new(&stream, resources)),
        Err(Error::InvalidArgument { .. })
    ));
    let numbers = Column::from_options_on::<i32>(&[Some(1), None], &stream, mr.as_ref()).unwrap();
    let nested = Table::try_new(vec![make_structs_column(vec![numbers], None).unwrap()]).unwrap();
    let words = murmurhash3_x64_128(nested.view(), 0, Ctx::new(&stream, resources)).unwrap();
    assert_eq!((words.num_columns(), words.num_rows()), (2, 2));
    assert_eq!(xxhash_64(nested.view(), 0, Ctx::new(&stream, resources)).unwrap().len(), 2);
}
