//! Concatenation of list views, unions and run-end encoded columns.

use gdf_core::{Column, DataType, Error, PhysicalType, Result, Table, TableView, physical_type};
use gdf_engine::rows::same_columns;

use super::{concatenate as concatenate_tables, concatenate_columns};
use crate::Ctx;
use crate::lists::{check_total, close, may_share_values, open, values_of};

/// Concatenates tables whose columns are all composite. The tables have the same types and have been checked. The
/// elements of list views, the fields of dense unions and the values of runs are concatenated too, unless all tables
/// share them.
pub(super) fn concatenate_composite(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let [first, ..] = tables else {
        return Err(Error::internal("the table of the concatenated columns is missing"));
    };
    let mut values = tables.iter().map(|table| values_of(table)).collect::<Result<Vec<_>>>()?;
    let places = values[0].len();
    let mut types = Vec::with_capacity(places);
    first.columns().iter().for_each(|column| add_types(column.column(), &mut types));
    let mut joined = Vec::with_capacity(places);
    let mut bases = vec![Vec::with_capacity(places); tables.len()];
    for place in 0..places {
        let pieces: Vec<_> = values.iter_mut().map(|of_table| std::mem::take(&mut of_table[place])).collect();
        bases.iter_mut().for_each(|bases| bases.push(Vec::new()));
        if pieces.iter().skip(1).all(|piece| same_columns(&pieces[0], piece)) {
            joined.extend(pieces.into_iter().next());
            continue;
        }
        let of_column = types.get(place).ok_or_else(|| Error::internal("the values have no column"))?;
        let mut of_place = Vec::new();
        for child in 0..pieces[0].len() {
            let mut total = 0;
            for (piece, bases) in pieces.iter().zip(&mut bases) {
                bases[place].push(total);
                total += piece[child].len();
            }
            if !matches!(of_column, DataType::RunEndEncoded(..)) {
                check_total(of_column, total)?;
            }
            let children: Vec<_> = pieces.iter().map(|piece| piece[child].view()).collect();
            // List views share their elements with the result.
            let is_kept = may_share_values(of_column);
            of_place.push(concatenate_columns(&children, if is_kept { ctx } else { ctx.scratch() })?);
        }
        joined.push(of_place);
    }
    let scratch = ctx.scratch();
    let opened = tables.iter().zip(&bases).map(|(table, bases)| open(table, bases, scratch));
    let opened = opened.collect::<Result<Vec<_>>>()?;
    let opened = concatenate_tables(&opened.iter().map(Table::view).collect::<Vec<_>>(), scratch)?;
    close(first, opened, joined, ctx)
}

fn add_types(column: &Column, types: &mut Vec<DataType>) {
    match physical_type(column.data_type()) {
        PhysicalType::Struct
        | PhysicalType::Union { dense: false }
        | PhysicalType::List { .. }
        | PhysicalType::Map
        | PhysicalType::FixedSizeList(_) => {
            column.children().iter().for_each(|child| add_types(child, types));
        }
        PhysicalType::ListView { .. } | PhysicalType::Union { dense: true } | PhysicalType::RunEnd => {
            types.push(column.data_type().clone());
        }
        _ => {}
    }
}
