//! Searches for a string in each row.

use std::cell::RefCell;

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, Literal, Operand, Result, physical_type};
use gdf_engine::cuda::{CudaOutput, In};
use gdf_engine::elementwise::{Nulls, Rows};
use gdf_engine::host::{BLOCK, block_of, character_count, character_place, continuations_in};
use gdf_engine::strings::{self, has_long_rows, is_large};
use gdf_kernels::generated::strings::{
    Search, SearchColumns, SearchKernel, SearchMode, SearchParameters, SearchSeveral, Several,
};
use gdf_memory::Buffer;
use memchr::memmem::{Finder, FinderRev};

use super::pairs;
use crate::Ctx;
use crate::vouch;

/// Returns whether `target` occurs in each string, as `Boolean`.
///
/// A row of the result is null if the string or the target is null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`;
///   [`LengthMismatch`](Error::LengthMismatch).
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn contains(column: ColumnView<'_>, target: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    search("contains", column, Some(target), SearchMode::Contains, 0, None, ctx)
}

/// Returns whether each row of text starts with `target`, as `Boolean`. Nulls are treated as in [`contains`].
///
/// # Errors
/// * The errors of [`contains`].
pub fn starts_with(column: ColumnView<'_>, target: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    search("starts_with", column, Some(target), SearchMode::StartsWith, 0, None, ctx)
}

/// Returns whether each row of text ends with `target`, as `Boolean`. Nulls are treated as in [`contains`].
///
/// # Errors
/// * The errors of [`contains`].
pub fn ends_with(column: ColumnView<'_>, target: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    search("ends_with", column, Some(target), SearchMode::EndsWith, 0, None, ctx)
}

/// Returns the character position of the first `target` in each string.
///
/// The search covers the characters `start .. stop`, or `start ..` if `stop` is `None`. The result is −1 if the
/// target does not occur in these characters. The result is null if the string or the target is null. The type of the
/// result is `Int32`, or `Int64` for `LargeUtf8`.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): `stop` lies before `start`.
/// * The errors of [`contains`].
pub fn find(
    column: ColumnView<'_>,
    target: Operand<'_>,
    start: usize,
    stop: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    search("find", column, Some(target), SearchMode::Find, start, stop, ctx)
}

/// Returns the character position of the last `target` in each string. All other rules are the rules of [`find`].
///
/// # Errors
/// * The errors of [`find`].
pub fn rfind(
    column: ColumnView<'_>,
    target: Operand<'_>,
    start: usize,
    stop: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    search("rfind", column, Some(target), SearchMode::Rfind, start, stop, ctx)
}

/// Returns the number of characters of each string. Nulls stay null.
///
/// The type of the result is `Int32`, or `Int64` for `LargeUtf8`.
///
/// # Errors
/// * The errors of [`contains`].
pub fn count_characters(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    search("count_characters", column, None, SearchMode::CountCharacters, 0, None, ctx)
}

/// Returns the number of bytes of each string. The type and the nulls of the result are those of
/// [`count_characters`].
///
/// # Errors
/// * The errors of [`contains`].
pub fn count_bytes(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    search("count_bytes", column, None, SearchMode::CountBytes, 0, None, ctx)
}

/// Returns the integer type of character counts and character positions.
pub(super) fn number_type(texts: &DataType) -> DataType {
    if physical_type(texts).is_large() { DataType::Int64 } else { DataType::Int32 }
}

fn search(
    operation: &'static str,
    column: ColumnView<'_>,
    target: Option<Operand<'_>>,
    mode: SearchMode,
    start: usize,
    stop: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    if let Some(stop) = stop.filter(|stop| *stop < start) {
        return Err(Error::beyond_limit("the end of the range", stop as i128, start as i128).in_argument("stop"));
    }
    is_large(operation, column)?;
    let is_truth = matches!(mode, SearchMode::Contains | SearchMode::StartsWith | SearchMode::EndsWith);
    let output_type = if is_truth { DataType::Boolean } else { number_type(column.data_type()) };
    let signed = |place: usize| i64::try_from(place).unwrap_or(i64::MAX);
    let (first, stop_or_end) = (signed(start), stop.map_or(-1, signed));
    let sought = SearchParameters { start: first, stop: stop_or_end, mode: mode as i32, ..SearchParameters::default() };
    let literal = match target {
        None => Some(""),
        Some(Operand::Literal(literal)) => literal.text(),
        Some(_) => None,
    };
    if let (None, Some(target)) = (literal, target) {
        return pairs(
            operation,
            column,
            target,
            &output_type,
            ctx,
            |rows, texts, targets| {
                answers(rows, |row| found(texts.get(row), texts.bytes(), &targets.get(row), mode, start, stop))
            },
            |launch, bytes, target_bytes| {
                let ([input, target], out) = (launch.inputs, launch.out);
                launch.run_only(&SearchColumns { input, target, bytes, target_bytes, out, p: sought })
            },
        );
    }
    let target = literal.unwrap_or_default();
    strings::values(
        operation,
        column,
        &output_type,
        Nulls::Keep,
        ctx,
        |rows, texts| {
            let known = Known::new(target);
            answers(rows, |row| found(texts.get(row), texts.bytes(), &known, mode, start, stop))
        },
        |launch, bytes| {
            // The kernels get the first bytes of the target as a number.
            let beyond = if target.len() > FIRST { target.as_bytes() } else { &[] };
            let buffer = Buffer::from_host(beyond, launch.stream, ctx.mr.temporary)?;
            let access = buffer.read_on(launch.stream)?;
            let (first, mask) = first_bytes(target);
            let p = SearchParameters { data: In::of(&access), size: target.len() as i64, first, mask, ..sought };
            let [kernel, long_rows] = match (is_truth, physical_type(column.data_type()).is_large()) {
                (true, _) if mode != SearchMode::Contains => [SearchKernel::Ends, SearchKernel::Ends],
                (true, _) => [SearchKernel::Bool, SearchKernel::LongRowsBool],
                (false, false) => [SearchKernel::Int, SearchKernel::LongRowsInt],
                (false, true) => [SearchKernel::Long, SearchKernel::LongRowsLong],
            };
            let arguments = Search { input: launch.inputs[0], bytes, out: launch.out, p };
            match kernel {
                SearchKernel::Ends => launch.run(kernel, launch.rows, &arguments),
                _ if has_long_rows(column) => launch.run_long_texts(long_rows, &arguments),
                _ => launch.run_texts(kernel, strings::FEW_ROWS, &arguments),
            }
        },
    )
}

/// Returns whether each of `targets` occurs in each string, with one column of [`contains`] for each target.
pub(super) fn contains_each(column: ColumnView<'_>, targets: &[&str], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let one = |target: &&str| contains(column, Literal::from(*target).into(), ctx);
    let Some((first, others)) = targets.split_first().filter(|(_, others)| !others.is_empty()) else {
        return targets.iter().map(one).collect();
    };
    let rows = column.len();
    let mut more = Vec::new();
    if ctx.stream.device().is_cuda() {
        let output = |_: &&str| CudaOutput::fixed_width(&DataType::Boolean, rows, ctx);
        more = others.iter().map(output).collect::<Result<Vec<_>>>()?;
    }
    let more = RefCell::new(more);
    let found = strings::values(
        "contains_multiple",
        column,
        &DataType::Boolean,
        Nulls::Keep,
        ctx,
        |rows, texts| {
            let known = Known::new(first);
            truths(rows, |row| known.first(texts.get(row)).is_some())
        },
        |launch, bytes| {
            let data = Buffer::from_host(targets.concat().as_bytes(), launch.stream, ctx.mr.temporary)?;
            let data = data.read_on(launch.stream)?;
            let mut more = more.borrow_mut();
            let more = more.iter_mut().map(|output| output.open(launch.stream)).collect::<Result<Vec<_>>>()?;
            let mut p = Several { count: targets.len() as i32, ..Several::default() };
            let mut begin = 0;
            for (slot, target) in p.texts.iter_mut().zip(targets) {
                let (first, mask) = first_bytes(target);
                *slot = SearchParameters {
                    data: In::<u8>::of(&data).at(begin),
                    size: target.len() as i64,
                    first,
                    mask,
                    ..SearchParameters::default()
                };
                begin += target.len();
            }
            for (slot, output) in p.more.iter_mut().zip(&more) {
                *slot = output.desc().data.cast();
            }
            let arguments = SearchSeveral { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run_only_prepared(&arguments)
        },
    )?;
    let more = more.into_inner();
    if more.is_empty() {
        return [Ok(found)].into_iter().chain(others.iter().map(one)).collect();
    }
    let parts = found.clone().into_parts();
    let with = |output: CudaOutput| {
        let buffers = output.into_buffers()?.buffers;
        vouch::result(ColumnParts { buffers, ..parts.clone() })
    };
    [Ok(found)].into_iter().chain(more.into_iter().map(with)).collect()
}

/// Makes a column from the result of `answer` for each row. The column consists of booleans or integers, as its type
/// demands.
pub(super) fn answers<const N: usize>(rows: &Rows<'_, N>, answer: impl Fn(usize) -> i64 + Sync) -> Result<Column> {
    if *rows.output_type == DataType::Boolean {
        return truths(rows, |row| answer(row) != 0);
    }
    if *rows.output_type == DataType::Int64 {
        let fill = |first: usize, out: &mut [i64]| (first..).zip(out).for_each(|(row, slot)| *slot = answer(row));
        return rows.filled(|| rows.mask(), fill);
    }
    let fill = |first: usize, out: &mut [i32]| (first..).zip(out).for_each(|(row, slot)| *slot = answer(row) as i32);
    rows.filled(|| rows.mask(), fill)
}

pub(super) fn truths<const N: usize>(rows: &Rows<'_, N>, is: impl Fn(usize) -> bool + Sync) -> Result<Column> {
    let len = rows.len();
    let word = |word: usize| {
        let rows = (word * 64..len.min(word * 64 + 64)).enumerate();
        rows.fold(0, |bits, (bit, row)| bits | u64::from(is(row)) << bit)
    };
    rows.bits(|| rows.mask(), word)
}

trait Needle {
    fn bytes(&self) -> &[u8];
    /// Returns whether `part` equals the search string.
    fn equals(&self, part: &[u8], source: &[u8]) -> bool;
    fn first(&self, text: &[u8]) -> Option<usize>;
    fn last(&self, text: &[u8]) -> Option<usize>;
}

/// A search string that is the same for all rows.
struct Known<'a> {
    bytes: &'a [u8],
    /// The bytes as a number, and a mask of the bits of the number that must be compared.
    few: Option<[u128; 2]>,
    first: Finder<'a>,
    last: FinderRev<'a>,
}

impl<'a> Known<'a> {
    fn new(target: &'a str) -> Self {
        let bytes = target.as_bytes();
        let number = |of: &dyn Fn(u8) -> u8| bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(of(*byte)));
        let few = (bytes.len() <= 16).then(|| [number(&|byte| byte), number(&|_| 0xff)]);
        Self { bytes, few, first: Finder::new(target), last: FinderRev::new(target) }
    }
}

impl Needle for Known<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn equals(&self, part: &[u8], source: &[u8]) -> bool {
        match (self.few, block_of(source, part)) {
            (Some([number, bits]), Some(block)) => (u128::from_le_bytes(*block) ^ number) & bits == 0,
            _ => part == self.bytes,
        }
    }

    fn first(&self, text: &[u8]) -> Option<usize> {
        self.first.find(text)
    }

    fn last(&self, text: &[u8]) -> Option<usize> {
        self.last.rfind(text)
    }
}

impl Needle for &[u8] {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn equals(&self, part: &[u8], _: &[u8]) -> bool {
        part == *self
    }

    fn first(&self, text: &[u8]) -> Option<usize> {
        memchr::memmem::find(text, self)
    }

    fn last(&self, text: &[u8]) -> Option<usize> {
        memchr::memmem::rfind(text, self)
    }
}

/// Returns the result of one row: 0 or 1 for a truth value, a number of characters or bytes, or a character position.
/// The position is −1 if there is none.
fn found(text: &[u8], source: &[u8], what: &impl Needle, mode: SearchMode, start: usize, stop: Option<usize>) -> i64 {
    let equals = |part: Option<&[u8]>| i64::from(part.is_some_and(|part| what.equals(part, source)));
    let size = what.bytes().len();
    match mode {
        SearchMode::Contains => i64::from(what.first(text).is_some()),
        SearchMode::StartsWith => equals(text.get(..size)),
        SearchMode::EndsWith => equals(text.len().checked_sub(size).and_then(|at| text.get(at..))),
        SearchMode::CountCharacters => match block_of(source, text) {
            Some(block) if text.len() <= BLOCK => (text.len() - continuations_in(block, text.len())) as i64,
            _ => character_count(text) as i64,
        },
        SearchMode::CountBytes => text.len() as i64,
        SearchMode::Find | SearchMode::Rfind => place(text, what, mode, start, stop).map_or(-1, |place| place as i64),
    }
}

fn place(text: &[u8], what: &impl Needle, mode: SearchMode, start: usize, stop: Option<usize>) -> Option<usize> {
    let from = character_place(text, start)?;
    let end = stop.and_then(|stop| character_place(text, stop)).unwrap_or(text.len());
    let part = text.get(from..end)?;
    let place = if mode == SearchMode::Find { what.first(part) } else { what.last(part) }?;
    Some(start + character_count(part.get(..place)?))
}

/// The number of bytes that kernels compare with one comparison.
const FIRST: usize = 8;

/// Returns the first bytes of a text as a number, with the first byte in the lowest bits, and a mask of ones for the
/// bytes that exist.
fn first_bytes(text: &str) -> (u64, u64) {
    text.bytes()
        .take(FIRST)
        .enumerate()
        .fold((0, 0), |(first, mask), (at, byte)| (first | u64::from(byte) << (8 * at), mask | 0xff << (8 * at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_are_little_endian() {
        assert_eq!(first_bytes(""), (0, 0));
        assert_eq!(first_bytes("ab"), (0x6261, 0xffff));
        assert_eq!(first_bytes("abcdefghi"), (0x6867_6665_6463_6261, u64::MAX));
    }
}
