//! The `Debug` output of a pool. `{:?}` prints numbers on one line. `{:#?}` also prints a map of every region.

use std::fmt::{Debug, Formatter, Result, Write};
use std::sync::PoisonError;

use super::engine::Engine;

const WIDTH: usize = 64;

pub(super) struct Map<'a>(pub(super) &'a Engine);

impl Debug for Map<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write(self.0, f)
    }
}

/// Writes the numbers.
fn write(engine: &Engine, f: &mut Formatter<'_>) -> Result {
    let free = engine.free();
    write!(
        f,
        "{} {{ device: {}, upstream: {}, reserved: {}, used: {}, free: {}, largest: {} }}",
        engine.name,
        engine.device(),
        engine.upstream.name(),
        engine.reserved(),
        engine.used(),
        free.bytes,
        free.largest_block.unwrap_or(0),
    )?;
    if !f.alternate() {
        return Ok(());
    }
    let mut parts: Vec<(usize, usize, char)> = Vec::new();
    for heap in engine.all_heaps() {
        let state = heap.lock();
        let total = state.blocks.total();
        if total > 0 {
            write!(
                f,
                "\n  heap {}: {total} bytes, {} free in {} blocks, {} in use, {} wait for other streams",
                heap.number,
                state.blocks.free(),
                state.blocks.iter().filter(|(.., used)| !used).count(),
                state.blocks.in_use(),
                state.pending.len(),
            )?;
        }
        parts.extend(state.blocks.iter().map(|(address, size, used)| (address, size, if used { '#' } else { '.' })));
    }
    let free_granules = engine.free_granules.lock().unwrap_or_else(PoisonError::into_inner);
    parts.extend(free_granules.spans().map(|span| (span.address, span.size, '~')));
    drop(free_granules);
    parts.sort_unstable();
    for (base, region) in &*engine.regions.read().unwrap_or_else(PoisonError::into_inner) {
        let step = region.range.len().div_ceil(WIDTH).max(1);
        write!(f, "\n  {base:#x} {:>12} bytes ", region.range.len())?;
        for at in region.range.clone().step_by(step) {
            let end = (at + step).min(region.range.end);
            let from = parts.partition_point(|&(address, size, _)| address + size <= at);
            let mut kinds = parts[from..].iter().take_while(|&&(address, ..)| address < end).map(|part| part.2);
            let first = kinds.next().unwrap_or('?');
            f.write_char(if kinds.any(|kind| kind != first) { '+' } else { first })?;
        }
    }
    Ok(())
}
