//! Tests of copy-on-write: which writes copy, which parts the writes copy, and which parts stay unchanged.

use arrow_array::Int32Array;
use gdf_driver::Device;
use gdf_memory::{Buffer, LimitingResource, MemoryError, Resource, SpillManager, SpillOptions};

use super::Column;
use crate::test_arrays::cpu;
use crate::{ColumnParts, DataType, Error, NullCount};

fn column(values: &[Option<i32>]) -> Column {
    let (stream, mr) = cpu();
    Column::from_options_on(values, &stream, mr.as_ref()).unwrap()
}

fn same(a: &Column, b: &Column) -> bool {
    a.buffers()[0].same_allocation(&b.buffers()[0])
}

#[test]
fn a_write_to_shared_memory_changes_one_column() {
    let (stream, mr) = cpu();
    let write = |column: &mut Column, value: i32| {
        column.make_mut_on(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[0] = value;
    };
    let values = |column: &Column| column.to_vec_on::<i32>(&stream).unwrap();
    let mut first = column(&[Some(1), None, Some(3)]);
    let (mut second, mut third) = (first.clone(), first.clone());
    write(&mut second, 10);
    assert_eq!((values(&first), values(&second)), (vec![Some(1), None, Some(3)], vec![Some(10), None, Some(3)]));
    assert!(same(&first, &third) && !same(&first, &second));
    write(&mut first, 11);
    assert!(!same(&first, &third));
    // The third column is the last owner. The mask is still shared, because no mask was written.
    let address = |column: &Column| column.buffers()[0].read_on(&stream).unwrap().address();
    let before = address(&third);
    write(&mut third, 12);
    assert_eq!(address(&third), before);
    assert_eq!((values(&first)[0], values(&second)[0], values(&third)[0]), (Some(11), Some(10), Some(12)));
    assert!(first.validity().unwrap().same_allocation(third.validity().unwrap()));
    third.unshare_on(&stream, mr.as_ref()).unwrap();
    assert!(!first.validity().unwrap().same_allocation(third.validity().unwrap()));
    assert_eq!(values(&third), [Some(12), None, Some(3)]);
}

#[test]
fn copies_of_slices_have_their_rows_alone() {
    let (stream, mr) = cpu();
    let numbers: Vec<Option<i32>> = (0..2_000).map(|row| Some(row).filter(|row| row % 3 != 0)).collect();
    let all = column(&numbers);
    for (offset, len) in [(0, 2_000), (1, 3), (511, 2), (512, 9), (1_500, 500), (2_000, 0)] {
        let expected = numbers[offset..offset + len].to_vec();
        let mut part = all.slice(offset, len).unwrap();
        part.make_mut_on(&stream, mr.as_ref()).unwrap();
        assert_eq!(part.to_vec_on::<i32>(&stream).unwrap(), expected, "{offset} {len}");
        assert!(part.buffers()[0].len() <= (len + 512) * 4 && part.offset() == offset % 512);
        let mut part = all.slice(offset, len).unwrap();
        part.unshare_on(&stream, mr.as_ref()).unwrap();
        assert_eq!(part.to_vec_on::<i32>(&stream).unwrap(), expected, "{offset} {len}");
        assert_eq!(part.null_count_on(&stream).unwrap(), expected.iter().filter(|value| value.is_none()).count());
    }
    let plain = Column::from_slice_on(&(0..100).collect::<Vec<i32>>(), &stream, mr.as_ref()).unwrap();
    let mut part = plain.slice(90, 5).unwrap();
    part.make_mut_on(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[4] = -1;
    assert_eq!((part.buffers()[0].len(), part.offset()), (20, 0));
    assert_eq!(part.to_vec_on::<i32>(&stream).unwrap(), [90, 91, 92, 93, -1].map(Some));
    let truths = Column::from_slice_on(&[true; 700], &stream, mr.as_ref()).unwrap();
    let mut part = truths.slice(600, 100).unwrap();
    part.unshare_on(&stream, mr.as_ref()).unwrap();
    assert_eq!(part.to_vec_on::<bool>(&stream).unwrap(), [Some(true); 100]);
    assert!(!same(&part, &truths));
}

#[test]
fn values_beside_their_own_mask_are_not_shared() {
    let (stream, mr) = cpu();
    let made = || {
        let mut bytes = [0_u8; 136];
        bytes[..12].copy_from_slice(bytemuck::cast_slice(&[1_i32, 2, 3]));
        bytes[64] = 0b101;
        bytes[128..].copy_from_slice(&1_u64.to_ne_bytes());
        let all = Buffer::from_host(&bytes, &stream, mr.as_ref()).unwrap();
        let part = |offset, len| all.slice(offset, len).unwrap();
        let parts = ColumnParts::new(DataType::Int32, Device::Cpu, 3).buffer(part(0, 12));
        let parts = parts.validity(Some(part(64, 1)), NullCount::device(part(128, 8)));
        // SAFETY: integers have no rules, and the mask has one zero.
        unsafe { Column::try_from_vouched_parts(parts) }.unwrap()
    };
    let expected = [Some(1), None, Some(3)];
    let address = |column: &Column| column.buffers()[0].read_on(&stream).unwrap().address();
    let mut column = made();
    let before = address(&column);
    column.make_mut_on(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[1] = 20;
    assert_eq!(address(&column), before);
    assert_eq!(column.to_vec_on::<i32>(&stream).unwrap(), expected);
    assert_eq!(column.null_count_on(&stream).unwrap(), 1);
    made().write_values_on(&stream).unwrap();

    let mut shared = made();
    let other = shared.clone();
    let refused = shared.write_values_on(&stream).map(drop);
    assert!(matches!(refused, Err(Error::Memory(MemoryError::Shared))));
    assert!(shared.validity().unwrap().same_allocation(&other.buffers()[0]), "a mask was copied in vain");
    shared.make_mut_on(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[0] = 7;
    assert_eq!(other.to_vec_on::<i32>(&stream).unwrap(), expected);
}

#[test]
fn exported_foreign_and_spilled_memory_is_copied_or_kept() {
    let (stream, mr) = cpu();
    let mut exported = column(&[Some(1), Some(2)]);
    exported.buffers()[0].expose().unwrap();
    let before = exported.buffers()[0].clone();
    exported.make_mut_on(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[0] = 7;
    assert!(!exported.buffers()[0].same_allocation(&before));
    let array = Int32Array::from(vec![1, 2]);
    let mut foreign = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
    foreign.make_mut_on(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[0] = 7;
    assert_eq!((foreign.to_vec_on::<i32>(&stream).unwrap(), array.value(0)), (vec![Some(7), Some(2)], 1));

    let manager = SpillManager::new(mr.clone(), SpillOptions::new());
    let resource = manager.resource();
    let numbers: Vec<i32> = (0..2_000).collect();
    let mut spilled = Column::from_slice_on(&numbers, &stream, resource.as_ref()).unwrap();
    spilled.watch(&manager);
    assert!(manager.spill(1 << 20).unwrap() > 0, "the bytes are on the CPU or on the disk now");
    spilled.make_mut_on(&stream, resource.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[1] = -1;
    assert_eq!((manager.watched_bytes(), manager.spill(1 << 20).unwrap()), (0, 0), "a mutable buffer stays in place");
    assert_eq!(spilled.to_vec_on::<i32>(&stream).unwrap()[..3], [0, -1, 2].map(Some));

    let mut text = Column::from_strs_on(&[Some("a")], &stream, mr.as_ref()).unwrap();
    assert!(matches!(text.make_mut_on(&stream, mr.as_ref()), Err(Error::Unsupported { .. })));
    assert!(matches!(text.unshare_on(&stream, mr.as_ref()), Err(Error::Unsupported { .. })));
}

#[test]
fn a_write_without_memory_leaves_the_column_unchanged() {
    let (stream, mr) = cpu();
    let mut shared = column(&[Some(1), None]);
    let other = shared.clone();
    let none = Resource::new(LimitingResource::new(mr.clone(), 0));
    assert!(shared.make_mut_on(&stream, none.as_ref()).unwrap_err().is_out_of_memory());
    assert!(shared.unshare_on(&stream, none.as_ref()).unwrap_err().is_out_of_memory());
    assert!(same(&shared, &other) && shared.to_vec_on::<i32>(&stream).unwrap() == [Some(1), None]);
}
