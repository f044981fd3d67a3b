//! One thread that lets go of things once GPU work no longer uses them.
//!
//! Freeing host-accessible memory and releasing foreign owners must wait until recorded events have *completed*, and
//! neither a drop nor a driver callback may block. So such endings are handed to this thread.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use gdf_driver::Event;

type Ending = (Vec<Event>, Box<dyn FnOnce() + Send>);

static QUEUE: OnceLock<Option<Sender<Ending>>> = OnceLock::new();

fn queue() -> Option<&'static Sender<Ending>> {
    QUEUE
        .get_or_init(|| {
            let (sender, receiver) = channel();
            std::thread::Builder::new().name("gdf-reaper".into()).spawn(move || run(&receiver)).ok().map(|_| sender)
        })
        .as_ref()
}

fn run(receiver: &Receiver<Ending>) {
    while let Ok((events, ending)) = receiver.recv() {
        for event in events {
            // An event that cannot be queried belongs to a poisoned device, on which nothing runs any more.
            while matches!(event.is_complete(), Ok(false)) {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
        ending();
    }
}

/// Runs `ending` once all `events` have completed: now if they have, else on the reaper thread.
#[doc(hidden)]
pub fn when_complete(events: Vec<Event>, ending: impl FnOnce() + Send + 'static) {
    if events.iter().all(|event| !matches!(event.is_complete(), Ok(false))) {
        return ending();
    }
    let Some(queue) = queue() else {
        tracing::warn!("no reaper thread could be started; memory in use by a GPU is leaked");
        std::mem::forget(ending);
        return;
    };
    if let Err(unsent) = queue.send((events, Box::new(ending))) {
        std::mem::forget(unsent);
    }
}
