//! The errors of this crate.

use std::path::PathBuf;

use arrow_schema::{ArrowError, DataType};
use datafusion::error::DataFusionError;
use gdf_driver::Device;

/// The reason why an island failed.
///
/// Queries return it inside of [`DataFusionError::External`]. A division by zero is no such error: it is the
/// [`ArrowError::DivideByZero`] that DataFusion returns too.
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
    #[error("gdf could not run the island: {0}")]
    Operation(#[from] gdf_core::Error),
    /// A file cannot be read.
    #[error(transparent)]
    File(Box<gdf_io::Error>),
    /// Files have other columns than when the table was made.
    #[error("the columns of {} have changed; make the table again", path.display())]
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
    /// A value is outside of the range of the type to which the query casts it.
    #[error("a value does not fit {0}; cast to a wider type, or use TRY_CAST to get nulls instead")]
    CastOverflow(DataType),
    /// A value has no result of a function.
    #[error("{0} has no result for a value; leave out such rows by WHERE or CASE")]
    OutOfDomain(&'static str),
    /// A subquery that must be one value has several rows.
    #[error("a scalar subquery returned {0} rows; add an aggregate or LIMIT 1")]
    ManyRows(usize),
    /// The rows of gdf differ from those of DataFusion, which the option `verify` does not accept.
    #[error("gdf and DataFusion differ: {0}; report the query, and turn `verify` off to go on")]
    Different(String),
    /// The stream of results was dropped before its end.
    #[error("the query was cancelled")]
    Cancelled,
    /// A rule of this crate was broken.
    #[error("internal error of gdf-datafusion: {0}; report the query")]
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

/// What a run of an island fails with: an error of its own, or one that DataFusion has a name for.
#[derive(Debug)]
pub(crate) enum Failure {
    Island(IslandError),
    DivideByZero,
    DataFusion(DataFusionError),
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

impl From<Failure> for DataFusionError {
    fn from(failure: Failure) -> DataFusionError {
        match failure {
            Failure::Island(error) => error.into(),
            Failure::DivideByZero => ArrowError::DivideByZero.into(),
            Failure::DataFusion(error) => error,
        }
    }
}

/// Why a node of a plan or an expression stays DataFusion's.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0} is not lowered")]
    Node(String),
    #[error("{node} with {what} is not lowered")]
    Variant { node: &'static str, what: String },
    #[error("the expression `{0}` is not lowered")]
    Expression(String),
    #[error("the function `{0}` is not lowered")]
    Function(String),
    #[error("the aggregate `{0}` is not lowered")]
    Aggregate(String),
    #[error("the cast from {from} to {to} is not lowered")]
    Cast { from: DataType, to: DataType },
    #[error("columns of {0} are not lowered")]
    Type(DataType),
    #[error("the literal `{0}` is not lowered")]
    Literal(String),
    #[error("the output has {0} partitions; set target_partitions to 1")]
    Partitions(usize),
    #[error("its input had several partitions; set target_partitions to 1")]
    WasPartitioned,
    #[error("the input does not end")]
    Unbounded,
    #[error("its input is another program's scan; the batches are copied at the edge of an island")]
    Scan,
    #[error("the columns are on {0}; make the table on the device of the session")]
    Device(Device),
    #[error("gdf has nothing to compute here")]
    Idle,
    #[error("gdf refuses `{expression}`: {reason}")]
    Refused { expression: String, reason: String },
    #[error("DataFusion could not describe it: {0}")]
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

impl From<DataFusionError> for Refusal {
    fn from(error: DataFusionError) -> Refusal {
        Refusal::Unknown(error.to_string())
    }
}
