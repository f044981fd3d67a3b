//! The results of a group of left rows, made from its matches.

use gdf_compute::concatenate::concatenate;
use gdf_compute::sorting::sort;
use gdf_core::{Column, Result, Table, TableView};

use super::groups::{Rows, marked, no_rows, rows_where};
use crate::Ctx;
use crate::join::hash_join::Kind;
use crate::vouch::gather_trusted;

pub(super) struct Matches {
    own: Column,
    /// Two columns: the number of each pair's left row within the group, and the number of its right row.
    pairs: Table,
    right_rows: usize,
}

impl Matches {
    pub(super) fn new(own: Column, pairs: Table, right_rows: usize) -> Matches {
        Matches { own, pairs, right_rows }
    }

    pub(super) fn rows(&self, kind: Kind, ctx: Ctx<'_>) -> Result<Rows> {
        let own = TableView::from(self.own.view());
        let [within, right] = [self.pairs.column(0)?, self.pairs.column(1)?];
        match kind {
            Kind::Semi | Kind::Anti => Ok(Rows { left: self.marked_rows(kind, ctx)?, right: None }),
            Kind::Inner => {
                let left = gather_trusted(&own, within.view(), ctx)?.column(0)?.clone();
                Ok(Rows { left, right: Some(right.deep_copy(ctx.stream, ctx.mr.output)?) })
            }
            Kind::Left => {
                let scratch = ctx.scratch();
                let left = gather_trusted(&own, within.view(), scratch)?.column(0)?.clone();
                let matched = Table::try_new(vec![left, right.clone()])?;
                let left = self.marked_rows(Kind::Anti, scratch)?;
                let nothing = no_rows(self.right_rows, left.len(), scratch)?;
                let unmatched = Table::try_new(vec![left, nothing])?;
                let both = concatenate(&[matched.view(), unmatched.view()], scratch)?;
                // No two pairs are equal, so their sorted order is unique.
                let sorted = sort(both.view(), &[], &[], ctx)?;
                Ok(Rows { left: sorted.column(0)?.clone(), right: Some(sorted.column(1)?.clone()) })
            }
        }
    }

    fn marked_rows(&self, kind: Kind, ctx: Ctx<'_>) -> Result<Column> {
        let of_matched = kind == Kind::Semi;
        let scratch = ctx.scratch();
        let marks = Column::full_on(!of_matched, self.own.len(), ctx.stream, ctx.mr.temporary)?;
        let marks = marked(&marks, self.pairs.column(0)?, of_matched, scratch)?;
        rows_where(&self.own, &marks, ctx)
    }
}
