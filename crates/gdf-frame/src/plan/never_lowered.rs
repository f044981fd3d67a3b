//! Without readers of files, gdf-exec computes no rows, and gdf-frame does not depend on it.

use std::ops::ControlFlow;

use gdf_api::pipeline::{GroupRequest, Reduction, SortKey};
use gdf_core::{DataType, Result, Table};

use super::join::Sides;
use super::{Needed, Rows, Step};
use crate::columns::Columns;
use crate::join::Join;

/// There are no such rows.
pub(super) enum Lowered {}

impl Lowered {
    pub(super) fn is_scan(&self) -> bool {
        match *self {}
    }

    pub(super) fn for_each(
        &self,
        _: &Rows,
        _: &[gdf_expr::Expr],
        _: &mut (dyn FnMut(Table) -> Result<ControlFlow<()>> + Send),
    ) -> Result<()> {
        match *self {}
    }

    pub(super) fn tables(&self, _: &Rows, _: &[gdf_expr::Expr]) -> Result<Vec<Table>> {
        match *self {}
    }

    pub(super) fn batches(&self, _: &Table) -> Result<Vec<Table>> {
        match *self {}
    }

    pub(super) fn slice(&self, _: &Rows, _: usize, _: usize) -> Result<Vec<Table>> {
        match *self {}
    }

    pub(super) fn sorted(&self, _: &Rows, _: &[SortKey], _: Option<usize>) -> Result<Vec<Table>> {
        match *self {}
    }

    pub(super) fn groups(&self, _: &Rows, _: &[gdf_expr::Expr], _: bool, _: &[GroupRequest]) -> Result<Option<Table>> {
        match *self {}
    }

    pub(super) fn reduced(&self, _: &Rows, _: &[Reduction], _: &[DataType]) -> Result<Option<Table>> {
        match *self {}
    }

    pub(super) fn mapped(&self, _: &Rows, _: &Step, _: Vec<Columns>, _: &Needed) -> Result<(Lowered, Rows)> {
        match *self {}
    }

    pub(super) fn joined(
        &self,
        _: [&Rows; 2],
        _: &Sides,
        _: impl FnOnce() -> Result<Table>,
        _: &Join,
    ) -> Result<Option<(Lowered, Rows)>> {
        match *self {}
    }
}
