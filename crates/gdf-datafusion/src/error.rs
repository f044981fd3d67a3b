//! The errors of this crate.

use std::path::PathBuf;
use std::time::Duration;

use arrow_schema::{ArrowError, DataType};
use datafusion::error::DataFusionError;
use gdf_driver::Device;
use gdf_exec::UnsupportedType;

/// The reason why an island failed.
///
/// Queries return this error inside of [`DataFusionError::External`]. As without gdf, a division by zero is
/// [`ArrowError::DivideByZero`], and a decimal result that does not fit its type is [`ArrowError::ArithmeticOverflow`].
///
/// ```
/// use datafusion::error::DataFusionError;
/// use gdf_datafusion::IslandError;
///
/// let error = DataFusionError::from(IslandError::Cancelled);
/// assert!(matches!(IslandError::of(&error), Some(IslandError::Cancelled)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IslandError {
    /// An operation of gdf failed.
    #[error("the plan node GdfExec failed: {0}")]
    Operation(#[from] gdf_core::Error),
    /// The device has too little memory, even for a run in parts.
    #[error(
        "the plan node GdfExec ran out of memory on {device}, in parts too: {source}; raise the memory limit, select fewer \
         rows or columns, or allow a fallback, so that DataFusion runs the plan"
    )]
    OutOfMemory {
        /// The device.
        device: Device,
        /// The option `memory_limit`.
        limit: Option<usize>,
        /// The allocation that failed.
        source: Box<gdf_core::Error>,
    },
    /// A file could not be read.
    #[error(transparent)]
    File(Box<gdf_io::Error>),
    /// The columns of the files differ from the columns that the files had when the table was made.
    #[error("the columns of {} have changed since the table was made; make the table again", path.display())]
    Changed {
        /// The file, the pattern or the folder.
        path: PathBuf,
    },
    /// A column of files has more text than a column of the declared type can hold.
    #[error("column `{column}` of {} has more than 2 GiB of text; select fewer rows", path.display())]
    LongText {
        /// The file, the pattern or the folder.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A value of a cast or of a function has no representation in the type of the result.
    #[error(
        "a value cannot be represented as {0}; exclude such rows with WHERE or CASE, use a wider type, or use TRY_CAST \
         for a cast that gives nulls instead"
    )]
    CastOverflow(DataType),
    /// A function is not defined for a value, such as the square root of a negative number.
    #[error("the function {0} is not defined for a value; exclude such rows with WHERE or CASE")]
    OutOfDomain(&'static str),
    /// A scalar subquery returned several rows.
    #[error("a scalar subquery must return at most 1 row, found {0}; add an aggregate or LIMIT 1")]
    ManyRows(usize),
    /// The option `verify` is set, and the rows of gdf differ from the rows of DataFusion.
    #[error(
        "gdf and DataFusion returned different rows: {0}; please report the query, or turn the option `verify` off"
    )]
    Different(String),
    /// The statement ran longer than the option `timeout` allows.
    #[error(
        "the statement was canceled after {ran:.1?}, because its time limit is {limit:?}; raise the time limit, or select \
         fewer rows"
    )]
    TimedOut {
        /// The option `timeout`.
        limit: Duration,
        /// The time for which the statement ran.
        ran: Duration,
    },
    /// The stream of results was dropped before its end.
    #[error("the query was cancelled")]
    Cancelled,
    /// An invariant of this crate does not hold. This is a defect of the crate; please report it.
    #[error("internal error of gdf-datafusion: {0}; please report the query")]
    Internal(String),
}

impl IslandError {
    /// Returns the error of an island inside of an error of DataFusion, at any depth.
    pub fn of(error: &DataFusionError) -> Option<&IslandError> {
        match error.find_root() {
            DataFusionError::External(source) => source.downcast_ref(),
            _ => None,
        }
    }

    pub(crate) fn internal(what: impl Into<String>) -> Failure {
        Failure::Island(IslandError::Internal(what.into()))
    }
}

impl From<gdf_io::Error> for IslandError {
    fn from(error: gdf_io::Error) -> IslandError {
        IslandError::File(Box::new(error))
    }
}

impl From<IslandError> for DataFusionError {
    fn from(error: IslandError) -> DataFusionError {
        DataFusionError::External(Box::new(error))
    }
}

/// The error with which a run of an island fails. Queries get the errors that DataFusion itself would return.
#[derive(Debug)]
pub(crate) enum Failure {
    Island(IslandError),
    DataFusion(DataFusionError),
}

impl Failure {
    /// Converts a failed allocation to [`IslandError::OutOfMemory`]. Other failures stay as they are.
    pub(crate) fn of_memory(self, device: Device, limit: Option<usize>) -> Failure {
        let source = match self {
            Failure::Island(IslandError::Operation(source)) if source.is_out_of_memory() => source,
            other => return other,
        };
        IslandError::OutOfMemory { device, limit, source: Box::new(source) }.into()
    }
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl From<gdf_core::Error> for Failure {
    fn from(error: gdf_core::Error) -> Failure {
        Failure::Island(error.into())
    }
}

impl From<IslandError> for Failure {
    fn from(error: IslandError) -> Failure {
        Failure::Island(error)
    }
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Failure {
        Failure::DataFusion(error)
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Failure {
        Failure::DataFusion(error.into())
    }
}

impl From<gdf_exec::Error> for Failure {
    fn from(error: gdf_exec::Error) -> Failure {
        let island = match error {
            gdf_exec::Error::Operation(error) => IslandError::Operation(error),
            gdf_exec::Error::Arrow(error) => return error.into(),
            gdf_exec::Error::Source(source) => return of_source(source),
            gdf_exec::Error::CastOverflow(data_type) => IslandError::CastOverflow(data_type),
            gdf_exec::Error::OutOfDomain(function) => IslandError::OutOfDomain(function),
            gdf_exec::Error::ManyRows(rows) => IslandError::ManyRows(rows),
            gdf_exec::Error::Canceled => IslandError::Cancelled,
            gdf_exec::Error::Internal(what) => IslandError::Internal(what),
            other => IslandError::Internal(other.to_string()),
        };
        Failure::Island(island)
    }
}

/// Returns the failure of a source of this crate, which the executor has passed on.
fn of_source(source: Box<dyn std::error::Error + Send + Sync>) -> Failure {
    match source.downcast::<IslandError>().map_err(|source| source.downcast::<DataFusionError>()) {
        Ok(error) => Failure::Island(*error),
        Err(Ok(error)) => Failure::DataFusion(*error),
        Err(Err(other)) => Failure::DataFusion(DataFusionError::External(other)),
    }
}

/// Converts the failure of a source, so that the executor can pass it on. The executor knows a failed allocation.
impl From<Failure> for gdf_exec::Error {
    fn from(failure: Failure) -> gdf_exec::Error {
        match failure {
            Failure::Island(IslandError::Operation(error)) => gdf_exec::Error::Operation(error),
            Failure::Island(IslandError::File(error)) => match *error {
                gdf_io::Error::Gdf(error) if error.is_out_of_memory() => gdf_exec::Error::Operation(error),
                other => gdf_exec::Error::Source(Box::new(IslandError::from(other))),
            },
            Failure::Island(IslandError::Internal(what)) => gdf_exec::Error::Internal(what),
            Failure::Island(error) => gdf_exec::Error::Source(Box::new(error)),
            Failure::DataFusion(error) => gdf_exec::Error::Source(Box::new(error)),
        }
    }
}

impl From<Failure> for DataFusionError {
    fn from(failure: Failure) -> DataFusionError {
        match failure {
            Failure::Island(error) => error.into(),
            Failure::DataFusion(error) => error,
        }
    }
}

/// The reason why gdf does not run a plan node or an expression. `EXPLAIN` shows the reason.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("gdf does not support the plan node {0}")]
    Node(String),
    #[error("gdf does not support {node} with {what}")]
    Variant { node: &'static str, what: String },
    #[error("gdf does not support the expression `{0}`")]
    Expression(String),
    #[error("gdf does not support the function call `{0}`")]
    Function(String),
    #[error("gdf does not support the aggregate `{0}`")]
    Aggregate(String),
    #[error("gdf does not support the cast from {from} to {to}")]
    Cast { from: DataType, to: DataType },
    #[error("gdf does not support columns of type {0} in SQL")]
    Type(DataType),
    #[error("gdf does not support the literal `{0}`")]
    Literal(String),
    #[error("the node must have 1 output partition, found {0}; set target_partitions to 1")]
    Partitions(usize),
    #[error("the input of the node had several partitions when gdf looked at the plan; set target_partitions to 1")]
    WasPartitioned,
    #[error("an input is an unbounded stream, but gdf reads each input to its end")]
    Unbounded,
    #[error(
        "gdf does not support this data source; DataFusion reads the source, and gdf copies the batches to the device"
    )]
    Scan,
    #[error("the columns are on {0}, but the session uses another device; make the table on the device of the session")]
    Device(Device),
    #[error("the node only passes rows on, so gdf has nothing to compute")]
    Idle,
    #[error("gdf does not support the expression `{expression}`: {reason}")]
    Refused { expression: String, reason: String },
    #[error("the node cannot be analyzed: {0}")]
    Unknown(String),
}

impl Refusal {
    pub(crate) fn variant(node: &'static str, what: impl Into<String>) -> Refusal {
        Refusal::Variant { node, what: what.into() }
    }

    pub(crate) fn expression(expression: &dyn std::fmt::Display) -> Refusal {
        Refusal::Expression(expression.to_string())
    }
}

impl From<UnsupportedType> for Refusal {
    fn from(UnsupportedType(data_type): UnsupportedType) -> Refusal {
        Refusal::Type(data_type)
    }
}

impl From<DataFusionError> for Refusal {
    fn from(error: DataFusionError) -> Refusal {
        Refusal::Unknown(error.to_string())
    }
}
