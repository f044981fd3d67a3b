//! What there is to do, once checked.

use gdf_core::ColumnView;
use gdf_engine::input::Input;
use gdf_engine::layout::RowKind;

/// The name of the operation in errors.
pub(super) const SCATTER: &str = "scatter";

/// A column that is put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScatterSource<'a> {
    pub(super) source: Input<'a>,
    pub(super) target: ColumnView<'a>,
    pub(super) kind: RowKind,
    /// Whether the result has a mask.
    pub(super) nullable: bool,
}

/// All columns, and the map.
#[derive(Debug)]
pub(super) struct Scatter<'a> {
    pub(super) columns: Vec<ScatterSource<'a>>,
    pub(super) map: ColumnView<'a>,
    /// Of the target, which need not have columns.
    pub(super) rows: usize,
    /// Whether elements of the map that are no rows are an error.
    pub(super) report: bool,
}
