//! Describes the storage of the rows of each type, for both backends.
//!
//! A table is flattened to a list of *leaves*. A struct is a leaf that has only a mask, and the leaves of its fields
//! follow. The keys of dictionaries and the views of view columns are copied like numbers, so that the result shares
//! the values of the dictionary and the characters of the views with the input.

use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, NullCount, OneOrMany, PhysicalType, Position, Result,
    StructsView, Table, TableView, physical_type,
};
use gdf_driver::Device;
use gdf_memory::Buffer;
use smallvec::SmallVec;

use crate::Ctx;
use crate::layout::{OutputBuffers, RowKind};
use crate::vouch;

/// A column of a table, or a field of a struct column.
#[derive(Clone, Copy)]
pub struct Leaf<'a> {
    pub view: ColumnView<'a>,
    pub kind: RowKind,
    /// The position, in the list of leaves, of the closest struct around the leaf in whose null rows the leaf may have
    /// values.
    pub parent: Option<usize>,
    /// If the leaf is a column of lists, the form of its lists. The kind of such a leaf is [`RowKind::Validity`].
    pub lists: Option<ListLeaf>,
}

/// The form of the lists of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListLeaf {
    /// The elements of a list lie between two offsets.
    Offsets {
        /// Whether offsets have 64 bits.
        large: bool,
    },
    /// Each list has this number of elements.
    Fixed(usize),
}

/// A table as a list of leaves.
pub struct RowPlan<'a> {
    operation: &'static str,
    table: TableView<'a>,
    leaves: OneOrMany<Leaf<'a>>,
}

impl<'a> RowPlan<'a> {
    /// Returns the leaves of `table`.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for lists, maps, unions and run-end encoded columns. The columns may
    ///   also be fields of structs.
    pub fn new(operation: &'static str, table: &TableView<'a>) -> Result<Self> {
        Self::flattened(operation, table, ListColumns::Refused)
    }

    /// Returns the leaves of `table`, which may have columns of lists. Only the CPU copies such leaves.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for list views, unions and run-end encoded columns, at any depth outside
    ///   of lists.
    pub(crate) fn with_lists(operation: &'static str, table: &TableView<'a>) -> Result<Self> {
        Self::flattened(operation, table, ListColumns::Leaves)
    }

    fn flattened(operation: &'static str, table: &TableView<'a>, lists: ListColumns) -> Result<Self> {
        let mut leaves = OneOrMany::default();
        for (i, column) in table.columns().iter().enumerate() {
            flatten(operation, *column, None, lists, &mut leaves).map_err(|error| error.at(Position::Column(i)))?;
        }
        Ok(Self { operation, table: table.clone(), leaves })
    }

    /// Returns the leaves of one column. Errors name the column by `position`, its number in the table of the caller.
    ///
    /// # Errors
    /// * The errors of [`new`](Self::new).
    pub fn of_column(operation: &'static str, column: ColumnView<'a>, position: usize) -> Result<Self> {
        let mut leaves = OneOrMany::default();
        flatten(operation, column, None, ListColumns::Refused, &mut leaves)
            .map_err(|error| error.at(Position::Column(position)))?;
        Ok(Self { operation, table: TableView::from(column), leaves })
    }

    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns all leaves. A struct comes before its fields.
    pub fn leaves(&self) -> &[Leaf<'a>] {
        &self.leaves
    }

    pub fn strings(&self) -> Vec<usize> {
        (0..self.leaves.len()).filter(|&leaf| self.leaves[leaf].kind.is_strings()).collect()
    }

    /// Returns the leaf, followed by the structs around the leaf in whose null rows the leaf may have values.
    pub(crate) fn with_parents(&self, leaf: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(leaf), |&at| self.leaves[at].parent)
    }

    /// Returns whether rows of the leaf, or of the structs around the leaf, may be null.
    pub fn nullable(&self, leaf: usize) -> bool {
        self.with_parents(leaf).any(|at| self.leaves[at].view.has_validity())
    }

    /// Returns the table of `rows` rows that consists of `output_buffers`, which has the buffers of each leaf. All rows
    /// are rows of the table of this plan, or null.
    pub fn finish(
        &self,
        rows: usize,
        device: Device,
        output_buffers: impl IntoIterator<Item = OutputBuffers>,
    ) -> Result<Table> {
        self.assembled(rows, device, Values::OfTable, output_buffers)
    }

    /// Does the same as [`finish`](Self::finish), for a result that may have any values.
    pub fn finish_any(
        &self,
        rows: usize,
        device: Device,
        output_buffers: impl IntoIterator<Item = OutputBuffers>,
    ) -> Result<Table> {
        self.assembled(rows, device, Values::Any, output_buffers)
    }

    fn assembled(
        &self,
        rows: usize,
        device: Device,
        values: Values,
        output_buffers: impl IntoIterator<Item = OutputBuffers>,
    ) -> Result<Table> {
        let mut output_buffers = output_buffers.into_iter();
        let columns = self.table.columns().iter();
        let columns = columns.map(|column| assemble(*column, rows, device, values, &mut output_buffers));
        let columns = columns.collect::<Result<_>>()?;
        Table::try_with_rows(columns, rows)
    }

    pub fn empty(&self, ctx: Ctx<'_>) -> Result<Table> {
        let empty = |leaf: &Leaf<'_>| match leaf.lists {
            None => OutputBuffers::empty(leaf, ctx),
            Some(_) => {
                let parts = Column::empty_in(leaf.view.data_type(), ctx.stream, ctx.mr.output)?.into_parts();
                let elements = parts.children.into_iter().next();
                Ok(OutputBuffers { buffers: parts.buffers, elements, ..OutputBuffers::without_data() })
            }
        };
        let output_buffers: Vec<_> = self.leaves.iter().map(empty).collect::<Result<_>>()?;
        self.finish(0, ctx.stream.device(), output_buffers)
    }
}

impl OutputBuffers {
    /// Returns the buffers of a leaf without data. Such a leaf has no rows, has the type null, or is a struct without a
    /// mask.
    pub fn empty(leaf: &Leaf<'_>, ctx: Ctx<'_>) -> Result<Self> {
        let buffers = match leaf.kind {
            RowKind::Bits | RowKind::Bytes(_) => {
                SmallVec::from_iter([Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?])
            }
            RowKind::Strings { large } => SmallVec::from_iter([
                Buffer::zeroed(if large { 8 } else { 4 }, ctx.stream, ctx.mr.output)?,
                Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?,
            ]),
            RowKind::Validity | RowKind::Null => SmallVec::new(),
        };
        Ok(Self { buffers, ..Self::without_data() })
    }

    /// Returns a leaf without buffers and elements, in which no row is null.
    pub fn without_data() -> Self {
        Self { buffers: SmallVec::new(), validity: None, null_count: NullCount::Known(0), elements: None }
    }
}

/// The treatment of columns of lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListColumns {
    Leaves,
    Refused,
}

fn flatten<'a>(
    operation: &'static str,
    view: ColumnView<'a>,
    parent: Option<usize>,
    list_columns: ListColumns,
    leaves: &mut OneOrMany<Leaf<'a>>,
) -> Result<()> {
    let position = leaves.len();
    let lists = match physical_type(view.data_type()) {
        PhysicalType::List { large } => Some(ListLeaf::Offsets { large }),
        PhysicalType::Map => Some(ListLeaf::Offsets { large: false }),
        PhysicalType::FixedSizeList(size) => Some(ListLeaf::Fixed(size)),
        _ => None,
    };
    if lists.is_some() && list_columns == ListColumns::Leaves {
        leaves.push(Leaf { view, kind: RowKind::Validity, parent, lists });
        return Ok(());
    }
    let kind = RowKind::of(view.data_type()).ok_or_else(|| refused(operation, view.data_type()))?;
    leaves.push(Leaf { view, kind, parent, lists: None });
    if kind == RowKind::Validity {
        let fields = StructsView::try_from(view)?;
        // In a sanitized struct, the null rows are also null in the fields, so that the fields do not need the mask of
        // the struct.
        let parent = if view.has_validity() && !view.sanitized() { Some(position) } else { parent };
        for i in 0..fields.num_children() {
            flatten(operation, fields.child(i)?, parent, list_columns, leaves)?;
        }
    }
    Ok(())
}

/// The values that a result may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Values of the table of the plan, of which the stored facts hold.
    OfTable,
    Any,
}

fn assemble(
    view: ColumnView<'_>,
    rows: usize,
    device: Device,
    values: Values,
    output_buffers: &mut impl Iterator<Item = OutputBuffers>,
) -> Result<Column> {
    let own = output_buffers
        .next()
        .ok_or_else(|| Error::internal("an operation on rows returned fewer columns than its table has"))?;
    let mut parts = ColumnParts::new(view.data_type().clone(), device, rows);
    parts.buffers = own.buffers;
    parts.validity = own.validity;
    parts.null_count = own.null_count;
    parts.children.extend(own.elements);
    match physical_type(view.data_type()) {
        PhysicalType::Dictionary => parts.children = view.children().to_vec(),
        PhysicalType::View { .. } => parts.buffers.extend(view.buffers().iter().skip(1).cloned()),
        PhysicalType::Struct => {
            let fields = StructsView::try_from(view)?;
            for i in 0..fields.num_children() {
                parts.children.push(assemble(fields.child(i)?, rows, device, values, output_buffers)?);
            }
        }
        _ => {}
    }
    let column = vouch::result(parts)?;
    if values == Values::Any {
        return Ok(column);
    }
    vouch::outer_bounds_of(&column, view);
    if let Some(rows) = view.row_numbers_of() {
        vouch::row_numbers(&column, rows);
    }
    Ok(column)
}

pub(super) fn refused(operation: &'static str, data_type: &DataType) -> Error {
    let error = Error::unsupported(operation, data_type);
    match data_type {
        DataType::ListView(_) | DataType::LargeListView(_) => error.with_remedy("use `lists::from_list_view` first"),
        DataType::RunEndEncoded(..) => error.with_remedy("use `transform::run_end_decode` first"),
        DataType::Union(..) => error.with_remedy("get the fields by `transform::union_field` first"),
        _ => error,
    }
}
