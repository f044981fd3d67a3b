//! Lists of conditions: chains of `AND`, and chains of `OR`.
//!
//! A list is one part of an expression, however many members it has. A chain is therefore built, visited and freed in
//! linear time, and does not deepen the expression.

use std::sync::Arc;

use super::{Expr, ExprKind, lit};

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    All,
    Any,
}

/// The longest list of which a copy is made if other expressions share the list. A longer list becomes one member, since
/// a chain whose beginnings are all kept would else take quadratic time, and a list that is joined with itself again and
/// again would grow exponentially.
const COPIED: usize = 1024;

/// The longest list to which members are added at the front. A longer list becomes one member.
const MOVED: usize = 4096;

impl List {
    fn kind(self, members: Vec<Expr>) -> ExprKind {
        match self {
            List::All => ExprKind::All(members),
            List::Any => ExprKind::Any(members),
        }
    }

    fn members(self, kind: &ExprKind) -> Option<&Vec<Expr>> {
        match (self, kind) {
            (List::All, ExprKind::All(members)) | (List::Any, ExprKind::Any(members)) => Some(members),
            _ => None,
        }
    }

    fn members_mut(self, kind: &mut ExprKind) -> Option<&mut Vec<Expr>> {
        match (self, kind) {
            (List::All, ExprKind::All(members)) | (List::Any, ExprKind::Any(members)) => Some(members),
            _ => None,
        }
    }

    fn of(self, members: Vec<Expr>, deepest: u32) -> Expr {
        Expr { kind: Arc::new(self.kind(members)), depth: deepest.saturating_add(1) }
    }
}

/// Returns the list of two conditions. Members of lists of the same kind become its members.
pub(super) fn joined(mut lhs: Expr, rhs: Expr, list: List) -> Expr {
    let (further, deepest) = members_of(rhs, list, MOVED);
    let depth = lhs.depth;
    // A list that nothing else shares grows in place.
    if let Some(members) = Arc::get_mut(&mut lhs.kind).and_then(|kind| list.members_mut(kind)) {
        members.extend(further);
        lhs.depth = depth.max(deepest.saturating_add(1));
        return lhs;
    }
    let (mut members, deepest_of_lhs) = members_of(lhs, list, usize::MAX);
    members.extend(further);
    list.of(members, deepest.max(deepest_of_lhs))
}

/// Returns the list of conditions.
pub(super) fn list(mut conditions: Vec<Expr>, list: List) -> Expr {
    if conditions.iter().any(|condition| list.members(condition.kind()).is_some()) {
        conditions = conditions.into_iter().flat_map(|condition| members_of(condition, list, usize::MAX).0).collect();
    }
    if conditions.len() > 1 {
        let deepest = conditions.iter().map(|condition| condition.depth).max().unwrap_or(0);
        return list.of(conditions, deepest);
    }
    conditions.pop().unwrap_or_else(|| lit(list == List::All))
}

/// Returns the members of a list of at most `longest` members, or the condition itself, with the depth of the deepest.
fn members_of(mut condition: Expr, list: List, longest: usize) -> (Vec<Expr>, u32) {
    let depth = condition.depth;
    let within = depth.saturating_sub(1);
    if let Some(members) = Arc::get_mut(&mut condition.kind).and_then(|kind| list.members_mut(kind)) {
        if members.len() <= longest {
            return (std::mem::take(members), within);
        }
    } else if let Some(members) = list.members(&condition.kind).filter(|members| members.len() <= COPIED) {
        return (members.clone(), within);
    }
    (vec![condition], depth)
}
