//! Oracles of `hashing`. The functions follow the descriptions by the authors of the hash functions, and process one
//! byte at a time.

use arrow_array::ArrayRef;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_schema::{DataType, IntervalUnit};
use gdf_detail::hashing::DigestFunction;
use sha2::Digest;

use gdf_test::builders::plain;
use gdf_test::value::{Value, to_values, try_from_values};

/// A hash function of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// MurmurHash3_x86_32.
    Murmur32,
    /// MurmurHash3_x64_128.
    Murmur128,
    /// XXH32.
    XxHash32,
    /// XXH64.
    XxHash64,
}

use Function::{Murmur32, Murmur128, XxHash32, XxHash64};

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().zip(0..).map(|(byte, at)| u64::from(*byte) << (8 * at)).sum()
}

/// Returns MurmurHash3_x86_32 of some bytes.
pub fn murmur32(bytes: &[u8], seed: u32) -> u32 {
    let mut h = seed;
    for block in bytes.chunks(4) {
        let k = (number(block) as u32).wrapping_mul(0xcc9e2d51).rotate_left(15).wrapping_mul(0x1b873593);
        h ^= k;
        if block.len() == 4 {
            h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe6546b64);
        }
    }
    h ^= bytes.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85ebca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2ae35);
    h ^ (h >> 16)
}

/// Returns MurmurHash3_x64_128 of some bytes.
pub fn murmur128(bytes: &[u8], seed: u64) -> (u64, u64) {
    let (c1, c2) = (0x87c37b91114253d5_u64, 0x4cf5ad432745937f_u64);
    let (mut h1, mut h2) = (seed, seed);
    for block in bytes.chunks(16) {
        let k1 = number(&block[..block.len().min(8)]).wrapping_mul(c1).rotate_left(31).wrapping_mul(c2);
        let k2 = number(block.get(8..).unwrap_or_default()).wrapping_mul(c2).rotate_left(33).wrapping_mul(c1);
        h1 ^= k1;
        if block.len() == 16 {
            h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dce729);
        }
        h2 ^= k2;
        if block.len() == 16 {
            h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x38495ab5);
        }
    }
    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    let mix = |mut k: u64| {
        k ^= k >> 33;
        k = k.wrapping_mul(0xff51afd7ed558ccd);
        k ^= k >> 33;
        k = k.wrapping_mul(0xc4ceb9fe1a85ec53);
        k ^ (k >> 33)
    };
    (h1, h2) = (mix(h1), mix(h2));
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

/// Returns XXH32 of some bytes.
pub fn xx32(bytes: &[u8], seed: u32) -> u32 {
    let (p1, p2, p3, p4, p5) = (2654435761_u32, 2246822519_u32, 3266489917_u32, 668265263_u32, 374761393_u32);
    let stripes = bytes.len() / 16;
    let mut h = seed.wrapping_add(p5);
    if stripes > 0 {
        let mut v = [seed.wrapping_add(p1).wrapping_add(p2), seed.wrapping_add(p2), seed, seed.wrapping_sub(p1)];
        for word in 0..4 * stripes {
            let lane = &mut v[word % 4];
            let read = number(&bytes[4 * word..4 * word + 4]) as u32;
            *lane = lane.wrapping_add(read.wrapping_mul(p2)).rotate_left(13).wrapping_mul(p1);
        }
        h = [(0, 1), (1, 7), (2, 12), (3, 18)].iter().fold(0, |h: u32, &(i, by)| h.wrapping_add(v[i].rotate_left(by)));
    }
    h = h.wrapping_add(bytes.len() as u32);
    let mut rest = &bytes[16 * stripes..];
    while rest.len() >= 4 {
        h = h.wrapping_add((number(&rest[..4]) as u32).wrapping_mul(p3)).rotate_left(17).wrapping_mul(p4);
        rest = &rest[4..];
    }
    for byte in rest {
        h = h.wrapping_add(u32::from(*byte).wrapping_mul(p5)).rotate_left(11).wrapping_mul(p1);
    }
    h ^= h >> 15;
    h = h.wrapping_mul(p2);
    h ^= h >> 13;
    h = h.wrapping_mul(p3);
    h ^ (h >> 16)
}

/// Returns XXH64 of some bytes.
pub fn xx64(bytes: &[u8], seed: u64) -> u64 {
    let (p1, p2, p3) = (11400714785074694791_u64, 14029467366897019727_u64, 1609587929392839161_u64);
    let (p4, p5) = (9650029242287828579_u64, 2870177450012600261_u64);
    let round = |lane: u64, read: u64| lane.wrapping_add(read.wrapping_mul(p2)).rotate_left(31).wrapping_mul(p1);
    let stripes = bytes.len() / 32;
    let mut h = seed.wrapping_add(p5);
    if stripes > 0 {
        let mut v = [seed.wrapping_add(p1).wrapping_add(p2), seed.wrapping_add(p2), seed, seed.wrapping_sub(p1)];
        for word in 0..4 * stripes {
            v[word % 4] = round(v[word % 4], number(&bytes[8 * word..8 * word + 8]));
        }
        h = [(0, 1), (1, 7), (2, 12), (3, 18)].iter().fold(0, |h: u64, &(i, by)| h.wrapping_add(v[i].rotate_left(by)));
        for lane in v {
            h = (h ^ round(0, lane)).wrapping_mul(p1).wrapping_add(p4);
        }
    }
    h = h.wrapping_add(bytes.len() as u64);
    let mut rest = &bytes[32 * stripes..];
    while rest.len() >= 8 {
        h = (h ^ round(0, number(&rest[..8]))).rotate_left(27).wrapping_mul(p1).wrapping_add(p4);
        rest = &rest[8..];
    }
    if rest.len() >= 4 {
        h = (h ^ number(&rest[..4]).wrapping_mul(p1)).rotate_left(23).wrapping_mul(p2).wrapping_add(p3);
        rest = &rest[4..];
    }
    for byte in rest {
        h = (h ^ u64::from(*byte).wrapping_mul(p5)).rotate_left(11).wrapping_mul(p1);
    }
    h ^= h >> 33;
    h = h.wrapping_mul(p2);
    h ^= h >> 29;
    h = h.wrapping_mul(p3);
    h ^ (h >> 32)
}

/// Returns the bytes that are hashed for an element.
fn bytes_of(value: &Value, data_type: &DataType, one_zero: bool) -> Result<Vec<u8>, String> {
    let width = match data_type {
        DataType::Dictionary(_, values) => return bytes_of(value, values, one_zero),
        other => other.primitive_width().unwrap_or(0),
    };
    let zero = |value: f64| one_zero && value == 0.0;
    Ok(match value {
        Value::Bool(value) => vec![u8::from(*value)],
        Value::Int(value) => value.to_le_bytes()[..width].to_vec(),
        Value::UInt(value) => value.to_le_bytes()[..width].to_vec(),
        Value::Decimal(value) => value.to_le_bytes()[..width].to_vec(),
        Value::F16(value) if value.is_nan() => half::f16::NAN.to_le_bytes().to_vec(),
        Value::F32(value) if value.is_nan() => 0x7fc0_0000_u32.to_le_bytes().to_vec(),
        Value::F64(value) if value.is_nan() => 0x7ff8_0000_0000_0000_u64.to_le_bytes().to_vec(),
        Value::F16(_) | Value::F32(_) | Value::F64(_) if zero(value.as_f64().unwrap_or(1.0)) => vec![0; width],
        Value::F16(value) => value.to_le_bytes().to_vec(),
        Value::F32(value) => value.to_le_bytes().to_vec(),
        Value::F64(value) => value.to_le_bytes().to_vec(),
        Value::Str(value) => value.as_bytes().to_vec(),
        Value::Bytes(value) => value.clone(),
        Value::Interval { months, days, nanoseconds } => match data_type {
            DataType::Interval(IntervalUnit::DayTime) => {
                let milliseconds = (nanoseconds / 1_000_000) as i32;
                [days.to_le_bytes(), milliseconds.to_le_bytes()].concat()
            }
            _ => [&months.to_le_bytes()[..], &days.to_le_bytes(), &nanoseconds.to_le_bytes()].concat(),
        },
        Value::List(_) | Value::Struct(_) | Value::Union(..) => return Err(format!("{data_type} cannot be hashed")),
    })
}

/// Combines two hashes into one hash as libcudf does.
fn combine(before: u64, value: u64, wide: bool) -> u64 {
    if wide {
        let mixed = value.wrapping_add(0x9e3779b97f4a7c15).wrapping_add(before << 6).wrapping_add(before >> 2);
        return before ^ mixed;
    }
    let (before, value) = (before as u32, value as u32);
    u64::from(before ^ value.wrapping_add(0x9e3779b9).wrapping_add(before << 6).wrapping_add(before >> 2))
}

/// Returns the hash of each row as a lower word and an upper word.
///
/// # Errors
/// - a column cannot be hashed, or there is no column.
pub fn row_hashes(columns: &[ArrayRef], function: Function, seed: u64) -> Result<Vec<(u64, u64)>, String> {
    let rows = columns.first().ok_or("there are no columns")?.len();
    let values: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let null = if matches!(function, Murmur32 | XxHash32) { u64::from(u32::MAX) } else { u64::MAX };
    let one_zero = matches!(function, Murmur32 | XxHash32);
    let any_nested = columns.iter().any(|column| is_nested(column.data_type()));
    let mut hashes = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut state: Option<(u64, u64)> = None;
        for (column, values) in columns.iter().zip(&values) {
            let own = match (function, state) {
                (Murmur128, Some((low, _))) if !any_nested => low,
                _ => seed,
            };
            if is_nested(column.data_type()) {
                let hash = |value: &Option<Value>, data_type: &DataType, seed: u64| match value {
                    None => Ok((null, null)),
                    Some(value) => bytes_of(value, data_type, one_zero).map(|bytes| hash_of(&bytes, function, seed)),
                };
                for hash in path_hashes(&values[row], column.data_type(), function, seed, &hash)? {
                    state = Some(state.map_or(hash, |before| combine_words(before, hash, function)));
                }
                continue;
            }
            let hash = match &values[row] {
                None => (null, if function == Murmur128 { null } else { 0 }),
                Some(value) => {
                    let bytes = bytes_of(value, column.data_type(), one_zero)?;
                    hash_of(&bytes, function, own)
                }
            };
            state = Some(match state {
                Some(before) if function != Murmur128 || any_nested => combine_words(before, hash, function),
                _ => hash,
            });
        }
        hashes.push(state.unwrap_or_default());
    }
    Ok(hashes)
}

/// Combines the lower words and the upper words of two hashes. If a hash has only one word, its upper word is unused.
fn combine_words(before: (u64, u64), value: (u64, u64), function: Function) -> (u64, u64) {
    let wide = matches!(function, XxHash64 | Murmur128);
    (combine(before.0, value.0, wide), combine(before.1, value.1, wide))
}

fn hash_of(bytes: &[u8], function: Function, seed: u64) -> (u64, u64) {
    match function {
        Murmur32 => (u64::from(murmur32(bytes, seed as u32)), 0),
        XxHash32 => (u64::from(xx32(bytes, seed as u32)), 0),
        XxHash64 => (xx64(bytes, seed), 0),
        Murmur128 => murmur128(bytes, seed),
    }
}

fn is_nested(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(_)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::Map(..) => true,
        DataType::Dictionary(_, values) => is_nested(values),
        _ => false,
    }
}

/// A step from a column to one of its children.
#[derive(Clone, Copy)]
enum Step {
    Elements,
    /// The step to a field of structs.
    Field(usize),
    /// A struct without fields has no step down.
    Nothing,
}

/// Returns the steps to each plain column in a type, and the type of the plain column.
fn paths(data_type: &DataType) -> Vec<(Vec<Step>, DataType)> {
    let below = |step: Step, data_type: &DataType| {
        let tails = paths(data_type).into_iter();
        tails.map(move |(tail, leaf)| ([vec![step], tail].concat(), leaf)).collect::<Vec<_>>()
    };
    match data_type {
        DataType::Struct(fields) if fields.is_empty() => vec![(vec![Step::Nothing], DataType::Null)],
        DataType::Struct(fields) => {
            fields.iter().enumerate().flat_map(|(i, field)| below(Step::Field(i), field.data_type())).collect()
        }
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => below(Step::Elements, field.data_type()),
        DataType::Dictionary(_, values) if is_nested(values) => paths(values),
        leaf => vec![(Vec::new(), leaf.clone())],
    }
}

/// A function that returns the hash of a plain value of a type, with a seed.
type HashOfValue<'a> = dyn Fn(&Option<Value>, &DataType, u64) -> Result<(u64, u64), String> + 'a;

/// Returns the hashes of one nested value, one for each path in its type.
fn path_hashes(
    value: &Option<Value>,
    data_type: &DataType,
    function: Function,
    seed: u64,
    hash: &HashOfValue<'_>,
) -> Result<Vec<(u64, u64)>, String> {
    let null = if matches!(function, XxHash64 | Murmur128) { u64::MAX } else { u64::from(u32::MAX) };
    let mut hashes = Vec::new();
    for (steps, leaf) in paths(data_type) {
        // `counted` has the hashes that are combined, in this order.
        let (mut counted, mut level) = (Vec::new(), vec![value.clone()]);
        let mut is_plain = true;
        for step in steps {
            if !matches!(step, Step::Field(1..)) {
                counted.extend(level.iter().map(|value| if value.is_some() { (0, 0) } else { (null, null) }));
                is_plain = false;
            }
            let mut next = Vec::new();
            for value in &level {
                match (step, value) {
                    (Step::Elements, Some(Value::List(elements))) => {
                        counted.push(hash_of(&(elements.len() as u32).to_le_bytes(), function, 0));
                        next.extend(elements.iter().cloned());
                    }
                    (Step::Elements, _) => counted.push(hash_of(&[0; 4], function, 0)),
                    (Step::Field(i), Some(Value::Struct(fields))) => next.push(fields[i].clone()),
                    (Step::Field(_), _) => next.push(None),
                    (Step::Nothing, _) => {}
                }
            }
            level = next;
        }
        for value in &level {
            counted.push(hash(value, &leaf, seed)?);
        }
        hashes.push(match (is_plain, &counted[..]) {
            (true, [only]) => *only,
            _ => counted.iter().fold((0, 0), |before, hash| combine_words(before, *hash, function)),
        });
    }
    Ok(hashes)
}

/// Returns the columns of hashes that the operation returns.
///
/// # Errors
/// - The errors of [`row_hashes`].
pub fn hash(columns: &[ArrayRef], function: Function, seed: u64) -> Result<Vec<ArrayRef>, String> {
    let hashes = row_hashes(columns, function, seed)?;
    let low = || hashes.iter().map(|hash| hash.0);
    Ok(match function {
        Murmur32 | XxHash32 => vec![plain::<UInt32Type>(low().map(|hash| hash as u32))],
        XxHash64 => vec![plain::<UInt64Type>(low())],
        Murmur128 => vec![plain::<UInt64Type>(low()), plain::<UInt64Type>(hashes.iter().map(|hash| hash.1))],
    })
}

/// Returns the digests of rows as hexadecimal text.
///
/// # Errors
/// - a column cannot be hashed.
pub fn digest(columns: &[ArrayRef], function: DigestFunction) -> Result<Vec<ArrayRef>, String> {
    let values: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let mut digests = Vec::new();
    for row in 0..columns.first().map_or(0, |column| column.len()) {
        let mut bytes = Vec::new();
        for (column, values) in columns.iter().zip(&values) {
            match (&values[row], column.data_type()) {
                (Some(Value::List(elements)), DataType::List(field) | DataType::FixedSizeList(field, _)) => {
                    for element in elements.iter().flatten() {
                        bytes.extend(bytes_of(element, field.data_type(), true)?);
                    }
                }
                (Some(value), data_type) => bytes.extend(bytes_of(value, data_type, true)?),
                (None, _) => {}
            }
        }
        let digest = match function {
            DigestFunction::Md5 => md5::Md5::digest(&bytes).to_vec(),
            DigestFunction::Sha1 => sha1::Sha1::digest(&bytes).to_vec(),
            DigestFunction::Sha224 => sha2::Sha224::digest(&bytes).to_vec(),
            DigestFunction::Sha256 => sha2::Sha256::digest(&bytes).to_vec(),
            DigestFunction::Sha384 => sha2::Sha384::digest(&bytes).to_vec(),
            DigestFunction::Sha512 => sha2::Sha512::digest(&bytes).to_vec(),
            other => return Err(format!("no oracle for {other:?}")),
        };
        digests.push(Some(Value::Str(digest.iter().map(|byte| format!("{byte:02x}")).collect())));
    }
    Ok(vec![try_from_values(&DataType::Utf8, &digests)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oracles_agree_with_published_values() {
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(murmur32(text, 0), 0x2e4ff723);
        assert_eq!(murmur128(text, 0), (0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347));
        assert_eq!((xx32(b"", 0), xx32(text, 0)), (0x02cc5d05, 0xe85ea4de));
        assert_eq!((xx64(b"", 0), xx64(text, 0)), (0xef46db3751d8e999, 0x0b242d361fda71bc));
    }

    #[test]
    fn nulls_are_ones_and_zeros_are_distinguished_by_some() {
        let column = gdf_test::builders::ints::<arrow_array::types::Float64Type>([Some(0.0), Some(-0.0), None]);
        let hashes = row_hashes(std::slice::from_ref(&column), Murmur32, 5).unwrap();
        assert_eq!((hashes[0], hashes[2].0), (hashes[1], u64::from(u32::MAX)));
        let hashes = row_hashes(&[column], XxHash64, 5).unwrap();
        assert_ne!(hashes[0], hashes[1]);
        assert_eq!(hashes[2].0, u64::MAX);
    }
}
