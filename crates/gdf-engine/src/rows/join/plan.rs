//! What is to be joined, leaf by leaf, for both backends.

use gdf_core::{Column, ColumnView, Error, PhysicalType, Result, physical_type, same_type};
use gdf_memory::Buffer;

use crate::rows::{Leaf, RowPlan};

/// Tables of the same types, none of them empty, as pieces of the leaves that they share.
pub(super) struct Join<'p, 'a> {
    /// What the result is like.
    like: &'p RowPlan<'a>,
    plans: &'p [RowPlan<'a>],
    /// The pieces, among the first 32, whose one row stands for all of theirs.
    repeated: &'p [bool],
    /// The first row of each piece, and the number of all.
    starts: Vec<usize>,
    /// Of each leaf: the closest struct around it that may hide values in any of the pieces.
    parents: Vec<Option<usize>>,
}

impl<'p, 'a> Join<'p, 'a> {
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported): dictionaries with different values, views into different buffers.
    pub(super) fn new(
        like: &'p RowPlan<'a>,
        plans: &'p [RowPlan<'a>],
        rows: &[usize],
        repeated: &'p [bool],
    ) -> Result<Self> {
        let mut starts = vec![0_usize];
        for rows in rows {
            let next = starts.last().and_then(|last| last.checked_add(*rows)).filter(|all| *all < isize::MAX as usize);
            starts
                .push(next.ok_or_else(|| Error::invalid_argument("the result would have more rows than fit 64 bits"))?);
        }
        let leaves = like.leaves().len();
        let closest = |leaf: usize| plans.iter().filter_map(|plan| plan.leaves()[leaf].parent).max();
        let join = Self { like, plans, repeated, starts, parents: (0..leaves).map(closest).collect() };
        // What a null points to does not matter.
        let is_null =
            |plan: &RowPlan<'_>| plan.leaves().first().is_some_and(|leaf| leaf.view.known_null_count() == Some(1));
        let known = plans.iter().enumerate().filter(|(piece, plan)| !(join.repeats(*piece) && is_null(plan)));
        for (_, plan) in known {
            for (own, piece) in like.leaves().iter().zip(plan.leaves()) {
                if !shares_values(own.view, piece.view) {
                    return Err(Error::unsupported(like.operation(), own.view.data_type()));
                }
            }
        }
        Ok(join)
    }

    /// Whether a piece is one row for all of its rows.
    pub(super) fn repeats(&self, piece: usize) -> bool {
        self.repeated.get(piece) == Some(&true)
    }

    /// How often each row of a piece is in the result.
    pub(super) fn times(&self, piece: usize) -> usize {
        if self.repeats(piece) { self.starts[piece + 1] - self.starts[piece] } else { 1 }
    }

    pub(super) fn plans(&self) -> &'p [RowPlan<'a>] {
        self.plans
    }

    /// Number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.parents.len()
    }

    /// Number of rows of the result.
    pub(super) fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    pub(super) fn starts(&self) -> &[usize] {
        &self.starts
    }

    pub(super) fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// A leaf that stands for all pieces where types matter.
    pub(super) fn leaf(&self, leaf: usize) -> &'p Leaf<'a> {
        &self.like.leaves()[leaf]
    }

    /// The pieces of a leaf.
    pub(super) fn pieces(&self, leaf: usize) -> impl Iterator<Item = &'p Leaf<'a>> {
        self.plans.iter().map(move |plan| &plan.leaves()[leaf])
    }

    /// The leaf, then the structs around it whose nulls are its nulls too.
    pub(super) fn with_parents(&self, leaf: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(leaf), |&at| self.parents[at])
    }

    /// Whether rows of the leaf may be null.
    pub(super) fn nullable(&self, leaf: usize) -> bool {
        self.with_parents(leaf).any(|at| self.pieces(at).any(|piece| piece.view.has_validity()))
    }

    /// Whether null rows of the leaf, of strings, may have bytes.
    pub(super) fn hides_bytes(&self, leaf: usize) -> bool {
        self.plans.iter().any(|plan| hides_bytes(plan, leaf))
    }
}

/// Whether null rows of a leaf of one piece may have bytes: its own nulls, or those of structs that may hide values.
pub(super) fn hides_bytes(plan: &RowPlan<'_>, leaf: usize) -> bool {
    let Leaf { view, kind, parent } = plan.leaves()[leaf];
    kind.is_strings() && ((view.has_validity() && !view.sanitized()) || parent.is_some())
}

/// Whether what the rows point to, if anything, is the same memory.
pub fn shares_values(a: ColumnView<'_>, b: ColumnView<'_>) -> bool {
    match physical_type(a.data_type()) {
        PhysicalType::Dictionary => same_columns(a.children(), b.children()),
        PhysicalType::View { .. } => {
            same_buffers(a.buffers().get(1..).unwrap_or_default(), b.buffers().get(1..).unwrap_or_default())
        }
        _ => true,
    }
}

fn same_columns(a: &[Column], b: &[Column]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            same_type(a.data_type(), b.data_type())
                && (a.len(), a.offset()) == (b.len(), b.offset())
                && same_buffers(validity(a), validity(b))
                && same_buffers(a.buffers(), b.buffers())
                && same_columns(a.children(), b.children())
        })
}

fn validity(column: &Column) -> &[Buffer] {
    column.validity().map_or(&[], std::slice::from_ref)
}

fn same_buffers(a: &[Buffer], b: &[Buffer]) -> bool {
    let same = |a: &Buffer, b: &Buffer| {
        a.len() == b.len() && (a.is_empty() || (a.same_allocation(b) && a.offset() == b.offset()))
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}
