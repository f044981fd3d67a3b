//! Functions of rows.

use std::sync::Arc;

use gdf_core::{Error, Result, SchemaRef, Table};
use gdf_exec::{Needs, RowsFunction};

use crate::columns::Columns;
use crate::expr::{Elements, Window};
use crate::plan::needed::Needed;
use crate::plan::{Rows, Step, elements, window};

/// Returns the first columns of a table, under the names of a schema. Keys may follow them.
fn named(schema: &SchemaRef, rows: &Table) -> Result<Columns> {
    let width = schema.fields().len();
    let rows = match rows.num_columns() == width {
        true => rows.clone(),
        false => Table::try_with_rows(rows.columns()[..width].to_vec(), rows.num_rows())?,
    };
    Ok(Columns::trusted(schema.clone(), rows))
}

/// A step as a function of rows.
pub(super) struct Verb {
    /// The names and fields of the rows.
    schema: SchemaRef,
    step: Step,
    needs: Needs,
    inputs: Vec<Columns>,
    after: Needed,
}

impl Verb {
    /// `columns` has the names and types of the rows.
    pub(super) fn new(columns: &Columns, step: &Step, needs: Needs, inputs: Vec<Columns>, after: &Needed) -> Verb {
        Verb { schema: columns.schema().clone(), step: step.clone(), needs, inputs, after: after.clone() }
    }

    pub(super) fn applied(&self, rows: Table) -> Result<Columns> {
        let mut rows = Rows::new(named(&self.schema, &rows)?);
        self.step.run_with(&mut rows, &self.inputs, &self.after)?;
        rows.into_columns()
    }
}

impl RowsFunction for Verb {
    fn name(&self) -> &str {
        self.step.name()
    }

    fn needs(&self) -> Needs {
        self.needs.clone()
    }

    fn run(&self, rows: Table) -> Result<Table> {
        let found = self.applied(rows).map_err(|error| error.in_operation(self.step.name()))?;
        Ok(found.into_parts().1)
    }
}

/// The values of window functions and of functions of elements, in this order.
pub(super) struct Leaves {
    /// The names and fields of the rows.
    pub(super) schema: SchemaRef,
    pub(super) windows: Vec<Arc<Window>>,
    pub(super) elements: Vec<Arc<Elements>>,
    pub(super) needs: Needs,
}

impl RowsFunction for Leaves {
    fn name(&self) -> &str {
        if self.windows.is_empty() { "functions of elements" } else { "window functions" }
    }

    fn needs(&self) -> Needs {
        self.needs.clone()
    }

    fn run(&self, rows: Table) -> Result<Table> {
        let count = rows.num_rows();
        let mut rows = Rows::new(named(&self.schema, &rows)?);
        let found = window::values(&mut rows, self.windows.clone())?;
        let of_window = |window: &Arc<Window>| {
            let of = found.iter().find(|(of, _)| Arc::ptr_eq(of, window));
            of.map(|(_, values)| values.clone()).ok_or_else(|| Error::internal("a window function has no values"))
        };
        let mut values = self.windows.iter().map(of_window).collect::<Result<Vec<_>>>()?;
        for of in &self.elements {
            values.push(elements::values(&mut rows, of)?);
        }
        Table::try_with_rows(values, count)
    }
}

/// A function that needs one piece of the rows at a time.
struct OfPieces<F> {
    name: &'static str,
    run: F,
}

impl<F: Fn(Table) -> Result<Table> + Send + Sync> RowsFunction for OfPieces<F> {
    fn name(&self) -> &str {
        self.name
    }

    fn needs(&self) -> Needs {
        Needs::Piece
    }

    fn run(&self, rows: Table) -> Result<Table> {
        (self.run)(rows)
    }
}

/// Returns a function that needs one piece of the rows at a time.
pub(super) fn of_pieces(
    name: &'static str,
    run: impl Fn(Table) -> Result<Table> + Send + Sync + 'static,
) -> impl RowsFunction + 'static {
    OfPieces { name, run }
}
