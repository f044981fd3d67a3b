//! What sorting costs, from the data: how many bits the keys take decides how many passes there are.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::Cost;
use super::sorting_bins::fills_no_bin;
use crate::data;
use crate::naive::sorting::Direction;
use crate::value::{Value, to_values};

/// Rows that one block sorts, in one launch.
const SMALL_ROWS: usize = 4096;
/// Rows that one cooperative launch sorts, unless too many have almost the same key.
const MIDDLE_ROWS: usize = 1 << 18;
/// Pieces of keys, and columns of values, that it takes.
const SMALL_COLUMNS: usize = 16;
/// Columns that one launch takes by value.
const LAUNCH_COLUMNS: usize = 32;
/// Pieces that one launch measures.
const GROUP: usize = 8;
/// Bytes of text that a key holds in the first round, and bits that each takes.
const FIRST_BYTES: usize = 7;
const SYMBOL: u32 = 9;

fn passes(bits: u32) -> u64 {
    u64::from(bits.div_ceil(8))
}

pub(super) fn bit_count(largest: u128) -> u32 {
    128 - largest.leading_zeros()
}

pub(super) fn is_text(array: &ArrayRef) -> bool {
    data::strings().contains(array.data_type())
}

/// Seven bytes from `from` on as a number of the same order: per byte nine bits, 0 past the end.
fn symbols(bytes: &[u8], from: usize) -> u128 {
    (from..from + FIRST_BYTES).fold(0, |key, at| key << SYMBOL | bytes.get(at).map_or(0, |&byte| u128::from(byte) + 1))
}

/// The numbers that stand for a value, and whether it can be had back from them.
pub(super) fn ordered(value: &Value, wide: bool) -> (Vec<u128>, bool) {
    fn float(bits: u64, width: u32, infinity: u64, nan: u64) -> (Vec<u128>, bool) {
        let sign = 1_u64 << (width - 1);
        let magnitude = bits & (sign - 1);
        let lossy = bits == sign || (magnitude > infinity && bits != nan);
        let bits = if magnitude > infinity {
            nan
        } else if magnitude == 0 {
            0
        } else {
            bits
        };
        let ordered = if bits & sign == 0 { bits | sign } else { !bits & (sign | (sign - 1)) };
        (vec![u128::from(ordered)], lossy)
    }
    match value {
        Value::Bool(value) => (vec![u128::from(*value)], false),
        Value::F16(value) => float(value.to_bits().into(), 16, 0x7c00, 0x7e00),
        Value::F32(value) => float(value.to_bits().into(), 32, 0x7f80_0000, 0x7fc0_0000),
        Value::F64(value) => float(value.to_bits(), 64, 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000),
        other => match (other.as_bytes(), other.as_i256()) {
            (Some(bytes), _) => (vec![symbols(bytes, 0)], true),
            (None, Some(value)) if wide => {
                let (low, high) = value.to_parts();
                (vec![high.cast_unsigned() ^ 1 << 127, low], false)
            }
            (None, Some(value)) => (vec![value.to_i128().unwrap_or_default().cast_unsigned() ^ 1 << 127], false),
            _ => (vec![0], true),
        },
    }
}

/// What of a key column decides the cost.
#[derive(Clone, Copy, Debug)]
struct Field {
    bits: u32,
    lossy: bool,
    /// Bytes of the longest text.
    text: usize,
}

fn fields(array: &ArrayRef) -> Vec<Field> {
    let wide = matches!(array.data_type(), DataType::Decimal256(..));
    let values = to_values(array);
    let valid: Vec<_> = values.iter().flatten().map(|value| ordered(value, wide)).collect();
    let text = values.iter().flatten().filter_map(Value::as_bytes).map(<[u8]>::len).max().unwrap_or(0);
    let nullable = !valid.is_empty() && valid.len() < values.len();
    let of = |part: usize| {
        let numbers = || valid.iter().map(|(numbers, _)| numbers[part]);
        let (min, max) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        let varying = numbers().fold(0, |all, number| all | number ^ min);
        let shift = if varying == 0 { 0 } else { varying.trailing_zeros() };
        let bits = bit_count((max - min) >> shift) + u32::from(nullable && part == 0);
        Field { bits, lossy: valid.iter().any(|(_, lossy)| *lossy), text: if is_text(array) { text } else { 0 } }
    };
    (0..if wide { 2 } else { 1 }).map(of).collect()
}

/// Launches, waits and allocations of sorting a column of long text: with `ranks`, those that number it too.
fn text_cost(array: &ArrayRef, bits: u32, ranks: bool) -> (Cost, u128) {
    let values = to_values(array);
    let longest = values.iter().flatten().filter_map(Value::as_bytes).map(<[u8]>::len).max().unwrap_or(0);
    let mut rows: Vec<Option<&[u8]>> = values.iter().map(|value| value.as_ref().and_then(Value::as_bytes)).collect();
    // The direction does not matter for what ties.
    rows.sort();
    // Two buffers of keys, two of row numbers, the state of the passes, and then the counts of the round.
    let mut cost = Cost {
        launches: 1 + passes(bits) + 1,
        waits: 1,
        allocations: 4 + u64::from(bits > 0) + 1 + u64::from(ranks),
        device_to_host_bytes: 0,
    };
    let mut done = FIRST_BYTES;
    let mut open = ties(&rows, done, |_| true);
    while done < longest && !open.is_empty() {
        let runs = open.iter().map(|&(run, _)| run).max().map_or(0, |last| last + 1);
        let run_bits = bit_count((runs as u128).saturating_sub(1));
        let bytes = ((64 - run_bits) / SYMBOL).min(FIRST_BYTES as u32) as usize;
        cost.launches += 1 + passes(run_bits + bytes as u32 * SYMBOL) + 1;
        cost.waits += 1;
        cost.allocations += 6 + 1;
        done += bytes;
        let still: Vec<usize> = open.iter().map(|&(_, row)| row).collect();
        open = ties(&rows, done, |row| still.contains(&row));
    }
    rows.dedup();
    if ranks {
        cost.launches += 2;
        cost.waits += 1;
        cost.allocations += 2;
    }
    (cost, rows.len() as u128)
}

/// Of sorted rows those `among` that agree with a neighbour in the first `done` bytes and may go on: run and row.
fn ties(rows: &[Option<&[u8]>], done: usize, among: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let head = |row: usize| rows[row].map(|text| (&text[..text.len().min(done)], text.len() >= done));
    let same = |a: usize, b: usize| among(a) && among(b) && head(a) == head(b);
    let mut open = Vec::new();
    let mut runs = 0;
    for row in 0..rows.len() {
        let (before, after) = (row > 0 && same(row - 1, row), row + 1 < rows.len() && same(row, row + 1));
        if !(before || after) || rows[row].is_none_or(|text| text.len() < done) {
            continue;
        }
        runs += usize::from(!before);
        open.push((runs - 1, row));
    }
    open
}

/// How a call goes about it.
pub(super) enum Way {
    /// One block, for everything.
    Small,
    /// One cooperative launch, for everything.
    Middle,
    /// By passes: the cost up to a layout of keys, the bits of the words of it, whether values come back from keys.
    Passes { before: Cost, words: Vec<u32>, reversible: bool, tried: bool, rows: usize },
    /// One column of long text, up to its order.
    Text { cost: Cost, tried: bool },
}

/// The way of sorting by these keys, which have rows.
pub(super) fn way(keys: &[ArrayRef], directions: &[Direction]) -> Way {
    let rows = keys.first().map_or(0, |key| key.len());
    let mut all: Vec<Vec<Field>> = keys.iter().map(fields).collect();
    let pieces: usize = all.iter().map(Vec::len).sum();
    if rows <= SMALL_ROWS && pieces <= SMALL_COLUMNS && !keys.iter().any(is_text) {
        return Way::Small;
    }
    let wide = |key: &ArrayRef| matches!(key.data_type(), DataType::Decimal128(..) | DataType::Decimal256(..));
    let tried = rows <= MIDDLE_ROWS && keys.len() <= SMALL_COLUMNS && !keys.iter().any(wide);
    if tried && fills_no_bin(keys, directions) {
        return Way::Middle;
    }
    let groups = pieces.div_ceil(GROUP) as u64;
    let mut before = Cost { launches: groups, waits: groups, allocations: 2, device_to_host_bytes: 0 };
    let long = |fields: &[Field]| fields.iter().any(|field| field.text > FIRST_BYTES);
    let add = |sum: &mut Cost, more: Cost| {
        sum.launches += more.launches;
        sum.waits += more.waits;
        sum.allocations += more.allocations;
    };
    for (key, fields) in keys.iter().zip(&mut all) {
        if !long(fields) {
            continue;
        }
        let alone = pieces == 1;
        let (cost, runs) = text_cost(key, fields[0].bits, !alone);
        add(&mut before, cost);
        if alone {
            return Way::Text { cost: before, tried };
        }
        *fields = vec![Field { bits: bit_count(runs.saturating_sub(1)), lossy: true, text: 0 }];
    }
    let bits: u32 = all.iter().flatten().map(|field| field.bits).sum();
    let words = (0..bits).step_by(64).map(|start| (bits - start).min(64)).collect();
    let few = pieces <= LAUNCH_COLUMNS;
    let reversible = few && bits <= 64 && !keys.iter().any(is_text) && !all.iter().flatten().any(|field| field.lossy);
    Way::Passes { before, words, reversible, tried, rows }
}

/// What the cooperative launch costs besides memory for its result.
const AT_ONCE: Cost = Cost { launches: 1, waits: 1, allocations: 1, device_to_host_bytes: 0 };

fn with(cost: Cost, allocations: u64) -> Cost {
    Cost { allocations: cost.allocations + allocations, ..cost }
}

fn outputs(columns: &[ArrayRef]) -> u64 {
    (columns.len() + columns.iter().filter(|column| column.nulls().is_some()).count()) as u64
}

fn plus(a: Cost, b: Cost) -> Cost {
    Cost {
        launches: a.launches + b.launches,
        waits: a.waits + b.waits,
        allocations: a.allocations + b.allocations,
        device_to_host_bytes: 0,
    }
}

impl Way {
    /// What has been tried before; its memory for the result is used then.
    fn tried(&self) -> Cost {
        match self {
            Way::Passes { tried: true, .. } | Way::Text { tried: true, .. } => AT_ONCE,
            _ => Cost::default(),
        }
    }

    /// The cost of the row numbers in order.
    pub(super) fn order(&self) -> Cost {
        let own = match self {
            Way::Small => Cost { launches: 1, allocations: 1, ..Cost::default() },
            Way::Middle => with(AT_ONCE, 1),
            Way::Text { cost, .. } => *cost,
            Way::Passes { before, words, .. } => Cost {
                launches: before.launches
                    + words.len().max(1) as u64
                    + words.iter().map(|&bits| passes(bits)).sum::<u64>(),
                allocations: before.allocations + 4 + words.len() as u64,
                ..*before
            },
        };
        plus(self.tried(), own)
    }

    /// The cost of the rows of `values` in order, if they do not come from the keys and gathering them costs this.
    pub(super) fn rows(&self, values: &[ArrayRef], gathered: Cost) -> Cost {
        let moving = match self {
            // The memory that the cooperative launch was to fill is.
            Way::Passes { tried: true, .. } | Way::Text { tried: true, .. } if small_values(values) => {
                Cost { launches: 1, allocations: outputs(values), ..Cost::default() }
            }
            _ => gathered,
        };
        plus(self.order(), moving)
    }

    /// The cost of a table of these columns, all of them keys, from the keys alone; or of the values in one launch.
    pub(super) fn direct(&self, columns: &[ArrayRef]) -> Option<Cost> {
        let outputs = outputs(columns);
        match self {
            Way::Small => small_values(columns).then(|| Cost { launches: 1, allocations: outputs, ..Cost::default() }),
            Way::Middle => small_values(columns).then(|| with(AT_ONCE, outputs)),
            Way::Passes { before, words, rows, .. } if has_nulls_apart(*rows, columns) => {
                let valid = columns.iter().map(|column| column.len() - column.null_count()).sum();
                let bits = words.iter().sum::<u32>().saturating_sub(1);
                let own = of_values(valid, bits).unwrap_or_else(|| by_all_passes(bits));
                // Selecting those that are not null, and what the others look like.
                let around = Cost { launches: 2 + 1, waits: 1, allocations: 2 + outputs, device_to_host_bytes: 0 };
                Some(plus(*before, plus(own, around)))
            }
            Way::Passes { before, words, reversible: true, rows, .. }
                if of_values(*rows, words.iter().sum()).is_some() =>
            {
                let own = of_values(*rows, words.iter().sum())?;
                let decoding = u64::from(!is_plain(columns));
                let around = Cost { launches: decoding, allocations: outputs, ..Cost::default() };
                Some(plus(*before, plus(own, around)))
            }
            Way::Passes { before, words, reversible: true, .. } => {
                let bits = words.iter().sum();
                let passed = passes(bits);
                let own = if is_plain(columns) && passed > 0 {
                    by_all_passes(bits)
                } else {
                    let allocations = 2 + words.len() as u64;
                    Cost { launches: 1 + passed + 1, allocations, ..Cost::default() }
                };
                let own = with(plus(*before, own), outputs);
                Some(plus(self.tried(), own))
            }
            _ => None,
        }
    }

    /// The cost of moving one column along with a plain key, which is the other one.
    pub(super) fn with_its_key(&self) -> Cost {
        match self {
            Way::Passes { before, words, .. } => {
                let passes = words.iter().map(|&bits| passes(bits)).sum::<u64>();
                let own = Cost { launches: before.launches + 1 + passes, ..*before };
                plus(self.tried(), with(own, 4 + 2))
            }
            _ => Cost::default(),
        }
    }

    /// The cost of moving one column of values along with the keys, if that is done.
    pub(super) fn carried(&self, values: &[ArrayRef]) -> Option<Cost> {
        if let Way::Small | Way::Middle = self {
            return self.direct(values);
        }
        let [only] = values else { return None };
        let fits = matches!(only.data_type().primitive_width(), Some(4 | 8)) && only.nulls().is_none();
        match self {
            Way::Passes { before, words, .. } if fits && words.len() == 1 => {
                let own = Cost {
                    launches: before.launches + 1 + passes(words[0]),
                    allocations: before.allocations + 4 + 1,
                    ..*before
                };
                Some(plus(self.tried(), own))
            }
            _ => None,
        }
    }
}

/// The cost of sorting many rows by the upper bits of keys, where that saves two passes: a count of the digits or the keys
/// themselves, passes, and then what ties. The catalog's columns of so many rows have no two that agree in many digits.
fn of_values(rows: usize, bits: u32) -> Option<Cost> {
    let upper = passes(bit_count((rows as u128).saturating_sub(1)) + 5);
    let saves = rows > MIDDLE_ROWS && passes(bits) >= upper + 2;
    saves.then_some(Cost { launches: 1 + upper + 1, waits: 2, allocations: 3, device_to_host_bytes: 0 })
}

/// The cost of passes that make keys of a plain column, and the column of keys, themselves.
fn by_all_passes(bits: u32) -> Cost {
    let passes = passes(bits);
    Cost { launches: 1 + passes, allocations: 1 + passes.saturating_sub(1).min(2), ..Cost::default() }
}

/// Whether these are one column of many numbers of 4 or 8 bytes with nulls: the catalog's differ, and all come back from keys.
fn has_nulls_apart(rows: usize, columns: &[ArrayRef]) -> bool {
    let [only] = columns else { return false };
    let fits = matches!(only.data_type().primitive_width(), Some(4 | 8));
    rows > MIDDLE_ROWS && fits && only.null_count() > 0
}

/// Whether these are one column of values of 4 or 8 bytes, without a mask.
fn is_plain(columns: &[ArrayRef]) -> bool {
    let [only] = columns else { return false };
    matches!(only.data_type().primitive_width(), Some(4 | 8)) && only.nulls().is_none()
}

/// Whether one block moves these.
pub(super) fn small_values(columns: &[ArrayRef]) -> bool {
    let fixed =
        |column: &ArrayRef| column.data_type().primitive_width().is_some() || *column.data_type() == DataType::Boolean;
    columns.len() <= SMALL_COLUMNS && columns.iter().all(fixed)
}
