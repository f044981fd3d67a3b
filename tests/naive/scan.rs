//! Oracle of `scan.scan`.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_core::{is_decimal, is_floating};
use gdf_detail::scan::{NullPolicy, RankMethod, RankPercentage, ScanAggregation as Aggregation, ScanType};

use super::groupby::{Row, canonical};
use super::unary::cast::{exact, float, integer};
use gdf_test::value::{Value, to_values, try_from_values};

/// For each row, returns the aggregation of the rows before this row. An inclusive scan also includes this row.
///
/// # Errors
/// - the type of the values does not support the aggregation, or the result cannot be built.
pub fn scan(
    column: &ArrayRef,
    aggregation: Aggregation,
    scan_type: ScanType,
    nulls: NullPolicy,
) -> Result<Vec<ArrayRef>, String> {
    let counts = matches!(aggregation, Aggregation::CountAll | Aggregation::CountValid);
    let output = if counts { DataType::Int64 } else { column.data_type().clone() };
    let mut results = Vec::with_capacity(column.len());
    let mut so_far = So { far: None, double: identity(aggregation), lost: 0.0, null: false };
    for (row, value) in to_values(column).into_iter().enumerate() {
        let before = so_far.clone();
        so_far.add(value.as_ref(), aggregation, &output, row)?;
        let all = if scan_type == ScanType::Exclusive { &before } else { &so_far };
        let null = !counts && if nulls == NullPolicy::Include { all.null } else { value.is_none() };
        results.push(if null { None } else { Some(all.result(aggregation, &output)?) });
    }
    Ok(vec![try_from_values(&output, &results)?])
}

#[derive(Clone)]
struct So {
    /// The result for the rows so far. The result is an exact integer or a value of another type.
    far: Option<Value>,
    /// The sum or the product of floats.
    double: f64,
    lost: f64,
    null: bool,
}

fn identity(aggregation: Aggregation) -> f64 {
    if aggregation == Aggregation::Product { 1.0 } else { 0.0 }
}

impl So {
    fn add(
        &mut self,
        row: Option<&Value>,
        aggregation: Aggregation,
        output: &DataType,
        at: usize,
    ) -> Result<(), String> {
        if aggregation == Aggregation::CountAll {
            self.far = Some(Value::Int(at as i128 + 1));
            return Ok(());
        }
        let Some(row) = row else {
            self.null = true;
            return Ok(());
        };
        self.far = Some(match (aggregation, self.far.take()) {
            (Aggregation::CountValid, None) => Value::Int(1),
            (Aggregation::CountValid, Some(count)) => {
                Value::Int(count.as_i128().ok_or("the previous result is not a count")? + 1)
            }
            (Aggregation::Sum | Aggregation::Product, _) if is_floating(output) => {
                let number = row.as_f64().ok_or("the row is not a float")?;
                if aggregation == Aggregation::Product {
                    self.double *= number;
                } else {
                    let (old, sum) = (self.double, self.double + number);
                    self.lost += if old.abs() >= number.abs() { (old - sum) + number } else { (number - sum) + old };
                    self.double = sum;
                }
                row.clone()
            }
            (_, None) => row.clone(),
            (Aggregation::Min | Aggregation::Max, Some(far)) => {
                super::reduction::extreme(vec![far, row.clone()], aggregation == Aggregation::Max)
                    .ok_or("the rows have no order")?
            }
            (Aggregation::Sum, Some(Value::Bool(far))) => Value::Bool(far || *row == Value::Bool(true)),
            (Aggregation::Product, Some(Value::Bool(far))) => Value::Bool(far && *row == Value::Bool(true)),
            (Aggregation::Sum, Some(far)) => integer(exact(&far)?.wrapping_add(exact(row)?), output),
            (Aggregation::Product, Some(far)) => integer(exact(&far)?.wrapping_mul(exact(row)?), output),
            (other, _) => return Err(format!("no oracle for {other:?}")),
        });
        Ok(())
    }

    fn result(&self, aggregation: Aggregation, output: &DataType) -> Result<Value, String> {
        if is_floating(output) && matches!(aggregation, Aggregation::Sum | Aggregation::Product) {
            let finite = aggregation == Aggregation::Sum && self.double.is_finite();
            return Ok(float(if finite { self.double + self.lost } else { self.double }, output));
        }
        match &self.far {
            Some(far) => Ok(far.clone()),
            None => nothing(aggregation, output),
        }
    }
}

pub(super) fn nothing(aggregation: Aggregation, output: &DataType) -> Result<Value, String> {
    let boolean = *output == DataType::Boolean;
    Ok(match aggregation {
        Aggregation::Sum | Aggregation::Max if boolean => Value::Bool(false),
        Aggregation::Product | Aggregation::Min if boolean => Value::Bool(true),
        Aggregation::Product => integer(i256::ONE, output),
        Aggregation::Min if is_floating(output) => float(f64::INFINITY, output),
        Aggregation::Max if is_floating(output) => float(f64::NEG_INFINITY, output),
        Aggregation::Min | Aggregation::Max => extreme(output, aggregation == Aggregation::Max)?,
        _ => integer(i256::ZERO, output),
    })
}

/// Returns the largest integer of the type's width. With `minimum`, returns the smallest.
fn extreme(output: &DataType, minimum: bool) -> Result<Value, String> {
    let width = gdf_core::width(output).ok_or("the type has no width")? as u32 * 8;
    let signed = gdf_core::is_signed_integral(output) || is_decimal(output);
    let most = match (width, signed) {
        (256, _) => return Ok(Value::Decimal(if minimum { i256::MIN } else { i256::MAX })),
        (128, _) => i128::MAX,
        (width, true) => (1_i128 << (width - 1)) - 1,
        (width, false) => (1_i128 << width) - 1,
    };
    let fewest = if signed { -most - 1 } else { 0 };
    Ok(integer(i256::from_i128(if minimum { fewest } else { most }), output))
}

/// Returns the rank of each row of a sorted table.
///
/// # Errors
/// - the result cannot be built.
pub fn rank(columns: &[ArrayRef], method: RankMethod, percentage: RankPercentage) -> Result<Vec<ArrayRef>, String> {
    let columns: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let row = |row: usize| -> Row { columns.iter().map(|column| column[row].clone().map(canonical)).collect() };
    let rows = columns.first().map_or(0, Vec::len);
    let runs = (0..rows).map(row).collect::<Vec<_>>();
    let runs: Vec<_> = runs.chunk_by(|a, b| a == b).map(<[Row]>::len).collect();
    let count = if method == RankMethod::Dense { runs.len() } else { rows };
    let double = percentage != RankPercentage::None || method == RankMethod::Average;
    let (mut ranks, mut before) = (Vec::new(), 0);
    for (group, len) in runs.into_iter().enumerate() {
        for at in 0..len {
            let rank = match method {
                RankMethod::First => (before + at + 1) as f64,
                RankMethod::Min => (before + 1) as f64,
                RankMethod::Max => (before + len) as f64,
                RankMethod::Dense => (group + 1) as f64,
                RankMethod::Average => (2 * before + len + 1) as f64 / 2.0,
            };
            ranks.push(Some(match percentage {
                _ if !double => Value::UInt(rank as u64),
                RankPercentage::None => Value::F64(rank),
                RankPercentage::ZeroNormalized => Value::F64(rank / count as f64),
                RankPercentage::OneNormalized => Value::F64((rank - 1.0) / (count - 1).max(1) as f64),
            }));
        }
        before += len;
    }
    Ok(vec![try_from_values(if double { &DataType::Float64 } else { &DataType::UInt32 }, &ranks)?])
}

/// For each row, returns the exponentially weighted mean of all rows up to this row.
///
/// # Errors
/// - the result cannot be built.
pub fn ewma(column: &ArrayRef, center_of_mass: f64, finite: bool) -> Result<Vec<ArrayRef>, String> {
    let decay = center_of_mass / (1.0 + center_of_mass);
    let rows: Vec<_> = to_values(column).into_iter().map(|value| value.and_then(|value| value.as_f64())).collect();
    let (mut mean, mut last) = (f64::NAN, None);
    let mut results = Vec::with_capacity(rows.len());
    for (row, value) in rows.iter().enumerate() {
        if finite {
            mean = match (value, last) {
                (None, _) => mean,
                (Some(value), None) => *value,
                (Some(value), Some(last)) => {
                    let old = (last..row).fold(1.0, |old, _| old * decay);
                    (old * mean + (1.0 - decay) * value) / (old + 1.0 - decay)
                }
            };
            last = if value.is_some() { Some(row) } else { last };
        } else {
            let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
            for value in rows[..=row].iter().rev() {
                if let Some(value) = value {
                    sum += weight * value;
                    weights += weight;
                }
                weight *= decay;
            }
            mean = sum / weights;
        }
        results.push(Some(float(mean, column.data_type())));
    }
    Ok(vec![try_from_values(column.data_type(), &results)?])
}
