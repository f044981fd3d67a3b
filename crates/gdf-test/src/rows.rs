//! Rows of tables as texts, for comparisons of tables whose rows are in no particular order.

use gdf_api::unary::cast;
use gdf_core::{Column, DataType, Result, Table};

/// Returns the rows of tables of text and integers, as sorted texts. A null is `null`. The tables may be on any device
/// and may be spilled.
///
/// # Errors
/// - Reading a column fails, or a column is neither text nor can be cast to `Int64`.
pub fn sorted_rows<'t>(tables: impl IntoIterator<Item = &'t Table>) -> Result<Vec<String>> {
    let texts = |column: &Column| match column.data_type() {
        DataType::Utf8 => column.to_strings(),
        _ => {
            let numbers = cast(column, &DataType::Int64)?.to_vec::<i64>()?;
            Ok(numbers.into_iter().map(|number| number.map(|number| number.to_string())).collect())
        }
    };
    let mut rows = Vec::new();
    for table in tables {
        let mut cells = vec![String::new(); table.num_rows()];
        for column in table.columns() {
            for (cell, text) in cells.iter_mut().zip(texts(column)?) {
                cell.push_str(text.as_deref().unwrap_or("null"));
                cell.push('|');
            }
        }
        rows.extend(cells);
    }
    rows.sort_unstable();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_tables_are_sorted() {
        let table = |numbers: &[Option<i32>], texts: [&str; 2]| {
            let columns = vec![Column::from_options(numbers).unwrap(), Column::from_strs(texts).unwrap()];
            Table::try_new(columns).unwrap()
        };
        let tables = [table(&[Some(2), None], ["b", ""]), table(&[Some(-1), Some(2)], ["x", "a"])];
        assert_eq!(sorted_rows(&tables).unwrap(), ["-1|x|", "2|a|", "2|b|", "null||"]);
    }
}
