//! The error of casts that do not exist, with the function that converts such values.

use gdf_core::{DataType, Error, is_decimal, is_floating, is_integral, is_string};

/// Returns the error of a cast between types without a [`CastPlan`](super::CastPlan). The error names the function that
/// does the conversion, if there is one.
///
/// ```
/// use gdf_expr::types::refused_cast;
/// use gdf_core::DataType;
///
/// let error = refused_cast(&DataType::Utf8, &DataType::Int32);
/// let text = "cast: the conversion from Utf8 to Int32 is not supported; use `strings::to_integers`, \
///             or `str().to_integers` in an expression";
/// assert_eq!(error.to_string(), text);
/// ```
#[cold]
pub fn refused_cast(from: &DataType, to: &DataType) -> Error {
    let error = Error::unsupported_result("cast", from, to);
    match function(from, to) {
        Some(remedy) => error.with_remedy(remedy),
        None => error,
    }
}

fn function(from: &DataType, to: &DataType) -> Option<&'static str> {
    let is_text = |of: &DataType| is_string(of) || *of == DataType::Utf8View;
    Some(match (from, to) {
        (from, DataType::Dictionary(_, values)) if from == &**values => "use `dictionary::encode`",
        (DataType::RunEndEncoded(..), _) => "use `transform::run_end_decode` first",
        (DataType::ListView(_) | DataType::LargeListView(_), _) => "use `lists::from_list_view` first",
        (DataType::Struct(_) | DataType::Map(..), to) if is_text(to) => "use `json::to_json`",
        (from, DataType::Struct(_) | DataType::Map(..)) if is_text(from) => "use `json::from_json`",
        (from, to) if is_text(from) && is_integral(to) => {
            "use `strings::to_integers`, or `str().to_integers` in an expression"
        }
        (from, to) if is_text(from) && is_floating(to) => {
            "use `strings::to_floats`, or `str().to_floats` in an expression"
        }
        (from, to) if is_text(from) && is_decimal(to) => "use `strings::to_fixed_point`",
        (from, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..)) if is_text(from) => {
            "use `strings::to_timestamps`, or `str().to_timestamps` in an expression"
        }
        (from, DataType::Duration(_)) if is_text(from) => "use `strings::to_durations`",
        (from, DataType::Boolean) if is_text(from) => "compare the text with the text that stands for true",
        (DataType::Boolean, to) if is_text(to) => "use `strings::from_booleans`",
        (DataType::Date32 | DataType::Date64 | DataType::Timestamp(..), to) if is_text(to) => {
            "use `strings::from_timestamps`"
        }
        (DataType::Duration(_), to) if is_text(to) => "use `strings::from_durations`",
        (from, to) if is_text(to) && is_integral(from) => "use `strings::from_integers`",
        (from, to) if is_text(to) && is_floating(from) => "use `strings::from_floats`",
        (from, to) if is_text(to) && is_decimal(from) => "use `strings::from_fixed_point`",
        _ => return None,
    })
}
