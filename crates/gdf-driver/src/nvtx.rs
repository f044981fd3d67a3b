//! Named ranges for NVIDIA's profilers, through the NVTX library. The library is searched for once. If the library is
//! not installed, ranges have no effect.

use std::marker::PhantomData;

/// A named range on one thread. The range begins when the value is created and ends when the value is dropped.
///
/// ```
/// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
/// use gdf::driver::nvtx::Range;
///
/// let _whole = Range::new("my query");
/// {
///     let _part = Range::new("read"); // closed before `my query`
/// }
/// ```
#[derive(Debug)]
#[must_use = "the range ends when it is dropped"]
pub struct Range {
    // Ranges nest within a thread. Therefore a range must be closed on the thread that opened it.
    thread_bound: PhantomData<*const ()>,
}

impl Range {
    /// Opens a range. For the rules about names, see [`push`]. If the NVTX library was not found, the function does
    /// nothing.
    pub fn new(name: &str) -> Range {
        push(name);
        Range { thread_bound: PhantomData }
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        pop();
    }
}

/// Returns whether the NVTX library was found. Without the library, ranges have no effect.
pub fn is_available() -> bool {
    imp::functions().is_some()
}

/// Opens a range on this thread. [`pop`] closes the range that was opened last. If the NVTX library was not found, the
/// function does nothing.
///
/// If `name` contains a NUL byte, the name of the range ends at that byte.
pub fn push(name: &str) {
    imp::push(name);
}

/// Closes the range that this thread opened last.
pub fn pop() {
    imp::pop();
}

#[cfg(feature = "cuda")]
mod imp {
    use std::ffi::{CString, c_char, c_int};
    use std::sync::OnceLock;

    pub(super) struct Functions {
        push: unsafe extern "C" fn(*const c_char) -> c_int,
        pop: unsafe extern "C" fn() -> c_int,
    }

    /// The file names of the libraries to try.
    const LIBRARIES: [&str; 3] = ["libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1"];

    pub(super) fn functions() -> Option<&'static Functions> {
        static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
        FUNCTIONS.get_or_init(|| LIBRARIES.into_iter().find_map(load)).as_ref()
    }

    fn load(name: &str) -> Option<Functions> {
        // SAFETY: NVTX's initializers have no preconditions. The library is leaked and therefore never unloaded.
        let library = Box::leak(Box::new(unsafe { libloading::Library::new(name) }.ok()?));
        // SAFETY: the type is the function's signature in nvToolsExt.h.
        let push = *unsafe { library.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"nvtxRangePushA\0") }.ok()?;
        // SAFETY: the type is the function's signature in nvToolsExt.h.
        let pop = *unsafe { library.get::<unsafe extern "C" fn() -> c_int>(b"nvtxRangePop\0") }.ok()?;
        Some(Functions { push, pop })
    }

    pub(super) fn push(name: &str) {
        let Some(functions) = functions() else { return };
        let text = name.split('\0').next().unwrap_or_default();
        let Ok(text) = CString::new(text) else { return };
        // SAFETY: the text is NUL-terminated and lives until the call returns. The call copies the text.
        unsafe { (functions.push)(text.as_ptr()) };
    }

    pub(super) fn pop() {
        if let Some(functions) = functions() {
            // SAFETY: the function has no preconditions. If no range is open, the call returns an error code, which is
            // ignored.
            unsafe { (functions.pop)() };
        }
    }
}

#[cfg(not(feature = "cuda"))]
mod imp {
    pub(super) fn functions() -> Option<&'static std::convert::Infallible> {
        None
    }

    pub(super) fn push(_name: &str) {}

    pub(super) fn pop() {}
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranges_are_harmless_without_the_library() {
        super::push("a name\0cut");
        super::pop();
        super::pop();
        let outer = super::Range::new("outer");
        drop((super::Range::new("inner"), outer));
    }
}
