//! Query 19, discounted revenue: the revenue from small, medium and large parts of three brands that were shipped by
//! air.
//!
//! ```sql
//! select sum(l_extendedprice * (1 - l_discount)) as revenue from lineitem, part
//! where (p_partkey = l_partkey and p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
//!     and l_quantity >= 1 and l_quantity <= 11 and p_size between 1 and 5
//!     and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON')
//!   or (p_partkey = l_partkey and p_brand = 'Brand#23'
//!     and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
//!     and l_quantity >= 10 and l_quantity <= 20 and p_size between 1 and 10
//!     and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON')
//!   or (p_partkey = l_partkey and p_brand = 'Brand#34' and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
//!     and l_quantity >= 20 and l_quantity <= 30 and p_size between 1 and 15
//!     and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON');
//! ```

use arrow_array::RecordBatch;
use gdf::predicate::Predicate;
use gdf::reduction::ReduceAggregation::Sum;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::amount;

pub(crate) const QUERY: Query = Query {
    number: 19,
    reads: "l_partkey l_quantity l_extendedprice l_discount l_shipinstruct l_shipmode p_partkey p_brand p_size \
        p_container",
    order_by: &[],
    pipelines: run,
    frames: frames::q19,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let names = ["l_partkey", "l_quantity", "l_extendedprice", "l_discount", "l_shipinstruct", "l_shipmode"];
    let lines = db.read(&names)?;
    let parts = db.read(&["p_partkey", "p_brand", "p_size", "p_container"])?;
    let of_brands = Predicate::is_in(parts.column("p_brand")?, ["Brand#12", "Brand#23", "Brand#34"]);
    let parts = parts.filter_by(Predicate::le(parts.column("p_size")?, 15).and(of_brands))?;
    let [mode, instruction] = lines.cols(["l_shipmode", "l_shipinstruct"])?;
    let wanted = mode.is_in(["AIR", "AIR REG"]).and(instruction.eq("DELIVER IN PERSON"));
    let of_parts = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?.filter(wanted);
    let lines = of_parts.select(&["l_partkey", "l_quantity", "l_extendedprice", "l_discount"])?;
    let rows = lines.join(&parts, &["l_partkey"], &["p_partkey"])?;

    let [quantity, size, brand, container] = rows.cols(["l_quantity", "p_size", "p_brand", "p_container"])?;
    let kind = |name: &str, containers: [&str; 4], pieces: i64, most: i32| {
        let of_size = quantity.clone().between(amount(pieces * 100), amount((pieces + 10) * 100));
        let of_size = of_size.and(size.clone().between(1, most));
        of_size.and(brand.clone().eq(name)).and(container.clone().is_in(containers))
    };
    let small = kind("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5);
    let medium = kind("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10);
    let large = kind("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15);
    rows.filter(small.or(medium).or(large)).reduce([("revenue", Sum, rows.volume()?)])?.collect_all()
}
