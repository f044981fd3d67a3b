//! `Debug` of columns, tables and scalars: type, length, device, and on the CPU the first values. Never waits for a device.

use std::fmt;

use crate::{Column, ColumnView, Operand, Scalar, Table, TableView};

/// How many values are shown.
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

/// The first values, where the CPU can look at them at once and they can be trusted.
#[cfg(feature = "pretty")]
fn first_values(view: ColumnView<'_>) -> Option<Vec<String>> {
    if !view.device().is_cpu() || !view.column().validated() {
        return None;
    }
    use arrow_cast::display::{ArrayFormatter, FormatOptions};
    let first = view.slice(0, view.len().min(SHOWN)).ok()?.to_column();
    let array = arrow_array::make_array(crate::pretty::displayable(&first).export(&gdf_driver::Stream::cpu()).ok()?);
    let options = FormatOptions::new().with_null("null");
    let formatter = ArrayFormatter::try_new(&array, &options).ok()?;
    (0..array.len()).map(|i| formatter.value(i).try_to_string().ok()).collect()
}

/// Values are shown by arrow-rs.
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

impl fmt::Debug for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Column(view) => view.fmt(f),
            Operand::Scalar(scalar) => scalar.fmt(f),
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
