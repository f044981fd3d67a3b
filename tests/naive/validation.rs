//! The oracle of `validation`. The oracle checks the rules for each row.

use arrow_schema::DataType;
use gdf_core::{DataRule, PhysicalType, is_signed_integral, physical_type};

/// The parts of a column.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The type.
    pub data_type: DataType,
    /// The number of rows.
    pub len: usize,
    /// The position of the column's first row in the buffers.
    pub offset: usize,
    /// The validity bitmask.
    pub mask: Option<Vec<u8>>,
    /// The stated number of nulls, which may be wrong.
    pub null_count: Option<usize>,
    /// The buffers of the column itself.
    pub buffers: Vec<Vec<u8>>,
    /// The children.
    pub children: Vec<Raw>,
}

/// A broken rule, the row that breaks the rule, and the path to the faulty column.
pub type Fault = (DataRule, Option<usize>, Vec<usize>);

impl Raw {
    /// Builds a column without a mask.
    pub fn new(data_type: DataType, len: usize, buffers: Vec<Vec<u8>>, children: Vec<Raw>) -> Raw {
        Raw { data_type, len, offset: 0, mask: None, null_count: None, buffers, children }
    }

    fn int(&self, buffer: usize, width: usize, signed: bool, row: usize) -> i128 {
        let at = (self.offset + row) * width;
        let bytes = &self.buffers[buffer][at..at + width];
        let number = bytes.iter().rev().fold(0_i128, |number, &byte| number << 8 | i128::from(byte));
        let half = 1_i128 << (8 * width - 1);
        if signed && number >= half { number - 2 * half } else { number }
    }

    fn is_valid(&self, row: usize) -> bool {
        let at = self.offset + row;
        self.mask.as_ref().is_none_or(|mask| mask[at / 8] >> (at % 8) & 1 == 1)
    }

    /// Returns whether a row is null by the mask or, in a dictionary, by its value.
    fn is_null(&self, row: usize) -> bool {
        let has_null_value = || {
            let DataType::Dictionary(keys, _) = &self.data_type else { return false };
            let (width, values) = (physical_type(keys).width().unwrap_or(1), &self.children[0]);
            let key = usize::try_from(self.int(0, width, is_signed_integral(keys), row));
            key.is_ok_and(|key| key < values.len && !values.is_valid(key))
        };
        !self.is_valid(row) || has_null_value()
    }

    /// Returns the number of rows that are null by the mask.
    pub fn nulls(&self) -> usize {
        (0..self.len).filter(|&row| !self.is_valid(row)).count()
    }

    fn range(&self, row: usize, large: bool) -> (i128, i128) {
        let width = if large { 8 } else { 4 };
        (self.int(0, width, true, row), self.int(0, width, true, row + 1))
    }

    fn viewed(&self, row: usize) -> Option<Vec<u8>> {
        let at = (self.offset + row) * 16;
        let view = &self.buffers[0][at..at + 16];
        let word =
            |at: usize| view[at..at + 4].iter().rev().fold(0_usize, |number, &byte| number << 8 | usize::from(byte));
        let size = word(0);
        if size <= 12 {
            return view[4 + size..].iter().all(|&byte| byte == 0).then(|| view[4..4 + size].to_vec());
        }
        let bytes = self.buffers.get(1 + word(8))?.get(word(12)..word(12) + size)?;
        (bytes[..4] == view[4..8]).then(|| bytes.to_vec())
    }

    fn breaks(&self, row: usize) -> Option<DataRule> {
        use PhysicalType as P;
        let rows_below = |child: usize| self.children[child].len as i128;
        let leaves = |large: bool, limit: i128| {
            let (start, end) = self.range(row, large);
            (start < 0 || end < start || end > limit).then_some(DataRule::Offsets)
        };
        match (physical_type(&self.data_type), &self.data_type) {
            (P::String { large } | P::Binary { large }, _) => leaves(large, self.buffers[1].len() as i128),
            (P::List { large }, _) => leaves(large, rows_below(0)),
            (P::Map, _) => leaves(false, rows_below(0)),
            (P::ListView { large }, _) => {
                let width = if large { 8 } else { 4 };
                let (start, size) = (self.int(0, width, true, row), self.int(1, width, true, row));
                (start < 0 || size < 0 || start + size > rows_below(0)).then_some(DataRule::ListViews)
            }
            (P::View { .. }, _) => self.viewed(row).is_none().then_some(DataRule::Views),
            (_, DataType::Dictionary(keys, _)) => {
                let width = physical_type(keys).width().unwrap_or(1);
                let key = self.int(0, width, is_signed_integral(keys), row);
                (self.is_valid(row) && !(0..rows_below(0)).contains(&key)).then_some(DataRule::Keys)
            }
            (P::Union { .. }, DataType::Union(fields, _)) => {
                let id = self.int(0, 1, true, row);
                (!fields.iter().any(|(known, _)| i128::from(known) == id)).then_some(DataRule::TypeIds)
            }
            _ => None,
        }
    }

    fn breaks_union_offsets(&self, row: usize) -> bool {
        let (DataType::Union(fields, _), true) = (&self.data_type, self.buffers.len() == 2) else { return false };
        let id = self.int(0, 1, true, row);
        let child = fields.iter().position(|(known, _)| i128::from(known) == id);
        child.is_some_and(|child| !(0..self.children[child].len as i128).contains(&self.int(1, 4, true, row)))
    }

    fn is_no_text(&self, row: usize) -> bool {
        match physical_type(&self.data_type) {
            PhysicalType::String { large } => {
                let (start, end) = self.range(row, large);
                std::str::from_utf8(&self.buffers[1][start as usize..end as usize]).is_err()
            }
            PhysicalType::View { utf8: true } => {
                self.viewed(row).is_none_or(|text| std::str::from_utf8(&text).is_err())
            }
            _ => false,
        }
    }

    /// Returns the first bad run.
    fn bad_run(&self) -> Option<usize> {
        let DataType::RunEndEncoded(field, _) = &self.data_type else { return None };
        let (ends, width) = (&self.children[0], physical_type(field.data_type()).width().unwrap_or(2));
        let mut before = 0;
        for run in 0..ends.len {
            let end = ends.int(0, width, true, run);
            let reach = if self.len == 0 { 0 } else { (self.offset + self.len) as i128 };
            if end <= before || (run + 1 == ends.len && end < reach) {
                return Some(run);
            }
            before = end;
        }
        None
    }

    fn own_fault(&self) -> Option<(DataRule, Option<usize>)> {
        if self.mask.is_some() && self.null_count.is_some_and(|count| count != self.nulls()) {
            return Some((DataRule::NullCount, None));
        }
        let rows = || 0..self.len;
        let broken = rows().find_map(|row| self.breaks(row).map(|rule| (rule, Some(row))));
        let run = || self.bad_run().map(|run| (DataRule::RunEnds, Some(run)));
        let offset =
            || rows().find(|&row| self.breaks_union_offsets(row)).map(|row| (DataRule::UnionOffsets, Some(row)));
        let text = || rows().find(|&row| self.is_no_text(row)).map(|row| (DataRule::Text, Some(row)));
        broken.or_else(run).or_else(offset).or_else(text)
    }

    /// Returns the first null of a child whose field is not nullable.
    fn null_of_field(&self) -> Option<(usize, usize)> {
        let required = |child: usize| match &self.data_type {
            DataType::Struct(fields) => !fields[child].is_nullable(),
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _)
            | DataType::Map(field, _) => !field.is_nullable(),
            _ => false,
        };
        (0..self.children.len()).filter(|&child| required(child)).find_map(|child| {
            let below = &self.children[child];
            let rows = match self.data_type {
                DataType::Struct(_) => self.offset..self.offset + self.len,
                DataType::FixedSizeList(_, size) => {
                    self.offset * size as usize..(self.offset + self.len) * size as usize
                }
                _ => 0..below.len,
            };
            let is_hidden = |row: usize| match self.data_type {
                DataType::Struct(_) => !self.is_valid(row - self.offset),
                DataType::FixedSizeList(_, size) => !self.is_valid(row / size as usize - self.offset),
                _ => false,
            };
            rows.into_iter().find(|&row| below.is_null(row) && !is_hidden(row)).map(|row| (child, row))
        })
    }

    /// Returns the first fault.
    pub fn fault(&self) -> Option<Fault> {
        if let Some((rule, row)) = self.own_fault() {
            return Some((rule, row, Vec::new()));
        }
        if let Some((child, row)) = self.null_of_field() {
            return Some((DataRule::NonNullable, Some(row), vec![child]));
        }
        self.children.iter().enumerate().find_map(|(child, below)| {
            let (rule, row, path) = below.fault()?;
            Some((rule, row, [vec![child], path].concat()))
        })
    }
}
