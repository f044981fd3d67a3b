//! Traces of allocations with fixed seeds, for measuring resources. A C++ program measures RMM with the same traces and
//! the same random numbers.
//!
//! * `pair` allocates and frees blocks of one size.
//! * `churn` allocates and frees blocks at random. The number of blocks is limited.
//! * `threads` runs `churn` on several threads, each with a separate stream.
//! * `shared` allocates blocks on one stream and frees the blocks on another stream.
//! * `full` keeps a pool of fixed size nearly full.

use std::time::Instant;

use gdf_driver::Stream;

use crate::{Buffer, Resource, Result};

/// The random number generator `std::mt19937` of C++.
#[derive(Clone, Debug)]
pub struct Mt19937 {
    state: Box<[u32; 624]>,
    at: usize,
}

impl Mt19937 {
    /// Makes a generator from `seed`. The state equals that of the C++ generator with the same seed.
    pub fn new(seed: u32) -> Self {
        let mut state = Box::new([0_u32; 624]);
        state[0] = seed;
        for i in 1..624 {
            let last = state[i - 1];
            state[i] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { state, at: 624 }
    }

    fn refill(&mut self) {
        for i in 0..624 {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7FFF_FFFF);
            let odd = if y & 1 == 1 { 0x9908_B0DF } else { 0 };
            self.state[i] = self.state[(i + 397) % 624] ^ (y >> 1) ^ odd;
        }
        self.at = 0;
    }

    /// Returns the next number.
    pub fn next_u32(&mut self) -> u32 {
        if self.at == 624 {
            self.refill();
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    /// Returns a number from 1 to `most`. The result equals that of `uniform_int_distribution` of libstdc++.
    pub fn up_to(&mut self, most: u32) -> usize {
        let draw = |rng: &mut Self| u64::from(rng.next_u32()) * u64::from(most);
        let mut product = draw(self);
        if (product as u32) < most {
            let threshold = most.wrapping_neg() % most;
            while (product as u32) < threshold {
                product = draw(self);
            }
        }
        (product >> 32) as usize + 1
    }
}

/// The kind of memory that a trace allocates: plain blocks of a resource, or buffers, which follow the lifetime rule.
pub trait Blocks {
    /// An allocated block.
    type Block;

    /// Allocates a block of `bytes` bytes on the stream of the trace.
    ///
    /// # Errors
    /// The errors of the resource.
    fn take(&self, bytes: usize) -> Result<Self::Block>;

    /// Frees a block.
    fn give(&self, block: Self::Block);
}

/// Allocates buffers, which follow the lifetime rule.
#[derive(Debug)]
pub struct Buffers<'a>(pub &'a Resource, pub &'a Stream);

impl Blocks for Buffers<'_> {
    type Block = Buffer;

    fn take(&self, bytes: usize) -> Result<Buffer> {
        Buffer::uninitialized(bytes, self.1, self.0.as_ref())
    }

    fn give(&self, block: Buffer) {
        drop(block);
    }
}

/// Allocates plain blocks of a resource, without buffers.
#[derive(Debug)]
pub struct Bare<'a>(pub &'a Resource, pub &'a Stream);

impl Blocks for Bare<'_> {
    type Block = (std::ptr::NonNull<u8>, usize);

    fn take(&self, bytes: usize) -> Result<Self::Block> {
        Ok((self.0.allocate(bytes, 256, self.1)?, bytes))
    }

    fn give(&self, (ptr, bytes): Self::Block) {
        // SAFETY: `take` allocated the block with this size and alignment. A trace frees each block once, and no work
        // uses the block.
        unsafe { self.0.deallocate(ptr, bytes, 256, self.1) };
    }
}

/// Allocates and frees one block of `bytes` bytes, `rounds` times. Returns the nanoseconds per round.
///
/// # Errors
/// The errors of the resource.
pub fn pair(blocks: &impl Blocks, bytes: usize, rounds: usize) -> Result<f64> {
    for _ in 0..rounds / 100 + 1 {
        blocks.give(blocks.take(bytes)?);
    }
    let start = Instant::now();
    for _ in 0..rounds {
        blocks.give(blocks.take(bytes)?);
    }
    Ok(start.elapsed().as_nanos() as f64 / rounds as f64)
}

/// Makes `operations` random allocations and frees. At most `live` blocks of up to `most` bytes are allocated at the
/// same time. Returns the nanoseconds per operation.
///
/// # Errors
/// The errors of the resource.
pub fn churn(blocks: &impl Blocks, operations: usize, live: usize, seed: u32, most: u32) -> Result<f64> {
    let mut rng = Mt19937::new(seed);
    let mut held = Vec::with_capacity(live + 1);
    let start = Instant::now();
    for _ in 0..operations {
        if held.is_empty() || (held.len() < live && rng.next_u32() & 1 == 1) {
            held.push(blocks.take(rng.up_to(most))?);
        } else {
            let at = rng.next_u32() as usize % held.len();
            blocks.give(held.swap_remove(at));
        }
    }
    let time = start.elapsed().as_nanos() as f64 / operations as f64;
    held.into_iter().for_each(|block| blocks.give(block));
    Ok(time)
}

/// Runs `churn` on `threads` threads, each with a separate stream. Returns the wall-clock nanoseconds per operation.
///
/// # Errors
/// The errors of the resource and of making streams.
pub fn threads(resource: &Resource, threads: usize, operations: usize, most: u32, buffers: bool) -> Result<f64> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let run = |seed: u32| -> Result<f64> {
            let stream = Stream::new(resource.device())?;
            if buffers {
                churn(&Buffers(resource, &stream), operations, 200, seed, most)
            } else {
                churn(&Bare(resource, &stream), operations, 200, seed, most)
            }
        };
        let all: Vec<_> = (0..threads as u32).map(|thread| scope.spawn(move || run(100 + thread))).collect();
        let wait = |thread: std::thread::ScopedJoinHandle<'_, Result<f64>>| match thread.join() {
            Ok(outcome) => outcome.map(|_| ()),
            Err(panic) => std::panic::resume_unwind(panic),
        };
        all.into_iter().try_for_each(wait)
    })?;
    Ok(start.elapsed().as_nanos() as f64 / (operations * threads) as f64)
}

/// Allocates each block on a random stream and frees the block on another random stream. At most `live` blocks are
/// allocated at the same time. The sizes are from one byte to `most` bytes. The number of bits of a size is uniformly
/// distributed. Returns the nanoseconds per operation.
///
/// # Errors
/// The errors of the resource.
pub fn shared(resource: &Resource, streams: &[Stream], operations: usize, live: usize, most: u32) -> Result<f64> {
    let mut rng = Mt19937::new(11);
    let mut held = Vec::with_capacity(live + 1);
    let bits = most.ilog2() + 1;
    let start = Instant::now();
    for _ in 0..operations {
        let stream = &streams[rng.next_u32() as usize % streams.len()];
        if held.is_empty() || (held.len() < live && rng.next_u32() & 1 == 1) {
            let bytes = (rng.next_u32() & most.wrapping_sub(1) & (u32::MAX >> (32 - rng.up_to(bits)))) as usize + 1;
            held.push(Bare(resource, stream).take(bytes)?);
        } else {
            let at = rng.next_u32() as usize % held.len();
            Bare(resource, stream).give(held.swap_remove(at));
        }
    }
    let time = start.elapsed().as_nanos() as f64 / operations as f64;
    held.into_iter().for_each(|block| Bare(resource, &streams[0]).give(block));
    Ok(time)
}

/// Allocates up to `percent` percent of `capacity` bytes on several streams. The sizes are from one byte to `most`
/// bytes. The number of bits of a size is uniformly distributed. Blocks are freed in random order, on the stream of
/// their allocation. Returns the nanoseconds per operation and the number of refused requests.
///
/// # Errors
/// The errors of the resource, except out-of-memory errors, which are counted.
pub fn full(
    resource: &Resource,
    streams: &[Stream],
    operations: usize,
    capacity: usize,
    percent: usize,
    most: u32,
) -> Result<(f64, usize)> {
    let mut rng = Mt19937::new(13);
    let (mut held, mut used, mut refused) = (Vec::new(), 0, 0);
    let bits = most.ilog2() + 1;
    let start = Instant::now();
    for _ in 0..operations {
        let at = rng.next_u32() as usize % streams.len();
        let bytes = (rng.next_u32() & most.wrapping_sub(1) & (u32::MAX >> (32 - rng.up_to(bits)))) as usize + 1;
        if used + bytes <= capacity / 100 * percent {
            match Bare(resource, &streams[at]).take(bytes) {
                Ok(block) => {
                    held.push((block, at));
                    used += bytes;
                }
                Err(error) if error.is_out_of_memory() => refused += 1,
                Err(error) => return Err(error),
            }
        } else {
            let (block, at) = held.swap_remove(rng.next_u32() as usize % held.len());
            used -= block.1;
            Bare(resource, &streams[at]).give(block);
        }
    }
    let time = start.elapsed().as_nanos() as f64 / operations as f64;
    held.into_iter().for_each(|(block, at)| Bare(resource, &streams[at]).give(block));
    Ok((time, refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_that_of_cpp() {
        let mut rng = Mt19937::new(5489);
        let last = (0..10_000).map(|_| rng.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995), "the C++ standard names the 10000th number");
        assert!((0..1000).all(|_| (1..=7).contains(&rng.up_to(7))));
    }
}
