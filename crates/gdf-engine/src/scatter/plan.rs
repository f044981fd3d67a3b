//! The arguments of a scatter, after all checks.

use gdf_core::ColumnView;

use crate::input::Input;
use crate::layout::RowKind;

pub(super) const SCATTER: &str = "scatter";

#[derive(Clone, Copy, Debug)]
pub(super) struct ScatterSource<'a> {
    pub(super) source: Input<'a>,
    pub(super) target: ColumnView<'a>,
    pub(super) kind: RowKind,
    pub(super) nullable: bool,
}

#[derive(Debug)]
pub(super) struct Scatter<'a> {
    pub(super) columns: Vec<ScatterSource<'a>>,
    pub(super) map: ColumnView<'a>,
    pub(super) rows: usize,
    /// Whether a map element that is not a row of the target is an error.
    pub(super) report: bool,
}
