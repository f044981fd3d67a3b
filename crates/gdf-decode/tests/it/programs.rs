//! Random batches, whose rows come back.

use gdf_core::{DataType, TimeUnit, decimal_parts};
use gdf_decode::{Encoding, Stored, supports};

use crate::check::check;
use crate::encoder::{Encoded, Encoder, stored_bytes, text_of};
use crate::naive;
use crate::random::Random;

/// Numbers of rows around words of 32 rows and tiles of 2,048 rows.
const SIZES: [usize; 18] = [0, 1, 2, 7, 31, 32, 33, 63, 64, 65, 127, 500, 2016, 2047, 2048, 2049, 4097, 6500];

pub(crate) fn types() -> Vec<(Stored, DataType)> {
    let mut types = vec![
        (Stored::Boolean, DataType::Boolean),
        (Stored::Boolean, DataType::Boolean),
        (Stored::Boolean, DataType::Boolean),
        (Stored::Int32, DataType::Int8),
        (Stored::Int32, DataType::UInt8),
        (Stored::Int32, DataType::Int16),
        (Stored::Int32, DataType::UInt16),
        (Stored::Int32, DataType::Int32),
        (Stored::Int32, DataType::UInt32),
        (Stored::Int32, DataType::Date32),
        (Stored::Int32, DataType::Time32(TimeUnit::Millisecond)),
        (Stored::Int64, DataType::Int64),
        (Stored::Int64, DataType::UInt64),
        (Stored::Int64, DataType::Time64(TimeUnit::Microsecond)),
        (Stored::Int64, DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()))),
        (Stored::Float, DataType::Float32),
        (Stored::Double, DataType::Float64),
        (Stored::FixedLenByteArray(2), DataType::Float16),
        (Stored::FixedLenByteArray(2), DataType::Float16),
        (Stored::ByteArray, DataType::UInt32),
    ];
    for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Binary, DataType::LargeBinary] {
        types.extend(std::iter::repeat_n((Stored::ByteArray, data_type), 5));
    }
    for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
        types.push((Stored::Int96, DataType::Timestamp(unit, None)));
    }
    for size in [1, 3, 4, 7, 8, 16] {
        types.push((Stored::FixedLenByteArray(size), DataType::FixedSizeBinary(size as i32)));
    }
    let decimals = [DataType::Decimal32(7, 2), DataType::Decimal64(17, 3), DataType::Decimal128(37, 9)];
    for decimal in decimals {
        let sizes = (1..=16).map(Stored::FixedLenByteArray);
        types.extend([Stored::Int32, Stored::Int64].into_iter().chain(sizes).map(|stored| (stored, decimal.clone())));
    }
    types
}

/// Returns an encoding of pages without a dictionary.
fn encoding_of(stored: Stored, data_type: &DataType, random: &mut Random) -> Encoding {
    let encodings = [
        Encoding::Plain,
        Encoding::Rle,
        Encoding::ByteStreamSplit,
        Encoding::DeltaBinaryPacked,
        Encoding::DeltaLengthByteArray,
        Encoding::DeltaByteArray,
    ];
    let fitting: Vec<Encoding> = encodings.into_iter().filter(|of| supports(stored, data_type, *of)).collect();
    random.of(&fitting)
}

/// Returns a value that the column can have.
fn value(stored: Stored, data_type: &DataType, random: &mut Random) -> i128 {
    if stored == Stored::ByteArray {
        return i128::from(random.next());
    }
    if stored == Stored::Boolean {
        return random.below(2) as i128;
    }
    if stored == Stored::Int96 {
        let day = 2_440_588 + random.below(200_000) as i128 - 100_000;
        let (day, of_day) = match *data_type {
            DataType::Timestamp(TimeUnit::Nanosecond, _) => (day, random.next() % 86_400_000_000_000),
            _ if random.once_in(10) => ((random.next() as u32).into(), random.next()),
            _ => (day, random.next() % 86_400_000_000_000),
        };
        return day << 64 | i128::from(of_day);
    }
    let size = stored_bytes(stored, 0).len();
    let random_bits = i128::from(random.next()) << 64 | i128::from(random.next());
    let value = random_bits << random.below(60) >> (128 - 8 * size).min(127);
    match decimal_parts(data_type) {
        Some((_, digits, _)) => {
            let bound = 10_i128.pow(digits.into());
            if random.once_in(50) && (bound - 1) >> (8 * size - 1).min(126) == 0 {
                return random.of(&[bound - 1, 1 - bound]);
            }
            value % bound
        }
        None => value,
    }
}

/// Returns rows in which nulls have one of several forms.
pub(crate) fn nulls_of(rows: usize, is_optional: bool, random: &mut Random) -> Vec<bool> {
    let form = if is_optional { random.below(6) } else { 0 };
    let period = 1 + random.below(3000);
    (0..rows)
        .map(|row| match form {
            0 => false,
            1 => true,
            2 => random.once_in(2),
            3 => random.once_in(100),
            4 => !random.once_in(100),
            _ => (row / period).is_multiple_of(2),
        })
        .collect()
}

/// Appends a random column, and checks that the naive decoder returns its rows.
pub(crate) fn push_column(encoded: &mut Encoded, random: &mut Random, sizes: &[usize]) {
    let (stored, data_type) = random.of(&types());
    let is_optional = !random.once_in(3);
    let mut encoder_random = Random(random.next());
    let mut encoder = Encoder::new(&mut encoder_random, stored, data_type.clone(), is_optional);
    let is_keys = stored == Stored::ByteArray && data_type == DataType::UInt32;
    let mut expected: Vec<Option<i128>> = Vec::new();
    let mut keys = 0;
    for _ in 0..random.of(&[0, 1, 1, 2, 3]) {
        let size = random.of(&[1, 2, 3, 100, 1000, 5000]);
        let dictionary: Vec<i128> = (0..size).map(|_| value(stored, &data_type, random)).collect();
        let has_dictionary = is_keys || stored != Stored::Boolean && !random.once_in(3);
        encoder.begin_chunk(has_dictionary.then_some(&dictionary), encoded);
        let pages = random.of(&[0, 1, 1, 2, 5]);
        // When a dictionary is full, writers fall back to plain pages.
        let by_keys = match has_dictionary {
            true if is_keys => pages,
            true => random.below(pages + 1),
            false => 0,
        };
        for page in 0..pages {
            let nulls = nulls_of(random.of(sizes), is_optional, random);
            let used = 1 + random.below(size);
            let repeats = random.of(&[1, 1, 10, 3000]);
            let mut last = 0;
            let mut key = |random: &mut Random| {
                if random.once_in(repeats) {
                    last = random.below(used);
                }
                last as i128
            };
            if page < by_keys {
                let rows: Vec<_> = nulls.iter().map(|is_null| (!is_null).then(|| key(random))).collect();
                encoder.page(&rows, Encoding::Keys, encoded);
                let value = |key: i128| if is_keys { keys + key } else { dictionary[key as usize] };
                expected.extend(rows.iter().map(|key| key.map(value)));
            } else {
                let value = |random: &mut Random| value(stored, &data_type, random);
                let rows: Vec<_> = nulls.iter().map(|is_null| (!is_null).then(|| value(random))).collect();
                encoder.page(&rows, encoding_of(stored, &data_type, random), encoded);
                expected.extend(rows);
            }
        }
        keys += size as i128;
    }
    encoder.finish(encoded);
    let column = encoded.batch.columns.last().unwrap().clone();
    let padded = encoded.clone().finish();
    let rows = naive::decode(&column, &padded.bytes).unwrap_or_else(|page| panic!("page {page} of {column:?} is bad"));
    let bytes = |value: i128| match gdf_core::width(&data_type) {
        None if stored == Stored::Boolean => vec![value as u8],
        Some(_) if stored == Stored::Int96 => {
            let DataType::Timestamp(unit, _) = data_type else { unreachable!("no other type is stored so") };
            naive::timestamp(&stored_bytes(stored, value), unit).unwrap()
        }
        Some(_) if matches!(data_type, DataType::Float16 | DataType::FixedSizeBinary(_)) => stored_bytes(stored, value),
        Some(width) => value.to_le_bytes()[..width].to_vec(),
        None => text_of(value),
    };
    let expected: Vec<_> = expected.iter().map(|row| row.map(bytes)).collect();
    assert!(rows == expected, "the rows of {stored:?} as {data_type} do not come back");
}

pub(crate) fn random_batch(random: &mut Random, columns: usize, sizes: &[usize]) -> Encoded {
    let mut encoded = Encoded::default();
    for _ in 0..random.below(columns + 1) {
        push_column(&mut encoded, random, sizes);
    }
    encoded.finish()
}

#[test]
fn random_batches_come_back() {
    for seed in 0..150 {
        let encoded = random_batch(&mut Random(seed), 6, &SIZES);
        let found = check(&encoded, &format!("seed {seed}"));
        assert!(found.iter().all(Result::is_ok), "seed {seed}");
    }
}

#[test]
fn pages_of_one_row_and_large_pages_come_back() {
    for seed in 0..10 {
        let encoded = random_batch(&mut Random(1000 + seed), 3, &[1, 1, 1, 0, 2]);
        check(&encoded, &format!("one row, seed {seed}"));
        let encoded = random_batch(&mut Random(2000 + seed), 2, &[32_767, 32_768, 32_769, 70_000]);
        check(&encoded, &format!("large pages, seed {seed}"));
    }
}

#[test]
fn all_widths_of_keys_come_back() {
    for width in 0..=32_u32 {
        for rows in [1, 255, 256, 257, 2048, 5000] {
            let mut random = Random(u64::from(width));
            let mut encoded = Encoded::default();
            let mut seeds = Random(u64::from(width) << 8);
            let size = (1_usize << width.min(12)).max(1);
            let dictionary: Vec<i128> = (0..size as i128).map(|value| value * 7 - 3).collect();
            let mut encoder = Encoder::new(&mut seeds, Stored::Int32, DataType::Int32, rows % 2 == 0);
            encoder.begin_chunk(Some(&dictionary), &mut encoded);
            let keys: Vec<_> = (0..rows).map(|_| Some(random.below(size) as i128)).collect();
            encoder.page(&keys, Encoding::Keys, &mut encoded);
            encoder.finish(&mut encoded);
            let found = check(&encoded.finish(), &format!("{width} bits, {rows} rows"));
            assert!(found.iter().all(Result::is_ok), "{width} bits, {rows} rows");
        }
    }
}
