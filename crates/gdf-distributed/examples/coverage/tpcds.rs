//! Generates the tables of TPC-DS.

use tpcdsgen::config::SessionBuilder;
use tpcdsgen_arrow as arrow;

use crate::{Named, Result};

/// Returns the tables at a scale. Scale 1 has about 1 GB of text.
pub(crate) fn tables(scale: f64) -> Result<Vec<Named>> {
    macro_rules! tables {
        ($($name:literal $generator:ident),*) => {
            vec![$(($name, {
                let session = SessionBuilder::new().with_scale_factor(scale).build()?;
                arrow::$generator::new(session).collect::<Result<Vec<_>, _>>()?
            })),*]
        };
    }
    let tables: Vec<Named> = tables![
        "call_center" CallCenterArrow,
        "catalog_page" CatalogPageArrow,
        "catalog_returns" CatalogReturnsArrow,
        "catalog_sales" CatalogSalesArrow,
        "customer" CustomerArrow,
        "customer_address" CustomerAddressArrow,
        "customer_demographics" CustomerDemographicsArrow,
        "date_dim" DateDimArrow,
        "household_demographics" HouseholdDemographicsArrow,
        "income_band" IncomeBandArrow,
        "inventory" InventoryArrow,
        "item" ItemArrow,
        "promotion" PromotionArrow,
        "reason" ReasonArrow,
        "ship_mode" ShipModeArrow,
        "store" StoreArrow,
        "store_returns" StoreReturnsArrow,
        "store_sales" StoreSalesArrow,
        "time_dim" TimeDimArrow,
        "warehouse" WarehouseArrow,
        "web_page" WebPageArrow,
        "web_returns" WebReturnsArrow,
        "web_sales" WebSalesArrow,
        "web_site" WebSiteArrow
    ];
    for (name, batches) in &tables {
        let rows: usize = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
        eprintln!("{name}: {rows} rows");
    }
    Ok(tables)
}
