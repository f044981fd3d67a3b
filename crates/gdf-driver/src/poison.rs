//! The devices that cannot be used any more. For each device, one word stores the status of the fatal error.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Device, DriverError, Result, Status, forked};

/// The largest number of devices that this module can store.
pub(crate) const MAX_DEVICES: usize = 128;

static POISON: [AtomicU32; MAX_DEVICES] = [const { AtomicU32::new(0) }; MAX_DEVICES];

fn word(device: Device) -> Option<&'static AtomicU32> {
    match device {
        Device::Cpu => None,
        Device::Cuda(ordinal) => POISON.get(ordinal as usize),
    }
}

/// Returns `Err(Poisoned)` if a fatal error has occurred on `device`.
pub(crate) fn check(device: Device) -> Result<()> {
    let Some(word) = word(device) else { return Ok(()) };
    forked::check()?;
    match word.load(Ordering::Relaxed) {
        0 => Ok(()),
        code => Err(DriverError::Poisoned { device, status: Status(code) }),
    }
}

/// Marks `device` as unusable.
pub(crate) fn set(device: Device, status: Status) {
    let Some(word) = word(device) else { return };
    if word.compare_exchange(0, status.0, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        tracing::error!(%device, ?status, "the device is unusable for the rest of this process");
    }
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    fn child(ask: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child only calls `ask` and exits, and takes no lock that another thread may hold.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the call ends the process at once.
            unsafe { libc::_exit(i32::from(ask())) }
        }
        let mut status = 0;
        // SAFETY: `status` is writable, and the child is a child of this process that was not waited for yet.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert!(child > 0 && waited == child && libc::WIFEXITED(status));
        libc::WEXITSTATUS(status) == 1
    }

    #[test]
    fn children_know_that_the_driver_is_their_parents() {
        forked::watch();
        let is_refused = || {
            let refused = Err(DriverError::Forked);
            check(Device::Cuda(0)) == refused && Device::Cuda(3).open() == refused && Device::Cpu.open().is_ok()
        };
        assert!(!is_refused());
        assert!(child(is_refused));
        assert!(!is_refused());
        assert!(DriverError::Forked.is_fatal());
    }
}
