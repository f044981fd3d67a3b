//! Replays logs of allocations on another resource. [`LoggingResource`](crate::LoggingResource) and RMM write such
//! logs.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use gdf_driver::Stream;

use crate::{LOG_HEADER, Resource, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Allocates `bytes` bytes. The block gets the number `block`.
    Take {
        block: usize,
        bytes: usize,
        stream: usize,
    },
    Give {
        block: usize,
        bytes: usize,
        stream: usize,
    },
}

/// A parsed log, ready for replay.
#[derive(Clone, Debug, Default)]
pub struct Log {
    steps: Vec<Step>,
    streams: usize,
    blocks: usize,
}

/// The result of replaying a log on a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The number of allocations and frees.
    pub operations: usize,
    /// The number of refused requests. The replay skips the free of a block whose request was refused.
    pub refused: usize,
    /// The total time of all operations.
    pub time: Duration,
    /// The maximum number of bytes that were allocated at the same time. The requested sizes are counted.
    pub peak_bytes: usize,
}

impl Log {
    /// Parses a log. The header line names the columns. The function skips failed requests, and frees of blocks that
    /// the log did not allocate.
    ///
    /// # Errors
    /// A message with the number of the first line that cannot be parsed, or with the name of a missing column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let header: Vec<&str> =
            lines.next().map(|(_, line)| line.split(',').map(str::trim).collect()).unwrap_or_default();
        let column = |name: &str| {
            let missing = || format!("the header has no column {name:?}; the first line must be {LOG_HEADER:?}");
            header.iter().position(|found| *found == name).ok_or_else(missing)
        };
        let (action, pointer, size, stream) =
            (column("Action")?, column("Pointer")?, column("Size")?, column("Stream")?);
        let mut log = Self::default();
        let (mut streams, mut live): (HashMap<&str, usize>, HashMap<u64, usize>) = Default::default();
        for (number, line) in lines {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let cell = |at: usize| {
                cells
                    .get(at)
                    .copied()
                    .ok_or_else(|| format!("line {}: expected more comma-separated fields", number + 1))
            };
            let bad = |what: &str| format!("line {}: {what:?} is not a number", number + 1);
            let bytes: usize = cell(size)?.parse().map_err(|_| bad(cells[size]))?;
            let address = cell(pointer)?.trim_start_matches("0x");
            let address = u64::from_str_radix(address, 16).or(if address == "(nil)" { Ok(0) } else { Err(()) });
            let address = address.map_err(|()| bad(cells[pointer]))?;
            let next = streams.len();
            let stream = *streams.entry(cell(stream)?).or_insert(next);
            match cell(action)? {
                "allocate" if bytes > 0 => {
                    log.steps.push(Step::Take { block: log.blocks, bytes, stream });
                    live.insert(address, log.blocks);
                    log.blocks += 1;
                }
                "free" => {
                    if let Some(block) = live.remove(&address) {
                        log.steps.push(Step::Give { block, bytes, stream });
                    }
                }
                _ => {}
            }
        }
        log.streams = streams.len();
        Ok(log)
    }

    /// Returns the number of allocations and frees.
    pub fn operations(&self) -> usize {
        self.steps.len()
    }

    /// Returns the number of streams in the log.
    pub fn streams(&self) -> usize {
        self.streams
    }

    /// Replays all steps on `resource`, in the order of the log, on one thread. Each stream of the log is replayed on a
    /// separate stream. Blocks that the log does not free are freed at the end.
    ///
    /// # Errors
    /// The errors of `resource`, except out-of-memory errors, which are counted.
    pub fn replay(&self, resource: &Resource) -> Result<Outcome> {
        let streams = (0..self.streams).map(|_| Stream::new(resource.device())).collect::<Result<Vec<_>, _>>()?;
        let mut blocks: Vec<Option<(NonNull<u8>, usize)>> = vec![None; self.blocks];
        let (mut outcome, mut held) = (Outcome { operations: self.steps.len(), ..Outcome::default() }, 0);
        let start = Instant::now();
        for step in &self.steps {
            match *step {
                Step::Take { block, bytes, stream } => match resource.allocate(bytes, 256, &streams[stream]) {
                    Ok(ptr) => {
                        blocks[block] = Some((ptr, bytes));
                        held += bytes;
                        outcome.peak_bytes = outcome.peak_bytes.max(held);
                    }
                    Err(error) if error.is_out_of_memory() => outcome.refused += 1,
                    Err(error) => {
                        give_all(resource, &mut blocks, &streams);
                        return Err(error);
                    }
                },
                Step::Give { block, stream, .. } => {
                    if let Some((ptr, bytes)) = blocks[block].take() {
                        held -= bytes;
                        // SAFETY: the replay allocated the block with this size and alignment. `take` lets the replay
                        // free the block once, and no work uses the block.
                        unsafe { resource.deallocate(ptr, bytes, 256, &streams[stream]) };
                    }
                }
            }
        }
        outcome.time = start.elapsed();
        give_all(resource, &mut blocks, &streams);
        Ok(outcome)
    }
}

fn give_all(resource: &Resource, blocks: &mut [Option<(NonNull<u8>, usize)>], streams: &[Stream]) {
    for (ptr, bytes) in blocks.iter_mut().filter_map(Option::take) {
        // SAFETY: `replay` allocated the block with this size and alignment. `take` lets the block be freed once, and
        // no work uses the block.
        unsafe { resource.deallocate(ptr, bytes, 256, &streams[0]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SpyingResource;
    use crate::{HostResource, LimitingResource};

    const LOG: &str = "Thread,Time,Action,Pointer,Size,Stream\n\
        1,12:00:00.000000,allocate,0x7f00,1000,0x2\n\
        1,12:00:00.000001,allocate,0x8f00,3000,0x3\n\
        1,12:00:00.000002,allocate failure,(nil),99999,0x3\n\
        1,12:00:00.000003,free,0x7f00,1000,0x3\n\
        1,12:00:00.000004,free,0xdead,5,0x3\n\
        1,12:00:00.000005,allocate,0x7f00,2000,0x2\n";

    #[test]
    fn a_log_is_done_again() {
        let log = Log::parse(LOG).unwrap();
        assert_eq!((log.operations(), log.streams()), (4, 2));
        let spy = SpyingResource::new(Resource::new(HostResource::new()));
        let outcome = log.replay(&Resource::new(spy.clone())).unwrap();
        assert_eq!((outcome.operations, outcome.refused, outcome.peak_bytes), (4, 0, 5000));
        assert_eq!((spy.allocations(), spy.outstanding(), spy.faults()), (3, 0, Vec::new()));
        let small = Resource::new(LimitingResource::new(Resource::new(spy.clone()), 4096));
        assert_eq!(log.replay(&small).unwrap().refused, 1);
        assert_eq!(spy.outstanding(), 0);
    }

    #[test]
    fn what_is_no_log_is_named() {
        assert!(Log::parse("").unwrap_err().contains("Action"));
        let bad = format!("{LOG_HEADER}\n1,t,allocate,0x1,many,0x0\n");
        assert_eq!(Log::parse(&bad).unwrap_err(), "line 2: \"many\" is not a number");
        assert!(Log::parse(&format!("{LOG_HEADER}\n1,t,free\n")).unwrap_err().contains("comma-separated"));
    }
}
