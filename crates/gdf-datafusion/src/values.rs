//! Converts literals of DataFusion to values of gdf expressions.

use datafusion::scalar::ScalarValue;
use gdf_core::{Literal, Scalar};
use gdf_driver::{Device, Stream};
use gdf_expr::Value;

use crate::edge::cast;
use crate::error::Refusal;
use crate::types::plain;

/// Converts a scalar. The result has the plain type of the type of `scalar`.
pub(crate) fn value_of(scalar: &ScalarValue) -> Result<Value, Refusal> {
    let data_type = plain(&scalar.data_type())?;
    let refused = || Refusal::Literal(scalar.to_string());
    if scalar.is_null() {
        return Ok(Value::null(data_type));
    }
    if let ScalarValue::Binary(Some(bytes)) | ScalarValue::BinaryView(Some(bytes)) = scalar {
        return Ok(Value::new(Literal::binary(bytes)));
    }
    let array = scalar.to_array()?;
    let array =
        if *array.data_type() == data_type { array } else { cast(&array, &data_type).map_err(|_| refused())? };
    let of_array = || {
        let memory = gdf_memory::current_resource(Device::Cpu)?;
        let scalar = Scalar::from_arrow(&array, &Stream::cpu(), memory.as_ref())?;
        Value::from_scalar(&scalar)
    };
    of_array().map_err(|_: gdf_core::Error| refused())
}
