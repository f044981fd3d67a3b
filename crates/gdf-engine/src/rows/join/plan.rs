//! The pieces of a concatenation, leaf by leaf, for both backends.

use gdf_core::{Column, ColumnView, Error, PhysicalType, Result, physical_type, same_type};
use gdf_memory::Buffer;

use crate::rows::{Leaf, RowPlan};

/// The tables of a concatenation, which have the same types.
pub(super) struct Join<'p, 'a> {
    /// The leaves of the result.
    like: &'p RowPlan<'a>,
    plans: &'p [RowPlan<'a>],
    /// For each table, whether its only row is repeated.
    repeated: &'p [bool],
    /// The first row of each piece in the result, followed by the number of rows of the result.
    starts: Vec<usize>,
    /// For each leaf, the closest struct around the leaf in whose null rows a piece of the leaf may have values.
    parents: Vec<Option<usize>>,
}

impl<'p, 'a> Join<'p, 'a> {
    /// Creates the plan.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported): dictionaries with different values, views into different buffers.
    /// * [`InvalidArgument`](Error::InvalidArgument): the result has too many rows.
    pub(super) fn new(
        like: &'p RowPlan<'a>,
        plans: &'p [RowPlan<'a>],
        rows: &[usize],
        repeated: &'p [bool],
    ) -> Result<Self> {
        let mut starts = vec![0_usize];
        for rows in rows {
            let next = starts.last().and_then(|last| last.checked_add(*rows)).filter(|all| *all < isize::MAX as usize);
            let too_many = || Error::invalid_argument("the result would have 2^63 - 1 rows or more; use fewer rows");
            starts.push(next.ok_or_else(too_many)?);
        }
        let leaves = like.leaves().len();
        let closest = |leaf: usize| plans.iter().filter_map(|plan| plan.leaves()[leaf].parent).max();
        let join = Self { like, plans, repeated, starts, parents: (0..leaves).map(closest).collect() };
        // A repeated null refers to no value. The values of its dictionary, or the buffers of its views, may therefore
        // differ from those of the result.
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

    pub(super) fn repeats(&self, piece: usize) -> bool {
        self.repeated.get(piece) == Some(&true)
    }

    /// Returns the number of times that the result contains each row of a piece.
    pub(super) fn times(&self, piece: usize) -> usize {
        if self.repeats(piece) { self.starts[piece + 1] - self.starts[piece] } else { 1 }
    }

    pub(super) fn plans(&self) -> &'p [RowPlan<'a>] {
        self.plans
    }

    pub(super) fn leaves(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    pub(super) fn starts(&self) -> &[usize] {
        &self.starts
    }

    pub(super) fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    pub(super) fn leaf(&self, leaf: usize) -> &'p Leaf<'a> {
        &self.like.leaves()[leaf]
    }

    pub(super) fn pieces(&self, leaf: usize) -> impl Iterator<Item = &'p Leaf<'a>> {
        self.plans.iter().map(move |plan| &plan.leaves()[leaf])
    }

    /// Returns the leaf, followed by the structs around the leaf whose null rows must also be null in the result's
    /// leaf.
    pub(super) fn with_parents(&self, leaf: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(leaf), |&at| self.parents[at])
    }

    pub(super) fn nullable(&self, leaf: usize) -> bool {
        self.with_parents(leaf).any(|at| self.pieces(at).any(|piece| piece.view.has_validity()))
    }

    pub(super) fn hides_bytes(&self, leaf: usize) -> bool {
        self.plans.iter().any(|plan| hides_bytes(plan, leaf))
    }
}

/// Returns whether null rows of a string leaf may have bytes in one piece.
pub(super) fn hides_bytes(plan: &RowPlan<'_>, leaf: usize) -> bool {
    let Leaf { view, kind, parent, .. } = plan.leaves()[leaf];
    kind.is_strings() && ((view.has_validity() && !view.sanitized()) || parent.is_some())
}

/// Returns whether two columns have the same dictionary values or view buffers, in the same memory.
pub fn shares_values(a: ColumnView<'_>, b: ColumnView<'_>) -> bool {
    match physical_type(a.data_type()) {
        PhysicalType::Dictionary => same_columns(a.children(), b.children()),
        PhysicalType::View { .. } => {
            same_buffers(a.buffers().get(1..).unwrap_or_default(), b.buffers().get(1..).unwrap_or_default())
        }
        _ => true,
    }
}

/// Returns whether two lists of columns have the same types, rows and memory.
pub fn same_columns(a: &[Column], b: &[Column]) -> bool {
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
