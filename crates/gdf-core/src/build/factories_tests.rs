//! Compares columns that the builders make with arrays that the builders of Arrow make.

use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, Int32Array, LargeStringArray, StringArray};

use super::*;
use crate::test_arrays::{cpu, int32};
use crate::{Column, DataType, I256, NativeType, Scalar, dispatch_fixed_width, physical_type};

const SIZES: [usize; 9] = [0, 1, 31, 32, 33, 63, 64, 65, 1000];

#[test]
fn like_arrow() {
    let (stream, mr) = cpu();
    let mr = mr.as_ref();
    for n in SIZES {
        for every in [1, 3, usize::MAX] {
            let valid = |i: usize| every == usize::MAX || (every > 1 && i % every != 1);
            let ints: Vec<_> = (0..n).map(|i| valid(i).then_some(i as i32)).collect();
            let column = Column::from_options_on(&ints, &stream, mr).unwrap();
            assert_eq!(column.has_validity(), ints.contains(&None));
            assert_eq!(&column.to_arrow(&stream).unwrap(), &(Arc::new(Int32Array::from(ints)) as ArrayRef));
            let bools: Vec<_> = (0..n).map(|i| valid(i).then_some(i % 3 == 0)).collect();
            let column = Column::from_options_on(&bools, &stream, mr).unwrap();
            assert_eq!(&column.to_arrow(&stream).unwrap(), &(Arc::new(BooleanArray::from(bools)) as ArrayRef));
            let texts: Vec<_> = (0..n).map(|i| valid(i).then(|| i.to_string())).collect();
            let column = Column::from_strs_on(&texts, &stream, mr).unwrap();
            assert!(column.sanitized() && column.validated());
            assert_eq!(&column.to_arrow(&stream).unwrap(), &(Arc::new(StringArray::from(texts.clone())) as ArrayRef));
            let column = Column::from_strs_typed_on(&texts, &DataType::LargeUtf8, &stream, mr).unwrap();
            assert_eq!(
                &column.to_arrow(&stream).unwrap(),
                &(Arc::new(LargeStringArray::from(texts.clone())) as ArrayRef)
            );
            let bytes: Vec<_> = texts.iter().map(|t| t.as_ref().map(|t| t.as_bytes())).collect();
            let column = Column::from_binary_typed_on(&bytes, &DataType::Binary, &stream, mr).unwrap();
            assert_eq!(&column.to_arrow(&stream).unwrap(), &(Arc::new(BinaryArray::from(bytes)) as ArrayRef));
        }
    }
    let flags = Column::from_slice_on(&[true, false], &stream, mr).unwrap();
    assert_eq!(&flags.to_arrow(&stream).unwrap(), &(Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef));
}

#[test]
fn types_are_checked() {
    let (stream, mr) = cpu();
    assert!(Column::from_slice_typed_on(&[1i32], &DataType::Date32, &stream, mr.as_ref()).is_ok());
    assert!(Column::from_slice_typed_on(&[1i64], &DataType::Date32, &stream, mr.as_ref()).is_err());
    assert!(Column::from_strs_typed_on(&[Some("a")], &DataType::Binary, &stream, mr.as_ref()).is_err());
    assert!(Column::from_binary_typed_on(&[Some("a")], &DataType::Utf8, &stream, mr.as_ref()).is_err());
    fn build<T: NativeType>(stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
        Column::from_slice_on(&[T::default()], stream, mr)
    }
    for data_type in [DataType::Int8, DataType::Float16, DataType::Decimal256(76, 0)] {
        let column = dispatch_fixed_width!(physical_type(&data_type), T => build::<T>(&stream, mr.as_ref()),
            else => Err(Error::unsupported("build", &data_type)));
        assert_eq!(column.unwrap().data_type(), &data_type);
    }
    assert!(Scalar::new_on(I256::from(-1), &stream, mr.as_ref()).is_ok());
}

#[test]
fn lists_and_structs() {
    let (stream, mr) = cpu();
    let child = Column::from_options_on(&[Some(1i32), None, Some(3)], &stream, mr.as_ref()).unwrap();
    let offsets = Column::from_slice_on(&[9i32, 0, 2, 2, 3], &stream, mr.as_ref()).unwrap().slice(1, 4).unwrap();
    let validity = Validity::from_bools_on([true, false, true].into_iter(), &stream, mr.as_ref()).unwrap();
    let lists = make_lists_column(&offsets, child.clone(), validity.clone()).unwrap();
    assert_eq!((lists.len(), lists.null_count_on(&stream).unwrap()), (3, 1));
    let array = lists.to_arrow(&stream).unwrap();
    assert!(array.is_null(1));
    assert!(!lists.sanitized(), "the function does not read the data");
    let structs = make_structs_column(vec![child.clone(), child.clone()], validity.clone()).unwrap();
    assert!(!structs.sanitized());
    assert_eq!(int32(&structs.children()[1].to_arrow(&stream).unwrap()), [Some(1), None, Some(3)]);
    assert_eq!(structs.to_arrow(&stream).unwrap().null_count(), 1);
    assert!(matches!(make_structs_column(vec![], None), Err(Error::InvalidArgument { .. })));
    let short = child.slice(0, 1).unwrap();
    assert!(matches!(make_structs_column(vec![child.clone(), short], None), Err(Error::LengthMismatch { .. })));
    assert!(make_lists_column(&child, child.clone(), None).is_err(), "nullable offsets");
    assert!(make_lists_column(&offsets.slice(0, 0).unwrap(), child.clone(), None).is_err(), "no offsets");
    let chars = Buffer::from_host(b"abc", &stream, mr.as_ref()).unwrap();
    let masked = make_strings_column(&offsets, chars.clone(), validity).unwrap();
    assert!(!masked.sanitized() && !masked.validated());
    let text = make_strings_column(&offsets, chars, None).unwrap();
    assert!(text.sanitized());
    let expected: ArrayRef = Arc::new(StringArray::from(vec!["ab", "", "c"]));
    assert_eq!(&text.to_arrow(&stream).unwrap(), &expected);
}

#[test]
fn running_out_of_memory_is_an_error() {
    use gdf_memory::testing::FailingResource;
    let (stream, upstream) = cpu();
    for n in 1.. {
        let failing = gdf_memory::Resource::new(FailingResource::new(upstream.clone(), n));
        match Column::from_strs_on(&[Some("a"), None], &stream, failing.as_ref()) {
            Ok(_) => {
                assert_eq!(n, 4, "offsets, bytes, validity");
                break;
            }
            Err(error) => assert!(error.is_out_of_memory()),
        }
    }
}

/// An iterator with a wrong length: it reports `says` items, and returns `has` items.
struct Liar {
    says: usize,
    has: usize,
}

impl Iterator for Liar {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        self.has = self.has.checked_sub(1)?;
        Some(true)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.says, Some(self.says))
    }
}

impl ExactSizeIterator for Liar {}

#[test]
fn iterators_that_lie_about_their_length() {
    let (stream, mr) = cpu();
    let nulls = |says, has| {
        let validity = Validity::from_bools_on(Liar { says, has }, &stream, mr.as_ref()).unwrap();
        validity.map_or(0, |validity| validity.null_count.known().unwrap())
    };
    assert_eq!((nulls(8, 64), nulls(8, 10_000), nulls(8, 5), nulls(600, 0)), (0, 0, 3, 600));
}
