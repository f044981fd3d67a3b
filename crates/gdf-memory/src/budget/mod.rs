//! Budgets: threads reserve bytes before they allocate, and wait until enough bytes are free.

mod queue;

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::queue::{Queue, Ticket};
use crate::{MemoryError, Result};

/// A limit on the number of bytes that several threads reserve together.
///
/// The owner of a [`MemoryReservation`] promises to allocate at most the reserved number of bytes at a time. The sum of
/// all reservations never exceeds the limit. A request that does not fit does not fail. The request waits until other
/// reservations are dropped. A budget allocates nothing, and does not check what is allocated.
/// [`SpillManager::budget`](crate::SpillManager::budget) is the budget of a device whose memory has a limit.
///
/// # Order
/// Requests are served first in, first out: a small request does not overtake a large request that waits. A request
/// that exceeds the limit fails at once, because it would otherwise wait forever.
///
/// # Growth
/// A reservation that [grows](MemoryReservation::grow) is served before all new requests, because the bytes that it
/// already has become free only when its work ends. Two reservations that wait to grow could wait for each other.
/// Therefore only one reservation waits to grow at a time. Until that reservation has grown, the growth of another
/// reservation is an error. Threads that follow one rule never wait for each other in a circle, unless they also take
/// other locks. The rule is that a thread that holds a reservation grows the reservation, and makes no second
/// reservation.
///
/// ```
/// # mod gdf { pub mod memory { pub use gdf_memory::*; } }
/// use gdf::memory::MemoryBudget;
///
/// let budget = MemoryBudget::new(1000);
/// let first = budget.reserve(600)?;
/// std::thread::scope(|scope| {
///     // The second reservation waits until the first is dropped.
///     let second = scope.spawn(|| budget.reserve(700).map(|reservation| reservation.bytes()));
///     drop(first);
///     assert_eq!(second.join().unwrap(), Ok(700));
/// });
/// assert!(budget.reserve(1001).is_err());
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct MemoryBudget(Arc<Shared>);

struct Shared {
    limit: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Clone, Copy)]
enum Patience {
    Unlimited,
    Limited(Duration),
}

impl MemoryBudget {
    /// Makes a budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Shared { limit, queue: Mutex::default(), changed: Condvar::new() }))
    }

    /// Returns the limit of the sum of all reservations.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Returns the sum of all reservations.
    pub fn reserved(&self) -> usize {
        self.queue().reserved()
    }

    /// Returns the largest value of [`reserved`](Self::reserved) so far.
    pub fn peak_reserved(&self) -> usize {
        self.queue().peak()
    }

    /// Sets [`peak_reserved`](Self::peak_reserved) to the current value of [`reserved`](Self::reserved).
    pub fn reset_peak(&self) {
        self.queue().reset_peak();
    }

    /// Returns the number of requests that wait.
    pub fn waiting(&self) -> usize {
        self.queue().waiting()
    }

    /// Reserves bytes. Waits until the bytes are free, and until all earlier requests are served.
    ///
    /// # Errors
    /// * [`ReservationTooLarge`](MemoryError::ReservationTooLarge): the limit is lower than `bytes`.
    pub fn reserve(&self, bytes: usize) -> Result<MemoryReservation> {
        self.reservation(bytes, Patience::Unlimited)
    }

    /// Reserves bytes. Waits at most for `timeout`. If `timeout` is zero, the request fails unless it is served at
    /// once.
    ///
    /// # Errors
    /// * [`ReservationTooLarge`](MemoryError::ReservationTooLarge): the limit is lower than `bytes`.
    /// * [`ReservationTimeout`](MemoryError::ReservationTimeout): the request was not served in time.
    pub fn reserve_within(&self, bytes: usize, timeout: Duration) -> Result<MemoryReservation> {
        self.reservation(bytes, Patience::Limited(timeout))
    }

    fn reservation(&self, bytes: usize, patience: Patience) -> Result<MemoryReservation> {
        if bytes > self.limit() {
            return Err(MemoryError::ReservationTooLarge { requested: bytes, limit: self.limit() });
        }
        let mut queue = self.queue();
        let ticket = queue.request(bytes, self.limit());
        self.wait(queue, ticket, bytes, patience)?;
        Ok(MemoryReservation { budget: self.clone(), bytes })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A poisoned lock is sound to use, because the queue is consistent after every statement.
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(
        &self,
        mut queue: MutexGuard<'_, Queue>,
        ticket: Option<Ticket>,
        bytes: usize,
        patience: Patience,
    ) -> Result<()> {
        let Some(ticket) = ticket else { return Ok(()) };
        let (since, changed) = (Instant::now(), &self.0.changed);
        tracing::debug!(target: "gdf", bytes, reserved = queue.reserved(), limit = self.limit(), "waiting for memory");
        while queue.waits(ticket) {
            queue = match patience {
                Patience::Unlimited => changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Patience::Limited(timeout) => {
                    let waited = since.elapsed();
                    let Some(rest) = timeout.checked_sub(waited).filter(|rest| !rest.is_zero()) else {
                        let (reserved, limit) = (queue.reserved(), self.limit());
                        queue.withdraw(ticket, limit);
                        drop(queue);
                        changed.notify_all();
                        return Err(MemoryError::ReservationTimeout { requested: bytes, reserved, limit, waited });
                    };
                    changed.wait_timeout(queue, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        Ok(())
    }

    fn release(&self, bytes: usize) {
        self.queue().release(bytes, self.limit());
        self.0.changed.notify_all();
    }
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBudget")
            .field("limit", &self.limit())
            .field("reserved", &self.reserved())
            .field("waiting", &self.waiting())
            .finish()
    }
}

/// Bytes of a [`MemoryBudget`]. Dropping the reservation frees the bytes for the requests that wait.
#[must_use = "a reservation ends when it is dropped"]
#[derive(Debug)]
pub struct MemoryReservation {
    budget: MemoryBudget,
    bytes: usize,
}

impl MemoryReservation {
    /// Returns the number of reserved bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the budget.
    pub fn budget(&self) -> &MemoryBudget {
        &self.budget
    }

    /// Reserves `bytes` bytes more. Waits until the bytes are free. The request is served before all requests for new
    /// reservations. If the request fails, the reservation does not change.
    ///
    /// # Errors
    /// * [`ReservationTooLarge`](MemoryError::ReservationTooLarge): the limit is lower than the sum.
    /// * [`ReservationContended`](MemoryError::ReservationContended): another reservation already waits to grow. If
    ///   both waited, they could wait for each other forever.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        self.grow_with(bytes, Patience::Unlimited)
    }

    /// Does the same as [`grow`](Self::grow), and waits at most for `timeout`.
    ///
    /// # Errors
    /// * The errors of [`grow`](Self::grow).
    /// * [`ReservationTimeout`](MemoryError::ReservationTimeout): the request was not served in time.
    pub fn grow_within(&mut self, bytes: usize, timeout: Duration) -> Result<()> {
        self.grow_with(bytes, Patience::Limited(timeout))
    }

    fn grow_with(&mut self, bytes: usize, patience: Patience) -> Result<()> {
        let limit = self.budget.limit();
        let sum = self.bytes.saturating_add(bytes);
        if sum > limit {
            return Err(MemoryError::ReservationTooLarge { requested: sum, limit });
        }
        let mut queue = self.budget.queue();
        let ticket = match queue.grow(bytes, limit) {
            Ok(ticket) => ticket,
            Err(queue::Contended) => {
                return Err(MemoryError::ReservationContended { requested: bytes, held: self.bytes });
            }
        };
        self.budget.wait(queue, ticket, bytes, patience)?;
        self.bytes = sum;
        Ok(())
    }

    /// Frees `bytes` of the reserved bytes, or all reserved bytes if they are fewer.
    pub fn shrink(&mut self, bytes: usize) {
        let freed = bytes.min(self.bytes);
        self.bytes -= freed;
        self.budget.release(freed);
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}
