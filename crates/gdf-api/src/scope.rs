//! Which stream and which memory resources public functions use in this thread, and what one call runs under.
//!
//! The settings are those of [`gdf_core::scope`]; [`Scope`] is what a public function makes of them and of its inputs.

pub use gdf_core::scope::{
    Ctx, Entered, InScope, ScopeHandle, current_device, current_resources, current_stream, enter_device,
    enter_resource, enter_resources, enter_stream, with_device, with_resource, with_resources, with_stream,
};
use gdf_core::{ColumnView, Error, Operand, Position, Result, Scalar, TableView};
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, Resources};

/// Something with a device: an input of a public function.
pub trait Input {
    /// Where it is; `None` for a table without columns, which is everywhere.
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

/// What one call of a public function runs under.
#[derive(Debug)]
pub struct Scope {
    name: &'static str,
    stream: Stream,
    output: Resource,
    temporary: Resource,
    _span: tracing::span::EnteredSpan,
}

impl Scope {
    /// The scope of operation `name` over `inputs`: its span, their device, and that device's stream and resources.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch) when two inputs are on different devices.
    /// * Those of opening the device.
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

    /// The scope of operation `name` on `device`.
    ///
    /// # Errors
    /// Those of opening the device.
    pub fn on(name: &'static str, device: Device) -> Result<Self> {
        gdf_detail::init();
        let span = gdf_core::enter_span(name, device);
        let stream = current_stream(device)?;
        let (output, temporary) = current_resources(device)?;
        Ok(Self { name, stream, output, temporary, _span: span })
    }

    /// Runs the operation. An error says that it came from this one, from whatever depth it comes.
    ///
    /// # Errors
    /// Those of `operation`.
    pub fn run<R>(self, operation: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
        operation(self.ctx()).map_err(|error| error.in_operation(self.name))
    }

    /// As [`Scope::run`], of a column that is decoded first if it is one of views or a dictionary.
    ///
    /// # Errors
    /// Those of `operation` and of [`cast`](crate::unary::cast).
    pub fn run_decoded<R>(
        self,
        column: ColumnView<'_>,
        operation: impl FnOnce(ColumnView<'_>, Ctx<'_>) -> Result<R>,
    ) -> Result<R> {
        self.run(|ctx| operation(gdf_detail::Decoded::of(column, ctx)?.view(), ctx))
    }

    /// As [`Scope::run`], of a function whose name says the operator or aggregation.
    ///
    /// # Errors
    /// Those of `operation`.
    pub fn run_short_form<R>(self, operation: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
        operation(self.ctx()).map_err(|error| error.in_short_form(self.name))
    }

    /// Where the operation enqueues its work.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Where it takes its memory from.
    pub fn resources(&self) -> Resources<'_> {
        Resources::new(&self.output, &self.temporary)
    }

    /// Both, as algorithms take them.
    pub fn ctx(&self) -> Ctx<'_> {
        Ctx::new(self.stream(), self.resources())
    }
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
