//! Decodes the pages of a column chunk one after the other, directly into the final memory of their values.

use gdf_core::DataType;

use super::bits::Bits;
use super::converted::{Converted, Narrow};
use super::decimals::Decimals;
use super::fixed_bytes::FixedBytes;
use super::keys::Keys;
use super::nested::PageSlots;
use super::numbers::Numbers;
use super::rewritten::rewritten;
use super::row_validity::RowValidity;
use super::runs::{Run, Runs, unpack};
use super::text::{Text, TextSizes};
use super::times::Times;
use super::values::Values;
use crate::batch::{Encoding, Flaw, Levels, PageHeader, Stored};
use crate::conversion::Conversion;

/// The number of dictionary keys that are unpacked at a time.
const KEYS: usize = 1024;

/// The memory of the rows of a column chunk.
#[derive(Debug)]
pub enum Slot<'a> {
    /// Values of a fixed width.
    Values(&'a mut [u8]),
    /// Text or binary values.
    Text {
        /// For each row, the offset of its end.
        ends: &'a mut [u8],
        /// The bytes of all rows.
        bytes: &'a mut [u8],
        /// The number of bytes of the rows before the chunk.
        first: usize,
    },
}

/// Decodes the pages of a flat column chunk one after the other.
///
/// Pages are decompressed into the cache and decoded at once, so a page is not written to memory in between.
/// [`decode`](crate::decode()) decodes batches with this type on the CPU, so a decoder of a device has the same answers.
pub struct PageDecoder<'a> {
    stored: Stored,
    conversion: Conversion,
    values: Box<dyn Values + 'a>,
    validity: RowValidity,
    is_optional: bool,
    has_dictionary: bool,
    rows: usize,
}

impl<'a> PageDecoder<'a> {
    /// Makes a decoder for `rows` rows of `data_type`, whose memory is `slot`. If values of the type cannot be decoded,
    /// or if the memory does not have the size of the rows, the result is `None`.
    ///
    /// The decoder makes what [`supports`](crate::supports) says, but no booleans, whose chunks share bytes. The caller must
    /// check that text is UTF-8. Keys of texts begin at 0.
    pub fn new(stored: Stored, data_type: &DataType, is_optional: bool, rows: usize, slot: Slot<'a>) -> Option<Self> {
        let has = |bytes: &[u8], width: usize| rows.checked_mul(width) == Some(bytes.len());
        let conversion = Conversion::of(stored, data_type)?;
        let fits = match &slot {
            Slot::Values(place) => {
                !conversion.is_text() && conversion != Conversion::Bit && has(place, conversion.width())
            }
            Slot::Text { ends, .. } => conversion.is_text() && has(ends, conversion.width()),
        };
        let values = fits.then(|| values_of(conversion, Some(slot), 0))?;
        Some(Self::of_values(stored, conversion, values, is_optional, rows))
    }

    pub(super) fn of_values(
        stored: Stored,
        conversion: Conversion,
        values: Box<dyn Values + 'a>,
        is_optional: bool,
        rows: usize,
    ) -> Self {
        let validity = RowValidity::default();
        PageDecoder { stored, conversion, values, validity, is_optional, has_dictionary: false, rows }
    }

    /// Sets the dictionary of the pages that follow: `count` values with plain encoding.
    ///
    /// # Errors
    /// - [`Flaw::Dictionary`]: the page has fewer values, or there is a dictionary already.
    /// - [`Flaw::Digits`]: a decimal has too many digits.
    /// - [`Flaw::Timestamp`]: a timestamp is outside of the range of nanoseconds.
    pub fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        if self.has_dictionary {
            return Err(Flaw::Dictionary);
        }
        self.values.set_dictionary(page, count)?;
        self.has_dictionary = true;
        Ok(())
    }

    /// Decodes a data page to the rows that follow.
    ///
    /// # Errors
    /// - The page is bad. The decoder must not be used any more.
    pub fn decode(&mut self, page: &[u8], header: &PageHeader) -> Result<(), Flaw> {
        let (row, rows) = (self.validity.rows(), header.rows);
        if rows > self.rows - row {
            return Err(Flaw::Rows);
        }
        let (levels, body) = self.split(page, header)?;
        let missing = if self.is_optional {
            self.validity.push_levels(rows, levels)?
        } else {
            self.validity.push_valid(rows);
            0
        };
        if header.nulls.is_some_and(|nulls| nulls != missing) {
            return Err(Flaw::NullCount);
        }
        self.decode_values(row, rows, missing, header, body)
    }

    /// Decodes the values of a page of a nested column to the slots that follow.
    pub(super) fn decode_slots(&mut self, page: &[u8], header: &PageHeader, of_page: &PageSlots) -> Result<(), Flaw> {
        let (row, slots) = (self.validity.rows(), &of_page.slots);
        if slots.rows > self.rows - row {
            return Err(Flaw::Rows);
        }
        self.validity.push_bits(&slots.bits, 0, slots.rows, slots.nulls);
        let body = page.get(of_page.values_at..).ok_or(Flaw::Levels)?;
        self.decode_values(row, slots.rows, slots.nulls, header, body)
    }

    /// Decodes the values of rows from `row` on, of which some are missing.
    fn decode_values(
        &mut self,
        row: usize,
        rows: usize,
        missing: usize,
        header: &PageHeader,
        body: &[u8],
    ) -> Result<(), Flaw> {
        let count = rows - missing;
        match header.encoding {
            _ if count == 0 => {}
            encoding if !self.conversion.has(self.stored, encoding) => return Err(Flaw::Unsupported),
            Encoding::Plain => self.values.plain(row, count, body)?,
            Encoding::Keys if self.has_dictionary => decode_keys(&mut *self.values, row, count, body)?,
            Encoding::Keys => return Err(Flaw::NoDictionary),
            Encoding::Rle => decode_booleans(&mut *self.values, row, count, body)?,
            Encoding::ByteStreamSplit
            | Encoding::DeltaBinaryPacked
            | Encoding::DeltaLengthByteArray
            | Encoding::DeltaByteArray => {
                let plain = rewritten(header.encoding, self.conversion, header.rows, count, body)?;
                self.values.plain(row, count, plain.as_ref())?;
            }
        }
        if missing > 0 {
            self.values.spread(row, rows, count, self.validity.bits())?;
        }
        Ok(())
    }

    /// Returns the validity of the rows.
    ///
    /// # Errors
    /// - [`Flaw::Rows`]: the pages have fewer rows than the column chunk.
    /// - [`Flaw::Values`]: the pages have fewer bytes of text.
    pub fn finish(self) -> Result<RowValidity, Flaw> {
        if self.validity.rows() != self.rows {
            return Err(Flaw::Rows);
        }
        if self.values.is_full() { Ok(self.validity) } else { Err(Flaw::Values) }
    }

    /// Returns the bits of all rows, if the values are bits.
    pub(super) fn take_bits(&mut self) -> Vec<u8> {
        self.values.take_bits()
    }

    /// Returns the number of bytes of text of the rows so far.
    pub(super) fn text_bytes(&self) -> usize {
        self.values.text_bytes()
    }

    /// Splits a page into its levels and its values.
    fn split<'p>(&self, page: &'p [u8], header: &PageHeader) -> Result<(&'p [u8], &'p [u8]), Flaw> {
        match header.level_size(page.len(), self.is_optional)? {
            Some(size) => page.split_at_checked(size),
            None => page.split_first_chunk::<4>().and_then(|(size, rest)| {
                debug_assert_eq!(header.levels, Levels::Prefixed, "all other sizes are known");
                rest.split_at_checked(u32::from_le_bytes(*size) as usize)
            }),
        }
        .ok_or(Flaw::Levels)
    }
}

/// Returns the destination of values. Texts without a slot are counted. `first_key` is the number of values in the
/// dictionaries before.
pub(super) fn values_of<'a>(conversion: Conversion, slot: Option<Slot<'a>>, first_key: usize) -> Box<dyn Values + 'a> {
    let place = match slot {
        Some(Slot::Text { ends, bytes, first }) if conversion.width() == 4 => {
            return Box::new(Text::<4>::new(ends, bytes, first));
        }
        Some(Slot::Text { ends, bytes, first }) => return Box::new(Text::<8>::new(ends, bytes, first)),
        Some(Slot::Values(place)) => place,
        None => &mut [],
    };
    match conversion {
        Conversion::Bit => Box::new(Bits::new()),
        Conversion::Bytes { width } => Box::new(FixedBytes::new(place, width)),
        Conversion::Copy { width: 2 } => Box::new(Numbers::<2>::new(place)),
        Conversion::Copy { width: 4 } => Box::new(Numbers::<4>::new(place)),
        Conversion::Copy { .. } => Box::new(Numbers::<8>::new(place)),
        Conversion::Narrow { width: 1 } => Box::new(Converted::<_, 1>::new(place, Narrow)),
        Conversion::Narrow { .. } => Box::new(Converted::<_, 2>::new(place, Narrow)),
        Conversion::Decimal { width: 4, stored, largest } => {
            Box::new(Converted::<_, 4>::new(place, Decimals { stored, largest }))
        }
        Conversion::Decimal { width: 8, stored, largest } => {
            Box::new(Converted::<_, 8>::new(place, Decimals { stored, largest }))
        }
        Conversion::Decimal { stored, largest, .. } => {
            Box::new(Converted::<_, 16>::new(place, Decimals { stored, largest }))
        }
        Conversion::Timestamp { unit } => Box::new(Converted::<_, 8>::new(place, Times(unit))),
        Conversion::Keys => Box::new(Keys::new(place, first_key)),
        Conversion::Text { is_utf8, .. } => Box::new(TextSizes::new(is_utf8)),
    }
}

fn decode_keys(values: &mut dyn Values, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
    let (&width, keys) = page.split_first().ok_or(Flaw::Keys)?;
    decode_runs(values, row, count, keys, usize::from(width))
}

/// Decodes booleans, which are runs of one bit behind the number of their bytes.
fn decode_booleans(values: &mut dyn Values, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
    let (size, runs) = page.split_first_chunk::<4>().ok_or(Flaw::Keys)?;
    let runs = runs.get(..u32::from_le_bytes(*size) as usize).ok_or(Flaw::Keys)?;
    decode_runs(values, row, count, runs, 1)
}

fn decode_runs(values: &mut dyn Values, row: usize, count: usize, runs: &[u8], width: usize) -> Result<(), Flaw> {
    let mut unpacked = [0; KEYS];
    let (mut row, end) = (row, row + count);
    let mut runs = Runs::new(runs, width).ok_or(Flaw::KeyWidth)?;
    while row < end {
        match runs.next_run().ok_or(Flaw::Keys)? {
            Run::Repeated { count: 0, .. } => {}
            Run::Repeated { value, count } => {
                let count = count.min(end - row);
                values.repeat(row, count, value)?;
                row += count;
            }
            Run::Packed { bytes } => {
                for chunk in bytes.chunks(KEYS / 8 * width) {
                    let count = (chunk.len() / width * 8).min(end - row);
                    if count == 0 {
                        break;
                    }
                    unpack(chunk, width, &mut unpacked);
                    values.by_keys(row, &unpacked[..count])?;
                    row += count;
                }
            }
        }
    }
    Ok(())
}
