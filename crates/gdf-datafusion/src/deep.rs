//! Plans deep expressions on a stack that is large enough for them.
//!
//! Many functions of DataFusion and of its parser visit, clone and drop expressions recursively. Threads of tokio have
//! stacks of 2 MiB, which 10,000 operators in a row exceed.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The size of a stack. Memory is used only where the stack grows.
const STACK: usize = 256 << 20;
/// A thread whose stack has this many bytes left needs no other one.
const ENOUGH: usize = 96 << 20;

fn on_large_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ENOUGH, STACK, work)
}

/// A future that is polled, and dropped, on a stack of its own.
pub(crate) struct OnLargeStack<F>(Option<Pin<Box<F>>>);

impl<F: Future> OnLargeStack<F> {
    pub(crate) fn new(work: F) -> OnLargeStack<F> {
        OnLargeStack(Some(Box::pin(work)))
    }
}

impl<F: Future> Future for OnLargeStack<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(work) = &mut self.0 else { return Poll::Pending };
        let polled = on_large_stack(|| work.as_mut().poll(context));
        if polled.is_ready() {
            let done = self.0.take();
            on_large_stack(|| drop(done));
        }
        polled
    }
}

impl<F> Drop for OnLargeStack<F> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            on_large_stack(|| drop(work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses at least `depth` kilobytes of the stack.
    fn deep(depth: usize) -> u8 {
        let filled = std::hint::black_box([1_u8; 1024]);
        if depth == 0 { filled[0] } else { deep(depth - 1).max(filled[depth % 1024]) }
    }

    struct Deep;

    impl Drop for Deep {
        fn drop(&mut self) {
            assert_eq!(deep(30_000), 1);
        }
    }

    #[tokio::test]
    async fn work_may_need_more_than_the_stack_of_a_thread() {
        assert_eq!(OnLargeStack::new(async { deep(30_000) }).await, 1);
        let kept = Deep;
        drop(OnLargeStack::new(async move {
            let _kept = kept;
            std::future::pending::<()>().await;
        }));
    }
}
