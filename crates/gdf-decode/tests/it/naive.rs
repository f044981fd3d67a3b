//! A decoder that reads one bit after the other. It shares nothing with the decoders that it tests.

use gdf_core::{DataType, TimeUnit, decimal_parts, width};
use gdf_decode::{Codec, ColumnPages, Compression, DictionaryPage, Encoding, Levels, Page, Stored};

use crate::deltas::deltas;
use crate::elements::decompress;

/// The bytes of each row, or `None` for null rows.
pub(crate) type Rows = Vec<Option<Vec<u8>>>;

/// Decodes a column, or returns the number of its first bad page. A page whose descriptor is impossible is bad before
/// all pages whose bytes are.
pub(crate) fn decode(column: &ColumnPages, bytes: &[u8]) -> Result<Rows, usize> {
    if !is_supported(column) {
        return Err(0);
    }
    let mut number = 0_usize;
    for chunk in &column.chunks {
        if let Some(page) = chunk.dictionary {
            if !is_possible_dictionary(column, page, bytes) {
                return Err(number);
            }
            number += 1;
        }
        for page in &chunk.pages {
            if !is_possible(column, page, chunk.dictionary.is_some(), bytes) {
                return Err(number);
            }
            number += 1;
        }
    }
    let (mut rows, mut number, mut keys) = (Rows::new(), 0_usize, 0);
    for chunk in &column.chunks {
        let mut dictionary = None;
        if let Some(page) = chunk.dictionary {
            let of_page = &unpacked(&bytes[page.at..page.at + page.len], 0, page.compression).ok_or(number)?;
            dictionary = Some(match column.stored {
                Stored::ByteArray if !is_text(column) => {
                    (keys..).take(page.values).map(|key: u32| key.to_le_bytes().to_vec()).collect()
                }
                _ => plain(column, of_page, page.values).ok_or(number)?,
            });
            keys += page.values as u32;
            number += 1;
        }
        for page in &chunk.pages {
            let levels = if let Levels::Sized(size) = page.header.levels { size } else { 0 };
            let of_page = &unpacked(&bytes[page.at..page.at + page.len], levels, page.compression).ok_or(number)?;
            rows.extend(decode_page(column, page, of_page, dictionary.as_deref()).ok_or(number)?);
            number += 1;
        }
    }
    Ok(rows)
}

/// Returns the decompressed bytes of a page.
fn unpacked(page: &[u8], levels: usize, compression: Option<Compression>) -> Option<Vec<u8>> {
    let Some(Compression { codec, size }) = compression else { return Some(page.to_vec()) };
    let (levels, stream) = page.split_at(levels);
    let values = match size - levels.len() {
        0 => Vec::new(),
        size => decompress(codec, stream).filter(|values| values.len() == size)?,
    };
    Some([levels, &values].concat())
}

/// Returns whether the column is one of texts, and not of their keys.
pub(crate) fn is_text(column: &ColumnPages) -> bool {
    use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};

    column.stored == Stored::ByteArray && matches!(column.data_type, Utf8 | LargeUtf8 | Binary | LargeBinary)
}

fn texts(column: &ColumnPages, bytes: &[u8], count: usize) -> Option<Vec<Vec<u8>>> {
    let must_be_utf8 = matches!(column.data_type, DataType::Utf8 | DataType::LargeUtf8);
    let (mut at, mut found) = (0, Vec::new());
    for _ in 0..count {
        let size = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().unwrap()) as usize;
        let text = bytes.get(at + 4..at + 4 + size)?;
        if must_be_utf8 && String::from_utf8(text.to_vec()).is_err() {
            return None;
        }
        found.push(text.to_vec());
        at += 4 + size;
    }
    Some(found)
}

/// Returns the number of bytes that plain values have at the minimum.
fn plain_size(stored: Stored, count: usize) -> u128 {
    match stored {
        Stored::Boolean => count.div_ceil(8) as u128,
        _ => count as u128 * stored_width(stored) as u128,
    }
}

fn stored_width(stored: Stored) -> usize {
    match stored {
        Stored::Boolean => 1,
        Stored::Int32 | Stored::Float => 4,
        Stored::Int64 | Stored::Double => 8,
        Stored::Int96 => 12,
        Stored::FixedLenByteArray(size) => size,
        Stored::ByteArray => 4, // at least
    }
}

fn is_supported(column: &ColumnPages) -> bool {
    let size = stored_width(column.stored);
    match (column.stored, &column.data_type) {
        (Stored::FixedLenByteArray(_), DataType::FixedSizeBinary(width)) => {
            *width as usize == size && (1..=1 << 16).contains(&size)
        }
        (_, DataType::FixedSizeBinary(_)) => false,
        (Stored::Boolean, of) => *of == DataType::Boolean,
        (Stored::Int96, of) => matches!(of, DataType::Timestamp(..)),
        (Stored::ByteArray, of) => *of == DataType::UInt32 || is_text(column),
        (Stored::Float, of) => *of == DataType::Float32,
        (Stored::Double, of) => *of == DataType::Float64,
        (_, DataType::Decimal32(digits, _)) => (1..=9).contains(digits) && (1..=16).contains(&size),
        (_, DataType::Decimal64(digits, _)) => (1..=18).contains(digits) && (1..=16).contains(&size),
        (_, DataType::Decimal128(digits, _)) => (1..=38).contains(digits) && (1..=16).contains(&size),
        (Stored::Int32, of) => {
            width(of).is_some_and(|width| width <= 4) && !matches!(of, DataType::Float16 | DataType::Float32)
        }
        (Stored::Int64, of) => width(of) == Some(8) && *of != DataType::Float64,
        (Stored::FixedLenByteArray(_), of) => size == 2 && *of == DataType::Float16,
    }
}

fn has_encoding(column: &ColumnPages, encoding: Encoding) -> bool {
    let is_boolean = column.stored == Stored::Boolean;
    match encoding {
        Encoding::Plain => column.stored != Stored::ByteArray || is_text(column),
        Encoding::Keys => !is_boolean,
        Encoding::Rle => is_boolean,
        Encoding::DeltaBinaryPacked => matches!(column.stored, Stored::Int32 | Stored::Int64),
        Encoding::DeltaLengthByteArray => is_text(column),
        Encoding::DeltaByteArray => is_text(column) || matches!(column.stored, Stored::FixedLenByteArray(_)),
        Encoding::ByteStreamSplit => !matches!(column.stored, Stored::Boolean | Stored::Int96 | Stored::ByteArray),
    }
}

fn is_at_possible_place(at: usize, len: usize, compression: Option<Compression>, bytes: &[u8]) -> bool {
    let may_be_there = match compression {
        None => at.is_multiple_of(16),
        Some(Compression { codec, size }) => {
            let most = match codec {
                Codec::Uncompressed if size != len => return false,
                Codec::Uncompressed => 1,
                Codec::Snappy => 22,
                Codec::Lz4Raw | Codec::Lz4Hadoop => 255,
            };
            size < 1 << 31 && size as u128 <= most * len as u128
        }
    };
    may_be_there && (at as u128 + len as u128 + 16) <= bytes.len() as u128
}

fn is_possible_dictionary(column: &ColumnPages, page: DictionaryPage, bytes: &[u8]) -> bool {
    let size = plain_size(column.stored, page.values);
    let unpacked = page.compression.map_or(page.len, |compression| compression.size);
    is_at_possible_place(page.at, page.len, page.compression, bytes) && size <= unpacked as u128
}

fn is_possible(column: &ColumnPages, page: &Page, has_dictionary: bool, bytes: &[u8]) -> bool {
    let header = &page.header;
    if !has_encoding(column, header.encoding) {
        return false;
    }
    let unpacked = page.compression.map_or(page.len, |compression| compression.size);
    let most = i32::MAX as u128;
    if header.encoding == Encoding::DeltaLengthByteArray && 4 * header.rows as u128 + unpacked as u128 > most {
        return false;
    }
    if !is_at_possible_place(page.at, page.len, page.compression, bytes) || header.rows >= 1 << 31 {
        return false;
    }
    let level_bytes = match (header.levels, column.is_optional) {
        (Levels::None, is_optional) => (!is_optional).then_some(0),
        (Levels::Prefixed, is_optional) => is_optional.then_some(4),
        (Levels::Sized(size), _) => Some(size),
        (Levels::Both { .. }, _) => None,
    };
    let unpacked = page.compression.map_or(page.len, |compression| compression.size);
    let Some(left) = level_bytes.and_then(|size| unpacked.checked_sub(size)) else { return false };
    if matches!(header.levels, Levels::Sized(size) if size > page.len) {
        return false;
    }
    if column.is_optional {
        return true;
    }
    let has_values = match header.encoding {
        Encoding::Plain | Encoding::ByteStreamSplit => plain_size(column.stored, header.rows) <= left as u128,
        Encoding::Keys => has_dictionary || header.rows == 0,
        Encoding::Rle | Encoding::DeltaBinaryPacked | Encoding::DeltaLengthByteArray | Encoding::DeltaByteArray => true,
    };
    has_values && header.nulls.is_none_or(|nulls| nulls == 0)
}

fn decode_page(column: &ColumnPages, page: &Page, bytes: &[u8], dictionary: Option<&[Vec<u8>]>) -> Option<Rows> {
    let rows = page.header.rows;
    let (levels, values) = match page.header.levels {
        Levels::None => (&[][..], bytes),
        Levels::Sized(size) => bytes.split_at(size),
        Levels::Both { .. } => return None,
        Levels::Prefixed => {
            let size = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            bytes[4..].split_at_checked(size)?
        }
    };
    let levels = if column.is_optional { hybrid(levels, 1, rows)? } else { vec![1; rows] };
    if levels.iter().any(|level| *level > 1) {
        return None;
    }
    let count = levels.iter().filter(|level| **level == 1).count();
    if page.header.nulls.is_some_and(|nulls| nulls != rows - count) {
        return None;
    }
    let values = match page.header.encoding {
        _ if count == 0 => Vec::new(),
        Encoding::Plain => plain(column, values, count)?,
        Encoding::DeltaBinaryPacked => {
            let bits = 8 * stored_width(column.stored);
            let numbers = deltas(values, bits)?.0;
            let stored = numbers.get(..count)?.iter().flat_map(|number| number.to_le_bytes()[..bits / 8].to_vec());
            plain(column, &stored.collect::<Vec<_>>(), count)?
        }
        Encoding::DeltaLengthByteArray => {
            let (sizes, claimed, end) = deltas(values, 32)?;
            if claimed > rows as u64 || sizes.len() as u64 != claimed {
                return None;
            }
            let mut left = &values[end..];
            let mut found = Vec::new();
            for size in sizes.get(..count)? {
                let (text, after) = left.split_at_checked(*size as u32 as usize)?;
                found.extend([&(text.len() as u32).to_le_bytes(), text].concat());
                left = after;
            }
            texts(column, &found, count)?
        }
        Encoding::DeltaByteArray => {
            let size = (!is_text(column)).then(|| stored_width(column.stored));
            let found = prefixed(values, rows, count, size)?;
            plain(column, &found, count)?
        }
        Encoding::ByteStreamSplit => {
            let (width, of_stream) = (stored_width(column.stored), values.len() / stored_width(column.stored));
            if values.len() % width != 0 || count > of_stream {
                return None;
            }
            let value = |at: usize| (0..width).map(move |byte| values[byte * of_stream + at]);
            plain(column, &(0..count).flat_map(value).collect::<Vec<_>>(), count)?
        }
        Encoding::Keys => {
            let (width, keys) = values.split_first()?;
            let keys = if *width <= 32 { hybrid(keys, usize::from(*width), count)? } else { return None };
            keys.iter().map(|key| dictionary?.get(*key as usize).cloned()).collect::<Option<_>>()?
        }
        Encoding::Rle => {
            let (size, runs) = values.split_first_chunk::<4>()?;
            let bits = hybrid(runs.get(..u32::from_le_bytes(*size) as usize)?, 1, count)?;
            bits.iter().map(|bit| (*bit <= 1).then(|| vec![*bit as u8])).collect::<Option<_>>()?
        }
    };
    let mut values = values.into_iter();
    Some(levels.iter().map(|level| if *level == 1 { values.next() } else { None }).collect())
}

fn plain(column: &ColumnPages, bytes: &[u8], count: usize) -> Option<Vec<Vec<u8>>> {
    if is_text(column) {
        return texts(column, bytes, count);
    }
    if column.stored == Stored::Boolean {
        let bit = |at: usize| Some(vec![bytes.get(at / 8)? >> (at % 8) & 1]);
        return (0..count).map(bit).collect();
    }
    let size = stored_width(column.stored);
    let target = width(&column.data_type).unwrap();
    let value = |index: usize| {
        let mut value = bytes.get(index * size..(index + 1) * size)?.to_vec();
        if let DataType::Timestamp(unit, _) = column.data_type
            && column.stored == Stored::Int96
        {
            return timestamp(&value, unit);
        }
        if matches!(column.data_type, DataType::Float16 | DataType::FixedSizeBinary(_)) {
            return Some(value);
        }
        if let Stored::FixedLenByteArray(_) = column.stored {
            value.reverse();
        }
        let sign = if value[size - 1] >= 0x80 { 0xff } else { 0 };
        value.resize(16, sign);
        if let Some((_, digits, _)) = decimal_parts(&column.data_type) {
            let number = i128::from_le_bytes(value.clone().try_into().unwrap());
            if number.unsigned_abs() >= 10_u128.pow(digits.into()) {
                return None;
            }
        }
        value.truncate(target);
        Some(value)
    };
    (0..count).map(value).collect()
}

/// Returns `count` plain values that are stored without the bytes that each shares with the one before.
fn prefixed(bytes: &[u8], rows: usize, count: usize, size: Option<usize>) -> Option<Vec<u8>> {
    let (prefixes, claimed, end) = deltas(bytes, 32)?;
    let (suffixes, claimed_too, behind) = deltas(&bytes[end..], 32)?;
    if claimed != claimed_too || claimed > rows as u64 || prefixes.len() != suffixes.len() {
        return None;
    }
    if prefixes.len() as u64 != claimed || count > prefixes.len() {
        return None;
    }
    let total: u64 =
        prefixes.iter().zip(&suffixes).take(count).map(|(a, b)| 4 + u64::from(*a as u32) + u64::from(*b as u32)).sum();
    if size.is_none() && total >= 1 << 31 {
        return None;
    }
    let (mut left, mut value, mut found) = (&bytes[end + behind..], Vec::new(), Vec::new());
    for (prefix, suffix) in prefixes.iter().zip(&suffixes).take(count) {
        let (suffix, after) = left.split_at_checked(*suffix as u32 as usize)?;
        value = [value.get(..*prefix as u32 as usize)?, suffix].concat();
        if size.is_some_and(|size| size != value.len()) {
            return None;
        }
        if size.is_none() {
            found.extend((value.len() as u32).to_le_bytes());
        }
        found.extend(&value);
        left = after;
    }
    Some(found)
}

/// Returns the 64 bits of a timestamp of 96 bits, without those above. Nanoseconds must be within the years that 64 bits
/// reach, counted in whole seconds.
pub(crate) fn timestamp(stored: &[u8], unit: TimeUnit) -> Option<Vec<u8>> {
    let nanoseconds: i128 = i64::from_le_bytes(stored[..8].try_into().unwrap()).into();
    let day = i128::from(i32::from_le_bytes(stored[8..].try_into().unwrap())) - 2_440_588;
    let of_unit: i128 = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    let seconds = day * 86_400 + nanoseconds / 1_000_000_000;
    let reach = 9_223_372_036;
    if unit == TimeUnit::Nanosecond && !(-reach..reach).contains(&seconds) {
        return None;
    }
    let value = day * (86_400_000_000_000 / of_unit) + nanoseconds / of_unit;
    Some(value.to_le_bytes()[..8].to_vec())
}

/// Decodes `count` values of `width` bits, or `None` if the bytes end before.
fn hybrid(bytes: &[u8], width: usize, count: usize) -> Option<Vec<u64>> {
    let (mut at, mut values) = (0, Vec::new());
    while values.len() < count {
        let mut header = 0_u64;
        for byte in 0.. {
            let next = *bytes.get(at)?;
            at += 1;
            header |= u64::from(next & 0x7f) << (7 * byte);
            if next < 0x80 {
                break;
            }
            if byte == 4 {
                return None;
            }
        }
        let header = header & 0xffff_ffff;
        let length = (header / 2) as usize;
        if header % 2 == 1 && width > 0 {
            let packed = bytes.get(at..at + length * width)?;
            at += length * width;
            for value in 0..(length * 8).min(count - values.len()) {
                let bit = |bit: usize| u64::from(packed[bit / 8]) >> (bit % 8) & 1;
                values.push((0..width).map(|of_value| bit(value * width + of_value) << of_value).sum());
            }
        } else {
            let stored = bytes.get(at..at + width.div_ceil(8))?;
            at += stored.len();
            let value = stored.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            let length = if header % 2 == 1 { length * 8 } else { length };
            values.extend(std::iter::repeat_n(value, length.min(count - values.len())));
        }
    }
    Some(values)
}
