//! Operations that put columns together or take columns apart: interleave, tile, transpose, and cast to bytes.

mod byte_cast;
mod interleave_columns;
mod tile;
mod transpose;

pub use byte_cast::{ByteOrder, byte_cast};
pub use interleave_columns::interleave_columns;
pub use tile::tile;
pub use transpose::transpose;
