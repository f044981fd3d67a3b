//! The answers of operations. An answer of gdf is on the device. The answer is copied to the host before it is compared
//! or written.

use std::sync::Arc;

use anyhow::Result;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use arrow_select::nullif::nullif;
use gdf_core::{Column, Error, Scalar, Table};
use gdf_driver::Stream;
use serde_json::Value as Json;

use crate::area::Area;
use crate::case::Expect;

/// The answer of an operation on the device.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// A table. If the answer is a column, the table has one column.
    pub table: Option<Table>,
    /// A boolean for each row of the table. If the boolean is true, the row counts as null, because the struct of the
    /// row is null.
    pub nulls: Option<Column>,
    /// The schema of the table. `None` if the names of the columns are not compared.
    pub schema: Option<SchemaRef>,
    /// Several tables.
    pub tables: Option<Vec<Table>>,
    /// A scalar.
    pub scalar: Option<Scalar>,
    /// A number, a boolean, a text or a list.
    pub value: Option<Json>,
}

impl Answer {
    /// Makes an answer of a table.
    pub fn table(table: Table) -> Self {
        Answer { table: Some(table), ..Answer::default() }
    }

    /// Makes an answer of a column.
    ///
    /// # Errors
    /// - The function returns no error in practice, because a single column always makes a table.
    pub fn column(column: Column) -> Result<Self, Error> {
        Ok(Self::table(Table::try_new(vec![column])?))
    }

    /// Makes an answer of several tables.
    pub fn tables(tables: Vec<Table>) -> Self {
        Answer { tables: Some(tables), ..Answer::default() }
    }

    /// Makes an answer of a scalar.
    pub fn scalar(scalar: Scalar) -> Self {
        Answer { scalar: Some(scalar), ..Answer::default() }
    }

    /// Makes an answer of a value.
    pub fn value(value: impl Into<Json>) -> Self {
        Answer { value: Some(value.into()), ..Answer::default() }
    }

    /// Returns the answer with an additional value.
    #[must_use]
    pub fn and_value(self, value: impl Into<Json>) -> Self {
        Answer { value: Some(value.into()), ..self }
    }
}

/// An answer on the host. The answer is from gdf or from libcudf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// A table. If the answer is a column, the table has one column.
    pub table: Option<RecordBatch>,
    /// Several tables.
    pub tables: Option<Vec<RecordBatch>>,
    /// A scalar. The batch has one row.
    pub scalar: Option<RecordBatch>,
    /// A number, a boolean, a text or a list.
    pub value: Option<Json>,
}

impl Output {
    /// Copies an answer to the host and waits for the copy.
    ///
    /// # Errors
    /// - The columns cannot be exported.
    pub fn download(answer: &Answer, stream: &Stream) -> Result<Output, Error> {
        let plain = |table: &Table| table.to_arrow(&table.schema(&[]), stream);
        let table = |table: &Table| match &answer.schema {
            Some(schema) => table.to_arrow(schema, stream),
            None => plain(table),
        };
        let scalar = |scalar: &Scalar| batch(vec![scalar.to_arrow(stream)?]);
        let nulls = answer.nulls.as_ref().map(|nulls| nulls.to_arrow(stream)).transpose()?;
        let table = answer.table.as_ref().map(table).transpose()?;
        Ok(Output {
            table: match (table, nulls) {
                (Some(table), Some(nulls)) => Some(with_nulls(&table, &nulls)?),
                (table, _) => table,
            },
            tables: answer.tables.as_ref().map(|tables| tables.iter().map(plain).collect()).transpose()?,
            scalar: answer.scalar.as_ref().map(scalar).transpose()?,
            value: answer.value.clone(),
        })
    }

    /// Returns the expected answer. If the case expects an error, the result is `None`.
    ///
    /// # Errors
    /// - A range of the area is not a record batch.
    pub fn expected(expect: &Expect, area: &Area) -> Result<Option<Output>> {
        if expect.error.is_some() {
            return Ok(None);
        }
        let read = |range: &_| area.batch(*range);
        Ok(Some(Output {
            table: expect.table.as_ref().map(read).transpose()?,
            tables: expect.tables.as_ref().map(|ranges| ranges.iter().map(read).collect()).transpose()?,
            scalar: expect.scalar.as_ref().map(read).transpose()?,
            value: expect.value.clone(),
        }))
    }
}

/// Returns the table with additional nulls. A row becomes null if its boolean in `nulls` is true.
fn with_nulls(table: &RecordBatch, nulls: &ArrayRef) -> Result<RecordBatch, Error> {
    let column = |column: &ArrayRef| Ok(nullif(column, nulls.as_boolean())?);
    batch(table.columns().iter().map(column).collect::<Result<_, Error>>()?)
}

/// Makes a batch of these columns with the names `0`, `1`, …
///
/// # Errors
/// - The columns differ in length.
pub fn batch(columns: Vec<ArrayRef>) -> Result<RecordBatch, Error> {
    let fields = (0..).zip(&columns).map(|(i, column)| Field::new(format!("{i}"), column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let rows = columns.first().map_or(0, |column| column.len());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}
