//! Ways for tests to bring about what is hard to bring about.
#![doc(hidden)]

use crate::{Device, Status, poison};

/// Makes `device` unusable for the rest of the process, as if `status` had come from the driver. The CPU stays usable.
pub fn poison(device: Device, status: Status) {
    poison::set(device, status);
}
