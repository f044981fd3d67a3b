//! Implementations of `Display` for columns, tables and scalars. The text has the first and last rows, types, nulls,
//! shape and device.

use std::fmt;

use arrow_array::{ArrayRef, RecordBatch, make_array};
use arrow_schema::{DataType, Schema};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment};

use super::value::{first_characters, text};
use crate::{Column, ColumnView, Result, Scalar, Table, TableView, is_numeric, scope};

/// The number of rows that are shown at each end.
const ROWS: usize = 5;
/// The number of columns that are shown at each end.
const COLUMNS: usize = 6;
const CHARACTERS: usize = 48;
const ELLIPSIS: &str = "…";

/// A table with the names of its columns, for printing. See [`Table::display_with`].
#[derive(Clone, Debug)]
pub struct TableDisplay<'a> {
    table: TableView<'a>,
    names: Vec<String>,
    rows: usize,
    columns: usize,
}

impl TableDisplay<'_> {
    /// Sets the number of rows that are shown at each end, instead of five.
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// Sets the number of columns that are shown at each end, instead of six.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }
}

impl Table {
    /// Returns a value that prints the table, with `names` above the columns. A column without a name is labeled with
    /// its position.
    ///
    /// If the table has at most ten rows, all rows are printed. If the table has more rows, the first and last five
    /// rows are printed. If the table has more than twelve columns, the first and last six columns are printed. Only
    /// the printed rows are copied from a GPU, and printing **waits** for that copy. If the rows of a column cannot be
    /// read, the text of the error replaces the first value of the column, and an ellipsis replaces each other value.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, Table};
    ///
    /// let table = Table::try_new(vec![Column::from_strs(["Oslo", "Rome"])?, Column::from_options(&[Some(0.7), None])?])?;
    /// let text = "\
    /// ┌──────┬─────────┐
    /// │ city ┆  people │
    /// │ Utf8 ┆ Float64 │
    /// ╞══════╪═════════╡
    /// │ Oslo ┆     0.7 │
    /// │ Rome ┆    null │
    /// └──────┴─────────┘
    /// 2 rows × 2 columns on cpu";
    /// assert_eq!(table.display_with(&["city", "people"]).to_string(), text);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    pub fn display_with<N: AsRef<str>>(&self, names: &[N]) -> TableDisplay<'_> {
        self.view().into_display(names.iter().map(|name| name.as_ref().to_owned()).collect())
    }

    /// Returns a value that prints the table with the column names of a schema. In all other respects the function does
    /// the same as [`Table::display_with`].
    pub fn display_with_schema(&self, schema: &Schema) -> TableDisplay<'_> {
        self.view().into_display(schema.fields().iter().map(|field| field.name().clone()).collect())
    }
}

impl<'a> TableView<'a> {
    /// Does the same as [`Table::display_with`].
    pub fn display_with<N: AsRef<str>>(&self, names: &[N]) -> TableDisplay<'a> {
        self.clone().into_display(names.iter().map(|name| name.as_ref().to_owned()).collect())
    }

    fn into_display(self, names: Vec<String>) -> TableDisplay<'a> {
        TableDisplay { table: self, names, rows: ROWS, columns: COLUMNS }
    }
}

impl fmt::Display for TableDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.table.columns();
        let name = |i: usize| self.names.get(i).cloned().unwrap_or_else(|| i.to_string());
        let shown = ends(columns.len(), self.columns);
        let columns: Vec<_> = shown.iter().map(|i| i.map(|i| (name(i), columns[i]))).collect();
        if !columns.is_empty() {
            writeln!(f, "{}", lines(&columns, self.table.num_rows(), self.rows))?;
        }
        write!(f, "{} × {}", counted(self.table.num_rows(), "row"), counted(self.table.num_columns(), "column"))?;
        self.table.device().map_or(Ok(()), |device| write!(f, " on {device}"))
    }
}

/// Prints the first and last five rows of the first and last six columns. The position and the type of each column
/// stand above the rows. The shape and the device stand below the rows. [`Table::display_with`] also prints column
/// names. **Waits** for device memory. Only the printed rows are copied.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt_display(f)
    }
}

impl fmt::Display for TableView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_display(f)
    }
}

impl TableView<'_> {
    fn fmt_display(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.clone().into_display(Vec::new()), f)
    }
}

/// Prints the column's type, the first and the last five rows, and a line about the column. That line has the number of
/// rows, the null count and the device. The null count is left out if it is 0 or unknown. **Waits** for device memory.
/// Only the printed rows are copied.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.view(), f)
    }
}

impl fmt::Display for ColumnView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", lines(&[Some((String::new(), *self))], self.len(), ROWS))?;
        f.write_str(&counted(self.len(), "row"))?;
        match self.known_null_count() {
            None | Some(0) => {}
            Some(nulls) => write!(f, ", {}", counted(nulls, "null"))?,
        }
        write!(f, " on {}", self.device())
    }
}

/// Returns the table in which the command `gdf` prints all rows of record batches. The cells are those of
/// [`Table::display_with`], so that a cell of any size takes a line of some characters.
#[doc(hidden)]
pub fn rows_table(schema: &Schema, batches: &[RecordBatch]) -> comfy_table::Table {
    let mut lines = comfy_table::Table::new();
    lines.load_preset(UTF8_FULL_CONDENSED);
    let fields = schema.fields().iter();
    let side = |data_type: &DataType| if is_numeric(data_type) { CellAlignment::Right } else { CellAlignment::Left };
    let sides: Vec<CellAlignment> = fields.clone().map(|field| side(field.data_type())).collect();
    let header = fields.map(|field| format!("{}\n{}", shortened(field.name()), type_name(field.data_type())));
    lines.set_header(header.zip(&sides).map(|(title, side)| Cell::new(title).set_alignment(*side)));
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().zip(&sides);
            lines.add_row(cells.map(|(column, side)| Cell::new(cell(column, row)).set_alignment(*side)));
        }
    }
    lines
}

/// Returns the start of a value.
fn cell(array: &ArrayRef, row: usize) -> String {
    // One character more than is shown is formatted. If that character exists, the value is longer than the shown part,
    // and `shortened` adds an ellipsis.
    shortened(&first_characters(array, row, CHARACTERS + 1))
}

/// Prints the value, or `null`. **Waits** for device memory.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match values(self.view(), |array, row| text(array, row)) {
            Ok(values) => f.pad(&values.concat()),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Returns the first `each` and the last `each` of the positions below `len`. `None` between them stands for the
/// positions that are left out.
fn ends(len: usize, each: usize) -> Vec<Option<usize>> {
    if len <= each.saturating_mul(2) {
        return (0..len).map(Some).collect();
    }
    (0..each).map(Some).chain([None]).chain((len - each..len).map(Some)).collect()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Builds the printed table. A column that is `None` stands for columns that are left out. The header of every other
/// column has the title above the type, or the type alone if the title is empty. `each` is the number of rows that are
/// printed at the start and at the end.
fn lines(columns: &[Option<(String, ColumnView<'_>)>], rows: usize, each: usize) -> comfy_table::Table {
    let mut lines = comfy_table::Table::new();
    lines.load_preset(UTF8_FULL_CONDENSED);
    let mut cells = vec![Vec::new(); ends(rows, each).len()];
    let mut header = Vec::new();
    for column in columns {
        let Some((title, view)) = column else {
            header.push(Cell::new(ELLIPSIS));
            cells.iter_mut().for_each(|row| row.push(Cell::new(ELLIPSIS)));
            continue;
        };
        let side = if is_numeric(view.data_type()) { CellAlignment::Right } else { CellAlignment::Left };
        let data_type = type_name(view.data_type());
        let heading = if title.is_empty() { data_type } else { format!("{title}\n{data_type}") };
        header.push(Cell::new(heading).set_alignment(side));
        for (row, value) in cells.iter_mut().zip(shown_values(*view, each)) {
            row.push(Cell::new(value).set_alignment(side));
        }
    }
    lines.set_header(header).add_rows(cells);
    lines
}

/// Returns the name of a type, shortened to the number of characters that are shown.
fn type_name(data_type: &DataType) -> String {
    shortened(&data_type.to_string())
}

fn shown_values(view: ColumnView<'_>, each: usize) -> Vec<String> {
    let shown = ends(view.len(), each).len();
    let of = |offset, len| view.slice(offset, len).and_then(|rows| values(rows, cell));
    let all = if view.len() <= each.saturating_mul(2) {
        of(0, view.len())
    } else {
        of(0, each).and_then(|mut first| {
            first.push(ELLIPSIS.to_owned());
            first.extend(of(view.len() - each, each)?);
            Ok(first)
        })
    };
    match all {
        Ok(values) => values,
        // The first row shows the error, and all other rows show an ellipsis.
        Err(error) => {
            let mut rows = vec![ELLIPSIS.to_owned(); shown];
            rows.first_mut().into_iter().for_each(|row| *row = format!("<{error}>"));
            rows
        }
    }
}

fn values(view: ColumnView<'_>, text: impl Fn(&ArrayRef, usize) -> String) -> Result<Vec<String>> {
    // In contrast to `to_array_data`, `export` opens no tracing span.
    let stream = scope::current_stream(view.device())?;
    let array = make_array(view.to_column().export(&stream)?);
    Ok((0..array.len()).map(|row| text(&array, row)).collect())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}{ELLIPSIS}", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "display_tests.rs"]
mod tests;
