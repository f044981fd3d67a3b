//! Runs decoders of other crates so that their panics become errors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result of `decode`, or the message of its panic.
pub(crate) fn contain<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(decode)).map_err(|panic| text(&*panic))
}

/// Does the same as [`contain`], for a function that returns a `Result`.
pub(crate) fn contained<T, E>(decode: impl FnOnce() -> Result<T, E>, broken: impl FnOnce(String) -> E) -> Result<T, E> {
    contain(decode).unwrap_or_else(|what| Err(broken(what)))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the decoder panicked: {}", text.unwrap_or("no message"))
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
