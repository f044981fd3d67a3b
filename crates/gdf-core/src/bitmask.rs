//! Functions on bitmasks in host memory. Bits are numbered from the least significant bit of each byte.
//!
//! The masks of results start at bit 0 and are padded with zeros to a multiple of 64 bytes ([`bytes`]).

/// Returns how many 32-bit words hold `n` bits.
pub const fn words(n: usize) -> usize {
    n.div_ceil(32)
}

/// Returns how many bytes hold `n` bits.
pub const fn used_bytes(n: usize) -> usize {
    n.div_ceil(8)
}

/// Returns the number of bytes that a mask of `n` bits gets: [`used_bytes`] rounded up to a multiple of 64.
pub const fn bytes(n: usize) -> usize {
    n.div_ceil(512) * 64
}

/// Returns bit `i`.
///
/// # Panics
/// - `i` is not within `bytes`.
#[inline]
pub fn get_bit(bytes: &[u8], i: usize) -> bool {
    (bytes[i / 8] >> (i % 8)) & 1 == 1
}

/// Sets bit `i` to one.
///
/// # Panics
/// - `i` is not within `bytes`.
#[inline]
pub fn set_bit(bytes: &mut [u8], i: usize) {
    bytes[i / 8] |= 1 << (i % 8);
}

/// Sets bit `i` to zero.
///
/// # Panics
/// - `i` is not within `bytes`.
#[inline]
pub fn clear_bit(bytes: &mut [u8], i: usize) {
    bytes[i / 8] &= !(1 << (i % 8));
}

/// Sets bit `i` to `value`.
///
/// # Panics
/// - `i` is not within `bytes`.
#[inline]
pub fn put_bit(bytes: &mut [u8], i: usize, value: bool) {
    let (byte, bit) = (i / 8, i % 8);
    bytes[byte] = (bytes[byte] & !(1 << bit)) | ((value as u8) << bit);
}

/// Returns a word whose lowest `n` bits are 1 and whose other bits are 0. If `n` is 64 or more, all bits are 1.
#[inline]
pub const fn low_bits(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Returns the `n` bits from `start` on, in the lowest bits of a word. `n` is at most 64. All other bits of the word
/// are zero.
///
/// # Panics
/// - The range is not within `bytes`, or `n` is more than 64.
#[inline]
pub fn load_bits(bytes: &[u8], start: usize, n: usize) -> u64 {
    assert!(n <= 64, "the number of bits must be at most 64");
    if n == 0 {
        return 0;
    }
    let (first, shift) = (start / 8, start % 8);
    let source = &bytes[first..(start + n).div_ceil(8)];
    let mut word = [0u8; 8];
    let low = source.len().min(8);
    word[..low].copy_from_slice(&source[..low]);
    let mut bits = u64::from_le_bytes(word) >> shift;
    if source.len() > 8 {
        // The bits can reach into a ninth byte only if `shift` is above 0.
        bits |= u64::from(source[8]) << (64 - shift);
    }
    bits & low_bits(n)
}

/// Writes the lowest `n` bits of `bits` to `bytes`, from bit `start` on. `n` is at most 64. All other bits of `bytes`
/// keep their values.
///
/// # Panics
/// - The range is not within `bytes`, or `n` is more than 64.
#[inline]
pub fn store_bits(bytes: &mut [u8], start: usize, n: usize, bits: u64) {
    assert!(n <= 64, "the number of bits must be at most 64");
    if n == 0 {
        return;
    }
    let (first, shift) = (start / 8, start % 8);
    let target = &mut bytes[first..(start + n).div_ceil(8)];
    if n == 64 && shift == 0 {
        target.copy_from_slice(&bits.to_le_bytes());
        return;
    }
    let mask = u128::from(low_bits(n)) << shift;
    let value = (u128::from(bits) << shift) & mask;
    for (i, byte) in target.iter_mut().enumerate() {
        let keep = !((mask >> (8 * i)) as u8);
        *byte = (*byte & keep) | (value >> (8 * i)) as u8;
    }
}

/// Returns how many of the `len` bits from bit `start` on are 1.
///
/// # Panics
/// - The range is not within `bytes`.
pub fn count_ones_in_range(bytes: &[u8], start: usize, len: usize) -> usize {
    let head = (8 - start % 8) % 8;
    let head = head.min(len);
    let mut ones = load_bits(bytes, start, head).count_ones() as usize;
    let (start, len) = (start + head, len - head);
    if len == 0 {
        return ones;
    }
    let body = &bytes[start / 8..(start + len).div_ceil(8)];
    let (words, rest) = body[..len / 8].as_chunks::<8>();
    ones += words.iter().map(|word| u64::from_le_bytes(*word).count_ones() as usize).sum::<usize>();
    ones += rest.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
    ones + load_bits(body, len / 8 * 8, len % 8).count_ones() as usize
}

/// Returns how many of the `len` bits from bit `start` on are 0. For a validity mask, the result is the null count.
///
/// # Panics
/// - The range is not within `bytes`.
pub fn count_zeros_in_range(bytes: &[u8], start: usize, len: usize) -> usize {
    len - count_ones_in_range(bytes, start, len)
}

/// Copies `len` bits from bit `source_start` of `source` to bit `target_start` of `target`.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
/// use gdf::core::bitmask;
///
/// let mut target = [0b1000_0001];
/// bitmask::copy_bits(&[0b0011_1000], 3, &mut target, 1, 3);
/// assert_eq!(target, [0b1000_1111]);
/// ```
///
/// # Panics
/// - A range is not within its bytes.
pub fn copy_bits(source: &[u8], source_start: usize, target: &mut [u8], target_start: usize, len: usize) {
    if source_start.is_multiple_of(8) && target_start.is_multiple_of(8) {
        let whole = len / 8;
        target[target_start / 8..][..whole].copy_from_slice(&source[source_start / 8..][..whole]);
        let done = whole * 8;
        let last = load_bits(source, source_start + done, len - done);
        return store_bits(target, target_start + done, len - done, last);
    }
    // This call copies the bits before the first byte boundary of the target, so that the loop can store whole words.
    let head = ((8 - target_start % 8) % 8).min(len);
    store_bits(target, target_start, head, load_bits(source, source_start, head));
    let mut done = head;
    while done < len {
        let n = (len - done).min(64);
        store_bits(target, target_start + done, n, load_bits(source, source_start + done, n));
        done += n;
    }
}

/// Sets `len` bits from `start` on to `value`.
///
/// # Panics
/// - The range is not within `bytes`.
pub fn fill_bits(bytes: &mut [u8], start: usize, len: usize, value: bool) {
    let word = if value { u64::MAX } else { 0 };
    let head = ((8 - start % 8) % 8).min(len);
    store_bits(bytes, start, head, word);
    let (start, len) = (start + head, len - head);
    bytes[start.div_ceil(8)..][..len / 8].fill(word as u8);
    store_bits(bytes, start + len / 8 * 8, len % 8, word);
}

/// Applies `f` to `len` bits of `a` and `len` bits of `b`, and writes the resulting bits to `out`, from bit 0 on. `a`
/// and `b` each consist of bytes and the position of the first bit. The remaining bits of the last byte of `out` become
/// zero.
///
/// # Panics
/// - A range is not within its bytes.
#[inline]
pub fn combine_bits(
    (a, a_start): (&[u8], usize),
    (b, b_start): (&[u8], usize),
    out: &mut [u8],
    len: usize,
    f: impl Fn(u64, u64) -> u64,
) {
    let out = &mut out[..used_bytes(len)];
    for (i, target) in out.chunks_mut(8).enumerate() {
        let n = (len - i * 64).min(64);
        let bits = f(load_bits(a, a_start + i * 64, n), load_bits(b, b_start + i * 64, n)) & low_bits(n);
        target.copy_from_slice(&bits.to_le_bytes()[..target.len()]);
    }
}

/// Writes `a & b` to `out`, from bit 0 on; see [`combine_bits`].
///
/// # Panics
/// - A range is not within its bytes.
pub fn and_bits(a: (&[u8], usize), b: (&[u8], usize), out: &mut [u8], len: usize) {
    combine_bits(a, b, out, len, |a, b| a & b);
}

/// Writes `a | b` to `out`, from bit 0 on; see [`combine_bits`].
///
/// # Panics
/// - A range is not within its bytes.
pub fn or_bits(a: (&[u8], usize), b: (&[u8], usize), out: &mut [u8], len: usize) {
    combine_bits(a, b, out, len, |a, b| a | b);
}

/// Writes `!a` to `out`, from bit 0 on; see [`combine_bits`].
///
/// # Panics
/// - A range is not within its bytes.
pub fn not_bits(a: (&[u8], usize), out: &mut [u8], len: usize) {
    let out = &mut out[..used_bytes(len)];
    for (i, target) in out.chunks_mut(8).enumerate() {
        let n = (len - i * 64).min(64);
        let bits = !load_bits(a.0, a.1 + i * 64, n) & low_bits(n);
        target.copy_from_slice(&bits.to_le_bytes()[..target.len()]);
    }
}

/// Writes `values` as bits to `out`, from bit 0 on, and returns the number of ones. The remaining bits of the last
/// byte become zero.
///
/// # Panics
/// - `out` is too short for the values.
pub fn pack_bools(values: impl IntoIterator<Item = bool>, out: &mut [u8]) -> usize {
    let (mut ones, mut word, mut n) = (0, 0u8, 0);
    for value in values {
        word |= (value as u8) << (n % 8);
        ones += value as usize;
        n += 1;
        if n % 8 == 0 {
            out[n / 8 - 1] = word;
            word = 0;
        }
    }
    if n % 8 != 0 {
        out[n / 8] = word;
    }
    ones
}

/// Returns the `len` bits from `start` on.
///
/// # Panics
/// - The range is not within `bytes`. The panic occurs when the iterator reads a bit outside of `bytes`.
pub fn iter(bytes: &[u8], start: usize, len: usize) -> impl ExactSizeIterator<Item = bool> + '_ {
    (start..start + len).map(move |i| get_bit(bytes, i))
}

/// Returns the positions of the ones among the `len` bits from bit `start` on. The positions are counted from `start`.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
/// use gdf::core::bitmask;
///
/// assert_eq!(bitmask::iter_ones(&[0b0010_1100], 2, 6).collect::<Vec<_>>(), [0, 1, 3]);
/// ```
///
/// # Panics
/// - The range is not within `bytes`. The panic occurs when the iterator reads a bit outside of `bytes`.
pub fn iter_ones(bytes: &[u8], start: usize, len: usize) -> impl Iterator<Item = usize> + '_ {
    (0..len.div_ceil(64)).flat_map(move |word| {
        let mut bits = load_bits(bytes, start + word * 64, (len - word * 64).min(64));
        std::iter::from_fn(move || {
            let next = bits.trailing_zeros() as usize;
            if bits == 0 {
                return None;
            }
            bits &= bits - 1;
            Some(word * 64 + next)
        })
    })
}

#[cfg(test)]
#[path = "bitmask_tests.rs"]
mod tests;
