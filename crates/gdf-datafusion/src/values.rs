//! Converts literals and values of scalar subqueries of DataFusion to values of gdf expressions.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::logical_expr::physical_planning_context::{ScalarSubqueryResults, SubqueryIndex};
use datafusion::scalar::ScalarValue;
use gdf_core::{Literal, Scalar};
use gdf_driver::{Device, Stream};
use gdf_exec::{Error, OuterScalar, Placeholder, plain};
use gdf_expr::Value;

use crate::edge::cast;
use crate::error::Refusal;

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

/// A scalar subquery whose value an island reads. If no node of the island computes the value, a node of DataFusion
/// above the island does.
#[derive(Clone, Debug)]
pub(crate) struct Subquery {
    pub(crate) results: ScalarSubqueryResults,
    pub(crate) index: SubqueryIndex,
    pub(crate) data_type: DataType,
}

impl OuterScalar for Subquery {
    fn value(&self) -> gdf_exec::Result<Value> {
        let value = self.results.get(self.index);
        let value = value.ok_or_else(|| Error::internal("a scalar subquery has not run"))?;
        value_of(&value).map_err(|refusal| Error::internal(refusal.to_string()))
    }
}

impl From<Subquery> for Placeholder {
    fn from(subquery: Subquery) -> Placeholder {
        let data_type = subquery.data_type.clone();
        Placeholder { outer: Arc::new(subquery), data_type }
    }
}
