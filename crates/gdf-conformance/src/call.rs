//! A call of an operation of the corpus. The inputs of the case are converted to columns on the device of the run. The
//! arguments are converted to values of gdf's types.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use gdf_core::{Column, Error, Operand, Scalar, Table};
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, ResourceRef};
use serde_json::Value as Json;

use crate::area::Area;
use crate::case::{Case, Input};
use crate::names;
use crate::output::Answer;

/// The reason why a case has no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// gdf returned an error.
    #[error(transparent)]
    Refused(#[from] Error),
    /// A reader or writer of gdf returned an error.
    #[error(transparent)]
    File(Box<gdf_io::Error>),
    /// The operation does not exist in gdf. The text is the name of the operation.
    #[error("the operation {0} does not exist in gdf")]
    Absent(String),
    /// The operation exists, but gdf does not support one of its arguments, for example an operator, an aggregation or
    /// a policy. The text names the unsupported argument.
    #[error("{0}")]
    Unsupported(String),
    /// The call cannot be written in Rust, because the types of gdf's parameters exclude an argument for which libcudf
    /// returns an error at run time. The text names the argument.
    #[error("the types of gdf's parameters exclude {0}")]
    Excluded(String),
    /// The corpus cannot be read. This failure does not say anything about gdf.
    #[error("{0:#}")]
    Unreadable(anyhow::Error),
}

impl From<gdf_io::Error> for Failure {
    fn from(error: gdf_io::Error) -> Failure {
        Failure::File(Box::new(error))
    }
}

/// The result of a function that calls gdf for an operation.
pub type Answered = Result<Answer, Failure>;

/// An operand of an operator.
#[derive(Clone, Debug)]
pub enum Given {
    /// A column.
    Column(Column),
    /// A scalar, which is the value of all rows.
    Scalar(Scalar),
}

impl Given {
    /// Returns the operand as a value of gdf's type.
    pub fn operand(&self) -> Operand<'_> {
        match self {
            Given::Column(column) => column.into(),
            Given::Scalar(scalar) => scalar.into(),
        }
    }
}

/// One call of an operation.
#[derive(Debug)]
pub struct Call<'a> {
    area: &'a Area,
    case: &'a Case,
    stream: &'a Stream,
    resource: &'a Resource,
}

impl<'a> Call<'a> {
    /// Makes a call for `case`. The inputs are created on `stream`, and `resource` allocates their memory.
    pub fn new(area: &'a Area, case: &'a Case, stream: &'a Stream, resource: &'a Resource) -> Self {
        Call { area, case, stream, resource }
    }

    /// Returns the device of the operation.
    pub fn device(&self) -> Device {
        self.stream.device()
    }

    /// Returns the stream on which inputs are created.
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Returns the memory resource of the inputs.
    pub fn resource(&self) -> ResourceRef<'_> {
        self.resource.as_ref()
    }

    /// Returns the case.
    pub fn case(&self) -> &Case {
        self.case
    }

    /// Returns whether the case has an input of this name.
    pub fn has(&self, name: &str) -> bool {
        self.case.inputs.contains_key(name)
    }

    /// Returns a table. If the argument `slice` has a range for the table, the result is a slice of the table.
    ///
    /// # Errors
    /// - The input is missing or broken, or its types cannot be imported.
    pub fn table(&self, name: &str) -> Result<Table, Failure> {
        let table = Table::from_arrow(&self.batch(name)?, self.stream, self.resource.as_ref())?;
        let Some(slice) = self.case.args.get("slice").and_then(|slice| slice.get(name)) else {
            return Ok(table);
        };
        let bound = |i: usize| slice.get(i).and_then(Json::as_u64).and_then(|bound| usize::try_from(bound).ok());
        match (bound(0), bound(1)) {
            (Some(begin), Some(end)) if begin <= end => Ok(table.slice(begin, end - begin)?),
            _ => Err(self.unreadable(format!("`slice` of `{name}` is not a range of a begin and an end: {slice}"))),
        }
    }

    /// Returns the tables `t0`, `t1` and so on, in this order.
    ///
    /// # Errors
    /// - The errors of [`table`](Call::table).
    pub fn tables(&self) -> Result<Vec<Table>, Failure> {
        let names = (0..).map(|i| format!("t{i}")).take_while(|name| self.has(name));
        names.map(|name| self.table(&name)).collect()
    }

    /// Returns the first column of a table.
    ///
    /// # Errors
    /// - The errors of [`table`](Call::table).
    pub fn column(&self, name: &str) -> Result<Column, Failure> {
        Ok(self.table(name)?.column(0)?.clone())
    }

    /// Returns a scalar.
    ///
    /// # Errors
    /// - The errors of [`table`](Call::table).
    pub fn scalar(&self, name: &str) -> Result<Scalar, Failure> {
        match self.batch(name)? {
            batch if batch.num_columns() == 1 => {
                Ok(Scalar::from_arrow(&batch.column(0), self.stream, self.resource.as_ref())?)
            }
            batch => Err(self.unreadable(format!("the scalar `{name}` has {} columns, not 1", batch.num_columns()))),
        }
    }

    /// Returns the input as a column if the corpus has a table, and as a scalar if the corpus has a scalar.
    ///
    /// # Errors
    /// - The errors of [`table`](Call::table).
    pub fn given(&self, name: &str) -> Result<Given, Failure> {
        Ok(match self.case.inputs.get(name) {
            Some(Input::Scalar(_)) => Given::Scalar(self.scalar(name)?),
            _ => Given::Column(self.column(name)?),
        })
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// - The input is missing, or is not a file.
    pub fn file(&self, name: &str) -> Result<&'a [u8], Failure> {
        match self.case.inputs.get(name) {
            Some(Input::File(range)) => self.area.bytes(*range).map_err(Failure::Unreadable),
            _ => Err(self.unreadable(format!("the case has no file `{name}`"))),
        }
    }

    fn batch(&self, name: &str) -> Result<RecordBatch, Failure> {
        let input =
            self.case.inputs.get(name).ok_or_else(|| self.unreadable(format!("the case has no input `{name}`")))?;
        self.area.batch(input.range()).map_err(Failure::Unreadable)
    }

    /// Returns an argument, or `None` if the argument is absent or null.
    pub fn arg(&self, name: &str) -> Option<&Json> {
        self.case.args.get(name).filter(|value| !value.is_null())
    }

    /// Returns an argument that is a text.
    ///
    /// # Errors
    /// - The argument is absent or is not a text.
    pub fn text(&self, name: &str) -> Result<&str, Failure> {
        self.arg(name)
            .and_then(Json::as_str)
            .ok_or_else(|| self.unreadable(format!("the case has no text argument `{name}`")))
    }

    /// Returns an argument that is an integer.
    ///
    /// # Errors
    /// - The argument is absent or is not an integer.
    pub fn integer(&self, name: &str) -> Result<i64, Failure> {
        self.arg(name)
            .and_then(Json::as_i64)
            .ok_or_else(|| self.unreadable(format!("the case has no integer argument `{name}`")))
    }

    /// Returns an argument that is a position. If the position is negative, the function fails, because gdf's types
    /// cannot represent the position.
    ///
    /// # Errors
    /// - The argument is absent, is not an integer, or is negative.
    pub fn position(&self, name: &str) -> Result<usize, Failure> {
        let value = self.integer(name)?;
        usize::try_from(value).map_err(|_| Error::out_of_bounds(i128::from(value), 0).into())
    }

    /// Returns an argument that is a count. If the count is negative, the function fails, because gdf's types cannot
    /// represent the count.
    ///
    /// # Errors
    /// - The argument is absent, is not an integer, or is negative.
    pub fn count(&self, name: &str) -> Result<usize, Failure> {
        let value = self.integer(name)?;
        usize::try_from(value).map_err(|_| Error::beyond_limit("a count", i128::from(value), 0).into())
    }

    /// Returns an argument that is a list of integers.
    ///
    /// # Errors
    /// - The argument is absent or is not a list of integers.
    pub fn integers(&self, name: &str) -> Result<Vec<i64>, Failure> {
        let list = self.arg(name).and_then(Json::as_array);
        let list = list.and_then(|list| list.iter().map(Json::as_i64).collect());
        list.ok_or_else(|| self.unreadable(format!("the case has no list of integers `{name}`")))
    }

    /// Returns an argument that names a type.
    ///
    /// # Errors
    /// - The argument is absent.
    /// - The argument names a nested type, or a type that does not exist in Arrow.
    pub fn data_type(&self, name: &str) -> Result<DataType, Failure> {
        let text = self.text(name)?;
        names::data_type(text).ok_or_else(|| Failure::Unsupported(format!("type {text}")))
    }

    /// Returns an argument that names one of the given choices.
    ///
    /// # Errors
    /// - The argument is absent, or is not one of the choices.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, Failure> {
        let text = self.text(name)?;
        let found = choices.iter().find(|(choice, _)| *choice == text);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| Failure::Unsupported(format!("{} with {name} {text}", self.case.op)))
    }

    /// Makes the failure for a corpus that differs from its description.
    pub fn unreadable(&self, what: String) -> Failure {
        Failure::Unreadable(anyhow::anyhow!("{what}"))
    }
}
