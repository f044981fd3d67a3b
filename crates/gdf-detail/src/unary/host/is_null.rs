//! `is_null` and its kin on the CPU, 64 rows at a time.

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::super::is_null::Question;
use crate::host::{HostColumn, HostMask, column as finish, mask_from_words};

pub(in super::super) fn is_null(
    question: Question,
    column: ColumnView<'_>,
    inverted: bool,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let len = column.len();
    let flip = if inverted { u64::MAX } else { 0 };
    let input = HostColumn::open(column, stream)?;
    let validity = input.validity()?;
    let valid = |word| validity.map_or(u64::MAX, |mask| mask.word(word));
    let words = match (question, physical_type(column.data_type())) {
        (Question::Null, _) => mask_from_words(len, stream, mr.output, |word| !valid(word) ^ flip),
        // By their bits, so that no conversion or arithmetic touches a signalling one.
        (Question::Nan, PhysicalType::F16) => {
            let values = input.values::<u16>()?;
            let nan = |bits: u16| bits & 0x7fff > 0x7c00;
            mask_from_words(len, stream, mr.output, |word| (word_of(values, word, nan) & valid(word)) ^ flip)
        }
        (Question::Nan, PhysicalType::F32) => {
            let values = input.values::<u32>()?;
            let nan = |bits: u32| bits & 0x7fff_ffff > 0x7f80_0000;
            mask_from_words(len, stream, mr.output, |word| (word_of(values, word, nan) & valid(word)) ^ flip)
        }
        (Question::Nan, PhysicalType::F64) => {
            let values = input.values::<u64>()?;
            let nan = |bits: u64| bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000;
            mask_from_words(len, stream, mr.output, |word| (word_of(values, word, nan) & valid(word)) ^ flip)
        }
        _ => return Err(Error::unsupported("is_nan", column.data_type())),
    };
    let (bits, _) = words?;
    finish(&DataType::Boolean, len, [bits.slice(0, len.div_ceil(8))?], HostMask::none())
}

/// The answers for rows `64 * word ..`.
fn word_of<T: Copy>(values: &[T], word: usize, ask: impl Fn(T) -> bool) -> u64 {
    let rows = &values[word * 64..values.len().min(word * 64 + 64)];
    rows.iter().enumerate().fold(0, |all, (bit, value)| all | u64::from(ask(*value)) << bit)
}
