//! Converts the rows of the generator to columns: the names and types of all columns of all tables.

use std::fmt::{Display, Write};
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, RecordBatch, StringViewArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use tpchgen::dates::TPCHDate;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::generators::{
    Customer, CustomerGenerator, LineItem, LineItemGenerator, Nation, NationGenerator, Order, OrderGenerator, Part,
    PartGenerator, PartSupp, PartSuppGenerator, Region, RegionGenerator, Supplier, SupplierGenerator,
};

use crate::generate::TpchTable;

/// The number of rows of a batch, which limits the memory of rows that are not yet converted.
const ROWS_PER_BATCH: usize = 8_000;

/// The batches of one part of a table.
pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// A column of a table with rows of type `R`.
struct Column<R> {
    name: &'static str,
    convert: fn(&[R]) -> ArrayRef,
}

/// Declares the columns of a table: the name of each column and of its field, and the function that converts its
/// values.
macro_rules! columns {
    ($($name:ident: $convert:ident),* $(,)?) => {
        &[$(Column { name: stringify!($name), convert: |rows| $convert(rows.iter().map(|row| &row.$name)) }),*]
    };
}

const CUSTOMER: &[Column<Customer<'_>>] = columns! {
    c_custkey: int64,
    c_name: formatted,
    c_address: formatted,
    c_nationkey: int64,
    c_phone: formatted,
    c_acctbal: money,
    c_mktsegment: text,
    c_comment: text,
};

const LINEITEM: &[Column<LineItem<'_>>] = columns! {
    l_orderkey: int64,
    l_partkey: int64,
    l_suppkey: int64,
    l_linenumber: int32,
    l_quantity: quantity,
    l_extendedprice: money,
    l_discount: money,
    l_tax: money,
    l_returnflag: text,
    l_linestatus: text,
    l_shipdate: date,
    l_commitdate: date,
    l_receiptdate: date,
    l_shipinstruct: text,
    l_shipmode: text,
    l_comment: text,
};

const NATION: &[Column<Nation<'_>>] = columns! {
    n_nationkey: int64,
    n_name: text,
    n_regionkey: int64,
    n_comment: text,
};

const ORDERS: &[Column<Order<'_>>] = columns! {
    o_orderkey: int64,
    o_custkey: int64,
    o_orderstatus: formatted,
    o_totalprice: money,
    o_orderdate: date,
    o_orderpriority: text,
    o_clerk: formatted,
    o_shippriority: int32,
    o_comment: text,
};

const PART: &[Column<Part<'_>>] = columns! {
    p_partkey: int64,
    p_name: formatted,
    p_mfgr: formatted,
    p_brand: formatted,
    p_type: text,
    p_size: int32,
    p_container: text,
    p_retailprice: money,
    p_comment: text,
};

const PARTSUPP: &[Column<PartSupp<'_>>] = columns! {
    ps_partkey: int64,
    ps_suppkey: int64,
    ps_availqty: int32,
    ps_supplycost: money,
    ps_comment: text,
};

const REGION: &[Column<Region<'_>>] = columns! {
    r_regionkey: int64,
    r_name: text,
    r_comment: text,
};

const SUPPLIER: &[Column<Supplier>] = columns! {
    s_suppkey: int64,
    s_name: formatted,
    s_address: formatted,
    s_nationkey: int64,
    s_phone: formatted,
    s_acctbal: money,
    s_comment: text,
};

impl TpchTable {
    pub(crate) fn schema(self) -> SchemaRef {
        match self {
            TpchTable::Customer => schema_of(CUSTOMER),
            TpchTable::Lineitem => schema_of(LINEITEM),
            TpchTable::Nation => schema_of(NATION),
            TpchTable::Orders => schema_of(ORDERS),
            TpchTable::Part => schema_of(PART),
            TpchTable::Partsupp => schema_of(PARTSUPP),
            TpchTable::Region => schema_of(REGION),
            TpchTable::Supplier => schema_of(SUPPLIER),
        }
    }

    /// Returns the rows of one part. Parts are counted from 1.
    pub(crate) fn batches(self, scale: f64, part: i32, parts: i32) -> Batches {
        match self {
            TpchTable::Customer => batches_of(CUSTOMER, CustomerGenerator::new(scale, part, parts).iter()),
            TpchTable::Lineitem => batches_of(LINEITEM, LineItemGenerator::new(scale, part, parts).iter()),
            TpchTable::Nation => batches_of(NATION, NationGenerator::new(scale, part, parts).iter()),
            TpchTable::Orders => batches_of(ORDERS, OrderGenerator::new(scale, part, parts).iter()),
            TpchTable::Part => batches_of(PART, PartGenerator::new(scale, part, parts).iter()),
            TpchTable::Partsupp => batches_of(PARTSUPP, PartSuppGenerator::new(scale, part, parts).iter()),
            TpchTable::Region => batches_of(REGION, RegionGenerator::new(scale, part, parts).iter()),
            TpchTable::Supplier => batches_of(SUPPLIER, SupplierGenerator::new(scale, part, parts).iter()),
        }
    }
}

/// Returns the schema of a table. The types are those of columns without rows.
fn schema_of<R>(columns: &[Column<R>]) -> SchemaRef {
    let field = |column: &Column<R>| Field::new(column.name, (column.convert)(&[]).data_type().clone(), false);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

fn batches_of<R: 'static>(columns: &'static [Column<R>], mut rows: impl Iterator<Item = R> + 'static) -> Batches {
    let schema = schema_of(columns);
    Box::new(std::iter::from_fn(move || {
        let rows: Vec<R> = rows.by_ref().take(ROWS_PER_BATCH).collect();
        let convert = || columns.iter().map(|column| (column.convert)(&rows)).collect();
        (!rows.is_empty()).then(|| RecordBatch::try_new(schema.clone(), convert()))
    }))
}

fn int32<'a>(values: impl Iterator<Item = &'a i32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values.copied()))
}

fn int64<'a>(values: impl Iterator<Item = &'a i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.copied()))
}

fn date<'a>(values: impl Iterator<Item = &'a TPCHDate>) -> ArrayRef {
    Arc::new(Date32Array::from_iter_values(values.map(TPCHDate::to_unix_epoch)))
}

fn money<'a>(values: impl Iterator<Item = &'a TPCHDecimal>) -> ArrayRef {
    hundredths(values.map(|value| value.into_inner()))
}

/// Converts whole numbers to the type of money, as the specification says.
fn quantity<'a>(values: impl Iterator<Item = &'a i64>) -> ArrayRef {
    hundredths(values.map(|value| value * 100))
}

fn hundredths(values: impl Iterator<Item = i64>) -> ArrayRef {
    let array = Decimal128Array::from_iter_values(values.map(i128::from));
    Arc::new(array.with_data_type(DataType::Decimal128(15, 2)))
}

fn text(values: impl Iterator<Item = impl AsRef<str>>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

/// Converts values that are not text to the text form that the generator defines.
fn formatted(values: impl Iterator<Item = impl Display>) -> ArrayRef {
    let mut builder = StringViewBuilder::with_capacity(values.size_hint().0);
    let mut buffer = String::new();
    for value in values {
        buffer.clear();
        // Writing to a string cannot fail.
        let _ = write!(buffer, "{value}");
        builder.append_value(&buffer);
    }
    Arc::new(builder.finish())
}

#[cfg(test)]
mod tests {
    use arrow_cast::display::array_value_to_string;
    use arrow_schema::DataType::{Date32, Decimal128, Int32, Int64, Utf8View};

    use super::*;

    /// Compares the middle one of three parts of a table, or its only part, with the text form of the generator's rows.
    fn check<R: Display>(table: TpchTable, rows: impl Iterator<Item = R>) {
        let mut rows = rows.map(|row| row.to_string());
        for batch in table.batches(0.01, 2, 3) {
            let batch = batch.unwrap();
            assert_eq!(batch.schema(), table.schema());
            for row in 0..batch.num_rows() {
                let value = |column: &ArrayRef| array_value_to_string(column, row).unwrap();
                let mut values: Vec<String> = batch.columns().iter().map(value).collect();
                if table == TpchTable::Lineitem {
                    // The text form has the quantity as a whole number.
                    values[4] = values[4].strip_suffix(".00").unwrap().to_owned();
                }
                assert_eq!(Some(values.join("|") + "|"), rows.next(), "{table}, row {row}");
            }
        }
        assert_eq!(rows.next(), None, "{table}");
    }

    #[test]
    fn columns_have_the_values_of_the_rows() {
        check(TpchTable::Customer, CustomerGenerator::new(0.01, 2, 3).iter());
        check(TpchTable::Lineitem, LineItemGenerator::new(0.01, 2, 3).iter());
        check(TpchTable::Nation, NationGenerator::new(0.01, 1, 1).iter());
        check(TpchTable::Orders, OrderGenerator::new(0.01, 2, 3).iter());
        check(TpchTable::Part, PartGenerator::new(0.01, 2, 3).iter());
        check(TpchTable::Partsupp, PartSuppGenerator::new(0.01, 2, 3).iter());
        check(TpchTable::Region, RegionGenerator::new(0.01, 1, 1).iter());
        check(TpchTable::Supplier, SupplierGenerator::new(0.01, 2, 3).iter());
    }

    #[test]
    fn columns_have_the_types_of_the_specification() {
        let schema = TpchTable::Lineitem.schema();
        let types: Vec<&DataType> = schema.fields().iter().map(|field| field.data_type()).collect();
        let (money, text) = (Decimal128(15, 2), Utf8View);
        let numbers = [&Int64, &Int64, &Int64, &Int32, &money, &money, &money, &money];
        let others = [&text, &text, &Date32, &Date32, &Date32, &text, &text, &text];
        assert_eq!(types, [numbers, others].concat());
        assert!(schema.fields().iter().all(|field| !field.is_nullable()));
    }
}
