//! Whether the cooperative launch sorts rows: no bin, rows whose keys begin with the same bits, has too many.

use arrow_array::ArrayRef;

use super::sorting_cost::{bit_count, is_text, ordered};
use crate::naive::sorting::Direction;
use crate::value::{Value, to_values};

/// Rows of a bin, at most.
const MOST_IN_BIN: usize = 512;
/// Rows from which there are twice as many bins.
const MANY_ROWS: usize = 65536;
/// Bytes of text in a key, at most.
const SYMBOLS: usize = 8;

/// A column's part of the keys.
struct Part {
    /// Distances from the base, without the bits that all have in common.
    distances: Vec<Option<u128>>,
    bits: i64,
    nullable: bool,
    nulls_first: bool,
    /// Text goes on after what the key holds.
    goes_on: bool,
}

impl Part {
    fn new(array: &ArrayRef, direction: &Direction) -> Part {
        let values = to_values(array);
        let (numbers, goes_on) = if is_text(array) {
            text_numbers(&values)
        } else {
            (values.iter().map(|value| value.as_ref().map(|value| ordered(value, false).0[0])).collect(), false)
        };
        let valid = || numbers.iter().flatten().copied();
        let (mut min, mut max) = (valid().min().unwrap_or(0), valid().max().unwrap_or(0));
        let varying = valid().fold(0, |all, number| all | number ^ min);
        let mut shift = if varying == 0 { 0 } else { varying.trailing_zeros() };
        if is_text(array) {
            (min, max, shift) = (0, text_range(&values), 0);
        }
        let some = valid().next().is_some();
        let distance = |number: u128| if direction.descending { max - number } else { number - min } >> shift;
        Part {
            distances: numbers.iter().map(|number| number.map(distance)).collect(),
            bits: if some { i64::from(bit_count((max - min) >> shift)) } else { 0 },
            nullable: some && numbers.contains(&None),
            nulls_first: direction.nulls_smallest != direction.descending,
            goes_on,
        }
    }

    fn width(&self) -> i64 {
        self.bits + i64::from(self.nullable)
    }
}

fn bytes(value: &Option<Value>) -> Option<&[u8]> {
    value.as_ref().and_then(Value::as_bytes)
}

/// The smallest and the largest of the first bytes plus one, and how many of them a number holds; none without any.
fn alphabet(values: &[Option<Value>]) -> Option<(u128, u128, usize)> {
    let symbols =
        || values.iter().filter_map(bytes).flat_map(|text| text.iter().take(SYMBOLS).map(|&b| u128::from(b) + 1));
    let (first, last) = (symbols().min()?, symbols().max()?);
    let radix = last - first + 2;
    let mut held = 0;
    let mut most = 1;
    while held < SYMBOLS && most <= (1 << 63) / radix {
        most *= radix;
        held += 1;
    }
    Some((first, radix, held))
}

fn text_range(values: &[Option<Value>]) -> u128 {
    alphabet(values).map_or(0, |(_, radix, held)| radix.pow(held as u32) - 1)
}

fn text_numbers(values: &[Option<Value>]) -> (Vec<Option<u128>>, bool) {
    let (first, radix, held) = alphabet(values).unwrap_or((0, 1, 0));
    let digit = |byte: Option<&u8>| byte.map_or(0, |&byte| u128::from(byte) + 1 - first + 1);
    let number = |text: &[u8]| (0..held).fold(0, |number, i| number * radix + digit(text.get(i)));
    let goes_on = values.iter().filter_map(bytes).any(|text| text.len() > held);
    (values.iter().map(|value| bytes(value).map(number)).collect(), goes_on)
}

/// Whether no bin has too many of these rows, of which there are some.
pub(super) fn fills_no_bin(keys: &[ArrayRef], directions: &[Direction]) -> bool {
    let rows = keys.first().map_or(0, |key| key.len());
    let mut parts: Vec<Part> = Vec::new();
    for (key, direction) in keys.iter().zip(directions) {
        parts.push(Part::new(key, direction));
        if parts.last().is_some_and(|part| part.goes_on) {
            break;
        }
    }
    let bits: i64 = parts.iter().map(Part::width).sum();
    let row_bits = i64::from(bit_count(rows as u128 - 1));
    let goes_on = parts.iter().any(|part| part.goes_on);
    // Row numbers follow where there is room.
    let numbers = if bits > 64 || goes_on { 0 } else { (64 - bits).min(row_bits) };
    let cut = (bits - 64).max(0);
    let last_bits = parts.last().map_or(0, |part| part.bits) + numbers;
    let spread_nulls = parts.len() == keys.len() && bits <= 64;
    let bin_bits = if rows >= MANY_ROWS { 13 } else { 12 };
    let bin_shift = (bits - cut + numbers - bin_bits).max(0);
    let number = |row: usize, bits: i64| {
        if bits >= row_bits { (row as u128) << (bits - row_bits) } else { row as u128 >> (row_bits - bits) }
    };
    let bin = |row: usize| {
        // Bits above the 64 uppermost are none; those below are cut off in the end.
        let mut key: Vec<bool> = Vec::new();
        let mut null = false;
        for part in &parts {
            let value = part.distances[row];
            null = value.is_none();
            if part.nullable {
                key.push(null != part.nulls_first);
            }
            key.extend((0..part.bits).rev().map(|bit| value.unwrap_or(0) >> bit & 1 == 1));
        }
        let mut key =
            key[..(bits - cut) as usize].iter().fold(0_u128, |key, &bit| key << 1 | u128::from(bit)) << numbers;
        if null && spread_nulls && last_bits > 0 {
            key |= number(row, last_bits);
        } else if numbers > 0 {
            key |= number(row, numbers);
        }
        (key >> bin_shift) as usize
    };
    let mut sizes = vec![0_usize; 1 << (bin_bits + 1)];
    (0..rows).for_each(|row| sizes[bin(row)] += 1);
    sizes.iter().all(|&size| size <= MOST_IN_BIN)
}
