//! The nodes and levels of columns with lists, as `kernels/copying/nested.cuh` describes them.

use gdf_core::{
    ColumnView, DataType, Error, FixedSizeListsView, ListsView, PhysicalType, Result, StructsView, TableView,
    physical_type,
};

use crate::layout::RowKind;
use crate::rows::plan::refused;
use crate::rows::shares_values;

/// The data that a node has besides its mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Values of this number of bytes.
    Values(usize),
    Bits,
    /// Offsets to the rows of a level, which are elements, or the bytes of text.
    Offsets {
        level: usize,
        large: bool,
        is_text: bool,
    },
    /// The node is a struct, a list of a fixed size, or a column of the type null.
    Nothing,
}

/// A column, a field of a struct, or the elements of lists.
pub(super) struct Node<'a> {
    /// The node in each table.
    pub(super) views: Vec<ColumnView<'a>>,
    pub(super) content: Content,
    pub(super) level: usize,
    /// The number of rows of the node per row of the level.
    pub(super) scale: usize,
    /// The closest struct around a node of level 0 in whose null rows the node may have values.
    pub(super) parent: Option<usize>,
}

impl<'a> Node<'a> {
    pub(super) fn like(&self) -> ColumnView<'a> {
        self.views[0]
    }

    /// Returns whether the rows of the node are rows of the copied columns.
    pub(super) fn is_row(&self) -> bool {
        self.level == 0 && self.scale == 1
    }

    pub(super) fn has_validity(&self) -> bool {
        self.views.iter().any(|view| view.has_validity())
    }
}

/// A level below level 0.
pub(super) struct Level {
    /// The node whose elements or bytes are the rows of the level.
    pub(super) node: usize,
    pub(super) above: usize,
    /// The number of lists per row of the level above.
    pub(super) scale: usize,
}

pub(super) struct NestedPlan<'a> {
    pub(super) operation: &'static str,
    /// The nodes. Children follow their parents.
    pub(super) nodes: Vec<Node<'a>>,
    /// The levels from level 1 on. A level follows the level above it.
    pub(super) levels: Vec<Level>,
    pub(super) length: RangeLength,
}

/// The number of rows of the ranges of level 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeLength {
    One,
    Any,
}

impl<'a> NestedPlan<'a> {
    /// Returns the nodes of tables of the same types.
    pub(super) fn new(operation: &'static str, tables: &[&TableView<'a>], length: RangeLength) -> Result<Self> {
        let mut plan = Self { operation, nodes: Vec::new(), levels: Vec::new(), length };
        for column in 0..tables[0].num_columns() {
            let views = tables.iter().map(|table| table.columns()[column]).collect();
            plan.add(views, Place { level: 0, scale: 1, parent: None })?;
        }
        Ok(plan)
    }

    /// Returns whether rows of a node of level 0, or of the structs around the node, may be null.
    pub(super) fn nullable(&self, node: usize) -> bool {
        std::iter::successors(Some(node), |&at| self.nodes[at].parent).any(|at| self.nodes[at].has_validity())
    }

    /// Returns an error if dictionaries have different values, or if views refer to different buffers.
    pub(super) fn check_shared_values(&self) -> Result<()> {
        for node in &self.nodes {
            if node.views.iter().any(|view| !shares_values(node.like(), *view)) {
                return Err(Error::unsupported(self.operation, node.like().data_type()));
            }
        }
        Ok(())
    }

    fn add(&mut self, views: Vec<ColumnView<'a>>, place: Place) -> Result<()> {
        let (node, like) = (self.nodes.len(), views[0]);
        let content = match physical_type(like.data_type()) {
            PhysicalType::List { large } => self.offsets(node, place, large, false),
            PhysicalType::Map => self.offsets(node, place, false, false),
            PhysicalType::FixedSizeList(_) => Content::Nothing,
            _ => match RowKind::of(like.data_type()).ok_or_else(|| refused(self.operation, like.data_type()))? {
                RowKind::Strings { large } => self.offsets(node, place, large, true),
                RowKind::Bytes(0) | RowKind::Validity | RowKind::Null => Content::Nothing,
                RowKind::Bytes(width) => Content::Values(width),
                RowKind::Bits => Content::Bits,
            },
        };
        let Place { level, scale, parent } = place;
        self.nodes.push(Node { views: views.clone(), content, level, scale, parent });
        match (content, like.data_type()) {
            (Content::Offsets { level, is_text: false, .. }, _) => {
                let elements = views.iter().map(|view| Ok(ListsView::try_from(*view)?.child()));
                self.add(elements.collect::<Result<_>>()?, Place { level, scale: 1, parent: None })
            }
            (_, DataType::FixedSizeList(..)) => {
                let lists = views.iter().map(|view| FixedSizeListsView::try_from(*view));
                let lists = lists.collect::<Result<Vec<_>>>()?;
                let scale = scale.checked_mul(lists[0].size());
                let scale = scale.ok_or_else(|| refused(self.operation, like.data_type()))?;
                let elements = lists.iter().map(|lists| lists.sliced_child());
                self.add(elements.collect::<Result<_>>()?, Place { level, scale, parent: None })
            }
            (_, DataType::Struct(fields)) => {
                let structs = views.iter().map(|view| StructsView::try_from(*view)).collect::<Result<Vec<_>>>()?;
                // In a sanitized struct, the null rows are also null in the fields.
                let hides = |view: &ColumnView<'_>| view.has_validity() && !view.sanitized();
                let is_row = level == 0 && scale == 1;
                let parent = if is_row && views.iter().any(hides) { Some(node) } else { parent };
                for i in 0..fields.len() {
                    let fields = structs.iter().map(|view| view.child(i)).collect::<Result<_>>()?;
                    self.add(fields, Place { level, scale, parent })?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn offsets(&mut self, node: usize, place: Place, large: bool, is_text: bool) -> Content {
        self.levels.push(Level { node, above: place.level, scale: place.scale });
        Content::Offsets { level: self.levels.len(), large, is_text }
    }
}

#[derive(Clone, Copy)]
struct Place {
    level: usize,
    scale: usize,
    parent: Option<usize>,
}
