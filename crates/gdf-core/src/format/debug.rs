//! Implementations of `Debug` for columns, tables and scalars. The text has the type, the length and the device. With
//! the feature `pretty`, the text of validated data on the CPU also has the first values. The functions never wait for
//! a device.

use std::fmt;

use crate::{Column, ColumnView, Literal, Operand, Scalar, Table, TableView};

/// The number of values that are shown.
const SHOWN: usize = 8;

impl fmt::Debug for ColumnView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Column({}, {} rows, {}", self.data_type(), self.len(), self.device())?;
        if let Some(nulls) = self.known_null_count().filter(|nulls| *nulls > 0) {
            write!(f, ", {nulls} nulls")?;
        }
        f.write_str(")")?;
        match first_values(*self) {
            Some(values) => {
                write!(f, " [{}", values.join(", "))?;
                f.write_str(if self.len() > SHOWN { ", …]" } else { "]" })
            }
            None => Ok(()),
        }
    }
}

/// Returns the first values if the column is on the CPU and is validated.
#[cfg(feature = "pretty")]
fn first_values(view: ColumnView<'_>) -> Option<Vec<String>> {
    if !view.device().is_cpu() || !view.column().validated() {
        return None;
    }
    let first = view.slice(0, view.len().min(SHOWN)).ok()?.to_column();
    let array = arrow_array::make_array(first.export(&gdf_driver::Stream::cpu()).ok()?);
    Some((0..array.len()).map(|row| super::value::text(&array, row)).collect())
}

/// Returns `None`, because only the feature `pretty` can format values.
#[cfg(not(feature = "pretty"))]
fn first_values(_: ColumnView<'_>) -> Option<Vec<String>> {
    None
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Debug for TableView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} rows) ", self.num_rows())?;
        f.debug_list().entries(self.columns()).finish()
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scalar({}, {})", self.data_type(), self.device())?;
        match first_values(self.view()) {
            Some(values) => write!(f, " {}", values.join(", ")),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Literal({})", self.data_type())?;
        if self.is_null() {
            return f.write_str(" null");
        }
        match self.host_column().ok().and_then(|column| first_values(column.view())) {
            Some(values) => write!(f, " {}", values.join(", ")),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Column(view) => view.fmt(f),
            Operand::Scalar(scalar) => scalar.fmt(f),
            Operand::Literal(literal) => literal.fmt(f),
        }
    }
}

macro_rules! typed_views {
    ($($name:ident)*) => {$(
        impl fmt::Debug for crate::$name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " of "))?;
                self.view().fmt(f)
            }
        }
    )*};
}

typed_views!(StringsView BinaryView ListsView FixedSizeListsView StructsView DictionaryView RunsView);

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "debug_tests.rs"]
mod tests;
