//! Runs decoders of other crates so that their panics become errors.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread runs a decoder, so that its panic is reported as an error.
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `decode`, or the message of its panic. The panic hook of the program is not called.
pub(crate) fn contain<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    /// Restores the state of the thread, also after a panic.
    struct Restored(bool);

    impl Drop for Restored {
        fn drop(&mut self) {
            IS_CONTAINED.set(self.0);
        }
    }

    install_hook();
    let restored = Restored(IS_CONTAINED.replace(true));
    let result = catch_unwind(AssertUnwindSafe(decode)).map_err(|panic| text(&*panic));
    drop(restored);
    result
}

/// Puts a panic hook before the hook of the program. The hook is silent for threads that run a decoder.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    // A panicking thread must not change the hook.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let hook = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CONTAINED.try_with(Cell::get).unwrap_or(false) {
                hook(panic);
            }
        }));
    });
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
        // An inner call does not end the state of the outer one.
        let nested = contain(|| (contain::<()>(|| panic!("inner")).is_err(), IS_CONTAINED.get()));
        assert_eq!((nested, IS_CONTAINED.get()), (Ok((true, true)), false));
    }
}
