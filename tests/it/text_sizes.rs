//! Tests results whose number of bytes or rows cannot be represented. Both devices must refuse such a result before
//! they write anything. Counts and positions at the limits of their types are tested, too.

use gdf::prelude::*;
use gdf::strings::Side;
use gdf::{copying, filling, null_mask, reshape, scope, strings, unary};
use gdf_core::{Error, Result};
use gdf_driver::Device;
use gdf_memory::{LimitingResource, Resource, current_resource};
use gdf_test::device::test_device;

/// Counts that are multiplied by the sizes of texts.
const COUNTS: [i64; 6] = [1 << 50, 1 << 60, 1 << 61, 1 << 62, (1 << 62) + 1, i64::MAX];

#[track_caller]
fn check_refused<T: std::fmt::Debug>(made: Result<T>) {
    assert!(matches!(made, Err(Error::OffsetOverflow { .. } | Error::OutOfMemory { .. })), "{made:?}");
}

fn texts(rows: &[&str], data_type: &DataType) -> Column {
    unary::cast(&Column::from_strs(rows).unwrap(), data_type).unwrap()
}

#[test]
fn texts_of_more_bytes_than_can_be_counted_are_refused() {
    scope::with_device(test_device(), || {
        let long = "x".repeat(1 << 10); // 16 rows of 2^10 bytes, repeated 2^50 times, have 2^64 bytes
        for rows in [vec!["abcd"], vec!["a"; 4], vec!["ab"; 2], vec!["abcdefgh"; 64], vec![&long; 16]] {
            for data_type in [DataType::Utf8, DataType::LargeUtf8] {
                let column = texts(&rows, &data_type);
                for count in COUNTS {
                    let counts = Column::from_slice(&vec![count; rows.len()]).unwrap();
                    check_refused(strings::repeat(&column, count));
                    check_refused(strings::repeat(&column, &counts));
                    check_refused(strings::zfill(&column, count));
                    check_refused(strings::pad(&column, count, Side::Left, 'x'));
                    check_refused(strings::pad(&column, &counts, Side::Both, '😀'));
                }
                let twice = strings::repeat(&column, 2).unwrap();
                assert_eq!(twice.len(), rows.len(), "the device still works");
            }
        }
    });
}

/// Repeating an empty text takes no time, even if the count is the largest number.
#[test]
fn empty_texts_are_repeated_without_a_loop() {
    scope::with_device(test_device(), || {
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            let (column, counts) = (texts(&["", "ab", ""], &data_type), [i64::MAX, 2, 1 << 60]);
            let by_row = strings::repeat(&column, &Column::from_slice(&counts).unwrap()).unwrap();
            assert_eq!(by_row.to_vec::<String>().unwrap(), ["", "abab", ""].map(|text| Some(text.to_owned())));
            let empty = strings::repeat(&texts(&[""; 300], &data_type), i64::MAX).unwrap();
            assert_eq!(empty.to_vec::<String>().unwrap(), vec![Some(String::new()); 300]);
        }
    });
}

/// The size of each row is within the limits of the kernels.
#[test]
fn sums_over_many_rows_do_not_wrap() {
    scope::with_device(test_device(), || {
        for rows in [1 << 14, (1 << 14) + 1, 1 << 18] {
            for data_type in [DataType::Utf8, DataType::LargeUtf8] {
                let column = texts(&vec!["a"; rows], &data_type);
                for bits in [46, 50, 60] {
                    let counts = Column::from_slice(&vec![1_i64 << bits; rows]).unwrap();
                    check_refused(strings::repeat(&column, &counts));
                    check_refused(strings::zfill(&column, 1_i64 << bits));
                }
                // The rows of more than one byte have 2^64 bytes together, so that a sum that wraps is small.
                let mut counts = vec![1_i64; rows];
                counts[..1 << 14].fill(1 << 50);
                check_refused(strings::repeat(&column, &Column::from_slice(&counts).unwrap()));
            }
        }
    });
}

/// The fill characters of a row have 2^64 bytes, or two more.
#[test]
fn sizes_of_fill_characters_do_not_wrap() {
    scope::with_device(test_device(), || {
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            let column = texts(&["abcd"; 40], &data_type);
            for (fill, times) in [('€', 6_148_914_691_236_517_206_i64), ('😀', 1 << 62)] {
                for side in [Side::Left, Side::Right] {
                    check_refused(strings::pad(&column, times + 4, side, fill));
                }
            }
        }
    });
}

/// All sizes exceed 32-bit offsets.
#[test]
fn sizes_beyond_32_bits_are_no_small_ones() {
    scope::with_device(test_device(), || {
        for rows in [1, 3, 40_000] {
            let column = texts(&vec!["ab"; rows], &DataType::Utf8);
            for count in [1_i64 << 31, 1 << 32, (1 << 32) + 1, 1 << 40] {
                for made in [strings::repeat(&column, count), strings::pad(&column, count, Side::Right, 'é')] {
                    let needed = match made {
                        Err(Error::OffsetOverflow { needed, .. }) => needed,
                        made => {
                            panic!("{rows} rows of {count} repetitions must give an offset overflow, found {made:?}")
                        }
                    };
                    assert!(needed >= count.unsigned_abs() * rows as u64, "{needed} bytes are too few for {rows} rows");
                }
            }
        }
    });
}

#[test]
fn rows_of_more_bytes_than_can_be_counted_are_refused() {
    scope::with_device(test_device(), || {
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            let scalar = Scalar::from_column(texts(&["abcd"], &data_type)).unwrap();
            for rows in [1 << 60, 1 << 62, (1 << 62) + 1, usize::MAX - 1] {
                assert!(filling::from_scalar(&scalar, rows).is_err());
            }
        }
        for rows in [usize::MAX - 1, usize::MAX, usize::MAX - 63] {
            for state in [null_mask::MaskState::AllValid, null_mask::MaskState::AllNull] {
                assert!(null_mask::create_null_mask(rows, state).is_err());
            }
        }
        let narrow = Column::from_options(&[Some(1_i8), None]).unwrap();
        let binary = unary::cast(&texts(&["", ""], &DataType::Utf8), &DataType::Binary).unwrap();
        for rows in [usize::MAX - 1, usize::MAX / 8, isize::MAX as usize] {
            assert!(copying::allocate_like(&narrow, rows).is_err());
            assert!(copying::allocate_like(&binary, rows).is_err());
        }
    });
}

/// The operation requests memory for the offsets before it measures the texts.
#[test]
fn texts_of_more_rows_than_memory_has_offsets_for_are_refused() {
    // Some systems grant more memory than the machine has. The test therefore uses a resource with a limit.
    let limited = Resource::new(LimitingResource::new(current_resource(Device::Cpu).unwrap(), 1 << 30));
    let refused = || {
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            for rows in [&["a", "bc", ""][..], &[""]] {
                let table = Table::try_new(vec![texts(rows, &data_type)]).unwrap();
                for times in [1_usize << 40, 1 << 44, 1 << 60] {
                    check_refused(reshape::tile(&table, times));
                    check_refused(filling::repeat(&table, times as i64));
                }
            }
        }
    };
    scope::with_device(Device::Cpu, || scope::with_resource(&limited, refused));
}

/// Null rows have no numbers, so they do not count towards the limit of the offsets.
#[test]
fn lists_of_null_rows_do_not_overflow() {
    const PAIRS: u32 = 1 << 15;
    scope::with_device(test_device(), || {
        let pairs: Vec<(u32, u32)> = (0..PAIRS).map(|number| (number, 7)).collect();
        let minhash = |valid: usize, rows: usize| {
            let texts = (0..rows).map(|row| (row < valid).then_some("some text"));
            strings::minhash(&Column::from_strs(texts).unwrap(), 4, 0, &pairs)
        };
        let numbers = |lists: &Column| lists.children()[0].to_vec::<u32>().unwrap();
        let (lists, alone) = (minhash(1, 1 << 16).unwrap(), minhash(1, 1).unwrap());
        assert_eq!(lists.null_count().unwrap(), (1 << 16) - 1);
        assert_eq!(numbers(&lists), numbers(&alone));
        for rows in [1 << 16, (1 << 16) + 1] {
            let refused = minhash(1 << 16, rows);
            assert!(matches!(refused, Err(Error::OffsetOverflow { needed, .. }) if needed == 1 << 31), "{refused:?}");
        }
    });
}

/// The numbers do not fit `Int64`. They are large, and not negative.
#[test]
fn numbers_from_2_to_the_63_on_are_not_negative() {
    scope::with_device(test_device(), || {
        let column = Column::from_strs(["a b c"]).unwrap();
        let text = |made: Result<Column>| made.unwrap().to_vec::<String>().unwrap();
        for number in [1_u64 << 63, u64::MAX] {
            let numbers = Column::from_slice(&[number]).unwrap();
            let scalar = Scalar::from_column(numbers.clone()).unwrap();
            assert_eq!(text(strings::split_part(&column, " ", &numbers)), [None::<String>]);
            assert_eq!(text(strings::split_part(&column, " ", &scalar)), [None::<String>]);
            assert_eq!(text(strings::split_part(&column, " ", number)), [None::<String>]);
            assert_eq!(text(strings::slice(&column, &numbers, None::<i64>, 1)), [Some(String::new())]);
            assert_eq!(text(strings::slice(&column, 2_i64, &scalar, 1)), [Some("b c".to_owned())]);
            check_refused(strings::repeat(&column, &numbers));
            check_refused(strings::zfill(&column, &scalar));
            let table = Table::try_new(vec![column.clone()]).unwrap();
            for counts in [Operand::from(&numbers), Operand::from(&scalar), Operand::from(number)] {
                let made = filling::repeat(&table, counts);
                assert!(matches!(made, Err(Error::InvalidArgument { .. })), "{made:?}");
            }
        }
    });
}
