//! An answer, on the device as gdf gives it and on the host as it is compared and written.

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

/// What an operation returned.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// A table, or a column as a table of one.
    pub table: Option<Table>,
    /// Booleans by row of the table: whether it counts as null because the struct that it is of is null.
    pub nulls: Option<Column>,
    /// The table's names, where names count.
    pub schema: Option<SchemaRef>,
    /// Several tables.
    pub tables: Option<Vec<Table>>,
    /// A scalar.
    pub scalar: Option<Scalar>,
    /// A number, bool, text or list.
    pub value: Option<Json>,
}

impl Answer {
    /// A table.
    pub fn table(table: Table) -> Self {
        Answer { table: Some(table), ..Answer::default() }
    }

    /// A column.
    ///
    /// # Errors
    /// - none: a single column always makes a table.
    pub fn column(column: Column) -> Result<Self, Error> {
        Ok(Self::table(Table::try_new(vec![column])?))
    }

    /// Several tables.
    pub fn tables(tables: Vec<Table>) -> Self {
        Answer { tables: Some(tables), ..Answer::default() }
    }

    /// A scalar.
    pub fn scalar(scalar: Scalar) -> Self {
        Answer { scalar: Some(scalar), ..Answer::default() }
    }

    /// A value.
    pub fn value(value: impl Into<Json>) -> Self {
        Answer { value: Some(value.into()), ..Answer::default() }
    }

    /// This answer with a value beside it.
    #[must_use]
    pub fn and_value(self, value: impl Into<Json>) -> Self {
        Answer { value: Some(value.into()), ..self }
    }
}

/// An answer on the host, or libcudf's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// A table, or a column as a table of one.
    pub table: Option<RecordBatch>,
    /// Several tables.
    pub tables: Option<Vec<RecordBatch>>,
    /// A scalar: one row.
    pub scalar: Option<RecordBatch>,
    /// A number, bool, text or list.
    pub value: Option<Json>,
}

impl Output {
    /// Brings an answer to the host; waits.
    ///
    /// # Errors
    /// - those of exporting columns.
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

    /// What is expected; `None` where it is an error.
    ///
    /// # Errors
    /// - a range of the area holds no record batch.
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

/// The columns with more nulls: where `nulls` is true.
fn with_nulls(table: &RecordBatch, nulls: &ArrayRef) -> Result<RecordBatch, Error> {
    let column = |column: &ArrayRef| Ok(nullif(column, nulls.as_boolean())?);
    batch(table.columns().iter().map(column).collect::<Result<_, Error>>()?)
}

/// A batch of these columns under the names `0`, `1`, …
///
/// # Errors
/// - the columns differ in length.
pub fn batch(columns: Vec<ArrayRef>) -> Result<RecordBatch, Error> {
    let fields = (0..).zip(&columns).map(|(i, column)| Field::new(format!("{i}"), column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let rows = columns.first().map_or(0, |column| column.len());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}
