//! The methods of errors that read the context of an error or add to the context.

use arrow_schema::DataType;
use gdf_driver::DriverError;
use gdf_memory::MemoryError;

use super::{Context, Error, Position};

/// Returns a reference to the context of an error, or `None` if the variant has no context. If `$error` is an exclusive
/// reference, the result is an exclusive reference, too.
macro_rules! context_of {
    ($error:expr) => {
        match $error {
            Error::Driver(_) | Error::Memory(_) | Error::Arrow(_) => None,
            Error::Unsupported { context, .. }
            | Error::TypeMismatch { context, .. }
            | Error::LengthMismatch { context, .. }
            | Error::DeviceMismatch { context, .. }
            | Error::OutOfBounds { context, .. }
            | Error::OffsetOverflow { context, .. }
            | Error::InvalidArgument { context, .. }
            | Error::InvalidData { context, .. }
            | Error::BrokenData { context, .. }
            | Error::ColumnCount { context, .. }
            | Error::BufferCount { context, .. }
            | Error::BufferTooSmall { context, .. }
            | Error::BufferMisaligned { context, .. }
            | Error::ChildCount { context, .. }
            | Error::ChildTooShort { context, .. }
            | Error::InvalidPattern { context, .. }
            | Error::InvalidText { context, .. }
            | Error::NameNotFound { context, .. }
            | Error::DuplicateName { context, .. }
            | Error::Source { context, .. }
            | Error::Internal { context, .. }
            | Error::OutOfMemory { context, .. } => Some(context),
        }
    };
}

/// Access to the context of an error.
///
/// [`Error::Driver`], [`Error::Memory`] and [`Error::Arrow`] have no context. The methods that add to the context
/// return these errors unchanged.
impl Error {
    /// Returns the context: the call, the argument and the row that the error is about.
    pub fn context(&self) -> Option<&Context> {
        context_of!(self)
    }

    #[cold]
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Context)) -> Error {
        if let Some(context) = context_of!(&mut self) {
            change(context);
        }
        self
    }

    /// Returns the same error with `operation`, a public function, as the call that failed. If the error already names
    /// a call, `operation` replaces that name, because `operation` is the outer function.
    #[must_use]
    pub fn in_operation(self, operation: &'static str) -> Error {
        self.with(|context| context.set_operation(operation))
    }

    /// Does the same as [`Error::in_operation`], for a function whose name already contains the operator or
    /// aggregation.
    ///
    /// The text of the error then does not name the operator or aggregation again.
    #[must_use]
    pub fn in_short_form(self, operation: &'static str) -> Error {
        self.with(|context| context.set_short_form(operation))
    }

    /// Returns the same error with the operator or aggregation that the function was to apply. If the error already
    /// names an operator or aggregation, the error stays unchanged.
    #[must_use]
    pub fn in_variant(self, variant: &'static str) -> Error {
        self.with(|context| context.set_variant(variant))
    }

    /// Returns the same error with the argument at fault. If the error already names an argument, the error stays
    /// unchanged.
    #[must_use]
    pub fn in_argument(self, argument: &'static str) -> Error {
        self.with(|context| context.set_argument(argument))
    }

    /// Returns the same error with the input, column or row at fault. If the error already names a position, the error
    /// stays unchanged.
    #[must_use]
    pub fn at(self, position: Position) -> Error {
        self.with(|context| context.set_position(position))
    }

    /// Returns the same error with the text of the faulty part of an expression. If the error already names a faulty
    /// part, the error stays unchanged.
    #[must_use]
    pub fn in_expression(self, text: impl FnOnce() -> String) -> Error {
        self.with(|context| context.set_expression(text))
    }

    /// Returns the same error with `data_type` as the type of the value or column that the error is about. If the error
    /// already names a type, the error stays unchanged.
    #[must_use]
    pub fn in_type(self, data_type: &DataType) -> Error {
        self.with(|context| context.set_data_type(data_type))
    }

    /// Returns the same error with advice for the caller. If the error already has advice, the error stays unchanged.
    #[must_use]
    pub fn with_remedy(self, remedy: &'static str) -> Error {
        self.with(|context| context.set_remedy(remedy))
    }

    /// Returns whether the operation ran out of memory. The operation could succeed with less data, or with more free
    /// memory.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::OutOfMemory { .. } | Error::Memory(MemoryError::OutOfMemory { .. }) => true,
            Error::Memory(MemoryError::Driver(DriverError::Call { status, .. }))
            | Error::Driver(DriverError::Call { status, .. }) => status.is_out_of_memory(),
            _ => false,
        }
    }
}
