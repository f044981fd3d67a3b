//! The purposes for which keys are prepared.

use gdf_engine::keys::{NanEquality, NullEquality};
use gdf_engine::sort::NullOrder;

use super::form::Form;

/// The comparison for which keys are prepared. There is a function for each combination of rules that comparisons know.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'p>(pub(super) Comparison<'p>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison<'p> {
    /// Each key stays one column.
    Columns { null_orders: &'p [NullOrder], nulls: NullEquality },
    /// Structs become their fields, unless there would be too many columns.
    Rows { nulls: NullEquality, nans: NanEquality },
    /// Structs become the fields of the form.
    Form(&'p Form),
}

impl<'p> Purpose<'p> {
    /// The order of rows. Nulls are equal to each other, and so are NaNs. At every depth of column `i`, nulls have the
    /// place `null_orders[i]`. If `null_orders` is empty, they have the default place.
    pub fn order(null_orders: &'p [NullOrder]) -> Self {
        Self(Comparison::Columns { null_orders, nulls: NullEquality::Equal })
    }

    /// The equality of rows. Each key stays one column, because operators compare two columns, and as-of joins also
    /// sort the keys. If nulls are unequal, a key with a null at any depth becomes null. All NaNs are equal to each
    /// other.
    pub fn equality_of_columns(nulls: NullEquality) -> Self {
        Self(Comparison::Columns { null_orders: &[], nulls })
    }

    /// The equality of rows. If NaNs are unequal, floats stay floats, because ranks do not show which value is NaN.
    /// The operation then decides that a NaN differs from other NaNs.
    pub fn equality(nulls: NullEquality, nans: NanEquality) -> Self {
        Self(Comparison::Rows { nulls, nans })
    }

    /// The equality of rows of tables that are prepared one after another in the same form. All NaNs are equal to each
    /// other.
    pub fn equality_in(form: &'p Form) -> Self {
        Self(Comparison::Form(form))
    }
}
