//! Query 19, discounted revenue: what small, medium and large parts of three brands earned by air.
//!
//! ```sql
//! select sum(l_extendedprice * (1 - l_discount)) as revenue from lineitem, part
//! where (p_partkey = l_partkey and p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
//!     and l_quantity >= 1 and l_quantity <= 11 and p_size between 1 and 5
//!     and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON')
//!   or (p_partkey = l_partkey and p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
//!     and l_quantity >= 10 and l_quantity <= 20 and p_size between 1 and 10
//!     and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON')
//!   or (p_partkey = l_partkey and p_brand = 'Brand#34' and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
//!     and l_quantity >= 20 and l_quantity <= 30 and p_size between 1 and 15
//!     and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON');
//! ```

use arrow_array::RecordBatch;
use gdf::binaryop::{and, eq, ge, le, or};
use gdf::reduction::sum;
use gdf::{Column, Table};

use super::frame::{Frame, is_one_of};
use super::{Query, money};
use crate::load::Database;

/// Query 19.
pub(crate) const QUERY: Query = Query {
    number: 19,
    reads: &[
        "l_partkey",
        "l_quantity",
        "l_extendedprice",
        "l_discount",
        "l_shipinstruct",
        "l_shipmode",
        "p_partkey",
        "p_brand",
        "p_size",
        "p_container",
    ],
    order_by: &[],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines =
        db.read(&["l_partkey", "l_quantity", "l_extendedprice", "l_discount", "l_shipinstruct", "l_shipmode"])?;
    let parts = db.read(&["p_partkey", "p_brand", "p_size", "p_container"])?;
    let parts = parts.filter(&is_one_of(parts.column("p_brand")?, &["Brand#12", "Brand#23", "Brand#34"])?)?;
    let parts = parts.filter(&le(parts.column("p_size")?, 15_i32)?)?;
    let lines = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?;
    let by_air = is_one_of(lines.column("l_shipmode")?, &["AIR", "AIR REG"])?;
    let wanted = and(&by_air, &eq(lines.column("l_shipinstruct")?, "DELIVER IN PERSON")?)?;
    let lines = lines.select(&["l_partkey", "l_quantity", "l_extendedprice", "l_discount"])?.filter(&wanted)?;
    let rows = lines.join(&parts, &["l_partkey"], &["p_partkey"])?;

    let kind = |brand: &str, containers: &[&str], pieces: i64, size: i32| -> gdf::Result<Column> {
        let (quantity, sizes) = (rows.column("l_quantity")?, rows.column("p_size")?);
        let quantity = and(&ge(quantity, money(pieces * 100))?, &le(quantity, money((pieces + 10) * 100))?)?;
        let part = and(&eq(rows.column("p_brand")?, brand)?, &is_one_of(rows.column("p_container")?, containers)?)?;
        and(&and(&part, &quantity)?, &and(&ge(sizes, 1_i32)?, &le(sizes, size)?)?)
    };
    let small = kind("Brand#12", &["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5)?;
    let medium = kind("Brand#23", &["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10)?;
    let large = kind("Brand#34", &["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15)?;
    let total = sum(&rows.filter(&or(&or(&small, &medium)?, &large)?)?.volume()?)?.into_column();
    Frame::new(&["revenue"], Table::try_new(vec![total])?).collect(&["revenue"])
}
