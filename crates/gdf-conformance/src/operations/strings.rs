//! Area `strings`.

use gdf_api::strings::to_upper;

use super::Operation;
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("strings.to_upper", |call| Ok(Answer::column(to_upper(&call.column("input")?)?)?))];
