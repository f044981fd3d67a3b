//! Constructors of columns, from values on the CPU and from buffers.

mod factories;
mod fixed_width;
mod nulls;
mod validity;

pub use factories::{OptionalStr, Str, make_lists_column, make_strings_column, make_structs_column};
pub use fixed_width::Steps;
pub use validity::Validity;
