//! Who looks for memory beyond what is at hand, and who does so alone.
//!
//! While a thread moves blocks between a pool's heaps, its ground and its upstream, they are in nobody's lists for a moment.
//! Threads that look at the same time may miss them; so a thread reports that memory is out only after it has looked alone.

use std::cell::RefCell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

thread_local! {
    /// The gates that this thread is behind.
    static BEHIND: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug, Default)]
pub(crate) struct Gate(RwLock<()>);

/// What a thread that passed the gate holds.
#[must_use]
pub(crate) struct Pass<'a> {
    /// The gate, unless this thread was behind it already.
    gate: Option<usize>,
    _shared: Option<RwLockReadGuard<'a, ()>>,
    _alone: Option<RwLockWriteGuard<'a, ()>>,
}

impl Gate {
    fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether this thread is behind the gate: an upstream or a callback called back.
    fn is_behind(&self) -> bool {
        BEHIND.try_with(|behind| behind.borrow().contains(&self.number())).unwrap_or(true)
    }

    fn note(&self) -> Option<usize> {
        BEHIND.try_with(|behind| behind.borrow_mut().push(self.number())).ok().map(|()| self.number())
    }

    /// Beside others.
    pub(crate) fn shared(&self) -> Pass<'_> {
        if self.is_behind() {
            return Pass { gate: None, _shared: None, _alone: None };
        }
        let shared = Some(self.0.read().unwrap_or_else(PoisonError::into_inner));
        Pass { gate: self.note(), _shared: shared, _alone: None }
    }

    /// Beside others, unless somebody is alone behind the gate: for what can be left to that one.
    pub(crate) fn try_shared(&self) -> Option<Pass<'_>> {
        if self.is_behind() {
            return Some(Pass { gate: None, _shared: None, _alone: None });
        }
        let shared = match self.0.try_read() {
            Ok(shared) => shared,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Pass { gate: self.note(), _shared: Some(shared), _alone: None })
    }

    /// When nobody else is behind the gate, except where this thread was before.
    pub(crate) fn alone(&self) -> Pass<'_> {
        if self.is_behind() {
            return Pass { gate: None, _shared: None, _alone: None };
        }
        let alone = Some(self.0.write().unwrap_or_else(PoisonError::into_inner));
        Pass { gate: self.note(), _shared: None, _alone: alone }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let Some(gate) = self.gate else { return };
        let forget = |behind: &RefCell<Vec<usize>>| behind.borrow_mut().retain(|number| *number != gate);
        // A thread that ends has none left to forget.
        let _ = BEHIND.try_with(forget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_passes_again_and_others_wait() {
        let (gate, other) = (Gate::default(), Gate::default());
        let alone = gate.alone();
        drop((gate.alone(), gate.shared(), gate.try_shared(), other.shared()));
        std::thread::scope(|scope| assert!(scope.spawn(|| gate.try_shared().is_none()).join().unwrap()));
        assert!(gate.is_behind() && !other.is_behind() && gate.0.try_read().is_err());
        drop(alone);
        assert!(!gate.is_behind() && gate.0.try_write().is_ok());
        let shared = gate.shared();
        std::thread::scope(|scope| scope.spawn(|| drop(gate.shared())).join().unwrap());
        assert!(gate.0.try_write().is_err());
        drop(shared);
        assert!(gate.0.try_write().is_ok());
    }
}
