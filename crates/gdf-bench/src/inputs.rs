//! The columns that several cases use. The programs that time the peers have columns of the same distributions. A
//! column is created on the device when a case requests it for the first time.

use std::cell::RefCell;
use std::collections::HashMap;

use anyhow::{Context, Result};
use gdf::arrow::array::{Array, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray, TimestampSecondArray};
use gdf::arrow::buffer::{OffsetBuffer, ScalarBuffer};
use gdf::core::NullCount;
use gdf::memory::current_resource;
use gdf::{Column, Device, Stream, Table};

use crate::generate::{Permutation, Words, bits, texts, values};

const BILLION: i64 = 1_000_000_000;
/// An odd factor. Small numbers become numbers that use all 64 bits if they are multiplied by the factor.
pub(crate) const SPARSE: i64 = 0x9e37_79b9_7f4a_7c15_u64 as i64;
/// The phrases in the text columns. The text columns of the peers' programs have the same phrases.
const PHRASES: [&str; 5] =
    ["the quick brown fox", "jumps over, the lazy dog", "PROMO special packages", "Éclair and 東京 café", "a,b,c,d"];

/// The inputs of all cases at one size.
#[derive(Debug)]
pub(crate) struct Inputs {
    rows: usize,
    stream: Stream,
    made: RefCell<HashMap<String, Column>>,
}

impl Inputs {
    /// Returns the inputs of `rows` rows on `device`. The function does not create any column.
    pub(crate) fn new(device: Device, rows: usize) -> Result<Inputs> {
        let stream = Stream::default_for(device)?;
        Ok(Inputs { rows, stream, made: RefCell::default() })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the stream on which operations run.
    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns integers between minus one billion and one billion.
    pub(crate) fn i64(&self) -> Result<Column> {
        self.integers("i64", -BILLION, BILLION)
    }

    /// Returns integers between one and one billion.
    pub(crate) fn j64(&self) -> Result<Column> {
        self.integers("j64", 1, BILLION)
    }

    /// Returns the column [`i64`](Self::i64) with nulls. A tenth of the rows are null.
    pub(crate) fn i64_nulls(&self) -> Result<Column> {
        self.with_nulls("i64_nulls", self.i64()?)
    }

    /// Returns the column [`j64`](Self::j64) with nulls. A tenth of the rows are null. The null rows are not the same
    /// as in [`i64_nulls`](Self::i64_nulls).
    pub(crate) fn j64_nulls(&self) -> Result<Column> {
        self.with_nulls("j64_nulls", self.j64()?)
    }

    /// Returns 32-bit integers between minus one billion and one billion.
    pub(crate) fn i32(&self) -> Result<Column> {
        let words = Words::new("i32");
        self.column("i32", |rows| {
            Ok(Int32Array::from(values(rows, |row| words.integer(row, -BILLION, BILLION) as i32)))
        })
    }

    /// Returns integers from the whole range of 64 bits.
    pub(crate) fn full_range(&self) -> Result<Column> {
        let words = Words::new("full_range");
        self.column("full_range", |rows| Ok(Int64Array::from(values(rows, |row| words.at(row) as i64))))
    }

    /// Returns integers that are at least zero and less than `groups`. All integers have the same probability.
    pub(crate) fn groups(&self, groups: i64) -> Result<Column> {
        self.integers(&format!("groups_{groups}"), 0, groups)
    }

    /// Returns 32-bit integers that are at least zero and less than a hundred.
    pub(crate) fn hundred(&self) -> Result<Column> {
        let words = Words::new("hundred");
        self.column("hundred", |rows| Ok(Int32Array::from(values(rows, |row| words.integer(row, 0, 100) as i32))))
    }

    /// Returns `count` 32-bit integers: zero, one, two and so on.
    pub(crate) fn first_integers(&self, count: i32) -> Result<Column> {
        self.import(&Int32Array::from_iter_values(0..count))
    }

    /// Returns the offsets of segments with a hundred rows each. The last segment has the remaining rows.
    pub(crate) fn hundreds(&self) -> Result<Column> {
        let end = i32::try_from(self.rows)
            .context("the number of rows exceeds 2147483647, the largest 32-bit offset; use fewer rows")?;
        self.import(&Int32Array::from_iter_values((0..end).step_by(100).chain([end])))
    }

    /// Returns timestamps in seconds. The earliest are about three decades before 1970, and the latest are about three
    /// decades after 1970.
    pub(crate) fn timestamps(&self) -> Result<Column> {
        let words = Words::new("i64");
        self.column("timestamps", |rows| {
            Ok(TimestampSecondArray::from(values(rows, |row| words.integer(row, -BILLION, BILLION))))
        })
    }

    /// Returns integers that are at least zero and less than `groups`. The frequency of the n-th most frequent integer
    /// is about 1/n of the frequency of the most frequent integer. The order of the integers by frequency is random.
    pub(crate) fn zipf(&self, groups: usize) -> Result<Column> {
        let (words, order) = (Words::new("zipf"), Permutation::new("zipf_order", groups));
        let ends = (groups as f64 + 1.0).ln();
        let rank = |row: usize| ((words.unit(row) * ends).exp() as usize).clamp(1, groups) - 1;
        self.column(&format!("zipf_{groups}"), |rows| {
            Ok(Int64Array::from(values(rows, |row| order.at(rank(row)) as i64)))
        })
    }

    /// Returns numbers between zero and one.
    pub(crate) fn f64(&self) -> Result<Column> {
        let words = Words::new("f64");
        self.column("f64", |rows| Ok(Float64Array::from(values(rows, |row| words.unit(row)))))
    }

    /// Returns numbers between a million and a million and one. Variances of these numbers are difficult, because the
    /// squares of the numbers differ only in the last digits of double precision.
    pub(crate) fn far_f64(&self) -> Result<Column> {
        let words = Words::new("f64");
        self.column("far_f64", |rows| Ok(Float64Array::from(values(rows, |row| 1e6 + words.unit(row)))))
    }

    /// Returns booleans. A boolean is true if the row of [`i64`](Self::i64) is positive. About half of the booleans are
    /// true.
    pub(crate) fn half(&self) -> Result<Column> {
        let words = Words::new("i64");
        self.column("half", |rows| {
            Ok(BooleanArray::new(bits(rows, |row| words.integer(row, -BILLION, BILLION) > 0), None))
        })
    }

    /// Returns all row numbers, each once, as 32-bit integers in a random order.
    pub(crate) fn permutation(&self) -> Result<Column> {
        let permutation = Permutation::new("permutation", self.rows);
        self.row_numbers("permutation", |row| permutation.at(row))
    }

    /// Returns all row numbers as 32-bit integers, from the last row to the first row.
    pub(crate) fn reverse(&self) -> Result<Column> {
        let rows = self.rows;
        self.row_numbers("reverse", |row| rows - 1 - row)
    }

    /// Returns the number of rows of the right side of joins.
    pub(crate) fn build_rows(&self) -> usize {
        (self.rows / 10).max(1)
    }

    /// Returns the keys of the right side of joins. The keys are the row numbers of the right side, each once, in a
    /// random order. The right side has a tenth as many rows as the left side.
    pub(crate) fn build_keys(&self) -> Result<Column> {
        let order = Permutation::new("build_keys", self.build_rows());
        self.column("build_keys", |_| Ok(Int64Array::from(values(self.build_rows(), |row| order.at(row) as i64))))
    }

    /// Returns two columns that together represent [`build_keys`](Self::build_keys): the key divided by four, and the
    /// remainder.
    pub(crate) fn build_key_pairs(&self) -> Result<[Column; 2]> {
        let order = Permutation::new("build_keys", self.build_rows());
        let key = |row: usize| order.at(row) as i64;
        self.pairs("build_keys", self.build_rows(), key)
    }

    /// Returns two columns that together represent [`probe_keys`](Self::probe_keys): the key divided by four, and the
    /// remainder.
    pub(crate) fn probe_key_pairs(&self) -> Result<[Column; 2]> {
        let (words, end) = (Words::new("probe_keys"), self.build_rows() as i64);
        self.pairs("probe_keys", self.rows, |row| words.integer(row, 0, end))
    }

    fn pairs(&self, name: &str, rows: usize, key: impl Fn(usize) -> i64 + Sync) -> Result<[Column; 2]> {
        let four = self.column(&format!("{name}_four"), |_| Ok(Int64Array::from(values(rows, |row| key(row) / 4))))?;
        let rest = self.column(&format!("{name}_rest"), |_| Ok(Int64Array::from(values(rows, |row| key(row) % 4))))?;
        Ok([four, rest])
    }

    /// Returns the integers zero, one, two and so on. Each integer is repeated `length` times.
    pub(crate) fn runs(&self, length: usize) -> Result<Column> {
        self.column(&format!("runs_{length}"), |rows| Ok(Int64Array::from(values(rows, |row| (row / length) as i64))))
    }

    /// Returns numbers that occur in [`build_keys`](Self::build_keys). All numbers have the same probability.
    pub(crate) fn probe_keys(&self) -> Result<Column> {
        self.integers("probe_keys", 0, self.build_rows() as i64)
    }

    /// Returns random numbers. About three of ten numbers occur in [`build_keys`](Self::build_keys).
    pub(crate) fn probe_keys_beyond(&self) -> Result<Column> {
        self.integers("probe_keys_beyond", 0, (self.build_rows() as i64 * 10 / 3).max(2))
    }

    /// Returns the column [`build_keys`](Self::build_keys) with each number multiplied by an odd number. The products
    /// use all 64 bits.
    pub(crate) fn sparse_build_keys(&self) -> Result<Column> {
        let order = Permutation::new("build_keys", self.build_rows());
        let key = |row: usize| SPARSE.wrapping_mul(order.at(row) as i64);
        self.column("sparse_build_keys", |_| Ok(Int64Array::from(values(self.build_rows(), key))))
    }

    pub(crate) fn sparse_probe_keys(&self) -> Result<Column> {
        let words = Words::new("probe_keys");
        let end = self.build_rows() as i64;
        let key = |row: usize| SPARSE.wrapping_mul(words.integer(row, 0, end));
        self.column("sparse_probe_keys", |rows| Ok(Int64Array::from(values(rows, key))))
    }

    /// Returns integers between zero and a billion.
    pub(crate) fn counts(&self) -> Result<Column> {
        self.integers("counts", 0, BILLION)
    }

    /// Returns the decimal digits of the numbers of [`counts`](Self::counts). The texts are short, and nearly all texts
    /// are different.
    pub(crate) fn digits(&self) -> Result<Column> {
        let words = Words::new("counts");
        self.column("digits", |rows| numbered(rows, "", |row| words.integer(row, 0, BILLION) as usize))
    }

    /// Returns texts. Each text is one of five phrases, at random. Some phrases have characters outside of ASCII.
    pub(crate) fn phrases(&self) -> Result<Column> {
        self.one_of("phrases", &PHRASES)
    }

    /// Returns texts. Each text is one of `choices`, at random.
    pub(crate) fn one_of(&self, name: &str, choices: &[&str]) -> Result<Column> {
        let words = Words::new(name);
        let choice = |row: usize| choices[words.integer(row, 0, choices.len() as i64) as usize];
        self.column(name, |rows| {
            let write = |row: usize, text: &mut [u8]| text.copy_from_slice(choice(row).as_bytes());
            strings(texts(rows, |row| choice(row).len(), write))
        })
    }

    pub(crate) fn texts_of(&self, texts: &[&str]) -> Result<Column> {
        self.import(&StringArray::from_iter_values(texts))
    }

    /// Returns the table for exchanges. Its columns are [`counts`](Self::counts), [`digits`](Self::digits) and
    /// [`phrases`](Self::phrases).
    pub(crate) fn exchanged(&self) -> Result<Table> {
        Ok(Table::try_new(vec![self.counts()?, self.digits()?, self.phrases()?])?)
    }

    fn integers(&self, name: &str, low: i64, high: i64) -> Result<Column> {
        let words = Words::new(name);
        self.column(name, |rows| Ok(Int64Array::from(values(rows, |row| words.integer(row, low, high)))))
    }

    fn row_numbers(&self, name: &str, number: impl Fn(usize) -> usize + Sync) -> Result<Column> {
        i32::try_from(self.rows)
            .context("the number of rows exceeds 2147483647, the largest 32-bit row number; use fewer rows")?;
        self.column(name, |rows| Ok(Int32Array::from(values(rows, |row| number(row) as i32))))
    }

    /// Returns `column` with new nulls. Each row becomes null with a probability of 0.1. The result shares the values
    /// with `column`.
    fn with_nulls(&self, name: &str, column: Column) -> Result<Column> {
        if let Some(made) = self.made.borrow().get(name) {
            return Ok(made.clone());
        }
        let words = Words::new(name);
        self.keep(name, self.masked(column, |row| words.unit(row) >= 0.1)?)
    }

    /// Returns `column` with new nulls. A row becomes null if `valid` returns false. The result shares the values with
    /// `column`.
    pub(crate) fn masked(&self, column: Column, valid: impl Fn(usize) -> bool + Sync) -> Result<Column> {
        let valid = BooleanArray::new(bits(column.len(), valid), None);
        let nulls = NullCount::Known(valid.false_count());
        let mask = self.import(&valid)?.buffers()[0].clone();
        let column = Column::try_from_parts(column.into_parts().validity(Some(mask), nulls))?;
        Ok(gdf::validation::validate(&column)?)
    }

    fn column<A: Array>(&self, name: &str, make: impl FnOnce(usize) -> Result<A>) -> Result<Column> {
        if let Some(made) = self.made.borrow().get(name) {
            return Ok(made.clone());
        }
        let column = self.import(&make(self.rows)?)?;
        self.keep(name, column)
    }

    /// Copies `array` to the device.
    pub(crate) fn import(&self, array: &dyn Array) -> Result<Column> {
        let resource = current_resource(self.stream.device())?;
        Ok(Column::from_arrow(array, &self.stream, resource.as_ref())?)
    }

    fn keep(&self, name: &str, column: Column) -> Result<Column> {
        self.made.borrow_mut().insert(name.to_owned(), column.clone());
        Ok(column)
    }
}

/// Returns `rows` texts. Each text is `prefix` followed by the decimal digits of `number(row)`.
pub(crate) fn numbered(rows: usize, prefix: &str, number: impl Fn(usize) -> usize + Sync) -> Result<StringArray> {
    let size = |row: usize| prefix.len() + number(row).checked_ilog10().map_or(1, |log| log as usize + 1);
    let write = |row: usize, text: &mut [u8]| {
        let (start, digits) = text.split_at_mut(prefix.len());
        start.copy_from_slice(prefix.as_bytes());
        let mut rest = number(row);
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
    };
    strings(texts(rows, size, write))
}

pub(crate) fn strings((offsets, bytes): (Vec<i32>, Vec<u8>)) -> Result<StringArray> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(StringArray::try_new(offsets, bytes.into(), None)?)
}

#[cfg(test)]
mod tests {
    use gdf::arrow::array::cast::AsArray;
    use gdf::arrow::array::types::{Float64Type, Int32Type, Int64Type};

    use super::*;

    const ROWS: usize = 10_000;

    fn inputs() -> Inputs {
        Inputs::new(Device::Cpu, ROWS).unwrap()
    }

    #[test]
    fn ranges_and_shares_are_the_peers() {
        let inputs = inputs();
        let stream = inputs.stream();
        let i64 = inputs.i64().unwrap().to_arrow(stream).unwrap();
        let i64 = i64.as_primitive::<Int64Type>();
        assert!(i64.values().iter().all(|value| (-BILLION..BILLION).contains(value)));
        let j64 = inputs.j64().unwrap().to_arrow(stream).unwrap();
        assert!(j64.as_primitive::<Int64Type>().values().iter().all(|value| (1..BILLION).contains(value)));
        let f64 = inputs.f64().unwrap().to_arrow(stream).unwrap();
        let mean = f64.as_primitive::<Float64Type>().values().iter().sum::<f64>() / ROWS as f64;
        assert!((0.48..0.52).contains(&mean), "{mean}");
        let half = inputs.half().unwrap().to_arrow(stream).unwrap();
        assert!((0..ROWS).all(|row| half.as_boolean().value(row) == (i64.value(row) > 0)));
        assert!((4700..5300).contains(&half.as_boolean().true_count()));
    }

    #[test]
    fn a_tenth_is_null_and_values_are_shared() {
        let inputs = inputs();
        let (i64, nulls) = (inputs.i64().unwrap(), inputs.i64_nulls().unwrap());
        assert!(i64.buffers()[0].same_allocation(&nulls.buffers()[0]));
        assert!((850..1150).contains(&nulls.known_null_count().unwrap()));
        let others = inputs.j64_nulls().unwrap();
        let (nulls, others) = (nulls.to_arrow(inputs.stream()).unwrap(), others.to_arrow(inputs.stream()).unwrap());
        let both = (0..ROWS).filter(|row| nulls.is_null(*row) && others.is_null(*row)).count();
        assert!((50..150).contains(&both), "{both} rows are null in both");
    }

    #[test]
    fn few_groups_of_a_skewed_column_have_most_rows() {
        let inputs = inputs();
        let zipf = inputs.zipf(1000).unwrap().to_arrow(inputs.stream()).unwrap();
        let mut counts = vec![0; 1000];
        zipf.as_primitive::<Int64Type>().values().iter().for_each(|group| counts[*group as usize] += 1);
        counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        // The expected shares of the two largest groups are ln 2 / ln 1001 and ln 1.5 / ln 1001 of the rows.
        assert!((900..1110).contains(&counts[0]) && (500..680).contains(&counts[1]), "{:?}", &counts[..5]);
        assert!(counts[..31].iter().sum::<i32>() > 4700);
    }

    #[test]
    fn row_numbers_are_row_numbers() {
        let inputs = inputs();
        for column in [inputs.permutation().unwrap(), inputs.reverse().unwrap()] {
            let mut numbers = column.to_arrow(inputs.stream()).unwrap().as_primitive::<Int32Type>().values().to_vec();
            numbers.sort_unstable();
            assert!(numbers.iter().copied().eq(0..ROWS as i32));
        }
    }

    #[test]
    fn digits_spell_counts() {
        let inputs = inputs();
        let counts = inputs.counts().unwrap().to_arrow(inputs.stream()).unwrap();
        let digits = inputs.digits().unwrap().to_arrow(inputs.stream()).unwrap();
        for row in 0..ROWS {
            assert_eq!(digits.as_string::<i32>().value(row), counts.as_primitive::<Int64Type>().value(row).to_string());
        }
        let phrases = inputs.phrases().unwrap().to_arrow(inputs.stream()).unwrap();
        for phrase in PHRASES {
            let count = phrases.as_string::<i32>().iter().filter(|found| *found == Some(phrase)).count();
            assert!((1700..2300).contains(&count), "{count} of `{phrase}`");
        }
    }
}
