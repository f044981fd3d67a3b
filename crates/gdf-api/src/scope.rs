//! The stream and the memory resources that public functions use in this thread, and the [`Scope`] of one call.
//!
//! The settings of a thread are the settings of [`gdf_core::scope`]. A public function makes a [`Scope`] from the
//! settings and from its inputs.

pub use gdf_core::scope::{
    Ctx, Entered, InScope, ScopeHandle, current_device, current_resources, current_stream, enter_device,
    enter_resource, enter_resources, enter_stream, with_device, with_resource, with_resources, with_stream,
};
use gdf_core::{ColumnView, Error, Operand, Position, Result, Scalar, TableView};
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, Resources};

/// An input of a public function, which consists of data on a device.
pub trait Input {
    /// Returns the device of the input, or `None` for a table without columns and for a literal.
    fn input_device(&self) -> Option<Device>;
}

impl Input for ColumnView<'_> {
    fn input_device(&self) -> Option<Device> {
        Some(self.device())
    }
}

impl Input for TableView<'_> {
    fn input_device(&self) -> Option<Device> {
        self.device()
    }
}

impl Input for Scalar {
    fn input_device(&self) -> Option<Device> {
        Some(self.view().device())
    }
}

impl Input for Operand<'_> {
    fn input_device(&self) -> Option<Device> {
        match self {
            Operand::Column(column) => column.input_device(),
            Operand::Scalar(scalar) => scalar.input_device(),
            Operand::Literal(_) => None,
        }
    }
}

/// The tracing span, the stream and the memory resources of one call of a public function.
#[derive(Debug)]
pub struct Scope {
    name: &'static str,
    stream: Stream,
    output: Resource,
    temporary: Resource,
    _span: tracing::span::EnteredSpan,
}

impl Scope {
    /// Creates the scope of operation `name` on the device of the inputs, or on the current device if no input has one.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch) when two inputs are on different devices.
    /// * The errors of opening the device.
    pub fn for_inputs(name: &'static str, inputs: &[&dyn Input]) -> Result<Self> {
        let mut device = None;
        for (i, input) in inputs.iter().enumerate() {
            let Some(found) = input.input_device() else { continue };
            let expected = *device.get_or_insert(found);
            if found != expected {
                return Err(Error::device_mismatch(expected, found).at(Position::Input(i)).in_operation(name));
            }
        }
        Self::on(name, device.unwrap_or_else(current_device))
    }

    /// Creates the scope of operation `name` on `device`.
    ///
    /// # Errors
    /// The errors of opening the device.
    pub fn on(name: &'static str, device: Device) -> Result<Self> {
        gdf_detail::init();
        let span = gdf_core::enter_span(name, device);
        let stream = current_stream(device)?;
        let (output, temporary) = current_resources(device)?;
        Ok(Self { name, stream, output, temporary, _span: span })
    }

    /// Runs `operation`. An error of `operation` gets the name of the scope's operation, even if the error comes from a
    /// nested call.
    ///
    /// # Errors
    /// The errors of `operation`.
    pub fn run<R>(self, operation: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
        operation(self.ctx()).map_err(|error| error.in_operation(self.name))
    }

    /// Runs an operation on `column` in the same way as [`Scope::run`]. Views and dictionaries are decoded before
    /// `operation` gets the column.
    ///
    /// # Errors
    /// The errors of `operation` and of [`cast`](crate::unary::cast).
    pub fn run_decoded<R>(
        self,
        column: ColumnView<'_>,
        operation: impl FnOnce(ColumnView<'_>, Ctx<'_>) -> Result<R>,
    ) -> Result<R> {
        self.run(|ctx| operation(gdf_detail::Decoded::of(column, ctx)?.view(), ctx))
    }

    /// Runs a short form in the same way as [`Scope::run`]. A short form is a function that is named after an operator
    /// or an aggregation.
    ///
    /// # Errors
    /// The errors of `operation`.
    pub fn run_short_form<R>(self, operation: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
        operation(self.ctx()).map_err(|error| error.in_short_form(self.name))
    }

    /// Returns the stream on which the operation enqueues its work.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the resources from which the operation allocates its memory.
    pub fn resources(&self) -> Resources<'_> {
        Resources::new(&self.output, &self.temporary)
    }

    /// Returns the stream and the resources in the form that algorithms take.
    pub fn ctx(&self) -> Ctx<'_> {
        Ctx::new(self.stream(), self.resources())
    }
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
