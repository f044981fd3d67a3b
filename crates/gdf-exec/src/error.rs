//! The errors of plans.

use arrow_schema::{ArrowError, DataType};

/// The reason why a plan failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of gdf failed.
    #[error(transparent)]
    Operation(gdf_core::Error),
    /// A divisor is zero, a decimal result does not fit its type, or a value has no representation in a type of
    /// arrow-rs.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// A source of rows or of a value outside of the plan failed, with an error of its own.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
    /// A value of a cast or of a function has no representation in the type of the result.
    #[error("a value cannot be represented as {0}; exclude such rows, or use a wider type")]
    CastOverflow(DataType),
    /// A function is not defined for a value, such as the square root of a negative number.
    #[error("the function {0} is not defined for a value; exclude such rows")]
    OutOfDomain(&'static str),
    /// A scalar subquery returned several rows.
    #[error("a scalar subquery must return at most 1 row, found {0}")]
    ManyRows(usize),
    /// The run was canceled.
    #[error("the run of the plan was canceled")]
    Canceled,
    /// An invariant of a plan does not hold. This is a defect of gdf; please report it.
    #[error("internal error of gdf-exec: {0}; please report the plan")]
    Internal(String),
}

/// The result of a function that can fail as a plan can.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes the error of an invariant that does not hold.
    pub fn internal(what: impl Into<String>) -> Error {
        Error::Internal(what.into())
    }

    /// Converts the error, so that an operation of gdf can pass it on. The conversion from [`gdf_core::Error`] is the way
    /// back.
    pub fn into_operation(self) -> gdf_core::Error {
        match self {
            Error::Operation(error) => error,
            other => gdf_core::Error::of_source(other),
        }
    }

    /// Returns whether an allocation failed. A run with fewer rows at a time may then succeed.
    ///
    /// A [`Scan`](crate::Scan) returns such an error as [`Error::Operation`].
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::Operation(error) if error.is_out_of_memory())
    }
}

impl From<gdf_core::Error> for Error {
    fn from(error: gdf_core::Error) -> Error {
        match error {
            gdf_core::Error::Source { error, context } => match error.downcast() {
                Ok(error) => *error,
                Err(error) => Error::Operation(gdf_core::Error::Source { error, context }),
            },
            other => Error::Operation(other),
        }
    }
}

/// A type of columns that plans do not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("gdf does not support columns of type {0} in plans")]
pub struct UnsupportedType(pub DataType);
