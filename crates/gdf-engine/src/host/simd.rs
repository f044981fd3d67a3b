//! Inner loops that are compiled for the vector instructions of the CPU.
//!
//! [`vectorized!`] compiles a function for two newer levels as well, and chooses a level at each call. Each call should
//! therefore process several thousand rows. All levels compile the same source and never contract floating-point
//! operations, so the results are the same.

use bytemuck::Pod;

/// The instructions of this CPU. Only [`level`] makes the value, so that a value proves that the CPU has them.
///
/// ```compile_fail
/// # use gdf_engine as engine;
/// let wrong = engine::host::simd::Level(2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(Features);

impl Level {
    /// Returns whether the CPU has AVX2 and the related bit instructions.
    #[inline]
    pub fn has_avx2(self) -> bool {
        self.0 >= Features::Avx2
    }

    /// Returns whether the CPU has AVX-512 with the extensions F, BW, CD, DQ and VL.
    #[inline]
    pub fn has_avx512(self) -> bool {
        self.0 >= Features::Avx512
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(dead_code, reason = "other architectures have the base alone")]
enum Features {
    /// The features of every CPU of the architecture.
    Base,
    /// AVX2 and the related bit instructions, which most CPUs since 2013 have.
    Avx2,
    /// AVX-512 with the extensions F, BW, CD, DQ and VL.
    Avx512,
}

/// Returns the level of this CPU, which is detected once.
#[inline]
pub fn level() -> Level {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        static LEVEL: std::sync::OnceLock<Level> = std::sync::OnceLock::new();
        return *LEVEL.get_or_init(|| {
            macro_rules! has {
                ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
            }
            // Each list must equal the list of the same level in `compiled_for!`.
            let avx2 = has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt");
            if avx2 && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
                Level(Features::Avx512)
            } else if avx2 {
                Level(Features::Avx2)
            } else {
                Level(Features::Base)
            }
        });
    }
    #[allow(unreachable_code, reason = "the only way elsewhere")]
    Level(Features::Base)
}

/// Returns the result of the body, compiled for the features of a level, if `$found` is at least that level. Generic
/// parameters are written in square brackets.
///
/// The macro is sound for every caller. The features are in the macro, `$found` can only be a [`Level`], and the unsafe
/// block contains nothing of the caller's except for the names of the arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! compiled_for {
    (
        Avx512 <= $found:expr,
        $([$($generics:tt)*])? ($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            fn compiled $(<$($generics)*>)? ($($arg: $type),*) $(-> $result)? $body
            if $crate::host::simd::Level::has_avx512($found) {
                // SAFETY: the only requirement of the call is that the CPU has the features. A `Level` is made by
                // `level` alone, which has detected them.
                return unsafe { compiled($($arg),*) };
            }
        }
    };
    (
        Avx2 <= $found:expr,
        $([$($generics:tt)*])? ($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn compiled $(<$($generics)*>)? ($($arg: $type),*) $(-> $result)? $body
            if $crate::host::simd::Level::has_avx2($found) {
                // SAFETY: as above.
                return unsafe { compiled($($arg),*) };
            }
        }
    };
}

/// Defines a function whose body is compiled for each [`Level`]. Generic parameters are written in square brackets.
/// Functions that the body calls are compiled for a level only if they are inlined.
#[doc(hidden)]
#[macro_export]
macro_rules! vectorized {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $([$($generics:tt)*])? ($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name $(<$($generics)*>)? ($($arg: $type),*) $(-> $result)? {
            #[inline(always)]
            fn body $(<$($generics)*>)? ($($arg: $type),*) $(-> $result)? $body
            let level = $crate::host::simd::level();
            $crate::host::simd::compiled_for! {
                Avx512 <= level, $([$($generics)*])? ($($arg: $type),*) $(-> $result)? { body($($arg),*) }
            }
            $crate::host::simd::compiled_for! {
                Avx2 <= level, $([$($generics)*])? ($($arg: $type),*) $(-> $result)? { body($($arg),*) }
            }
            body($($arg),*)
        }
    };
}

pub use {compiled_for, vectorized};

vectorized! {
    /// Returns a bit for each of the first 64 values, which is set if `is` returns true.
    pub fn test_word[T: Copy](values: &[T], is: &impl Fn(T) -> bool) -> u64 {
        // If there are 64 values, the compiler knows the number of iterations and vectorizes the loop.
        match values.first_chunk::<64>() {
            Some(whole) => whole.iter().enumerate().fold(0, |bits, (row, value)| bits | u64::from(is(*value)) << row),
            None => values.iter().enumerate().fold(0, |bits, (row, value)| bits | u64::from(is(*value)) << row),
        }
    }
}

vectorized! {
    /// Returns the smallest and the largest value.
    pub fn ends_of[T: Copy + Ord](values: &[T]) -> Option<(T, T)> {
        let first = *values.first()?;
        Some(values.iter().fold((first, first), |(min, max), value| (min.min(*value), max.max(*value))))
    }
}

/// Moves the bits of `word` at the set bits of `mask` to the low bits of the result, in their order.
#[inline]
pub fn extract(word: u64, mask: u64) -> u64 {
    compiled_for! { Avx2 <= level(), (word: u64, mask: u64) -> u64 { std::arch::x86_64::_pext_u64(word, mask) } }
    extract_by_steps(word, mask)
}

/// Implements [`extract`] on any CPU (Hacker's Delight, 7-4).
fn extract_by_steps(mut word: u64, mut mask: u64) -> u64 {
    if mask == u64::MAX {
        return word;
    }
    word &= mask;
    if word == 0 {
        return 0;
    }
    let mut gaps = !mask << 1;
    for step in 0..6 {
        // After these lines, a bit of `odd` is set if the bit of `mask` at this position must move by 2^step positions.
        // A bit must move if bit `step` of the number of gaps below it is set.
        let mut odd = gaps ^ (gaps << 1);
        odd ^= odd << 2;
        odd ^= odd << 4;
        odd ^= odd << 8;
        odd ^= odd << 16;
        odd ^= odd << 32;
        let moved = odd & mask;
        mask = (mask ^ moved) | (moved >> (1 << step));
        let bits = word & moved;
        word = (word ^ bits) | (bits >> (1 << step));
        gaps &= !odd;
    }
    word
}

/// Writes the elements of `source` whose bits in `words` are set. Each word has the bits of 64 rows. At most
/// `out.len()` elements are written.
pub fn compact<T: Pod, W: Iterator<Item = u64>>(source: &[T], words: W, out: &mut [T]) {
    if matches!(size_of::<T>(), 4 | 8) {
        compiled_for! {
            Avx512 <= level(), [T: Pod, W: Iterator<Item = u64>](source: &[T], words: W, out: &mut [T]) {
                compact_by_lanes(source, words, out);
            }
        }
    }
    compact_by_rows(source, words, out);
}

fn compact_by_rows<T: Copy>(source: &[T], words: impl Iterator<Item = u64>, mut out: &mut [T]) {
    for (block, mut word) in source.chunks(64).zip(words) {
        let count = (word.count_ones() as usize).min(out.len());
        let (target, rest) = std::mem::take(&mut out).split_at_mut(count);
        out = rest;
        if count == block.len() {
            target.copy_from_slice(block);
        } else if let Ok(whole) = <&[T; 64]>::try_from(block) {
            for slot in target {
                *slot = whole[word.trailing_zeros() as usize & 63];
                word &= word.wrapping_sub(1);
            }
        } else {
            for slot in target {
                let Some(row) = block.get(word.trailing_zeros() as usize) else { break };
                *slot = *row;
                word &= word.wrapping_sub(1);
            }
        }
    }
}

/// Implements [`compact`] for elements of four or eight bytes, with vectors of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,popcnt")]
fn compact_by_lanes<T: Pod>(source: &[T], words: impl Iterator<Item = u64>, out: &mut [T]) {
    use std::arch::x86_64::{__m512i, _mm512_maskz_compress_epi32, _mm512_maskz_compress_epi64};
    const VECTOR: usize = size_of::<__m512i>();
    let (width, lanes) = (size_of::<T>(), VECTOR / size_of::<T>());
    let mut at = 0;
    for (block, word) in source.chunks(64).zip(words) {
        let Ok(whole) = <&[T; 64]>::try_from(block) else {
            return compact_by_rows(block, std::iter::once(word), out.get_mut(at..).unwrap_or_default());
        };
        let (vectors, _) = bytemuck::cast_slice::<T, u8>(whole).as_chunks::<VECTOR>();
        for (group, &vector) in vectors.iter().enumerate() {
            let selected = (word >> (group * lanes)) & (u64::MAX >> (64 - lanes));
            let count = selected.count_ones() as usize;
            let rows: __m512i = match width {
                8 => _mm512_maskz_compress_epi64(selected as u8, bytemuck::cast(vector)),
                _ => _mm512_maskz_compress_epi32(selected as u16, bytemuck::cast(vector)),
            };
            let rows: [u8; VECTOR] = bytemuck::cast(rows);
            let target: &mut [u8] = bytemuck::cast_slice_mut(out.get_mut(at..).unwrap_or_default());
            match target.first_chunk_mut() {
                // The next vector overwrites the elements after `count`.
                Some(target) => *target = rows,
                None => {
                    let bytes = (count * width).min(target.len());
                    target[..bytes].copy_from_slice(&rows[..bytes]);
                }
            }
            at += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> impl Iterator<Item = u64> + Clone {
        let random = (1..200_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64));
        [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, u64::MAX >> 1, 0xaaaa_aaaa_aaaa_aaaa].into_iter().chain(random)
    }

    fn ones(word: u64) -> impl Iterator<Item = usize> {
        (0..64).filter(move |bit| word >> bit & 1 == 1)
    }

    vectorized! {
        fn sum[T: Copy + Into<i64>](values: &[T], start: i64) -> i64 {
            values.iter().fold(start, |sum, value| sum.wrapping_add((*value).into()))
        }
    }

    #[test]
    fn every_level_gives_the_same() {
        println!("this CPU is at {:?}", level());
        let values: Vec<i32> = (0..1000).map(|i| i * 7 - 3000).collect();
        assert_eq!(sum(&values, 5), 5 + values.iter().map(|value| i64::from(*value)).sum::<i64>());
    }

    #[test]
    fn bits_are_extracted_in_order() {
        for (word, mask) in words().flat_map(|word| words().map(move |mask| (word, mask))) {
            let bits = ones(mask).enumerate();
            let expected = bits.fold(0, |all, (to, from)| all | (word >> from & 1) << to);
            assert_eq!(extract(word, mask), expected, "{word:x} {mask:x}");
            assert_eq!(extract_by_steps(word, mask), expected, "{word:x} {mask:x}");
        }
    }

    fn rows_are_compacted<T: Pod + PartialEq + std::fmt::Debug>(row: impl Fn(usize) -> T) {
        let masks: Vec<u64> = words().collect();
        for len in [0, 1, 63, 64, 65, 640, 64 * masks.len() - 7] {
            let source: Vec<T> = (0..len).map(&row).collect();
            let selected = |at: &usize| masks[at / 64] >> (at % 64) & 1 == 1;
            let expected: Vec<T> = (0..len).filter(selected).map(&row).collect();
            let within = |word: usize| if len - word * 64 >= 64 { u64::MAX } else { (1 << (len % 64)) - 1 };
            let mut out = vec![T::zeroed(); expected.len() + 3];
            let (found, beyond) = out.split_at_mut(expected.len());
            compact(&source, (0..len.div_ceil(64)).map(|word| masks[word] & within(word)), found);
            assert_eq!(found, expected, "{len} rows");
            assert_eq!(beyond, [T::zeroed(); 3], "{len} rows");
            // If `out` is too short, the surplus elements are left out.
            compact(&source, masks.iter().copied(), &mut out[..expected.len() / 2]);
            assert_eq!(out[..expected.len() / 2], expected[..expected.len() / 2]);
        }
    }

    #[test]
    fn selected_rows_are_moved_together() {
        rows_are_compacted(|i| i as u64 * 3 + 1);
        rows_are_compacted(|i| i as u32 * 3 + 1);
        rows_are_compacted(|i| [i as u8, 1, 2, 3, 4, 5, 6, (i >> 8) as u8]);
        rows_are_compacted(|i| i as u16 + 1);
        rows_are_compacted(|i| i as u128 + 1);
    }
}
