//! Concatenation of strings: across the columns of a row, across the elements of a list, or across the rows of a
//! column.

use gdf_compute::reshape::interleave_columns;
use gdf_compute::stream_compaction::drop_nulls;
use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, ListsView, Literal, Operand, PhysicalType, Result,
    Scalar, TableView, physical_type,
};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::cuda::{CudaColumn, Rows};
use gdf_engine::decoded::{Decoded, DecodedColumns};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::host::HostColumn;
use gdf_engine::input::Input;
use gdf_engine::strings::{self, Launch, OpenText, Texts, open_text};
use gdf_kernels::ColumnIn;
use gdf_kernels::generated::common::TextIn;
use gdf_kernels::generated::strings::{EndRows, EndRowsKernel, EndRowsParameters};
use gdf_kernels::generated::strings::{JOIN_MOST_COLUMNS, Join, JoinKernel, JoinParameters};
use gdf_kernels::generated::strings::{JoinLists, JoinListsKernel, JoinListsParameters};
use gdf_memory::Buffer;

use super::arguments::Argument;
use crate::Ctx;
use crate::vouch;

/// The treatment of null strings and null separators when strings are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinOptions<'a> {
    /// The string that replaces a null. If this field is `None`, a null makes the result null.
    pub null: Option<&'a str>,
    /// The string that replaces a null separator. If this field is `None`, a null separator makes the result null.
    pub separator_null: Option<&'a str>,
    /// Whether the separators before and after a null are left out.
    pub unseparated_nulls: bool,
    /// Whether an empty list gives null instead of an empty string.
    pub empty_is_null: bool,
}

/// Concatenates the strings of each row across the columns, with a separator between two strings.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
///   [`InvalidArgument`](Error::InvalidArgument): no columns. [`TypeMismatch`](Error::TypeMismatch): columns of two
///   types; a separator that is not a string.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn concatenate(
    table: TableView<'_>,
    separator: Operand<'_>,
    options: JoinOptions<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let decoded = DecodedColumns::new(&table, ctx.scratch())?;
    let table = decoded.view()?;
    let Some(first) = table.columns().first() else {
        return Err(Error::invalid_argument("the table has no columns; pass at least 1 column").in_argument("table"));
    };
    for column in table.columns() {
        strings::is_large("concatenate", *column)?;
        check::types(first.data_type(), column.data_type())?;
    }
    check::table(&table, ctx)?;
    let rows = table.num_rows();
    if table.num_columns() <= JOIN_MOST_COLUMNS {
        let texts = Elements { texts: table.columns(), rows, stride: None, lists: None };
        return join(&texts, separator, options, None, ctx);
    }
    let (stride, texts) = (table.num_columns(), interleave_columns(table, ctx.scratch())?);
    join(&Elements { texts: &[texts.view()], rows, stride: Some(stride), lists: None }, separator, options, None, ctx)
}

/// Concatenates the strings of each list, with a separator between two strings.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns that are not lists of `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](Error::TypeMismatch): a separator that is not a string.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn join_list_elements(
    lists: ColumnView<'_>,
    separator: Operand<'_>,
    options: JoinOptions<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    with_elements("join_list_elements", lists, ctx, |texts| join(&texts, separator, options, None, ctx))
}

/// Formats each list as one string, such as `[a,b]`. Null elements become `null`. Lists may be nested.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns that are not lists of `Utf8` or `LargeUtf8`, or of such lists.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn format_list_column(
    lists: ColumnView<'_>,
    null: &str,
    [separator, open, close]: [&str; 3],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let operation = "format_list_column";
    let unsupported = |_| Error::unsupported(operation, lists.data_type());
    let child = ListsView::try_from(lists).map_err(unsupported)?.child();
    check::column(lists, ctx)?;
    let options = JoinOptions { null: Some(null), ..JoinOptions::default() };
    let joined = |texts: Elements<'_, '_>| join(&texts, separator.into(), options, Some([open, close]), ctx);
    if matches!(physical_type(child.data_type()), PhysicalType::List { .. }) {
        let formatted = format_list_column(child, null, [separator, open, close], ctx.scratch())?;
        return joined(Elements { texts: &[formatted.view()], rows: lists.len(), stride: None, lists: Some(lists) });
    }
    with_elements(operation, lists, ctx, joined)
}

/// Joins texts with commas, between brackets. If `lists` are given, the texts of a row are the elements of its list.
/// Otherwise they are the texts of the row in all columns. `null` replaces null texts and null lists. If `null` is
/// `None`, null texts are left out.
pub(crate) fn join_in_brackets(
    texts: &[ColumnView<'_>],
    lists: Option<ColumnView<'_>>,
    rows: usize,
    null: Option<&str>,
    brackets: [&str; 2],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let options = JoinOptions { null: null.or(Some("")), unseparated_nulls: null.is_none(), ..JoinOptions::default() };
    if texts.len() <= JOIN_MOST_COLUMNS {
        let elements = Elements { texts, rows, stride: None, lists };
        return join(&elements, ",".into(), options, Some(brackets), ctx);
    }
    let (stride, texts) = (texts.len(), interleave_columns(TableView::try_new(texts.to_vec())?, ctx.scratch())?);
    let elements = Elements { texts: &[texts.view()], rows, stride: Some(stride), lists: None };
    join(&elements, ",".into(), options, Some(brackets), ctx)
}

fn with_elements(
    operation: &'static str,
    lists: ColumnView<'_>,
    ctx: Ctx<'_>,
    of_texts: impl FnOnce(Elements<'_, '_>) -> Result<Column>,
) -> Result<Column> {
    let unsupported = |_| Error::unsupported(operation, lists.data_type());
    let texts = ListsView::try_from(lists).map_err(unsupported)?.child();
    if !Abilities::of(texts.data_type()).text {
        return Err(Error::unsupported(operation, lists.data_type()));
    }
    check::column(lists, ctx)?;
    let texts = Decoded::of(texts, ctx.scratch())?;
    of_texts(Elements { texts: &[texts.view()], rows: lists.len(), stride: None, lists: Some(lists) })
}

/// The strings to join.
struct Elements<'a, 'v> {
    texts: &'a [ColumnView<'v>],
    rows: usize,
    stride: Option<usize>,
    lists: Option<ColumnView<'v>>,
}

impl Elements<'_, '_> {
    /// Returns the number of columns if columns are joined by row, and 0 otherwise.
    fn columns(&self) -> usize {
        if self.stride.is_some() || self.lists.is_some() { 0 } else { self.texts.len() }
    }
}

/// Joins the elements of each row to one string.
fn join(
    elements: &Elements<'_, '_>,
    separator: Operand<'_>,
    options: JoinOptions<'_>,
    brackets: Option<[&str; 2]>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let literal = |text: Option<&str>| {
        let literal = text.map_or(Literal::null(&DataType::Utf8), Literal::from);
        literal.to_operand_scalar(ctx.stream, ctx.mr.temporary)
    };
    let separator = Argument::text("separator", separator, ctx)?;
    if let Some(len) = separator.input().len() {
        check::length(elements.rows, len).map_err(|error| error.in_argument("separator"))?;
    }
    let (separator_null, null) = (literal(options.separator_null)?, literal(options.null)?);
    let (open, close) = (literal(brackets.map(|of| of[0]))?, literal(brackets.map(|of| of[1]))?);
    let scalars = [&separator_null, &null, &open, &close].map(Input::Scalar);
    let [separator_null, null, open, close] = scalars;
    let inputs = [separator.input(), separator_null, null, open, close];
    let nullable = brackets.is_none()
        && (elements.lists.is_some_and(|lists| lists.has_validity())
            || options.empty_is_null
            || (options.null.is_none() && elements.texts.iter().any(|texts| texts.has_validity()))
            || (options.separator_null.is_none() && separator.input().has_validity()));
    let opened = match ctx.stream.device() {
        Device::Cpu => None,
        Device::Cuda(_) => Some(OpenElements::open(elements, ctx)?),
    };
    // `is_plain` is true if each result consists only of the bytes of list elements, with the same separator between
    // two elements.
    let is_one = separator.input().len().is_none() && !separator.input().has_validity();
    let is_plain = elements.lists.is_some()
        && brackets.is_none()
        && is_one
        && !elements.texts.iter().any(|texts| texts.has_validity());
    let bytes: usize = elements.texts.iter().map(|texts| strings::estimated_bytes((*texts).into())).sum();
    let separators = match elements.columns() {
        0 => elements.texts[0].len(),
        columns => elements.rows * (columns - 1),
    };
    let brackets_size = brackets.map_or(0, |of| of.concat().len());
    strings::build_about(
        bytes + separator.estimated_bytes(separators) + brackets_size * elements.rows,
        Inputs::for_rows(inputs, elements.rows, ctx)?,
        elements.texts[0].data_type(),
        Nulls::Own { nullable },
        ctx,
        |rows, builder| {
            let [separator, separator_null, null, open, close] = rows.columns();
            let (separators, separator_null) = (Texts::open(separator)?, Texts::open(separator_null)?.get(0));
            let (null, open, close) =
                (Texts::open(null)?.get(0), Texts::open(open)?.get(0), Texts::open(close)?.get(0));
            let mut columns = Vec::with_capacity(elements.texts.len());
            for view in elements.texts {
                columns.push(HostColumn::open(*view, ctx.stream)?);
            }
            let texts = columns.iter().map(Texts::open).collect::<Result<Vec<_>>>()?;
            let lists = elements.lists.map(|lists| HostColumn::open(lists, ctx.stream)).transpose()?;
            let valid = lists.as_ref().map(HostColumn::validity).transpose()?.flatten();
            let bounds = lists.as_ref().map(ListBounds::open).transpose()?;
            let by_row = elements.columns() > 0;
            let element =
                |row: usize, at: usize| texts.get(if by_row { at } else { 0 })?.get(if by_row { row } else { at });
            let is_valid = |row: usize, at: usize| {
                let (column, row) = if by_row { (at, row) } else { (0, at) };
                texts.get(column).is_some_and(|texts| texts.is_valid(row))
            };
            let builder = builder.of(texts.first().map(Texts::bytes).unwrap_or_default());
            let may_lack_text = null.is_none() && elements.texts.iter().any(|texts| texts.has_validity());
            builder.text(|row, sink| {
                if valid.is_some_and(|valid| !valid.get(row)) {
                    return brackets.and(null).map(|null| sink.put(null)).is_some();
                }
                let Some(separator) = separators.get(row).or(separator_null) else { return false };
                let range = match (&bounds, elements.stride) {
                    (Some(bounds), _) => bounds.get(row),
                    (None, Some(stride)) => row * stride..(row + 1) * stride,
                    (None, None) => 0..texts.len(),
                };
                let no_text = may_lack_text && range.clone().any(|at| !is_valid(row, at));
                if no_text || (options.empty_is_null && range.is_empty()) {
                    return false;
                }
                sink.put(open.unwrap_or_default());
                let mut separate = false;
                for at in range {
                    let text = element(row, at);
                    let separated = !options.unseparated_nulls || text.is_some();
                    if separate && separated {
                        sink.put(separator);
                        separate = false;
                    }
                    sink.put(text.or(null).unwrap_or_default());
                    separate |= separated;
                }
                sink.put(close.unwrap_or_default());
                true
            })
        },
        |launch| {
            let &Launch { inputs: [separator, separator_null, element_null, open, close], .. } = launch;
            let &Launch { out, counts, mailbox, .. } = launch;
            let Some(opened) = &opened else { return Err(Error::internal("the join has no elements")) };
            if is_plain {
                let empty_is_null = options.empty_is_null.into();
                let p = JoinListsParameters {
                    elements: opened.columns()[0],
                    lists: opened.lists(),
                    separator,
                    empty_is_null,
                    unused: 0,
                };
                let kernels = [JoinListsKernel::TextSizes, JoinListsKernel::TextWrite];
                return launch.run_twice(kernels, &JoinLists { out, p, counts, mailbox });
            }
            let p = JoinParameters {
                column: opened.columns(),
                lists: opened.lists(),
                separator,
                separator_null,
                element_null,
                open,
                close,
                columns: elements.columns() as i32,
                stride: elements.stride.unwrap_or(0) as i32,
                separate_nulls: (!options.unseparated_nulls).into(),
                empty_is_null: options.empty_is_null.into(),
                null_is_text: brackets.is_some().into(),
                unused: 0,
            };
            launch.run(JoinKernel::TextWrite, &Join { out, p, counts, mailbox })
        },
    )
}

struct OpenElements<'v> {
    texts: Vec<OpenText<'v>>,
    lists: Option<CudaColumn<'v>>,
}

impl<'v> OpenElements<'v> {
    fn open(elements: &Elements<'_, 'v>, ctx: Ctx<'_>) -> Result<Self> {
        let texts = elements.texts.iter().take(JOIN_MOST_COLUMNS).map(|view| open_text((*view).into(), ctx.stream));
        let lists = elements.lists.map(|view| CudaColumn::open(view, ctx.stream)).transpose()?;
        Ok(Self { texts: texts.collect::<Result<_>>()?, lists })
    }

    fn columns(&self) -> [TextIn<'_>; JOIN_MOST_COLUMNS] {
        std::array::from_fn(|at| self.texts.get(at).map_or_else(TextIn::default, OpenText::desc))
    }

    fn lists(&self) -> ColumnIn<'_> {
        self.lists.as_ref().map_or_else(ColumnIn::default, CudaColumn::desc)
    }
}

enum ListBounds<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> ListBounds<'a> {
    fn open(lists: &'a HostColumn<'_>) -> Result<Self> {
        Ok(match physical_type(lists.view().data_type()) {
            PhysicalType::List { large: true } => ListBounds::Wide(lists.offsets()?),
            _ => ListBounds::Narrow(lists.offsets()?),
        })
    }

    fn get(&self, row: usize) -> std::ops::Range<usize> {
        let of = |at: usize| match self {
            ListBounds::Narrow(offsets) => offsets.get(at).map_or(0, |offset| *offset as usize),
            ListBounds::Wide(offsets) => offsets.get(at).map_or(0, |offset| *offset as usize),
        };
        of(row)..of(row + 1)
    }
}

/// Concatenates all strings of a column, with a separator between two strings.
///
/// The string `null` replaces nulls. If `null` is `None`, nulls are left out.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn join_strings(column: ColumnView<'_>, separator: &str, null: Option<&str>, ctx: Ctx<'_>) -> Result<Scalar> {
    let large = strings::is_large("join_strings", column)?;
    let text = |text: Option<&str>| {
        let literal = text.map_or(Literal::null(&DataType::Utf8), Literal::from);
        literal.to_operand_scalar(ctx.stream, ctx.mr.temporary)
    };
    let valid;
    let mut column = column;
    if null.is_none() && column.has_validity() {
        valid = drop_nulls(&TableView::try_new(vec![column])?, &[0], 1, ctx.scratch())?;
        column = valid.column(0)?.view();
    }
    let rows = column.len();
    let (end, null) = (text(Some(separator))?, text(null)?);
    let scalars = [&end, &null].map(Input::Scalar);
    let bytes = strings::build_bytes(
        strings::estimated_bytes(column.into()) + rows * separator.len(),
        Inputs::new([column.into(), scalars[0], scalars[1]], ctx)?,
        column.data_type(),
        ctx,
        |columns, builder| {
            let [text, end, null] = columns.columns();
            let (texts, end, null) = (Texts::open(text)?, Texts::open(end)?.get(0), Texts::open(null)?.get(0));
            builder.text(|row, sink| {
                sink.put(texts.get(row).or(null).unwrap_or_default());
                sink.put(end.filter(|_| row + 1 < rows).unwrap_or_default());
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, end, null], out, counts, mailbox, .. } = launch;
            let p = EndRowsParameters { text, end, null, rows: Rows::new(rows) };
            launch.run(EndRowsKernel::TextWrite, &EndRows { out, p, counts, mailbox })
        },
    )?;
    let len = bytes.len();
    let (stream, mr) = (ctx.stream, ctx.mr.output);
    let offsets = if large {
        Buffer::from_host(bytemuck::cast_slice(&[0, len as i64]), stream, mr)?
    } else {
        Buffer::from_host(bytemuck::cast_slice(&[0, len as i32]), stream, mr)?
    };
    let parts = ColumnParts::new(column.data_type().clone(), stream.device(), 1);
    Scalar::from_column(vouch::result(parts.buffer(offsets).buffer(bytes))?)
}
