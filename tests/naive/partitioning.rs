//! Oracles of `partitioning`. The result has the partitioned columns and, as the last column, the offsets of the
//! partitions.

use arrow_array::ArrayRef;
use arrow_array::types::UInt64Type;

use super::copying::gather;
use super::hashing::{Function, row_hashes};
use gdf_test::builders::plain;
use gdf_test::value::{Value, to_values};

/// The rule by which a row gets a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// The number is the hash of the row.
    Murmur3,
    /// The number combines the values of the row, after each value is converted to 32 bits.
    Identity,
}

/// Returns the partition of each row.
///
/// # Errors
/// - a column cannot be hashed, or a column is not numeric.
pub fn hashed(keys: &[ArrayRef], partitions: usize, numbering: Numbering, seed: u32) -> Result<Vec<usize>, String> {
    let numbers: Vec<u32> = match numbering {
        Numbering::Murmur3 => {
            row_hashes(keys, Function::Murmur32, u64::from(seed))?.into_iter().map(|hash| hash.0 as u32).collect()
        }
        Numbering::Identity => {
            let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
            let rows = columns.first().map_or(0, Vec::len);
            (0..rows).map(|row| identity(columns.iter().map(|column| &column[row]))).collect::<Result<_, _>>()?
        }
    };
    Ok(numbers.into_iter().map(|number| number as usize % partitions).collect())
}

fn identity<'a>(row: impl Iterator<Item = &'a Option<Value>>) -> Result<u32, String> {
    let mut all: Option<u32> = None;
    for element in row {
        let number = match element {
            None => u32::MAX,
            Some(Value::Bool(value)) => u32::from(*value),
            Some(value) => match (value.as_i128(), value.as_f64()) {
                (Some(number), _) => number as u32,
                (_, Some(number)) => number as u32,
                _ => return Err("the value is not a number".to_owned()),
            },
        };
        all = Some(match all {
            None => number,
            Some(before) => {
                before ^ number.wrapping_add(0x9e3779b9).wrapping_add(before << 6).wrapping_add(before >> 2)
            }
        });
    }
    all.ok_or_else(|| "a column".to_owned())
}

/// Returns the partition of each row.
///
/// # Errors
/// - an element of the map is null or out of bounds.
pub fn mapped(map: &ArrayRef, partitions: usize) -> Result<Vec<usize>, String> {
    let number = |element: Option<Value>| element?.as_i128().and_then(|number| usize::try_from(number).ok());
    let ids: Option<Vec<_>> = to_values(map).into_iter().map(number).collect();
    ids.filter(|ids| ids.iter().all(|id| *id < partitions))
        .ok_or_else(|| "the map must contain partition numbers".to_owned())
}

/// Returns the rows ordered by partition, and the offsets of the partitions.
///
/// # Errors
/// - a column cannot be built.
pub fn partitioned(columns: &[ArrayRef], ids: &[usize], partitions: usize) -> Result<Vec<ArrayRef>, String> {
    let mut rows: Vec<Vec<u64>> = vec![Vec::new(); partitions];
    for (row, id) in ids.iter().enumerate() {
        rows[*id].push(row as u64);
    }
    let mut offsets = vec![0];
    for own in &rows {
        offsets.push(offsets[offsets.len() - 1] + own.len() as u64);
    }
    let mut results = gather(columns, &plain::<UInt64Type>(rows.concat()))?;
    results.push(plain::<UInt64Type>(offsets));
    Ok(results)
}
