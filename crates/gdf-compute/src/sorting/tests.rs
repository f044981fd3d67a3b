//! Tests of the checks, and of cases that the random tables of the catalog do not cover.

use gdf_core::{Column, ColumnParts, DataType, Error, Table, f16};
use gdf_driver::{Device, Stream};
use gdf_engine::test_device::{on_host, setup};
use gdf_memory::Resource;

use crate::Ctx;

use super::{NullOrder, Order, is_sorted, sort, sort_by_key, sorted_order, top_k, top_k_order};

struct Fixture {
    stream: Stream,
    resource: Resource,
}

impl Fixture {
    fn new() -> Self {
        let (stream, resource) = setup();
        Fixture { stream, resource }
    }

    fn ctx(&self) -> Ctx<'_> {
        Ctx::new(&self.stream, &self.resource)
    }

    fn ints(&self, values: &[Option<i64>]) -> Column {
        Column::from_options_on(values, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn texts(&self, values: &[Option<&str>]) -> Column {
        Column::from_strs_on(values, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn order(&self, columns: Vec<Column>, orders: &[Order], nulls: &[NullOrder]) -> Vec<u32> {
        let table = Table::try_new(columns).unwrap();
        let order = sorted_order(table.view(), orders, nulls, self.ctx()).unwrap();
        assert_eq!(order.data_type(), &DataType::UInt32);
        self.numbers(&order)
    }

    fn assert_same(&self, column: &Column, expected: &Column) {
        assert_eq!(&column.to_arrow(&self.stream).unwrap(), &expected.to_arrow(&self.stream).unwrap());
    }

    fn numbers(&self, order: &Column) -> Vec<u32> {
        let order = on_host(order);
        let access = order.buffers()[0].read_on(&Stream::cpu()).unwrap();
        order.view().values::<u32>(&access).unwrap().to_vec()
    }
}

use NullOrder::{After, Before};
use Order::{Ascending, Descending};

#[test]
fn directions_and_places_of_nulls() {
    let f = Fixture::new();
    let column = || f.ints(&[Some(3), None, Some(-1), Some(3), None, Some(7)]);
    assert_eq!(f.order(vec![column()], &[], &[]), [1, 4, 2, 0, 3, 5]);
    assert_eq!(f.order(vec![column()], &[Ascending], &[After]), [2, 0, 3, 5, 1, 4]);
    // If the null order is `Before`, nulls are smaller than values, so nulls are last in descending order.
    assert_eq!(f.order(vec![column()], &[Descending], &[Before]), [5, 0, 3, 2, 1, 4]);
    assert_eq!(f.order(vec![column()], &[Descending], &[After]), [1, 4, 5, 0, 3, 2]);
}

#[test]
fn floats_with_nan_and_zeros() {
    let f = Fixture::new();
    let values = [f64::NAN, 0.0, f64::INFINITY, -0.0, f64::from_bits(0xfff8_0000_0000_0001), f64::NEG_INFINITY, 0.0];
    let column = gdf_core::Column::from_slice_on(&values, &f.stream, f.resource.as_ref()).unwrap();
    assert_eq!(f.order(vec![column.clone()], &[], &[]), [5, 1, 3, 6, 2, 0, 4]);
    assert_eq!(f.order(vec![column.clone()], &[Descending], &[]), [0, 4, 2, 1, 3, 6, 5]);
    // −0 stays −0, and NaNs keep their payloads.
    let table = Table::try_new(vec![column]).unwrap();
    let sorted = sort(table.view(), &[], &[], f.ctx()).unwrap();
    let sorted = on_host(sorted.column(0).unwrap());
    let access = sorted.buffers()[0].read_on(&Stream::cpu()).unwrap();
    let bits: Vec<u64> = sorted.view().values::<f64>(&access).unwrap().iter().map(|v| v.to_bits()).collect();
    assert_eq!(bits, [5, 1, 3, 6, 2, 0, 4].map(|row: usize| values[row].to_bits()));
}

#[test]
fn several_columns_and_text() {
    let f = Fixture::new();
    let text = || {
        f.texts(&[
            Some("the same beginning, b"),
            Some("a"),
            None,
            Some("the same beginning, a"),
            Some("a\0"),
            Some(""),
            Some("the same beginning"),
        ])
    };
    assert_eq!(f.order(vec![text()], &[], &[]), [2, 5, 1, 4, 6, 3, 0]);
    assert_eq!(f.order(vec![text()], &[Descending], &[After]), [2, 0, 3, 6, 4, 1, 5]);
    let flag = || {
        Column::from_options_on(&[true, false, true, true, false, true, true].map(Some), &f.stream, f.resource.as_ref())
            .unwrap()
    };
    assert_eq!(f.order(vec![flag(), text()], &[], &[]), [1, 4, 2, 5, 6, 3, 0]);
    assert_eq!(f.order(vec![text(), flag()], &[Ascending, Descending], &[After, After]), [5, 1, 4, 6, 3, 0, 2]);
    let number = f.ints(&[1, i64::MAX, 1, i64::MIN, 1, 1, 1].map(Some));
    assert_eq!(f.order(vec![number, text()], &[Descending, Ascending], &[]), [1, 2, 5, 4, 6, 0, 3]);
}

#[test]
fn wide_keys_of_more_than_a_word() {
    let f = Fixture::new();
    let many = |seed: u64| -> Vec<Option<i64>> {
        let step = |i: u64| (i + 1).wrapping_mul(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..500_u64).map(|i| (i % 7 != 0).then(|| (step(i / 3) ^ step(i) >> 40) as i64 >> (i % 4 * 16))).collect()
    };
    let (a, b) = (many(3), many(5));
    let order = f.order(vec![f.ints(&a), f.ints(&b)], &[Ascending, Descending], &[After, Before]);
    let key = |&row: &u32| {
        let (a, b) = (a[row as usize], b[row as usize]);
        (a.is_none(), a, b.is_none(), b.map(std::cmp::Reverse), row)
    };
    assert!(order.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])));
}

#[test]
fn values_follow_their_keys() {
    let f = Fixture::new();
    let keys = Table::try_new(vec![f.ints(&[Some(2), Some(1), Some(2), None])]).unwrap();
    let values = Table::try_new(vec![f.texts(&[Some("x"), Some("y"), None, Some("z")])]).unwrap();
    let sorted = sort_by_key(values.view(), keys.view(), &[], &[After], f.ctx()).unwrap();
    f.assert_same(sorted.column(0).unwrap(), &f.texts(&[Some("y"), Some("x"), None, Some("z")]));
}

#[test]
fn order_is_recognized() {
    let f = Fixture::new();
    let check = |column: Column, orders: &[Order], nulls: &[NullOrder]| {
        is_sorted(Table::try_new(vec![column]).unwrap().view(), orders, nulls, f.ctx()).unwrap()
    };
    assert!(check(f.ints(&[None, Some(1), Some(1), Some(2)]), &[], &[]));
    assert!(!check(f.ints(&[None, Some(1), Some(1), Some(2)]), &[], &[After]));
    assert!(check(f.ints(&[Some(2), Some(1), None]), &[Descending], &[Before]));
    assert!(check(f.texts(&[Some("b"), Some("a"), Some("")]), &[Descending], &[]));
    assert!(!check(f.texts(&[Some("b"), Some("ba"), Some("az")]), &[], &[]));
    let halves = [f16::from_f32(1.0), f16::NAN, f16::NAN].map(Some);
    assert!(check(Column::from_options_on(&halves, &f.stream, f.resource.as_ref()).unwrap(), &[], &[]));
}

#[test]
fn first_rows_leave_nulls_to_the_end() {
    let f = Fixture::new();
    let column = f.ints(&[None, Some(4), Some(9), None, Some(-2)]);
    let rows = |k, order| f.numbers(&top_k_order(column.view(), k, order, f.ctx()).unwrap());
    assert_eq!(rows(2, Descending), [2, 1]);
    assert_eq!(rows(4, Ascending), [4, 1, 2, 0]);
    assert_eq!(rows(100, Descending), [2, 1, 4, 0, 3]);
    assert_eq!(rows(0, Ascending), [0_u32; 0]);
    let top = top_k(column.view(), 2, Descending, f.ctx()).unwrap();
    f.assert_same(&top, &f.ints(&[Some(9), Some(4)]));
}

#[test]
fn bad_arguments_are_typed_errors() {
    let f = Fixture::new();
    let table = Table::try_new(vec![f.ints(&[Some(1), Some(2)])]).unwrap();
    let order = |orders: &[Order], nulls: &[NullOrder]| sorted_order(table.view(), orders, nulls, f.ctx()).map(|_| ());
    assert!(matches!(order(&[Ascending; 2], &[]), Err(Error::ColumnCount { expected: 1, found: 2, .. })));
    assert!(matches!(order(&[], &[Before; 3]), Err(Error::ColumnCount { expected: 1, found: 3, .. })));
    let short = Table::try_new(vec![f.ints(&[Some(1)])]).unwrap();
    let by_key = sort_by_key(short.view(), table.view(), &[], &[], f.ctx());
    assert!(matches!(by_key, Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
    let list_view = DataType::ListView(std::sync::Arc::new(gdf_core::Field::new_list_field(DataType::Int32, true)));
    let nested = Column::nulls_on(&list_view, 1, f.ctx().stream, f.ctx().mr.output).unwrap();
    let nested = Table::try_new(vec![nested]).unwrap();
    let unsupported = sort(nested.view(), &[], &[], f.ctx());
    assert!(matches!(unsupported, Err(Error::Unsupported { operation: "sort", .. })));
    let none = Table::try_with_rows(vec![], 3).unwrap();
    assert!(matches!(sorted_order(none.view(), &[], &[], f.ctx()), Err(Error::InvalidArgument { .. })));
    let many = Table::try_new((0..65).map(|_| f.ints(&[Some(1)])).collect()).unwrap();
    assert!(matches!(is_sorted(many.view(), &[], &[], f.ctx()), Err(Error::InvalidArgument { .. })));
}

#[test]
fn no_rows_give_typed_empty_results() {
    let f = Fixture::new();
    let table = Table::try_new(vec![f.ints(&[]), f.texts(&[])]).unwrap();
    assert!(f.order(table.columns().to_vec(), &[], &[]).is_empty());
    let sorted = sort(table.view(), &[], &[], f.ctx()).unwrap();
    assert_eq!(sorted.num_rows(), 0);
    assert!(sorted.data_types().eq(table.data_types()));
    assert!(is_sorted(table.view(), &[], &[], f.ctx()).unwrap());
    assert_eq!(Column::empty_on(&DataType::UInt32, Device::Cpu).unwrap().len(), 0);
}

#[test]
fn structs_and_lists_within_dictionaries_are_sorted() {
    let f = Fixture::new();
    let offsets = f.ints(&[Some(0), Some(2), Some(2), Some(3), Some(5)]);
    let elements = f.ints(&[Some(5), Some(1), Some(4), Some(5), None]);
    let lists = ColumnParts::lists(4, offsets.buffers()[0].clone(), true, elements, true);
    let lists = Column::try_from_parts(lists).unwrap();
    assert_eq!(f.order(vec![lists.clone()], &[], &[]), [1, 2, 3, 0]);
    assert_eq!(f.order(vec![lists.clone()], &[Descending], &[After]), [3, 0, 2, 1]);
    let keys =
        Column::from_options_on::<i32>(&[Some(0), None, Some(3), Some(1), Some(0)], &f.stream, f.resource.as_ref());
    let dictionary = Column::try_from_parts(ColumnParts::dictionary(keys.unwrap(), lists)).unwrap();
    assert_eq!(f.order(vec![dictionary.clone()], &[], &[]), [1, 3, 2, 0, 4]);
    let pairs =
        gdf_core::make_structs_column(vec![f.ints(&[Some(2), Some(2), Some(2), Some(1), Some(2)]), dictionary], None);
    assert_eq!(f.order(vec![pairs.unwrap()], &[], &[]), [3, 1, 2, 0, 4]);
}

#[test]
fn structs_without_fields_are_equal() {
    let f = Fixture::new();
    let empty = ColumnParts::structs(f.stream.device(), 3, None::<(&str, Column)>);
    let empty = Column::try_from_parts(empty).unwrap();
    let numbers = f.ints(&[Some(3), Some(1), Some(2)]);
    assert_eq!(f.order(vec![empty, numbers], &[Descending, Ascending], &[]), [1, 2, 0]);
}

#[test]
fn nested_keys_of_two_tables_have_one_type() {
    let f = Fixture::new();
    let one = gdf_core::make_structs_column(vec![f.ints(&[Some(1)])], None).unwrap();
    let other = gdf_core::make_structs_column(vec![f.texts(&[Some("a")])], None).unwrap();
    let (one, other) = (Table::try_new(vec![one]).unwrap(), Table::try_new(vec![other]).unwrap());
    let error = crate::search::lower_bound(&one.view(), &other.view(), &[], &[], f.ctx()).unwrap_err();
    assert!(matches!(error, Error::TypeMismatch { .. }), "{error}");
    assert!(error.to_string().starts_with("column 0"), "{error}");
}
