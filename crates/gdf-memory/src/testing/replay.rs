//! Logs of allocations, as [`LoggingResource`](crate::LoggingResource) and RMM write them, done again on another resource.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use gdf_driver::Stream;

use crate::{LOG_HEADER, Resource, Result};

/// What a line of a log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Allocates `bytes` as the block of this number.
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

/// A log, made ready to be done again.
#[derive(Clone, Debug, Default)]
pub struct Log {
    steps: Vec<Step>,
    streams: usize,
    blocks: usize,
}

/// What came of a log on a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Blocks allocated or given back.
    pub operations: usize,
    /// Requests refused; giving such blocks back is left out.
    pub refused: usize,
    /// Time for all operations.
    pub time: Duration,
    /// The most bytes outstanding at once, as asked for.
    pub peak_bytes: usize,
}

impl Log {
    /// Reads a log. Columns are found by their names; requests that failed are left out, and so is giving back what was
    /// not allocated in the log.
    ///
    /// # Errors
    /// A text that names the first line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let header: Vec<&str> =
            lines.next().map(|(_, line)| line.split(',').map(str::trim).collect()).unwrap_or_default();
        let column = |name: &str| {
            let missing = || format!("no column {name:?}; the first line should be {LOG_HEADER:?}");
            header.iter().position(|found| *found == name).ok_or_else(missing)
        };
        let (action, pointer, size, stream) =
            (column("Action")?, column("Pointer")?, column("Size")?, column("Stream")?);
        let mut log = Self::default();
        let (mut streams, mut live): (HashMap<&str, usize>, HashMap<u64, usize>) = Default::default();
        for (number, line) in lines {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let cell = |at: usize| cells.get(at).copied().ok_or_else(|| format!("line {}: too short", number + 1));
            let bad = |what: &str| format!("line {}: {what:?} is no number", number + 1);
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

    /// Blocks allocated or given back.
    pub fn operations(&self) -> usize {
        self.steps.len()
    }

    /// Streams named.
    pub fn streams(&self) -> usize {
        self.streams
    }

    /// Does all of it on `resource`, in the log's order on one thread, with a stream for each of the log's. What is left
    /// at the end is given back.
    ///
    /// # Errors
    /// Those of `resource` other than a lack of memory, which is counted.
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
                        // SAFETY: allocated above with this size and alignment, given back once, and never used.
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
        // SAFETY: allocated with this size and alignment, given back once, and never used.
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
        assert_eq!(Log::parse(&bad).unwrap_err(), "line 2: \"many\" is no number");
        assert!(Log::parse(&format!("{LOG_HEADER}\n1,t,free\n")).unwrap_err().contains("too short"));
    }
}
