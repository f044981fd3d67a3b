//! Tests of the form and the restoration of keys. The catalog tests the rows that are equal and their order.

use gdf_core::{Column, Result, Table, TableView, Validity, make_structs_column};
use gdf_driver::Stream;
use gdf_engine::keys::{MAX_KEYS, NanEquality, NullEquality};
use gdf_engine::test_device::setup;
use gdf_memory::Resource;

use super::{Form, Prepared, Purpose, prepare};
use crate::Ctx;

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

    /// Returns a table of a struct with two fields and of integers. The last struct is null.
    fn structs(&self) -> Table {
        let (first, second) = (self.ints(&[Some(1), None, None]), self.ints(&[Some(2), Some(3), None]));
        let valid = [true, true, false].into_iter();
        let validity = Validity::from_bools_on(valid, &self.stream, self.resource.as_ref()).unwrap();
        let structs = make_structs_column(vec![first, second], validity).unwrap();
        Table::try_new(vec![structs, self.ints(&[Some(5), Some(6), None])]).unwrap()
    }

    fn prepare<'a>(&self, table: &'a Table, purpose: Purpose<'_>) -> Prepared<'a> {
        let [prepared] = prepare("test", [&table.view()], purpose, self.ctx()).unwrap();
        prepared
    }

    /// Restores all rows.
    fn restore(&self, keys: &Prepared<'_>, gather: impl FnOnce(&TableView<'_>) -> Result<Vec<Column>>) -> Vec<Column> {
        keys.restore(keys.view().unwrap().to_table().columns(), gather, self.ctx()).unwrap()
    }

    fn assert_same(&self, columns: &[Column], expected: &Table) {
        assert_eq!(columns.len(), expected.num_columns());
        for (column, expected) in columns.iter().zip(expected.columns()) {
            assert_eq!(&column.to_arrow(&self.stream).unwrap(), &expected.to_arrow(&self.stream).unwrap());
        }
    }
}

fn equality(nulls: NullEquality) -> Purpose<'static> {
    Purpose::equality(nulls, NanEquality::AllEqual)
}

#[test]
fn plain_keys_are_unchanged() {
    let f = Fixture::new();
    let table = Table::try_new(vec![f.ints(&[Some(1), None])]).unwrap();
    for purpose in [Purpose::order(&[]), equality(NullEquality::Equal)] {
        let prepared = f.prepare(&table, purpose);
        assert!(prepared.is_unchanged() && !prepared.needs_rows() && !prepared.has_null_fields().unwrap());
        f.assert_same(&f.restore(&prepared, |_| panic!("no column is gathered")), &table);
    }
}

#[test]
fn structs_are_restored_from_their_fields() {
    let f = Fixture::new();
    let table = f.structs();
    let prepared = f.prepare(&table, equality(NullEquality::Equal));
    // The fields, the validity of the struct, and the integers.
    assert_eq!(prepared.view().unwrap().num_columns(), 4);
    assert!(!prepared.is_unchanged() && !prepared.needs_rows() && prepared.has_null_fields().unwrap());
    f.assert_same(&f.restore(&prepared, |_| panic!("no column is gathered")), &table);
}

#[test]
fn null_structs_are_gathered_if_nulls_are_unequal() {
    let f = Fixture::new();
    let table = f.structs();
    let prepared = f.prepare(&table, equality(NullEquality::Unequal));
    assert_eq!(prepared.view().unwrap().num_columns(), 3);
    assert!(prepared.needs_rows());
    let restored = f.restore(&prepared, |given| {
        assert_eq!(given.num_columns(), 1);
        Ok(given.to_table().into_columns())
    });
    f.assert_same(&restored, &table);
}

#[test]
fn ranks_are_gathered() {
    let f = Fixture::new();
    let table = f.structs();
    let prepared = f.prepare(&table, Purpose::order(&[]));
    assert_eq!(prepared.view().unwrap().num_columns(), 2);
    assert!(!prepared.is_unchanged() && prepared.needs_rows() && !prepared.has_null_fields().unwrap());
    f.assert_same(&f.restore(&prepared, |given| Ok(given.to_table().into_columns())), &table);
}

#[test]
fn structs_of_many_fields_become_ranks() {
    let f = Fixture::new();
    let fields = (0..=MAX_KEYS).map(|_| f.ints(&[Some(2), Some(1)])).collect();
    let table = Table::try_new(vec![make_structs_column(fields, None).unwrap()]).unwrap();
    let prepared = f.prepare(&table, equality(NullEquality::Equal));
    assert_eq!(prepared.view().unwrap().num_columns(), 1);
    assert!(Form::of(&table.view(), NullEquality::Equal).unwrap().is_none());
}

#[test]
fn tables_in_one_form_have_the_same_key_columns() {
    let f = Fixture::new();
    let (fields, first) = (vec![f.ints(&[Some(1)]), f.ints(&[Some(2)])], f.ints(&[Some(3)]));
    let first = Table::try_new(vec![make_structs_column(fields, None).unwrap(), first]).unwrap();
    let form = Form::of(&first.view(), NullEquality::Equal).unwrap().unwrap();
    let later = f.structs();
    let [first, later] = [&first, &later].map(|table| f.prepare(table, Purpose::equality_in(&form)));
    let types = |keys: &Prepared<'_>| {
        keys.view().unwrap().columns().iter().map(|column| column.data_type().clone()).collect::<Vec<_>>()
    };
    assert_eq!(types(&first), types(&later));
}

#[test]
fn tables_keep_their_numbers_of_columns() {
    let f = Fixture::new();
    let (narrow, wide) = (Table::try_new(vec![f.ints(&[Some(1)])]).unwrap(), f.structs());
    let purpose = Purpose::equality_of_columns(NullEquality::Equal);
    let structs = wide.view().select(&[1, 0]).unwrap();
    let [narrow, wide] = prepare("test", [&narrow.view(), &structs], purpose, f.ctx()).unwrap();
    assert_eq!((narrow.view().unwrap().num_columns(), wide.view().unwrap().num_columns()), (1, 2));
}
