//! MurmurHash3 and XXHash of bytes, and the combination of the hashes of a row's columns.
//! `kernels/include/gdf/hash_functions.cuh` contains the same functions for CUDA.

use bytemuck::Pod;
use gdf_kernels::generated::hashing::{FoldHashesKernel, HashKernel};

/// A hash function of rows.
pub trait Function: 'static {
    /// The type of a hash: one word or two words.
    type Value: Pod + Send + Sync + PartialEq + std::fmt::Debug;
    type Seed: Pod + Send + Sync + Into<u64>;
    const KERNEL: HashKernel;
    /// The hash function whose [`combine`](Self::combine) combines the hashes of the items of a nested row. Each word
    /// of the hashes is combined separately.
    type Fold: Function;
    /// The kernel that combines the hashes of the items of nested rows, one word at a time.
    const FOLD: FoldHashesKernel;
    /// The number of words of a hash. The result has one column per word.
    const WORDS: usize;
    /// Whether −0.0 has the hash of 0.0.
    const ONE_ZERO: bool;
    const NULL: Self::Value;

    fn hash(bytes: &[u8], seed: Self::Seed) -> Self::Value;

    /// Combines the hash of the preceding columns of a row with the hash of the next column.
    fn combine(before: Self::Value, value: Self::Value) -> Self::Value;

    /// Returns the seed for a column that is not the first.
    fn seed_after(_before: Self::Value, seed: Self::Seed) -> Self::Seed {
        seed
    }

    /// Returns word `_word` of a hash of two words. Column `_word` of the result consists of these words. The result is
    /// `None` for hashes of one word.
    fn word(_value: Self::Value, _word: usize) -> Option<u64> {
        None
    }
}

/// MurmurHash3_x86_32.
pub enum Murmur32 {}
/// MurmurHash3_x64_128.
pub enum Murmur128 {}
/// XXH32.
pub enum XxHash32 {}
/// XXH64.
pub enum XxHash64 {}

fn combine32(before: u32, value: u32) -> u32 {
    let mixed = value.wrapping_add(0x9e37_79b9).wrapping_add(before << 6).wrapping_add(before >> 2);
    before ^ mixed
}

/// Returns up to eight bytes as a little-endian word. The missing bytes are zero.
fn partial(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

impl Function for Murmur32 {
    type Value = u32;
    type Seed = u32;
    const KERNEL: HashKernel = HashKernel::Murmurhash3X8632;
    type Fold = Self;
    const FOLD: FoldHashesKernel = FoldHashesKernel::Narrow;
    const WORDS: usize = 1;
    const ONE_ZERO: bool = true;
    const NULL: u32 = u32::MAX;

    #[inline(always)]
    fn hash(bytes: &[u8], seed: u32) -> u32 {
        let mix = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        let (blocks, tail) = bytes.as_chunks::<4>();
        let mut h = seed;
        for block in blocks {
            h = (h ^ mix(u32::from_le_bytes(*block))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
        if !tail.is_empty() {
            h ^= mix(partial(tail) as u32);
        }
        h ^= bytes.len() as u32;
        h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        h ^ h >> 16
    }

    #[inline(always)]
    fn combine(before: u32, value: u32) -> u32 {
        combine32(before, value)
    }
}

impl Function for Murmur128 {
    type Value = [u64; 2];
    type Seed = u64;
    const KERNEL: HashKernel = HashKernel::Murmurhash3X64128;
    type Fold = XxHash64;
    const FOLD: FoldHashesKernel = FoldHashesKernel::Wide;
    const WORDS: usize = 2;
    const ONE_ZERO: bool = false;
    const NULL: [u64; 2] = [u64::MAX; 2];

    #[inline(always)]
    fn hash(bytes: &[u8], seed: u64) -> [u64; 2] {
        const C1: u64 = 0x87c3_7b91_1142_53d5;
        const C2: u64 = 0x4cf5_ad43_2745_937f;
        let mix1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
        let mix2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
        let finish = |mut h: u64| {
            h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
            h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            h ^ h >> 33
        };
        let (mut h1, mut h2) = (seed, seed);
        let (blocks, tail) = bytes.as_chunks::<16>();
        for block in blocks {
            h1 ^= mix1(partial(&block[..8]));
            h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
            h2 ^= mix2(partial(&block[8..]));
            h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
        }
        let (first, second) = tail.split_at(tail.len().min(8));
        // If `second` is empty, `partial` returns 0, and the XOR changes nothing.
        h2 ^= mix2(partial(second));
        h1 ^= mix1(partial(first));
        h1 ^= bytes.len() as u64;
        h2 ^= bytes.len() as u64;
        h1 = h1.wrapping_add(h2);
        h2 = h2.wrapping_add(h1);
        h1 = finish(h1);
        h2 = finish(h2);
        h1 = h1.wrapping_add(h2);
        [h1, h2.wrapping_add(h1)]
    }

    #[inline(always)]
    fn combine(_before: [u64; 2], value: [u64; 2]) -> [u64; 2] {
        value
    }

    #[inline(always)]
    fn seed_after(before: [u64; 2], _seed: u64) -> u64 {
        before[0]
    }

    #[inline(always)]
    fn word(value: [u64; 2], word: usize) -> Option<u64> {
        value.get(word).copied()
    }
}

impl Function for XxHash32 {
    type Value = u32;
    type Seed = u32;
    const KERNEL: HashKernel = HashKernel::Xxhash32;
    type Fold = Self;
    const FOLD: FoldHashesKernel = FoldHashesKernel::Narrow;
    const WORDS: usize = 1;
    const ONE_ZERO: bool = true;
    const NULL: u32 = u32::MAX;

    #[inline(always)]
    fn hash(bytes: &[u8], seed: u32) -> u32 {
        const P: [u32; 5] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1];
        let mut h = seed.wrapping_add(P[4]);
        let (stripes, rest) = bytes.as_chunks::<16>();
        if !stripes.is_empty() {
            let mut lanes =
                [seed.wrapping_add(P[0]).wrapping_add(P[1]), seed.wrapping_add(P[1]), seed, seed.wrapping_sub(P[0])];
            for stripe in stripes {
                for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<4>().0) {
                    let word = u32::from_le_bytes(*word).wrapping_mul(P[1]);
                    *lane = lane.wrapping_add(word).rotate_left(13).wrapping_mul(P[0]);
                }
            }
            let [a, b, c, d] = lanes;
            h = a.rotate_left(1).wrapping_add(b.rotate_left(7)).wrapping_add(c.rotate_left(12));
            h = h.wrapping_add(d.rotate_left(18));
        }
        h = h.wrapping_add(bytes.len() as u32);
        let (words, tail) = rest.as_chunks::<4>();
        for word in words {
            let word = u32::from_le_bytes(*word).wrapping_mul(P[2]);
            h = h.wrapping_add(word).rotate_left(17).wrapping_mul(P[3]);
        }
        for byte in tail {
            h = h.wrapping_add(u32::from(*byte).wrapping_mul(P[4])).rotate_left(11).wrapping_mul(P[0]);
        }
        h = (h ^ h >> 15).wrapping_mul(P[1]);
        h = (h ^ h >> 13).wrapping_mul(P[2]);
        h ^ h >> 16
    }

    #[inline(always)]
    fn combine(before: u32, value: u32) -> u32 {
        combine32(before, value)
    }
}

impl Function for XxHash64 {
    type Value = u64;
    type Seed = u64;
    const KERNEL: HashKernel = HashKernel::Xxhash64;
    type Fold = Self;
    const FOLD: FoldHashesKernel = FoldHashesKernel::Wide;
    const WORDS: usize = 1;
    const ONE_ZERO: bool = false;
    const NULL: u64 = u64::MAX;

    #[inline(always)]
    fn hash(bytes: &[u8], seed: u64) -> u64 {
        const P: [u64; 5] = [
            0x9e37_79b1_85eb_ca87,
            0xc2b2_ae3d_27d4_eb4f,
            0x1656_67b1_9e37_79f9,
            0x85eb_ca77_c2b2_ae63,
            0x27d4_eb2f_1656_67c5,
        ];
        let round =
            |lane: u64, word: u64| lane.wrapping_add(word.wrapping_mul(P[1])).rotate_left(31).wrapping_mul(P[0]);
        let mut h = seed.wrapping_add(P[4]);
        let (stripes, rest) = bytes.as_chunks::<32>();
        if !stripes.is_empty() {
            let mut lanes =
                [seed.wrapping_add(P[0]).wrapping_add(P[1]), seed.wrapping_add(P[1]), seed, seed.wrapping_sub(P[0])];
            for stripe in stripes {
                for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                    *lane = round(*lane, u64::from_le_bytes(*word));
                }
            }
            let [a, b, c, d] = lanes;
            h = a.rotate_left(1).wrapping_add(b.rotate_left(7)).wrapping_add(c.rotate_left(12));
            h = h.wrapping_add(d.rotate_left(18));
            for lane in lanes {
                h = (h ^ round(0, lane)).wrapping_mul(P[0]).wrapping_add(P[3]);
            }
        }
        h = h.wrapping_add(bytes.len() as u64);
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            h = (h ^ round(0, u64::from_le_bytes(*word))).rotate_left(27).wrapping_mul(P[0]).wrapping_add(P[3]);
        }
        let (halves, tail) = rest.as_chunks::<4>();
        for half in halves {
            let half = u64::from(u32::from_le_bytes(*half)).wrapping_mul(P[0]);
            h = (h ^ half).rotate_left(23).wrapping_mul(P[1]).wrapping_add(P[2]);
        }
        for byte in tail {
            h = (h ^ u64::from(*byte).wrapping_mul(P[4])).rotate_left(11).wrapping_mul(P[0]);
        }
        h = (h ^ h >> 33).wrapping_mul(P[1]);
        h = (h ^ h >> 29).wrapping_mul(P[2]);
        h ^ h >> 32
    }

    #[inline(always)]
    fn combine(before: u64, value: u64) -> u64 {
        let mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(before << 6).wrapping_add(before >> 2);
        before ^ mixed
    }
}
