//! Runs decoders of other crates so that their panics become errors.
//!
//! The decoders of arrow-rs check what they read, but not all of it: a damaged file can make them index past an end, and
//! then they panic. What runs here is read-only on our side and thrown away after a panic, so nothing half done is seen.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of `decode`, or the text of its panic.
///
/// The panic hook of the program has run by then, so the message is on standard error too. With `panic = "abort"` there
/// is nothing to catch.
pub(crate) fn contain<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(decode)).map_err(|panic| text(&*panic))
}

/// As [`contain`], for what can fail by itself; `broken` is the error of a panic.
pub(crate) fn contained<T, E>(decode: impl FnOnce() -> Result<T, E>, broken: impl FnOnce(String) -> E) -> Result<T, E> {
    contain(decode).unwrap_or_else(|what| Err(broken(what)))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the decoder gave up: {}", text.unwrap_or("it did not say why"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_text() {
        let caught = contain::<()>(|| panic!("at page {}", 7)).unwrap_err();
        assert!(caught.contains("at page 7"), "{caught}");
        assert_eq!(contain(|| 1), Ok(1));
    }
}
