//! The options of the aggregations that collect rows. Groups, columns and windows have these aggregations.

use gdf_api::groupby::NullPolicy;
use gdf_api::stream_compaction::{NanEquality, NullEquality};
use serde_json::Value as Json;

/// The options of `collect_list` and `collect_set`. An option that is absent has the default of libcudf.
pub(crate) struct Collected {
    pub(crate) nulls: NullPolicy,
    pub(crate) null_equality: NullEquality,
    pub(crate) nan_equality: NanEquality,
}

impl Collected {
    pub(crate) fn of(aggregation: &Json) -> Self {
        let is = |name: &str, value: &str| aggregation.get(name).and_then(Json::as_str) == Some(value);
        Self {
            nulls: if is("null_policy", "EXCLUDE") { NullPolicy::Exclude } else { NullPolicy::Include },
            null_equality: if is("nulls_equal", "UNEQUAL") { NullEquality::Unequal } else { NullEquality::Equal },
            nan_equality: if is("nans_equal", "UNEQUAL") { NanEquality::Unequal } else { NanEquality::AllEqual },
        }
    }
}
