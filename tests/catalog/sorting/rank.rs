//! The entry `scan.rank`.

use arrow_array::ArrayRef;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use gdf_api::scan::{self, RankMethod, RankPercentage};
use gdf_core::{Column, Error, Result};

use crate::catalog::shared::tables::as_table;
use crate::catalog::{Case, Entry};
use crate::naive;
use crate::naive::sorting::Direction;
use gdf_test::builders::ints;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("scan.rank", Equality::Exact, cases)]
}

pub(crate) const METHODS: [RankMethod; 5] =
    [RankMethod::First, RankMethod::Average, RankMethod::Min, RankMethod::Max, RankMethod::Dense];
pub(crate) const PERCENTAGES: [RankPercentage; 3] =
    [RankPercentage::None, RankPercentage::ZeroNormalized, RankPercentage::OneNormalized];

fn run(inputs: &[Column], method: RankMethod, percentage: RankPercentage) -> Result<Vec<Column>> {
    Ok(vec![scan::rank(&as_table(inputs)?, method, percentage)?])
}

fn case(label: &str, columns: &[ArrayRef], method: RankMethod, percentage: RankPercentage) -> Option<Case> {
    let ascending = vec![Direction { descending: false, nulls_smallest: true }; columns.len()];
    let rows = columns.first().map_or(0, |column| column.len());
    let sorted = naive::sorting::sort_by_key(columns, columns, &ascending, rows).ok()?;
    let label = format!("{method:?}/{percentage:?}/{label}");
    Some(Case::new(
        label,
        sorted,
        move |inputs| run(inputs, method, percentage),
        move |inputs| naive::scan::rank(inputs, method, percentage),
        1,
    ))
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, data_type) in
        [DataType::Int8, DataType::Boolean, DataType::Decimal128(38, 10), DataType::Date32, DataType::Utf8]
            .iter()
            .enumerate()
    {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let column = random_array(data_type, 300, nulls, seed as u64);
            for method in METHODS {
                cases.extend(case(
                    &format!("{data_type}/{nulls:?}"),
                    std::slice::from_ref(&column),
                    method,
                    RankPercentage::None,
                ));
            }
        }
    }
    for (seed, &rows) in (0..).zip(SMALL_BRACKETS) {
        let columns =
            [DataType::Boolean, DataType::UInt8].map(|of| random_array(&of, rows, NullPattern::Every(3), seed));
        for method in METHODS {
            for percentage in PERCENTAGES {
                cases.extend(case(&format!("{rows}"), &columns, method, percentage));
            }
        }
    }
    let floats = [None, Some(f64::NAN), Some(-0.0), Some(0.0), Some(-f64::NAN), Some(1.0), None, Some(f64::INFINITY)];
    let floats = ints::<Float64Type>(floats);
    cases.extend(
        METHODS
            .iter()
            .filter_map(|method| case("special", std::slice::from_ref(&floats), *method, RankPercentage::None)),
    );
    for data_type in [data::nested()[0].clone(), DataType::Null] {
        let column = random_array(&data_type, 3, NullPattern::None, 1);
        let run = |inputs: &[Column]| run(inputs, RankMethod::Min, RankPercentage::None);
        cases.push(Case::refused(format!("refused {data_type}"), vec![column], run, |error| {
            matches!(error, Error::Unsupported { .. })
        }));
    }
    cases
}
