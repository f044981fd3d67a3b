//! What the levels of a nested column mean.
//!
//! A level stands for one position of the column: a value, a null, or an empty or null list or struct above it. At each
//! depth, from that of the rows to that of the values, some levels begin a slot: of a list, of a struct, or of a value. The
//! repetition level of such a level is at most the depth, and its definition level says that all lists above have an
//! element. So slots are counted by comparing levels with constants, and the offsets of lists are such counts.

use crate::batch::{Flaw, Nesting, Node};

/// The largest number of lists above a value. Levels have at most 8 bits.
const MOST_LISTS: usize = 64;

/// The constants with which the levels of a column are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LevelPlan {
    /// For each depth, the lowest definition level of a slot. Depth 0 is that of the rows, and each list adds a depth.
    pub(crate) slots: Vec<u8>,
    /// The definition level of a value.
    pub(crate) max_definition: u8,
    pub(crate) nodes: Vec<NodePlan>,
}

/// A list or a struct of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodePlan {
    /// The depth of its slots.
    pub(crate) depth: usize,
    /// The lowest definition level of slots that are not null, if some may be.
    pub(crate) valid: Option<u8>,
    /// The number of bytes of an offset. A struct has none.
    pub(crate) offset_width: Option<usize>,
}

impl LevelPlan {
    /// Plans the levels of values that are optional or not.
    ///
    /// # Errors
    /// - [`Flaw::Unsupported`]: there are too many nodes.
    pub(crate) fn new(nesting: &Nesting, is_optional: bool) -> Result<LevelPlan, Flaw> {
        let mut definition = 0_u8;
        let mut add = || {
            definition = definition.checked_add(1).ok_or(Flaw::Unsupported)?;
            Ok(definition)
        };
        let (mut slots, mut nodes) = (vec![0], Vec::with_capacity(nesting.nodes.len()));
        for node in &nesting.nodes {
            let depth = slots.len() - 1;
            let (is_optional, offset_width) = match *node {
                Node::List { is_optional, is_large } => (is_optional, Some(if is_large { 8 } else { 4 })),
                Node::Struct { is_optional } => (is_optional, None),
            };
            let valid = if is_optional { Some(add()?) } else { None };
            if offset_width.is_some() {
                slots.push(add()?);
            }
            nodes.push(NodePlan { depth, valid, offset_width });
        }
        if is_optional {
            add()?;
        }
        if slots.len() > MOST_LISTS + 1 {
            return Err(Flaw::Unsupported);
        }
        Ok(LevelPlan { slots, max_definition: definition, nodes })
    }

    /// Returns the largest repetition level, which is the depth of the values.
    pub(crate) fn max_repetition(&self) -> u8 {
        // `MOST_LISTS` is less than 256.
        (self.slots.len() - 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: Node = Node::List { is_optional: true, is_large: false };

    #[test]
    fn levels_follow_from_nodes() {
        let nodes = vec![LIST, Node::Struct { is_optional: true }, Node::List { is_optional: false, is_large: true }];
        let plan = LevelPlan::new(&Nesting { nodes, chunk_rows: Vec::new() }, true).unwrap();
        assert_eq!((plan.slots.as_slice(), plan.max_definition, plan.max_repetition()), ([0, 2, 4].as_slice(), 5, 2));
        let node = |depth, valid, offset_width| NodePlan { depth, valid, offset_width };
        assert_eq!(plan.nodes, [node(0, Some(1), Some(4)), node(1, Some(3), None), node(1, None, Some(8))]);
        let required = Nesting { nodes: vec![Node::Struct { is_optional: false }], chunk_rows: Vec::new() };
        let plan = LevelPlan::new(&required, false).unwrap();
        assert_eq!((plan.slots.as_slice(), plan.max_definition), ([0].as_slice(), 0));
    }

    #[test]
    fn levels_have_a_limit() {
        let lists = |count| Nesting { nodes: vec![LIST; count], chunk_rows: Vec::new() };
        assert!(LevelPlan::new(&lists(MOST_LISTS), true).is_ok());
        assert_eq!(LevelPlan::new(&lists(MOST_LISTS + 1), true), Err(Flaw::Unsupported));
        let structs = Nesting { nodes: vec![Node::Struct { is_optional: true }; 255], chunk_rows: Vec::new() };
        assert!(LevelPlan::new(&structs, false).is_ok());
        assert_eq!(LevelPlan::new(&structs, true), Err(Flaw::Unsupported));
    }
}
