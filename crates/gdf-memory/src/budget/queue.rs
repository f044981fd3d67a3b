//! The requests of a budget: which of them are served, and in which order. This module neither waits nor locks.

use std::collections::VecDeque;

pub(super) type Ticket = u64;

/// The error of a request to grow a reservation while another reservation waits to grow.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contended;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Request {
    ticket: Ticket,
    bytes: usize,
}

/// The sum of all reservations, and the requests that wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Queue {
    reserved: usize,
    peak: usize,
    next: Ticket,
    /// The request of the reservation that waits to grow.
    growing: Option<Request>,
    /// The requests for new reservations.
    waiting: VecDeque<Request>,
}

impl Queue {
    pub(super) fn reserved(&self) -> usize {
        self.reserved
    }

    pub(super) fn peak(&self) -> usize {
        self.peak
    }

    pub(super) fn reset_peak(&mut self) {
        self.peak = self.reserved;
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len() + usize::from(self.growing.is_some())
    }

    /// Requests a new reservation. Returns the ticket of the request if the request has to wait.
    pub(super) fn request(&mut self, bytes: usize, limit: usize) -> Option<Ticket> {
        let request = self.new_request(bytes);
        let ticket = request.ticket;
        self.waiting.push_back(request);
        self.serve(limit);
        self.waits(ticket).then_some(ticket)
    }

    /// Requests more bytes for a reservation. Returns the ticket of the request if the request has to wait.
    pub(super) fn grow(&mut self, bytes: usize, limit: usize) -> Result<Option<Ticket>, Contended> {
        if self.growing.is_some() {
            return Err(Contended);
        }
        let request = self.new_request(bytes);
        let ticket = request.ticket;
        self.growing = Some(request);
        self.serve(limit);
        Ok(self.waits(ticket).then_some(ticket))
    }

    fn new_request(&mut self, bytes: usize) -> Request {
        self.next += 1;
        Request { ticket: self.next, bytes }
    }

    pub(super) fn waits(&self, ticket: Ticket) -> bool {
        self.growing.iter().chain(&self.waiting).any(|request| request.ticket == ticket)
    }

    /// Removes a request that waits.
    pub(super) fn withdraw(&mut self, ticket: Ticket, limit: usize) {
        self.growing.take_if(|request| request.ticket == ticket);
        self.waiting.retain(|request| request.ticket != ticket);
        self.serve(limit);
    }

    pub(super) fn release(&mut self, bytes: usize, limit: usize) {
        self.reserved -= bytes;
        self.serve(limit);
    }

    /// Serves the request to grow, then the other requests in their order, up to the first request that does not fit.
    fn serve(&mut self, limit: usize) {
        while let Some(request) = self.growing.as_ref().or(self.waiting.front()) {
            match self.reserved.checked_add(request.bytes).filter(|sum| *sum <= limit) {
                Some(sum) => self.reserved = sum,
                None => return,
            }
            if self.growing.take().is_none() {
                self.waiting.pop_front();
            }
            self.peak = self.peak.max(self.reserved);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const LIMIT: usize = 3;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Thread {
        New,
        /// The thread waits.
        Waits {
            ticket: Ticket,
            held: usize,
            bytes: usize,
        },
        Holds(usize),
        Ended,
    }

    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Model {
        queue: Queue,
        threads: [Thread; 3],
    }

    impl Model {
        /// Numbers the waiting requests by their order, so that there are finitely many states.
        fn numbered(mut self) -> Model {
            let requests: Vec<Ticket> =
                self.queue.growing.iter().chain(&self.queue.waiting).map(|of| of.ticket).collect();
            let number = |ticket| requests.iter().position(|of| *of == ticket).map_or(0, |at| at as Ticket + 1);
            for request in self.queue.growing.iter_mut().chain(&mut self.queue.waiting) {
                request.ticket = number(request.ticket);
            }
            for thread in &mut self.threads {
                if let Thread::Waits { ticket, .. } = thread {
                    *ticket = number(*ticket);
                }
            }
            self.queue.next = requests.len() as Ticket;
            self.queue.reset_peak();
            self
        }

        /// Returns the states to which one step of thread `at` can lead. In a step, the thread reserves, grows, gives
        /// up, is woken, or ends.
        fn after(&self, at: usize) -> Vec<Model> {
            let mut found = Vec::new();
            let mut step = |queue: Queue, to: Thread| {
                let mut threads = self.threads;
                threads[at] = to;
                found.push(Model { queue, threads }.numbered());
            };
            let after = |ticket: Option<Ticket>, held: usize, bytes: usize| match ticket {
                Some(ticket) => Thread::Waits { ticket, held, bytes },
                None => Thread::Holds(held + bytes),
            };
            match self.threads[at] {
                Thread::New => {
                    for bytes in 0..=LIMIT {
                        let mut queue = self.queue.clone();
                        let ticket = queue.request(bytes, LIMIT);
                        step(queue, after(ticket, 0, bytes));
                    }
                }
                Thread::Waits { ticket, held, bytes } if !self.queue.waits(ticket) => {
                    step(self.queue.clone(), Thread::Holds(held + bytes));
                }
                Thread::Waits { ticket, held, .. } => {
                    let mut queue = self.queue.clone();
                    queue.withdraw(ticket, LIMIT);
                    step(queue, if held == 0 { Thread::Ended } else { Thread::Holds(held) });
                }
                Thread::Holds(held) => {
                    let mut ended = self.queue.clone();
                    ended.release(held, LIMIT);
                    step(ended, Thread::Ended);
                    for bytes in 1..=LIMIT - held {
                        let mut grown = self.queue.clone();
                        if let Ok(ticket) = grown.grow(bytes, LIMIT) {
                            step(grown, after(ticket, held, bytes));
                        }
                    }
                }
                Thread::Ended => {}
            }
            found
        }

        fn check(&self) {
            let Model { queue, threads } = self;
            let waits = |thread: &Thread| matches!(thread, Thread::Waits { ticket, .. } if queue.waits(*ticket));
            let held = threads.iter().map(|thread| match thread {
                Thread::Waits { held, .. } if waits(thread) => *held,
                Thread::Waits { held, bytes, .. } => held + bytes,
                Thread::Holds(held) => *held,
                Thread::New | Thread::Ended => 0,
            });
            assert_eq!(queue.reserved(), held.sum::<usize>(), "{self:?}");
            assert!(queue.reserved() <= LIMIT, "{self:?}");
            let ended = threads.iter().filter(|thread| **thread == Thread::Ended).count();
            // A thread can go on if it holds bytes without waiting, or if its request was served.
            let goes_on = |thread: &Thread| match thread {
                Thread::Waits { .. } => !waits(thread),
                thread => matches!(thread, Thread::Holds(_)),
            };
            assert!(threads.iter().any(goes_on) || !threads.iter().any(waits), "all threads wait: {self:?}");
            assert!(ended < threads.len() || *queue == Queue::default(), "{self:?}");
        }
    }

    #[test]
    fn no_order_of_requests_exceeds_the_limit_or_makes_all_threads_wait() {
        let first = Model { queue: Queue::default(), threads: [Thread::New; 3] };
        let (mut seen, mut open) = (HashSet::from([first.clone()]), vec![first]);
        while let Some(model) = open.pop() {
            model.check();
            let steps = (0..model.threads.len()).flat_map(|at| model.after(at));
            open.extend(steps.filter(|model| seen.insert(model.clone())));
        }
        assert!(seen.len() > 1000, "{}", seen.len());
    }

    #[test]
    fn small_requests_do_not_overtake_and_growth_is_first() {
        let mut queue = Queue::default();
        assert_eq!(queue.request(6, 10), None);
        let large = queue.request(5, 10).unwrap();
        let small = queue.request(1, 10).unwrap();
        let grown = queue.grow(5, 10).unwrap().unwrap();
        assert_eq!(queue.grow(1, 10), Err(Contended));
        // The growth that waits keeps the small request waiting, too.
        queue.withdraw(large, 10);
        assert!(queue.waits(small) && queue.waits(grown));
        queue.release(1, 10);
        assert!(!queue.waits(grown) && queue.waits(small));
        queue.release(1, 10);
        assert!(!queue.waits(small));
        assert_eq!((queue.reserved(), queue.waiting()), (10, 0));
    }
}
