//! The types of columns inside of islands.
//!
//! Inside of an island, a column has the *plain* type of the type that DataFusion declares. The plain type of a view is
//! text or binary with offsets, and the plain type of a dictionary is the type of its values. Columns are converted
//! when they enter the island and when they leave it.

use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef};

use crate::error::Refusal;

/// Returns the plain type of a type. If islands do not support columns of the type, returns an error.
pub(crate) fn plain(data_type: &DataType) -> Result<DataType, Refusal> {
    use DataType::*;
    match data_type {
        Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Float32 | Float64 => {}
        Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) | Duration(_) => {}
        Utf8 | LargeUtf8 | Binary | LargeBinary => {}
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => {}
        Utf8View => return Ok(Utf8),
        BinaryView => return Ok(Binary),
        Dictionary(_, values) => return plain(values),
        other => return Err(Refusal::Type(other.clone())),
    }
    Ok(data_type.clone())
}

/// Returns the plain types of all columns.
pub(crate) fn plain_types(schema: &Schema) -> Result<Vec<DataType>, Refusal> {
    schema.fields().iter().map(|field| plain(field.data_type())).collect()
}

/// Returns the schema with the plain type of each field. Names and nullability do not change.
pub(crate) fn plain_schema(schema: &Schema) -> Result<SchemaRef, Refusal> {
    let field = |field: &Arc<arrow_schema::Field>| {
        let data_type = plain(field.data_type())?;
        Ok(field.as_ref().clone().with_data_type(data_type))
    };
    let fields = schema.fields().iter().map(field).collect::<Result<Vec<_>, Refusal>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

/// Returns whether values of both types have the same representation and meaning. The precisions of decimals may
/// differ, because the precision only limits the values.
pub(crate) fn same(left: &DataType, right: &DataType) -> bool {
    gdf_core::same_type(left, right)
}
