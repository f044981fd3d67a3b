//! Replaces texts by numbers on CUDA, because numbers are compared and hashed faster. The number of a text consists of
//! the length of the text and of those bits in which the texts of the column differ. A number has at most 128 bits.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, NullCount, Result, TableView, TextFacts, physical_type};
use gdf_kernels::Arguments;
use gdf_kernels::generated::keys::{
    NO_BYTES, PREFIX_BYTES, PREFIX_WORDS, TOTAL_WORDS, TextBits, TextColumn, TextNumbering, TextNumbers,
};
use gdf_memory::{Buffer, Mailbox};

use crate::Ctx;
use crate::cuda::{CudaColumn, Grid, Kernel, Memory, Out, Rows};
use crate::keys::{KeySide, Packing};
use crate::layout::{byte_len, characters};
use crate::vouch;

/// The number of rows that are examined first. If the texts of these rows already need numbers with too many bits, the
/// other rows are not examined.
const SAMPLE_ROWS: usize = 1 << 14;

/// The maximum width of the numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordBits {
    Single,
    Double,
}

impl WordBits {
    /// Returns the maximum number of bits of a number. One bit of the word is not used, because the word with all bits
    /// set stands for texts that have no number.
    fn most(self) -> u32 {
        match self {
            WordBits::Single => 63,
            WordBits::Double => 127,
        }
    }

    /// Returns the index at which a column stores its facts for this limit.
    fn kind(self) -> usize {
        match self {
            WordBits::Single => 0,
            WordBits::Double => 1,
        }
    }
}

const _: () = assert!(TOTAL_WORDS == TextFacts::WORDS);

/// The facts about the texts of a column. If the numbers would have too many bits, the facts cover only some of the
/// texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TextSummary {
    /// The facts about each 32-bit word of the texts. The lower half of an element has the bits that are set in some
    /// text, and the upper half has the bits that are clear in some text.
    words: [u64; PREFIX_WORDS],
    longest: u64,
    /// The bitwise complement of the smallest length. Because of the complement, kernels find both lengths by computing
    /// a maximum.
    shortest: u64,
}

impl TextSummary {
    fn posted(words: &[u64]) -> Self {
        let mut summary = Self::default();
        let targets = summary.words.iter_mut().chain([&mut summary.longest, &mut summary.shortest]);
        targets.zip(words).for_each(|(target, word)| *target = *word);
        summary
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Numbering {
    desc: TextNumbering,
    data_type: DataType,
    most: WordBits,
}

impl Numbering {
    /// Makes the conversion, or returns `None` if the numbers would have too many bits.
    fn new(texts: &TextSummary, most: WordBits) -> Option<Self> {
        let longest = usize::try_from(texts.longest).ok().filter(|longest| *longest <= PREFIX_BYTES)?;
        let shortest = usize::try_from(!texts.shortest).unwrap_or(0).min(longest);
        let mut desc = TextNumbering { shortest: shortest as i32, longest: longest as i32, ..Default::default() };
        let mut bits = usize::BITS - (longest - shortest).leading_zeros();
        for (at, word) in texts.words.iter().enumerate() {
            let varying = (word & word >> 32) as u32;
            let bytes = || varying.to_le_bytes().into_iter().enumerate().filter(|(_, byte)| *byte != 0);
            let first = bytes().map(|(_, byte)| byte.trailing_zeros()).min().unwrap_or(0);
            let end = bytes().map(|(_, byte)| u8::BITS - byte.leading_zeros()).max().unwrap_or(0);
            let (count, width) = (bytes().count() as u32, end - first);
            let mask = (1_u32 << width) - 1;
            (desc.base[at], desc.fixed[at], desc.selectors[at]) = (*word as u32, u32::MAX, NO_BYTES);
            for (to, (from, _)) in bytes().enumerate() {
                desc.fixed[at] &= !(mask << first << (8 * from));
                desc.selectors[at] = desc.selectors[at] & !(0xf << (4 * to)) | (from as u32) << (4 * to);
                desc.kept[at] |= mask << (8 * to);
            }
            (desc.shift[at], desc.width[at], desc.place[at]) = (first as u8, width as u8, (bits % 128) as u8);
            bits += count * width;
        }
        let (width, data_type) = match bits {
            bits if bits > most.most() => return None,
            0..8 => (1, DataType::UInt8),
            8..16 => (2, DataType::UInt16),
            16..32 => (4, DataType::UInt32),
            32..64 => (8, DataType::UInt64),
            _ => (16, DataType::Decimal128(38, 0)),
        };
        desc.bytes_each = width;
        Some(Self { desc, data_type, most })
    }

    fn has_same_length(&self, texts: &ColumnView<'_>) -> bool {
        let facts = texts.text_facts().and_then(|facts| facts.get(self.most.kind()));
        let summary = facts.map(|words| TextSummary::posted(&words)).filter(|summary| {
            // If the texts of a column have no numbers, its facts do not cover all rows.
            !texts.has_validity() && Self::new(summary, self.most).is_some()
        });
        summary.is_some_and(|all| all.longest == !all.shortest && all.longest == self.desc.shortest as u64)
    }

    /// Returns a column with the number of each text of `texts`. The column shares the nulls of `texts`.
    fn column(&self, texts: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        let (rows, width) = (texts.len(), self.desc.bytes_each as usize);
        // The result shares the bytes of the validity mask, so the mask can only be sliced at a whole byte. The first
        // row of the numbers therefore has the same bit position within a byte as the first row of the texts.
        let lead = if texts.has_validity() { texts.offset() % 8 } else { 0 };
        let mut numbers = Buffer::uninitialized(byte_len(lead + rows, width, ctx.mr)?, ctx.stream, ctx.mr.output)?;
        {
            let open = CudaColumn::open(texts, ctx.stream)?;
            let access = numbers.write_on(ctx.stream)?;
            let kernel = Kernel::find(ctx.stream)?;
            let same_length = self.has_same_length(&texts);
            let arguments = TextNumbers {
                input: TextColumn { column: open.desc(), bytes: characters(texts) },
                of: TextNumbering { same_length: i32::from(same_length), ..self.desc },
                rows: Rows::new(rows),
                out: Memory::of(&access).skip(lead * width).rows(rows, width)?,
            };
            // If all texts have the same length, each block first makes a table of numbers. The grid then has at most
            // as many blocks as the device runs at a time.
            let blocks = if same_length { kernel.blocks(rows) } else { kernel.streaming_blocks(rows) };
            run(&kernel, Grid::Blocks(blocks), &arguments, ctx)?;
        }
        let mut parts = ColumnParts::new(self.data_type.clone(), ctx.stream.device(), rows).buffer(numbers);
        if let Some(mask) = texts.validity() {
            parts.offset = lead;
            let mask = mask.slice(texts.offset() / 8, (lead + rows).div_ceil(8))?;
            parts = parts.validity(Some(mask), NullCount::Unknown);
        }
        vouch::result(parts)
    }
}

/// The conversions of the key columns of a table, by column. The element is `None` for a column that is not converted.
#[derive(Clone, Debug)]
pub struct Numberings(Vec<Option<Numbering>>);

impl Numberings {
    /// Examines the texts of `keys`, and returns the conversions. **Waits** if the facts about a text column are not
    /// stored yet.
    pub fn of(keys: &TableView<'_>, least_rows: usize, most: WordBits, ctx: Ctx<'_>) -> Result<Option<Self>> {
        let rows = keys.num_rows();
        let may_fit = |view: &ColumnView<'_>| {
            physical_type(view.data_type()).has_byte_offsets() && characters(*view).get() / PREFIX_BYTES <= rows
        };
        if rows == 0 || rows < least_rows || !keys.columns().iter().any(may_fit) {
            return Ok(None);
        }
        let mut numberings = vec![None; keys.num_columns()];
        let known = |view: &ColumnView<'_>| view.text_facts().and_then(|facts| facts.get(most.kind()));
        let (known, texts): (Vec<_>, Vec<_>) = keys
            .columns()
            .iter()
            .enumerate()
            .filter(|(_, view)| may_fit(view))
            .map(|(column, view)| (column, view, known(view)))
            .partition(|(_, _, words)| words.is_some());
        for (column, _, words) in known {
            numberings[column] = words.and_then(|words| Numbering::new(&TextSummary::posted(&words), most));
        }
        for texts in texts.chunks(Mailbox::MAX_WORDS / TOTAL_WORDS) {
            let mailbox = Mailbox::new(ctx.stream, texts.len() * TOTAL_WORDS)?;
            for (index, (_, view, _)) in texts.iter().enumerate() {
                summarize(**view, most, Out::<u64>::of(&mailbox).element(index * TOTAL_WORDS), ctx)?;
            }
            let words = mailbox.wait()?;
            for ((column, view, _), words) in texts.iter().zip(words.as_chunks::<TOTAL_WORDS>().0) {
                if let Some(facts) = view.text_facts() {
                    // SAFETY: the words are those that `summarize` has computed of all rows for this kind.
                    unsafe { facts.keep(most.kind(), *words) };
                }
                numberings[*column] = Numbering::new(&TextSummary::posted(words), most);
            }
        }
        Ok(numberings.iter().any(Option::is_some).then_some(Self(numberings)))
    }

    /// Converts the texts of `keys`. The columns of `keys` must have the same types as the columns from which the
    /// conversions were made.
    pub fn columns(&self, keys: &TableView<'_>, ctx: Ctx<'_>) -> Result<NumberedKeys> {
        let columns = self
            .0
            .iter()
            .zip(keys.columns())
            .map(|(numbering, view)| numbering.as_ref().map(|numbering| numbering.column(*view, ctx)).transpose());
        Ok(NumberedKeys(columns.collect::<Result<_>>()?))
    }
}

/// Returns the common length of all texts. The result is `None` if the texts have different lengths, if numbers cannot
/// replace the texts, or if the column has a null mask. **Waits** if the facts about the column are not stored yet.
pub fn common_length(texts: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<usize>> {
    let table = TableView::from(texts);
    let numberings = if texts.has_validity() { None } else { Numberings::of(&table, 1, WordBits::Single, ctx)? };
    let numbering = numberings.and_then(|Numberings(of)| of.into_iter().next().flatten());
    Ok(numbering.filter(|of| of.has_same_length(&texts)).map(|of| of.desc.longest as usize))
}

fn summarize(texts: ColumnView<'_>, most: WordBits, mailbox: Out<u64>, ctx: Ctx<'_>) -> Result<()> {
    let rows = texts.len();
    let open = CudaColumn::open(texts, ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = TextBits {
        input: TextColumn { column: open.desc(), bytes: characters(texts) },
        rows: Rows::new(rows),
        sample: rows.min(SAMPLE_ROWS) as i64,
        most_bits: most.most() as i32,
        mailbox,
    };
    run(&kernel, Grid::Cooperative(kernel.blocks(rows), 1), &arguments, ctx)
}

fn run<A: Arguments>(kernel: &Kernel<A::Static>, grid: Grid, arguments: &A, ctx: Ctx<'_>) -> Result<()> {
    // SAFETY: the kernel reads the texts of `rows` rows within their buffer. `rows` is greater than 0 and not less than
    // the number of rows of the sample. One kernel writes a number for each row to memory whose size `Memory` has
    // checked. The other kernel writes `TOTAL_WORDS` words of a mailbox that has `TOTAL_WORDS` words for each column.
    // All memory is open until the launch is enqueued.
    unsafe { kernel.launch_grid(ctx.stream, grid, arguments)? };
    Ok(())
}

/// The converted key columns of a table. The element is `None` for a column that is not converted.
#[derive(Debug)]
pub struct NumberedKeys(Vec<Option<Column>>);

impl NumberedKeys {
    /// Examines and converts the texts of `keys` in the same way as [`Numberings::of`].
    pub fn of(keys: &TableView<'_>, least_rows: usize, most: WordBits, ctx: Ctx<'_>) -> Result<Option<Self>> {
        Numberings::of(keys, least_rows, most, ctx)?.map(|numberings| numberings.columns(keys, ctx)).transpose()
    }

    pub fn view<'a>(&'a self, keys: &TableView<'a>) -> Result<TableView<'a>> {
        let columns = self.0.iter().zip(keys.columns());
        TableView::try_new(columns.map(|(numbers, view)| numbers.as_ref().map_or(*view, Column::view)).collect())
    }

    /// Returns the same side with texts replaced by their numbers. The packing of the side is then chosen again,
    /// because the numbers have other types than the texts.
    pub fn side<'a>(&'a self, side: &KeySide<'a>) -> Result<KeySide<'a>> {
        let keys = self.view(&side.keys)?;
        Ok(KeySide { packing: Packing::new(&keys, side.null_policy), keys, ..*side })
    }

    pub fn memory_size(&self) -> usize {
        self.0.iter().flatten().map(Column::alloc_size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(texts: &[&str]) -> TextSummary {
        let mut all = TextSummary::default();
        for text in texts {
            for (at, byte) in text.bytes().enumerate().take(PREFIX_BYTES) {
                all.words[at / 4] |= u64::from(byte) << (at % 4 * 8) | u64::from(!byte) << (32 + at % 4 * 8);
            }
            all.longest = all.longest.max(text.len() as u64);
            all.shortest = all.shortest.max(!(text.len() as u64));
        }
        all
    }

    /// Computes the number of a text by the same steps as the kernel.
    fn number(of: &Numbering, text: &str) -> Option<u128> {
        let desc = &of.desc;
        if !(desc.shortest as usize..=desc.longest as usize).contains(&text.len()) {
            return None;
        }
        let mut number = (text.len() - desc.shortest as usize) as u128;
        for at in 0..text.len().div_ceil(4) {
            let own = &text.as_bytes()[at * 4..text.len().min(at * 4 + 4)];
            let (mut bytes, mut there) = ([0; 8], [0; 4]);
            bytes[..own.len()].copy_from_slice(own);
            there[..own.len()].fill(0xff);
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if (word ^ desc.base[at]) & desc.fixed[at] & u32::from_le_bytes(there) != 0 {
                return None;
            }
            let moved = [0, 4, 8, 12].map(|low| bytes[(desc.selectors[at] >> low & 7) as usize]);
            let kept = u32::from_le_bytes(moved) >> desc.shift[at] & desc.kept[at];
            for byte in 0..4 {
                let bits = u128::from(kept >> (8 * byte) & 0xff) << (u32::from(desc.width[at]) * byte);
                number |= bits << desc.place[at];
            }
        }
        Some(number)
    }

    fn check(texts: &[&str], most: WordBits) -> Option<DataType> {
        let of = Numbering::new(&summary(texts), most)?;
        let all: Vec<u128> = texts.iter().map(|text| number(&of, text).unwrap()).collect();
        for (i, a) in texts.iter().enumerate() {
            assert!(all[i] < u128::MAX >> (128 - 8 * of.desc.bytes_each), "{a}: {}", all[i]);
            for (j, b) in texts.iter().enumerate() {
                assert_eq!(all[i] == all[j], a == b, "{a:?}, {b:?}");
            }
        }
        Some(of.data_type)
    }

    #[test]
    fn numbers_tell_texts_from_each_other() {
        use WordBits::{Double, Single};
        assert_eq!(check(&["A", "N", "R"], Single), Some(DataType::UInt8));
        assert_eq!(check(&["a", "b", "c", "bx"], Single), Some(DataType::UInt8));
        assert_eq!(check(&["", "\0", "\0\0"], Single), Some(DataType::UInt8));
        assert_eq!(check(&[], Single), Some(DataType::UInt8));
        assert_eq!(check(&[""], Single), Some(DataType::UInt8));
        assert_eq!(check(&["0123456789", "9876543210", "55"], Single), Some(DataType::UInt64));
        // A common prefix takes no bits.
        let urls = ["https://example.com/items/0001", "https://example.com/items/0719"];
        assert_eq!(check(&urls, Single), Some(DataType::UInt16));
        // The texts consist of fifteen bytes without common bits. The test below computes the widths of the numbers for
        // such texts of 7, 15 and 16 bytes.
        let any = [
            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            "\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}",
        ];
        assert_eq!(check(&any, Single), None);
        assert_eq!(check(&any, Double), Some(DataType::Decimal128(38, 0)));
        let all = |bytes: usize| {
            let text = vec![u64::MAX; bytes / 4].into_iter().chain([(1_u64 << (bytes % 4 * 8)) - 1]);
            let mut summary = TextSummary { longest: bytes as u64, shortest: u64::MAX, ..TextSummary::default() };
            summary.words.iter_mut().zip(text).for_each(|(to, bits)| *to = bits & 0xffff_ffff | bits << 32);
            Numbering::new(&summary, Double).map(|of| of.desc.bytes_each)
        };
        assert_eq!([7, 15, 16].map(all), [Some(8), Some(16), None]);
        assert_eq!(Numbering::new(&TextSummary { longest: 33, ..TextSummary::default() }, Double), None);
    }

    #[test]
    fn other_texts_have_no_number() {
        let of = Numbering::new(&summary(&["id-10", "id-19"]), WordBits::Single).unwrap();
        for other in ["", "id-1", "id-100", "ID-10", "id-20", "ad-11"] {
            assert_eq!(number(&of, other), None, "{other}");
        }
        // The last byte of the text has a bit that is clear in all examined texts. The number cannot represent that
        // bit.
        assert_eq!(number(&of, "id-1p"), None);
        assert!(number(&of, "id-11").is_some());
    }
}
