//! Tests that parts of a column that do not fit each other are refused. The error names the reason.

use std::sync::Arc;

use arrow_schema::{Field, UnionFields, UnionMode};

use super::*;
use crate::Column;
use crate::test_arrays::{all, cpu};

fn zeros(bytes: usize) -> Buffer {
    let (stream, mr) = cpu();
    Buffer::zeroed(bytes, &stream, mr.as_ref()).unwrap()
}

fn parts(data_type: DataType, len: usize) -> ColumnParts {
    ColumnParts::new(data_type, Device::Cpu, len)
}

fn child(len: i32) -> Column {
    let (stream, mr) = cpu();
    Column::from_slice_on(&(0..len).collect::<Vec<_>>(), &stream, mr.as_ref()).unwrap()
}

fn error(parts: ColumnParts) -> Error {
    Column::try_from_parts(parts).map(|_| ()).unwrap_err()
}

#[test]
fn own_buffers_that_are_too_few_many_or_short() {
    let (stream, mr) = cpu();
    for array in all(65) {
        let good = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap().into_parts();
        assert!(Column::try_from_parts(good.clone()).is_ok());
        let mut more = good.clone();
        more.buffers.push(zeros(8));
        let is_view = matches!(array.data_type(), DataType::Utf8View | DataType::BinaryView);
        assert_eq!(Column::try_from_parts(more).is_ok(), is_view, "{}", array.data_type());
        let mut child_more = good.clone();
        child_more.children.push(child(65));
        assert!(matches!(error(child_more), Error::ChildCount { .. }));
        for i in 0..good.children.len() {
            let mut fewer = good.clone();
            fewer.children.remove(i);
            assert!(matches!(error(fewer), Error::ChildCount { .. }));
        }
        let own = layout(array.data_type()).buffers;
        for (i, (_, content)) in own.iter().enumerate() {
            let mut fewer = good.clone();
            fewer.buffers.truncate(i);
            assert!(matches!(error(fewer), Error::BufferCount { .. }));
            if let Some(needed) = content.needed(good.offset + 65).filter(|needed| *needed > 0) {
                let mut short = good.clone();
                short.buffers[i] = short.buffers[i].slice(0, needed - 1).unwrap();
                let found = error(short);
                assert!(
                    matches!(found, Error::BufferTooSmall { needed: n, found: f, .. } if n == needed && f == needed - 1)
                );
            }
            if content.alignment() > 1 {
                let mut misaligned = good.clone();
                let bytes = misaligned.buffers[i].len();
                misaligned.buffers[i] = zeros(bytes + 1).slice(1, bytes).unwrap();
                assert!(matches!(error(misaligned), Error::BufferMisaligned { .. }));
            }
        }
        if good.validity.is_some() {
            let mut short = good.clone();
            short.validity = Some(zeros((good.offset + 65).div_ceil(8) - 1));
            assert!(matches!(error(short), Error::BufferTooSmall { buffer: "validity", .. }));
        }
        let huge = ColumnParts { len: usize::MAX, ..good.clone() };
        assert!(matches!(error(huge), Error::InvalidArgument { .. }));
        let huge = ColumnParts { offset: usize::MAX - 3, ..good.clone() };
        assert!(matches!(error(huge), Error::InvalidArgument { .. }));
        let other_device = ColumnParts { device: Device::Cuda(0), ..good.clone() };
        let has_memory = good.validity.is_some() || !good.buffers.is_empty() || !good.children.is_empty();
        assert_eq!(Column::try_from_parts(other_device).is_err(), has_memory);
    }
}

#[test]
fn validity_and_counts() {
    let word = |bytes| NullCount::device(zeros(bytes));
    let ints = || parts(DataType::Int32, 9).buffer(zeros(36));
    assert!(Column::try_from_parts(ints().validity(Some(zeros(2)), NullCount::Unknown)).is_ok());
    assert!(Column::try_from_parts(ints().validity(Some(zeros(2)), word(8))).is_ok());
    assert!(matches!(error(ints().validity(Some(zeros(2)), word(7))), Error::BufferTooSmall { .. }));
    assert!(matches!(error(ints().validity(Some(zeros(1)), NullCount::Unknown)), Error::BufferTooSmall { .. }));
    assert!(matches!(error(ints().validity(Some(zeros(2)), NullCount::Known(10))), Error::InvalidArgument { .. }));
    assert!(matches!(error(ints().validity(None, NullCount::Known(1))), Error::InvalidArgument { .. }));
    let counted = Column::try_from_parts(ints().validity(None, NullCount::Unknown)).unwrap();
    assert_eq!(counted.known_null_count(), Some(0));
    let null = parts(DataType::Null, 3).validity(Some(zeros(1)), NullCount::Unknown);
    assert!(matches!(error(null), Error::Unsupported { .. }));
    assert_eq!(Column::try_from_parts(parts(DataType::Null, 3)).unwrap().known_null_count(), Some(3));
}

#[test]
fn children_of_other_lengths_and_types() {
    let item = |t| Arc::new(Field::new_list_field(t, true));
    let sized = |n| parts(DataType::FixedSizeList(item(DataType::Int32), 3), 4).child(child(n));
    assert!(Column::try_from_parts(sized(12)).is_ok());
    assert!(matches!(error(sized(11)), Error::ChildTooShort { child: 0, needed: 12, found: 11, .. }));
    let offset = ColumnParts { offset: 1, ..sized(12) };
    assert!(matches!(error(offset), Error::ChildTooShort { needed: 15, .. }));
    let structs = |n| {
        let field = Field::new("a", DataType::Int32, true);
        parts(DataType::Struct(vec![field].into()), 4).child(child(n))
    };
    assert!(Column::try_from_parts(structs(4)).is_ok());
    assert!(matches!(error(structs(3)), Error::ChildTooShort { .. }));
    let list = parts(DataType::List(item(DataType::Int64)), 0).buffer(zeros(4)).child(child(1));
    assert!(matches!(error(list), Error::TypeMismatch { .. }));
    let list = parts(DataType::List(item(DataType::Int32)), 0).buffer(zeros(0)).child(child(1));
    assert!(matches!(error(list), Error::BufferTooSmall { needed: 4, .. }));
    let fields: UnionFields = [(0i8, item(DataType::Int32))].into_iter().collect();
    let union = |mode, n| parts(DataType::Union(fields.clone(), mode), 4).buffer(zeros(4)).child(child(n));
    assert!(Column::try_from_parts(union(UnionMode::Sparse, 4)).is_ok());
    assert!(matches!(error(union(UnionMode::Sparse, 3)), Error::ChildTooShort { .. }));
    assert!(matches!(error(union(UnionMode::Dense, 4)), Error::BufferCount { .. }));
}

#[test]
fn runs() {
    let (stream, mr) = cpu();
    let ends = Arc::new(Field::new("run_ends", DataType::Int32, false));
    let runs = DataType::RunEndEncoded(ends, Arc::new(Field::new("values", DataType::Int32, true)));
    assert!(matches!(error(parts(runs.clone(), 4).child(child(2)).child(child(3))), Error::LengthMismatch { .. }));
    assert!(matches!(error(parts(runs.clone(), 4).child(child(0)).child(child(0))), Error::ChildTooShort { .. }));
    let nulls = Column::from_options_on(&[Some(1i32), None], &stream, mr.as_ref()).unwrap();
    assert!(matches!(error(parts(runs, 1).child(nulls).child(child(2))), Error::InvalidArgument { .. }));
}

#[test]
fn types_that_make_no_sense() {
    let field = |t| Arc::new(Field::new("x", t, true));
    let nonsense = [
        DataType::FixedSizeBinary(-1),
        DataType::FixedSizeList(field(DataType::Int8), -1),
        DataType::Time32(TimeUnit::Nanosecond),
        DataType::Time64(TimeUnit::Second),
        DataType::Decimal32(10, 0),
        DataType::Decimal64(19, 0),
        DataType::Decimal128(39, 0),
        DataType::Decimal256(0, 0),
        DataType::Dictionary(Box::new(DataType::Utf8), Box::new(DataType::Utf8)),
        DataType::Dictionary(Box::new(DataType::Date32), Box::new(DataType::Utf8)),
        DataType::RunEndEncoded(field(DataType::UInt8), field(DataType::Int8)),
        DataType::Map(field(DataType::Int8), false),
    ];
    let (stream, mr) = cpu();
    for data_type in nonsense {
        assert!(matches!(error(parts(data_type.clone(), 0)), Error::InvalidArgument { .. }), "{data_type}");
        assert!(Column::empty_on(&data_type, Device::Cpu).is_err(), "{data_type}");
        assert!(Column::nulls_on(&data_type, 3, &stream, mr.as_ref()).is_err(), "{data_type}");
    }
}

#[test]
fn children_get_the_type_the_parent_says() {
    let item = Arc::new(Field::new("e", DataType::Decimal32(7, 2), false));
    let decimals = child(3).bit_cast(DataType::Decimal32(9, 2)).unwrap();
    let list = parts(DataType::List(item), 0).buffer(zeros(4)).child(decimals);
    let list = Column::try_from_parts(list).unwrap();
    assert_eq!(list.children()[0].data_type(), &DataType::Decimal32(7, 2));
}

#[test]
fn raw_parts_are_vouched_for() {
    let good = parts(DataType::Utf8, 1).buffer(zeros(8)).buffer(zeros(0));
    // SAFETY: the parts form a column of one empty string.
    let column = unsafe { Column::from_raw_parts(good) };
    assert!(column.validated());
}

#[test]
fn parts_of_lists_structs_and_dictionaries() {
    let text = Column::from_strs(["a", "b", "c"]).unwrap();
    for large in [false, true] {
        let offsets = if large { Column::from_slice(&[0_i64, 2, 2]) } else { Column::from_slice(&[0_i32, 2, 2]) };
        let offsets = offsets.unwrap().buffers()[0].clone();
        let lists = Column::try_from_parts(ColumnParts::lists(2, offsets, large, text.clone(), !large)).unwrap();
        let field = Arc::new(Field::new_list_field(DataType::Utf8, !large));
        let expected = if large { DataType::LargeList(field) } else { DataType::List(field) };
        assert_eq!((lists.data_type(), lists.len()), (&expected, 2));
    }
    let none = Column::try_from_parts(ColumnParts::structs(Device::Cpu, 7, None::<(&str, Column)>)).unwrap();
    assert_eq!((none.len(), none.children().len()), (7, 0));
    let structs = ColumnParts::structs(Device::Cpu, 3, [("left", text.clone()), ("right", text.clone())]);
    let fields = ["left", "right"].map(|name| Field::new(name, DataType::Utf8, true));
    assert_eq!(structs.data_type, DataType::Struct(Vec::from(fields).into()));
    assert!(Column::try_from_parts(structs).is_ok());
    let keys = Column::from_options(&[Some(2_u8), None, Some(0)]).unwrap().slice(1, 2).unwrap();
    let dictionary = Column::try_from_parts(ColumnParts::dictionary(keys, text.clone())).unwrap();
    assert_eq!(dictionary.to_strings().unwrap(), [None, Some("a".to_owned())]);
    let floats = Column::from_slice(&[0.0_f32]).unwrap();
    assert!(matches!(error(ColumnParts::dictionary(floats, text)), Error::InvalidArgument { .. }));
}

#[test]
fn types_of_too_many_levels_are_refused() {
    let nested = |levels: usize| (1..levels).fold(DataType::Int8, |of, _| DataType::new_list(of, true));
    assert_eq!(Column::nulls(&nested(64), 2).unwrap().null_count().unwrap(), 2);
    for levels in [65, 100_000] {
        let data_type = nested(levels);
        assert!(matches!(error(parts(data_type.clone(), 0)), Error::InvalidArgument { .. }), "{levels}");
        assert!(matches!(Column::nulls(&data_type, 1), Err(Error::InvalidArgument { .. })), "{levels}");
        assert!(matches!(Column::empty(&data_type), Err(Error::InvalidArgument { .. })), "{levels}");
        // Arrow drops types recursively, which would overflow the stack.
        std::mem::forget(data_type);
    }
}
