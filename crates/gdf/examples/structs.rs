//! Groups rows by a column of structs, collects the values of each group as a list, and joins by structs.

use gdf::core::make_structs_column;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{JoinKeys, inner};
use gdf::prelude::*;

fn main() -> gdf::Result<()> {
    let places = |cities: [&str; 4], streets: [i32; 4]| {
        make_structs_column(vec![Column::from_strs(cities)?, Column::from_slice(&streets)?], None)
    };
    let stops = places(["Oslo", "Bern", "Oslo", "Oslo"], [7, 1, 7, 8])?;
    let (stops, lines) = (Table::try_new(vec![stops])?, Column::from_strs(["12", "3", "19", "12"])?);

    let collected = GroupByAggregation::CollectList { nulls: NullPolicy::Exclude };
    let requests = [AggregationRequest::new(&lines, [collected, GroupByAggregation::CountAll])];
    let (keys, results) = GroupBy::new(&stops, NullPolicy::Exclude).aggregate(&requests)?;
    println!("{}", Table::try_new([keys.into_columns(), results.concat()].concat())?);

    let depots = Table::try_new(vec![places(["Oslo", "Bern", "Bern", "Rome"], [7, 2, 1, 7])?])?;
    println!("{}", inner(&stops, &depots, &JoinKeys::new(&[0], &[0]))?);
    Ok(())
}
