//! Tables of texts, which represent results and answers, with conversions from and to CSV.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_csv::ReaderBuilder;
use arrow_csv::reader::Format;
use arrow_schema::{ArrowError, DataType, Field, Schema};

/// The text of a cell. `None` stands for null.
pub(crate) type Cell = Option<String>;

/// A table of texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sheet {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// Reads CSV text. An empty cell is null.
    pub(crate) fn parse(text: &str) -> Result<Sheet, ArrowError> {
        let (schema, _) = Format::default().with_header(true).infer_schema(Cursor::new(text), Some(0))?;
        if schema.fields().is_empty() {
            return Err(ArrowError::CsvError("there is no header".to_owned()));
        }
        let fields: Vec<Field> =
            schema.fields().iter().map(|field| Field::new(field.name(), DataType::Utf8, true)).collect();
        let reader = ReaderBuilder::new(Schema::new(fields).into()).with_header(true).build(Cursor::new(text))?;
        let mut rows = Vec::new();
        for batch in reader {
            let batch = batch?;
            let columns: Vec<_> = batch.columns().iter().map(|column| column.as_string::<i32>()).collect();
            rows.extend((0..batch.num_rows()).map(|row| {
                let cell =
                    |column: &&arrow_array::StringArray| column.is_valid(row).then(|| column.value(row).to_owned());
                columns.iter().map(cell).collect()
            }));
        }
        Ok(Sheet { header: schema.fields().iter().map(|field| field.name().clone()).collect(), rows })
    }

    /// Converts a result to texts.
    pub(crate) fn from_batch(batch: &RecordBatch) -> Result<Sheet, ArrowError> {
        let options = FormatOptions::default();
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
        let columns: Vec<_> = columns.collect::<Result<_, _>>()?;
        let cell = |row: usize, column: usize| -> Result<Cell, ArrowError> {
            let is_valid = batch.column(column).is_valid(row);
            is_valid.then(|| columns[column].value(row).try_to_string()).transpose()
        };
        let rows = (0..batch.num_rows()).map(|row| (0..columns.len()).map(|column| cell(row, column)).collect());
        let header = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        Ok(Sheet { header, rows: rows.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Float64Array, Int64Array, StringArray, StringViewArray};

    use super::*;

    fn sheet(rows: &[&[Option<&str>]]) -> Sheet {
        let rows: Vec<Vec<Cell>> =
            rows.iter().map(|row| row.iter().map(|cell| cell.map(str::to_owned)).collect()).collect();
        Sheet { header: vec!["a".into(), "b".into()], rows }
    }

    #[test]
    fn texts_are_read() {
        let text = "a,b\n1,\n,\n\"x,\"\"y\"\"\nz\",Brand#1\n ends with blanks ,é\n";
        let all = sheet(&[
            &[Some("1"), None],
            &[None, None],
            &[Some("x,\"y\"\nz"), Some("Brand#1")],
            &[Some(" ends with blanks "), Some("é")],
        ]);
        assert_eq!(Sheet::parse(text).unwrap(), all);
        assert_eq!(Sheet::parse(text.trim_end_matches('\n')).unwrap(), all);
    }

    #[test]
    fn line_ends_of_either_kind() {
        let expected = sheet(&[&[Some("1"), Some("2")], &[Some("3"), None]]);
        for text in ["a,b\n1,2\n3,\n", "a,b\r\n1,2\r\n\"3\",\r\n", "a,b\n1,\"2\"\n3,"] {
            assert_eq!(Sheet::parse(text).unwrap(), expected, "{text:?}");
        }
        assert_eq!(Sheet::parse("a,b\n").unwrap(), sheet(&[]));
    }

    #[test]
    fn bad_text_is_an_error() {
        for text in ["", "a,b\n1\n", "a,b\n1,2,3"] {
            assert!(Sheet::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn results_become_text() {
        let money = Decimal128Array::from(vec![Some(150), None, Some(-5)]).with_precision_and_scale(38, 2).unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("money", Arc::new(money)),
            ("day", Arc::new(Date32Array::from(vec![0, 1, 11_016]))),
            ("mean", Arc::new(Float64Array::from(vec![0.1, -2.5, 1e300]))),
            ("count", Arc::new(Int64Array::from(vec![7, -7, 0]))),
            ("name", Arc::new(StringArray::from(vec![Some("x"), None, Some("")]))),
            ("view", Arc::new(StringViewArray::from(vec![Some("y#"), Some("z"), None]))),
        ];
        let found = Sheet::from_batch(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
        let text = |cell: &Cell| cell.clone().unwrap_or_else(|| "null".to_owned());
        let lines: Vec<String> =
            found.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>().join(",")).collect();
        let expected =
            ["1.50,1970-01-01,0.1,7,x,y#", "null,1970-01-02,-2.5,-7,null,z", "-0.05,2000-02-29,1e300,0,,null"];
        assert_eq!(lines, expected);
        assert_eq!(found.header[2], "mean");
    }
}
