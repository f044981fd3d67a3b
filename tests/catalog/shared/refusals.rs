//! Cases that require a refusal of the types that the documentation does not name.

use arrow_schema::{DataType, IntervalUnit};
use gdf_core::{Column, Error, Result};

use crate::catalog::Case;
use gdf_test::data::{self, NullPattern, random_array};

pub(crate) fn types() -> Vec<DataType> {
    let rest = vec![
        DataType::Boolean,
        DataType::Null,
        DataType::Utf8View,
        DataType::FixedSizeBinary(5),
        DataType::Interval(IntervalUnit::YearMonth),
        DataType::Interval(IntervalUnit::DayTime),
        data::nested()[0].clone(),
        data::nested()[6].clone(),
        data::nested()[9].clone(),
    ];
    [data::numeric(), data::decimal(), data::temporal(), data::strings(), rest].concat()
}

/// Builds a case for each operator and each type that `is_documented` rejects.
pub(crate) fn public_refusals<O: Copy + std::fmt::Debug + Send + Sync + 'static>(
    operators: &[O],
    is_documented: impl Fn(O, &DataType) -> bool,
    run: impl Fn(O, &[Column]) -> Result<Vec<Column>> + Copy + Send + Sync + 'static,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for data_type in types() {
        let decoded = if data_type == DataType::Utf8View { &DataType::Utf8 } else { &data_type };
        for &operator in operators.iter().filter(|operator| !is_documented(**operator, decoded)) {
            let input = random_array(&data_type, 3, NullPattern::None, 1);
            cases.push(Case::refused(
                format!("refused {operator:?}/{data_type}"),
                vec![input],
                move |inputs| run(operator, inputs),
                |error| matches!(error, Error::Unsupported { .. }),
            ));
        }
    }
    cases
}
