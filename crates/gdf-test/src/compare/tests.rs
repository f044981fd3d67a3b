//! Tests of the comparisons: arrays that differ must not compare as equal.

use arrow_array::types::{Decimal128Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use gdf_core::{Column, ColumnParts, NullCount};
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, HostResource, Resource};

use super::*;
use crate::builders::{all_null, every, ints, lists, masked, null_at, nulls_at, plain, strings, structs};
use crate::data::{self, NullPattern, random_array, sliced, soiled};

fn differs(expected: &ArrayRef, got: &ArrayRef, equality: Equality) -> Difference {
    assert_arrays(expected, got, equality).unwrap_err()
}

#[test]
fn every_type_equals_itself_in_every_layout() {
    for data_type in data::all() {
        let array = random_array(&data_type, 70, NullPattern::Some, 5);
        for equality in [Equality::Exact, Equality::AnyOrder, Equality::Ulp(0)] {
            for other in [&array, &soiled(&array), &sliced(&array, 33)] {
                assert_arrays(&array, other, equality).unwrap();
            }
        }
    }
}

#[test]
fn types_lengths_and_counts_are_compared() {
    let a = ints::<Int32Type>([Some(1), None]);
    let wide = ints::<Int64Type>([Some(1), None]);
    assert!(matches!(differs(&a, &wide, Equality::Exact), Difference::Type { column: 0, .. }));
    let long = ints::<Int32Type>([Some(1), None, None]);
    let difference = differs(&a, &long, Equality::Exact);
    assert_eq!(difference, Difference::Length { column: 0, expected: 2, got: 3 });
    let two = assert_tables(&[a.clone(), a.clone()], std::slice::from_ref(&a), Equality::Exact);
    assert_eq!(two, Err(Difference::ColumnCount { expected: 2, got: 1 }));
    let precision = |p| -> ArrayRef {
        let array = PrimitiveArray::<Decimal128Type>::from(vec![1]);
        std::sync::Arc::new(array.with_precision_and_scale(p, 1).unwrap())
    };
    assert_arrays(&precision(10), &precision(20), Equality::Exact).unwrap();
    assert_precisions(&[precision(10)], &[precision(10)]).unwrap();
    let difference = assert_precisions(&[a.clone(), precision(10)], &[a, precision(20)]);
    assert!(matches!(difference, Err(Difference::Type { column: 1, .. })));
    let nested = |p| lists(&precision(p), [Some(1)]);
    assert_precisions(&[nested(10)], &[nested(10)]).unwrap();
    assert!(assert_precisions(&[nested(10)], &[nested(20)]).is_err());
}

#[test]
fn the_first_differing_row_is_named() {
    let a = ints::<Int32Type>([Some(1), Some(2), Some(3), None]);
    let b = ints::<Int32Type>([Some(1), None, Some(3), Some(4)]);
    let difference = differs(&a, &b, Equality::Exact);
    assert_eq!(difference.to_string(), "column 0, row 1: expected Int(2), got null (2 of 4 rows differ)");
    let a = lists(&strings([Some("x"), None, Some("z")]), [Some(2), None, Some(1)]);
    let b = lists(&strings([Some("x"), None, Some("y")]), [Some(2), None, Some(1)]);
    assert!(matches!(differs(&a, &b, Equality::Exact), Difference::Row { row: 2, rows: 1, .. }));
    let a = structs(&[("a", plain::<Int32Type>([1, 2]))]);
    differs(&a, &masked(&a, null_at(1)), Equality::Exact);
}

#[test]
fn floats_are_compared_by_bits_or_by_steps() {
    let a = plain::<Float64Type>([f64::NAN, 0.0, 1.0]);
    let payload = plain::<Float64Type>([f64::from_bits(0xfff8_0000_0000_0007), 0.0, 1.0]);
    let signed = plain::<Float64Type>([f64::NAN, -0.0, 1.0]);
    let next = plain::<Float64Type>([f64::NAN, 0.0, 1.0 + f64::EPSILON]);
    assert_arrays(&a, &payload, Equality::Exact).unwrap();
    differs(&a, &signed, Equality::Exact);
    assert_arrays(&a, &signed, Equality::Ulp(0)).unwrap();
    differs(&a, &next, Equality::Ulp(0));
    assert_arrays(&a, &next, Equality::Ulp(1)).unwrap();
    let finite = plain::<Float64Type>([f64::MAX, -5e-324, 1.0]);
    let infinite = plain::<Float64Type>([f64::INFINITY, 5e-324, 1.0]);
    differs(&finite, &infinite, Equality::Ulp(9));
    let around_zero = plain::<Float64Type>([f64::MAX, 5e-324, 1.0]);
    assert_arrays(&finite, &around_zero, Equality::Ulp(2)).unwrap();
    differs(&finite, &around_zero, Equality::Ulp(1));
}

#[test]
fn any_order_moves_whole_rows() {
    let keys = ints::<Int32Type>([Some(2), None, Some(1)]);
    let names = strings([Some("b"), None, Some("a")]);
    let sorted = ints::<Int32Type>([None, Some(1), Some(2)]);
    let sorted_names = strings([None, Some("a"), Some("b")]);
    let table = [keys.clone(), names.clone()];
    assert_tables(&table, &[sorted.clone(), sorted_names], Equality::AnyOrder).unwrap();
    let torn = assert_tables(&table, &[sorted.clone(), names], Equality::AnyOrder);
    assert!(matches!(torn, Err(Difference::Rows { .. })));
    differs(&keys, &sorted, Equality::Exact);
    let twice = ints::<Int32Type>([Some(2), Some(2), Some(1)]);
    let difference = differs(&keys, &twice, Equality::AnyOrder);
    assert_eq!(difference.to_string(), "missing row null");
}

#[test]
#[should_panic(expected = "row 0")]
fn assert_same_panics_with_the_difference() {
    assert_same(&ints::<Int32Type>([Some(1)]), &ints::<Int32Type>([Some(2)]));
}

struct Host {
    stream: Stream,
    resource: Resource,
}

impl Host {
    fn new() -> Self {
        Host { stream: Stream::cpu(), resource: Resource::new(HostResource::new()) }
    }

    fn buffer(&self, bytes: &[u8]) -> Buffer {
        Buffer::from_host(bytes, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn column(&self, array: &ArrayRef) -> Column {
        Column::from_arrow(array, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn broken(&self, column: &Column) -> BrokenRule {
        check_sanitized(column, &self.stream).unwrap_err().rule
    }

    fn ints(&self, mask: &[u8], nulls: usize) -> Column {
        let mask = Some(self.buffer(mask));
        let parts = ColumnParts::new(DataType::Int8, Device::Cpu, 3)
            .buffer(self.buffer(&[1, 2, 3]))
            .validity(mask, NullCount::Known(nulls));
        self.validated(Column::try_from_parts(parts).unwrap())
    }

    fn strings(&self, offsets: &[i32], mask: &[u8], nulls: usize) -> Column {
        let bytes: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, 3)
            .buffer(self.buffer(&bytes))
            .buffer(self.buffer(b"abcdef"))
            .validity(Some(self.buffer(mask)), NullCount::Known(nulls));
        self.validated(Column::try_from_parts(parts).unwrap())
    }

    /// Validates the column.
    fn validated(&self, column: Column) -> Column {
        gdf_detail::validation::validate(column.view(), gdf_detail::Ctx::new(&self.stream, &self.resource))
            .unwrap_or(column)
    }
}

#[test]
fn clean_columns_are_sanitized() {
    let host = Host::new();
    for data_type in data::all() {
        for &len in data::SMALL_BRACKETS {
            for &nulls in NullPattern::ALL {
                let array = random_array(&data_type, len, nulls, 9);
                let column = host.column(&array);
                check_sanitized(&column, &host.stream).unwrap_or_else(|e| panic!("{data_type} {nulls:?} {len}: {e}"));
            }
        }
    }
}

#[test]
fn masks_are_checked() {
    let host = Host::new();
    let mask = |byte: u8| [byte, 0, 0, 0, 0, 0, 0, 0];
    check_sanitized(&host.ints(&mask(0b101), 1), &host.stream).unwrap();
    assert_eq!(host.broken(&host.ints(&mask(0b101), 0)), BrokenRule::NullCount { declared: 0, counted: 1 });
    assert_eq!(host.broken(&host.ints(&mask(0b1101), 1)), BrokenRule::BitPastEnd(3));
    assert_eq!(host.broken(&host.ints(&[7, 0, 0, 0x80, 0, 0, 0, 0], 0)), BrokenRule::BitPastEnd(31));
    assert_eq!(host.broken(&host.ints(&[7, 0, 0, 0, 1, 0, 0, 0], 0)), BrokenRule::BitPastEnd(32));
    let booleans = |bytes: &[u8]| {
        let parts = ColumnParts::new(DataType::Boolean, Device::Cpu, 3).buffer(host.buffer(bytes));
        Column::try_from_parts(parts).unwrap()
    };
    check_sanitized(&booleans(&[0b101, 0]), &host.stream).unwrap();
    assert_eq!(host.broken(&booleans(&[0b1101])), BrokenRule::ValueBitPastEnd(3));
    assert_eq!(host.broken(&booleans(&[0b101, 1])), BrokenRule::ValueBitPastEnd(8));
    let tail = host.ints(&mask(7), 0).slice(1, 2).unwrap();
    assert_eq!(host.broken(&tail), BrokenRule::StartsAt(1));
    let rebuilt = Column::try_from_parts(host.ints(&mask(0b101), 1).into_parts()).unwrap();
    assert_eq!(host.broken(&rebuilt), BrokenRule::Unvalidated);
}

#[test]
fn offsets_are_checked() {
    let host = Host::new();
    check_sanitized(&host.strings(&[0, 2, 2, 6], &[0b101], 1), &host.stream).unwrap();
    assert_eq!(host.broken(&host.strings(&[1, 2, 2, 6], &[0b101], 1)), BrokenRule::FirstOffset(1));
    assert_eq!(host.broken(&host.strings(&[0, 2, 1, 6], &[0b111], 0)), BrokenRule::OffsetsFall { row: 1 });
    assert_eq!(host.broken(&host.strings(&[0, 2, 3, 6], &[0b101], 1)), BrokenRule::NullNotEmpty { row: 1 });
    assert_eq!(
        host.broken(&host.strings(&[0, 2, 3, 7], &[0b111], 0)),
        BrokenRule::OffsetPastEnd { offset: 7, elements: 6 }
    );
}

#[test]
fn nested_nulls_are_checked() {
    let host = Host::new();
    let fields = structs(&[("a", plain::<Int32Type>([1, 2, 3])), ("b", ints::<Int32Type>([None, None, Some(3)]))]);
    let broken = host.broken(&host.column(&masked(&fields, nulls_at(&[0, 1]))));
    assert_eq!(broken, BrokenRule::NullNotPushedDown { row: 0, child: 0 });
    let words = strings((0..6).map(|_| Some("word")));
    assert_eq!(host.broken(&host.column(&masked(&words, every(2)))), BrokenRule::NullNotEmpty { row: 0 });
    let inner = masked(&words, all_null());
    let outer = lists(&inner, [Some(2), Some(4)]);
    let error = check_sanitized(&host.column(&outer), &host.stream).unwrap_err();
    assert_eq!(error.path, [0]);
    assert!(error.to_string().contains("child [0]"), "{error}");
}

/// Columns that have the values of an input, and a mask, null count and marks of their own.
#[test]
fn results_beside_inputs_are_checked() {
    let host = Host::new();
    let beside = |column: &Column, inputs: &[Column]| {
        check_sanitized_beside(column, inputs, &host.stream).map_err(|unsanitized| unsanitized.rule)
    };
    // The input hides text and has bits after its rows. A slice of it is what it was.
    let input = host.strings(&[0, 2, 3, 6], &[0b1101], 1);
    let inputs = [input.clone()];
    assert_eq!(beside(&input, &inputs), Ok(()));
    assert_eq!(beside(&input.slice(1, 2).unwrap(), &inputs), Ok(()));
    // Without the input, all rules are those of new columns.
    assert_eq!(beside(&input, &[]), Err(BrokenRule::BitPastEnd(3)));
    assert_eq!(beside(&host.ints(&[7, 0], 0).slice(1, 2).unwrap(), &inputs), Err(BrokenRule::StartsAt(1)));

    let of_input = |mask: &[u8], nulls: usize| {
        let parts = input.clone().into_parts().validity(Some(host.buffer(mask)), NullCount::Known(nulls));
        Column::try_from_parts(parts).unwrap()
    };
    assert_eq!(beside(&of_input(&[0b101], 1), &inputs), Ok(()));
    assert_eq!(beside(&of_input(&[0b101], 2), &inputs), Err(BrokenRule::NullCount { declared: 2, counted: 1 }));
    assert_eq!(beside(&of_input(&[0b1101], 1), &inputs), Err(BrokenRule::BitPastEnd(3)));
    let tail = |mask: u8| of_input(&[mask], 1).slice(1, 2).unwrap();
    assert_eq!(beside(&tail(0b100), &inputs), Ok(()));
    assert_eq!(beside(&tail(0b101), &inputs), Err(BrokenRule::BitBeforeStart(0)));

    // New offsets over the characters of the input.
    let over_characters = |offsets: [i32; 3]| {
        let bytes: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, 2);
        Column::try_from_parts(parts.buffer(host.buffer(&bytes)).buffer(input.buffers()[1].clone())).unwrap()
    };
    assert_eq!(beside(&over_characters([2, 3, 6]), &inputs), Ok(()));
    assert_eq!(beside(&over_characters([2, 1, 6]), &inputs), Err(BrokenRule::OffsetsFall { row: 0 }));
    let past = BrokenRule::OffsetPastEnd { offset: 7, elements: 6 };
    assert_eq!(beside(&over_characters([2, 3, 7]), &inputs), Err(past));
}

#[test]
fn rows_change_places_only_within_runs_of_the_first_column() {
    let table = |rows: &[(i32, i32)]| -> Vec<ArrayRef> {
        let (first, second): (Vec<i32>, Vec<i32>) = rows.iter().copied().unzip();
        vec![plain::<Int32Type>(first), plain::<Int32Type>(second)]
    };
    let expected = table(&[(1, 1), (1, 2), (0, 3), (1, 4)]);
    let compare = |rows: &[(i32, i32)]| assert_tables(&expected, &table(rows), Equality::FirstColumnOrder);
    compare(&[(1, 1), (1, 2), (0, 3), (1, 4)]).unwrap();
    compare(&[(1, 2), (1, 1), (0, 3), (1, 4)]).unwrap();
    compare(&[(1, 4), (1, 2), (0, 3), (1, 1)]).unwrap_err();
    compare(&[(0, 3), (1, 1), (1, 2), (1, 4)]).unwrap_err();
    compare(&[(1, 2), (1, 2), (0, 3), (1, 4)]).unwrap_err();
}
