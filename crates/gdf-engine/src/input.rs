//! The input of an algorithm: a column, or a scalar that stands for all rows.

use gdf_core::{ColumnView, DataType, Scalar};

/// A column, or a scalar that stands for every row. Both are in memory of the device.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    Column(ColumnView<'a>),
    Scalar(&'a Scalar),
}

impl<'a> Input<'a> {
    pub fn data_type(self) -> &'a DataType {
        self.view().data_type()
    }

    /// Returns the rows of the column. A scalar is returned as a column of one row.
    pub fn view(self) -> ColumnView<'a> {
        match self {
            Input::Column(view) => view,
            Input::Scalar(scalar) => scalar.view(),
        }
    }

    /// Returns the number of rows of the column, or `None` for a scalar.
    pub fn len(self) -> Option<usize> {
        match self {
            Input::Column(view) => Some(view.len()),
            Input::Scalar(_) => None,
        }
    }

    pub fn has_validity(self) -> bool {
        self.view().has_validity()
    }
}

impl<'a> From<ColumnView<'a>> for Input<'a> {
    fn from(view: ColumnView<'a>) -> Self {
        Input::Column(view)
    }
}
