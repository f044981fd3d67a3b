//! Values outside of a plan.

use std::fmt;

use gdf_expr::Value;

use crate::error::Result;

/// A value that an expression of a plan reads, and that is known only when the plan runs.
pub trait OuterScalar: fmt::Debug + Send + Sync {
    /// Returns the value. It has the type of its [`Placeholder`](crate::Placeholder).
    ///
    /// # Errors
    /// * The value is not known yet, or has no representation in gdf.
    fn value(&self) -> Result<Value>;
}
