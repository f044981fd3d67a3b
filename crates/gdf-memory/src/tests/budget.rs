//! Tests of budgets with threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use gdf_driver::Stream;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::{Buffer, HostResource, MemoryBudget, MemoryError, Resource, SpillManager, SpillOptions};

fn until_waiting(budget: &MemoryBudget, count: usize) {
    let since = Instant::now();
    while budget.waiting() != count {
        assert!(since.elapsed() < Duration::from_secs(60), "{budget:?}");
        std::thread::yield_now();
    }
}

#[test]
fn requests_are_served_first_in_first_out() {
    let budget = MemoryBudget::new(10);
    let first = budget.reserve(10).unwrap();
    let (sender, served) = channel();
    std::thread::scope(|scope| {
        for (at, bytes) in [8, 9, 1, 10].into_iter().enumerate() {
            let (budget, sender) = (&budget, sender.clone());
            scope.spawn(move || {
                let reservation = budget.reserve(bytes).unwrap();
                sender.send(bytes).unwrap();
                drop(reservation);
            });
            until_waiting(budget, at + 1);
        }
        drop(first);
    });
    // The requests of 9 and of 1 bytes fit together, so that either may report first.
    let mut order: Vec<usize> = served.try_iter().collect();
    order[1..3].sort_unstable();
    assert_eq!(order, [8, 1, 9, 10]);
    assert_eq!((budget.reserved(), budget.waiting()), (0, 0));
}

#[test]
fn requests_that_cannot_be_served_are_errors() {
    let budget = MemoryBudget::new(10);
    assert_eq!(budget.reserve(11).unwrap_err(), MemoryError::ReservationTooLarge { requested: 11, limit: 10 });
    let mut held = budget.reserve(6).unwrap();
    let late = budget.reserve_within(5, Duration::from_millis(5)).unwrap_err();
    let MemoryError::ReservationTimeout { requested: 5, reserved: 6, limit: 10, waited } = late else {
        panic!("{late}");
    };
    assert!(waited >= Duration::from_millis(5));
    assert_eq!(held.grow(5).unwrap_err(), MemoryError::ReservationTooLarge { requested: 11, limit: 10 });
    let other = budget.reserve(3).unwrap();
    assert!(matches!(held.grow_within(2, Duration::ZERO), Err(MemoryError::ReservationTimeout { .. })));
    assert_eq!((held.bytes(), budget.reserved(), budget.waiting()), (6, 9, 0));
    std::thread::scope(|scope| {
        let mut other = other;
        let grows = scope.spawn(move || held.grow(3).map(|()| held.bytes()));
        until_waiting(&budget, 1);
        // Another reservation cannot wait to grow. If the other reservation shrinks, the first reservation is served.
        let refused = other.grow(1).unwrap_err();
        assert_eq!(refused, MemoryError::ReservationContended { requested: 1, held: 3 });
        assert!(refused.to_string().contains("another reservation waits to grow"));
        other.shrink(2);
        assert_eq!(grows.join().unwrap(), Ok(9));
    });
    assert_eq!(budget.reserved(), 0);
}

#[test]
fn a_request_that_gives_up_lets_later_requests_pass() {
    let budget = MemoryBudget::new(10);
    let held = budget.reserve(5).unwrap();
    std::thread::scope(|scope| {
        let large = scope.spawn(|| budget.reserve_within(6, Duration::from_millis(200)).map(drop));
        until_waiting(&budget, 1);
        let small = scope.spawn(|| budget.reserve(5).map(drop));
        assert!(matches!(large.join().unwrap(), Err(MemoryError::ReservationTimeout { .. })));
        assert_eq!(small.join().unwrap(), Ok(()));
    });
    drop(held);
}

/// Many threads reserve, grow, shrink and end. The test counts the reserved bytes independently of the budget.
#[test]
fn threads_stay_below_the_limit_and_all_end() {
    const LIMIT: usize = 1000;
    let (budget, held, grown) = (MemoryBudget::new(LIMIT), AtomicUsize::new(0), AtomicUsize::new(0));
    let add = |bytes: usize| {
        let sum = held.fetch_add(bytes, Ordering::SeqCst) + bytes;
        assert!(sum <= LIMIT, "{sum}");
    };
    let less = |bytes: usize| _ = held.fetch_sub(bytes, Ordering::SeqCst);
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let (budget, grown) = (&budget, &grown);
            scope.spawn(move || {
                let mut rng = SmallRng::seed_from_u64(seed);
                for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
                    let mut reservation = match rng.random_bool(0.2) {
                        true => match budget.reserve_within(rng.random_range(0..=LIMIT), Duration::from_micros(50)) {
                            Ok(reservation) => reservation,
                            Err(MemoryError::ReservationTimeout { .. }) => continue,
                            Err(error) => panic!("{error}"),
                        },
                        false => budget.reserve(rng.random_range(0..=LIMIT)).unwrap(),
                    };
                    add(reservation.bytes());
                    let more = rng.random_range(0..=LIMIT - reservation.bytes());
                    match reservation.grow(more) {
                        Ok(()) => {
                            grown.fetch_add(1, Ordering::Relaxed);
                            add(more);
                        }
                        Err(MemoryError::ReservationContended { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    let freed = rng.random_range(0..=reservation.bytes());
                    less(freed);
                    reservation.shrink(freed);
                    less(reservation.bytes());
                }
            });
        }
    });
    assert!(grown.load(Ordering::Relaxed) > 0);
    assert_eq!((budget.reserved(), budget.waiting()), (0, 0));
}

#[test]
fn a_spill_manager_has_a_budget_of_its_limit() {
    let manager = |options| SpillManager::new(Resource::new(HostResource::new()), options);
    let unlimited = manager(SpillOptions::new());
    assert_eq!(unlimited.budget().limit(), usize::MAX);
    let limited = manager(SpillOptions::new().with_hard_limit(10_000).with_reservation_timeout(Duration::ZERO));
    let held = limited.reserve(8_000).unwrap();
    assert!(matches!(limited.clone().reserve(3_000), Err(MemoryError::ReservationTimeout { .. })));
    // An allocation does not change the number of reserved bytes.
    let bytes = Buffer::zeroed(9_000, &Stream::cpu(), limited.resource().as_ref()).unwrap();
    assert_eq!((bytes.len(), limited.budget().reserved()), (9_000, 8_000));
    drop(held);
    assert!(limited.reserve(3_000).is_ok());
}
