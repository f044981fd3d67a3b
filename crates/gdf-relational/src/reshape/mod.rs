//! Tables from wide to long form and back.

mod pivot;
mod unpivot;

pub use pivot::pivot;
pub use unpivot::unpivot;
