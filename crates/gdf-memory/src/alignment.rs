//! The alignment of buffers, and functions that compute alignments. The functions have the names of RMM.

/// The alignment, in bytes, of every buffer whose memory comes from a resource.
pub const BUFFER_ALIGNMENT: usize = 256;
/// Allocations are padded to a multiple of this many bytes, as Arrow recommends.
pub const BUFFER_PADDING: usize = 64;

/// Returns whether `align` is a valid alignment, which is a power of two.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// assert!(gdf::memory::is_supported_alignment(256) && !gdf::memory::is_supported_alignment(48));
/// ```
pub const fn is_supported_alignment(align: usize) -> bool {
    align.is_power_of_two()
}

/// Returns the smallest multiple of `align` that is at least `value`.
///
/// Returns `None` when the multiple overflows `usize`, and when `align` is not a power of two.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// assert_eq!((gdf::memory::align_up(257, 256), gdf::memory::align_up(usize::MAX, 256)), (Some(512), None));
/// ```
pub const fn align_up(value: usize, align: usize) -> Option<usize> {
    if is_supported_alignment(align) { value.checked_next_multiple_of(align) } else { None }
}

/// Returns the largest multiple of `align` that is at most `value`. Returns `None` when `align` is not a power of two.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// assert_eq!((gdf::memory::align_down(511, 256), gdf::memory::align_down(511, 0)), (Some(256), None));
/// ```
pub const fn align_down(value: usize, align: usize) -> Option<usize> {
    if is_supported_alignment(align) { Some(value & !(align - 1)) } else { None }
}

/// Returns whether `align` is a power of two and `value` is a multiple of `align`.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// assert!(gdf::memory::is_aligned(512, 256) && !gdf::memory::is_aligned(100, 256) && !gdf::memory::is_aligned(96, 48));
/// ```
pub const fn is_aligned(value: usize, align: usize) -> bool {
    is_supported_alignment(align) && value.is_multiple_of(align)
}
