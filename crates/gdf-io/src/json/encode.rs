//! Encodes arrays that arrow-json would write with other values.

use std::sync::LazyLock;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrowPrimitiveType, MapArray, PrimitiveArray};
use arrow_json::writer::{Encoder, EncoderFactory, EncoderOptions, NullableEncoder, make_encoder};
use arrow_schema::{ArrowError, DataType, FieldRef};

use crate::zones::ZonedTimes;

/// Makes the encoders of four kinds of arrays. arrow-json makes the encoders of all others.
///
/// - arrow-json writes null for NaN and infinite floats, which then cannot be told from missing values.
/// - arrow-json writes the values of a dictionary, even if they are null.
/// - arrow-json does not write the key of a map whose value is null, unless it writes all nulls.
/// - arrow-json rounds offsets from UTC to minutes.
#[derive(Debug)]
pub(super) struct Encoders;

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let encoder: Box<dyn Encoder + 'a> = match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                if dictionary.values().logical_null_count() == 0 {
                    return Ok(None);
                }
                let values = make_encoder(field, dictionary.values(), options)?;
                Box::new(Coded { keys: dictionary.normalized_keys(), values })
            }
            DataType::Map(..) if !options.explicit_nulls() => {
                let map = array.as_map();
                if map.values().logical_null_count() == 0 || !is_valid(map) {
                    return Ok(None);
                }
                let (keys, values) =
                    (make_encoder(field, map.keys(), options)?, make_encoder(field, map.values(), options)?);
                Box::new(Entries { offsets: map.value_offsets(), keys, values })
            }
            DataType::Float16 => match floats::<Float16Type>(field, array)? {
                Some(floats) => floats,
                None => return Ok(None),
            },
            DataType::Float32 => match floats::<Float32Type>(field, array)? {
                Some(floats) => floats,
                None => return Ok(None),
            },
            DataType::Float64 => match floats::<Float64Type>(field, array)? {
                Some(floats) => floats,
                None => return Ok(None),
            },
            _ => match ZonedTimes::of(array)? {
                Some(times) => Box::new(Zoned(times)),
                None => return Ok(None),
            },
        };
        Ok(Some(NullableEncoder::new(encoder, array.logical_nulls())))
    }
}

/// Returns whether a map has keys of text. For other maps, arrow-json returns an error.
fn is_valid(map: &MapArray) -> bool {
    gdf_core::is_string(map.keys().data_type()) && map.keys().null_count() == 0 && map.entries().null_count() == 0
}

struct Coded<'a> {
    keys: Vec<usize>,
    values: NullableEncoder<'a>,
}

impl Encoder for Coded<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        self.values.encode(self.keys[row], out);
    }
}

struct Entries<'a> {
    offsets: &'a [i32],
    keys: NullableEncoder<'a>,
    values: NullableEncoder<'a>,
}

impl Encoder for Entries<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let (start, end) = (self.offsets[row] as usize, self.offsets[row + 1] as usize);
        out.push(b'{');
        for entry in start..end {
            if entry > start {
                out.push(b',');
            }
            self.keys.encode(entry, out);
            out.push(b':');
            if self.values.is_null(entry) {
                out.extend_from_slice(b"null");
            } else {
                self.values.encode(entry, out);
            }
        }
        out.push(b'}');
    }
}

/// Returns the encoder of floats that are not all finite.
fn floats<'a, T: ArrowPrimitiveType<Native: Into<f64>>>(
    field: &'a FieldRef,
    array: &'a dyn Array,
) -> Result<Option<Box<dyn Encoder + 'a>>, ArrowError> {
    let values = array.as_primitive::<T>();
    if values.iter().flatten().all(|value| value.into().is_finite()) {
        return Ok(None);
    }
    // Options without a factory give the encoder of arrow-json.
    static OPTIONS: LazyLock<EncoderOptions> = LazyLock::new(EncoderOptions::default);
    Ok(Some(Box::new(Floats { values, finite: make_encoder(field, array, &OPTIONS)? })))
}

/// Writes NaN and infinite floats as the texts that JavaScript and Python have for them.
struct Floats<'a, T: ArrowPrimitiveType> {
    values: &'a PrimitiveArray<T>,
    finite: NullableEncoder<'a>,
}

impl<T: ArrowPrimitiveType<Native: Into<f64>>> Encoder for Floats<'_, T> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let value: f64 = self.values.value(row).into();
        match value {
            _ if value.is_finite() => self.finite.encode(row, out),
            _ if value.is_nan() => out.extend_from_slice(b"\"NaN\""),
            _ if value > 0.0 => out.extend_from_slice(b"\"Infinity\""),
            _ => out.extend_from_slice(b"\"-Infinity\""),
        }
    }
}

struct Zoned<'a>(ZonedTimes<'a>);

impl Encoder for Zoned<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        // An encoder cannot return errors. arrow-json writes the same text for an error.
        let text = self.0.text(row).unwrap_or_else(|error| format!("ERROR: {error}"));
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }
}
