//! Types of columns that depend on all files of a read.

use arrow_schema::{DataType, FieldRef};
use gdf_core::layout::same_named_type;

use super::file::ParquetFile;
use crate::common::common_type;
use crate::large::large_type;
use crate::options::{Columns, Options};
use crate::{Result, names};

/// Gives the decimals of a column the largest precision that the column has in any of the files.
///
/// # Errors
/// - [`Error::ColumnType`]: the decimals of a file cannot get the precision.
fn with_largest_precisions(files: Vec<ParquetFile>) -> Result<Vec<ParquetFile>> {
    if files.len() < 2 {
        return Ok(files);
    }
    let first = &files[0];
    let mut types: Vec<Vec<(usize, DataType)>> = vec![Vec::new(); files.len()];
    for (index, field) in first.schema().fields().iter().enumerate() {
        if !gdf_core::is_decimal(field.data_type()) {
            continue;
        }
        let place = |file: &ParquetFile| names::matching(&first.names(), index, &file.names(), &file.path).ok();
        let Some(places) = files.iter().map(place).collect::<Option<Vec<_>>>() else { continue };
        let found: Vec<&DataType> =
            files.iter().zip(&places).map(|(file, place)| file.schema().field(*place).data_type()).collect();
        let precision = |found: &&&DataType| gdf_core::decimal_parts(found).map(|(_, precision, _)| precision);
        let Some(largest) = found.iter().max_by_key(precision) else { continue };
        if found.iter().all(|found| same_named_type(found, largest)) {
            for (types, (place, found)) in types.iter_mut().zip(places.iter().zip(&found)) {
                types.extend((found != largest).then(|| (*place, DataType::clone(largest))));
            }
        }
    }
    let retyped = |(file, types): (ParquetFile, Vec<(usize, DataType)>)| {
        if types.is_empty() { Ok(file) } else { file.with_types_at(&types) }
    };
    files.into_iter().zip(types).map(retyped).collect()
}

/// Gives the columns that have other types in other files the common type of all files. Columns without a common type
/// keep their types, so that a read names the file.
pub(super) fn with_common_types(files: Vec<ParquetFile>) -> Result<Vec<ParquetFile>> {
    let mut files = with_largest_precisions(files)?;
    let is_same = |file: &ParquetFile| {
        let (first, fields) = (files[0].schema().fields(), file.schema().fields());
        let same =
            |(a, b): (&FieldRef, &FieldRef)| a.name() == b.name() && same_named_type(a.data_type(), b.data_type());
        first.len() == fields.len() && first.iter().zip(fields).all(same)
    };
    if files.iter().all(is_same) {
        return Ok(files);
    }
    for index in 0..files[0].schema().fields().len() {
        let first = &files[0];
        let place = |file: &ParquetFile| names::matching(&first.names(), index, &file.names(), &file.path).ok();
        let Some(places) = files.iter().map(place).collect::<Option<Vec<_>>>() else { continue };
        let types = || files.iter().zip(&places).map(|(file, place)| file.schema().field(*place).data_type());
        let of_first = first.schema().field(index).data_type().clone();
        if types().all(|found| same_named_type(found, &of_first)) {
            continue;
        }
        let Some(common) = types().try_fold(of_first, |common, found| common_type(&common, found)) else { continue };
        let cast = |(file, place): (ParquetFile, usize)| file.cast_to(place, &common);
        files = files.into_iter().zip(places).map(cast).collect();
    }
    Ok(files)
}

/// The smallest number of rows that a read puts into one column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Together {
    /// All rows of all files.
    All,
    /// The rows of one row group. The read divides more rows before they have too much text.
    RowGroup,
}

/// Gives 64-bit offsets to each text or binary column that has more bytes than the limit in rows that come together. The
/// types do not depend on the rows that are selected.
pub(super) fn widened(mut files: Vec<ParquetFile>, options: &Options, together: Together) -> Result<Vec<ParquetFile>> {
    let first = &files[0];
    let is_asked = |index: usize, name: &String| match &options.columns {
        Columns::All => true,
        Columns::Named(names) => names.contains(name),
        Columns::Numbered(places) => places.contains(&index),
    };
    let tested = options.tested();
    let mut wide = vec![Vec::new(); files.len()];
    for (index, field) in first.schema().fields().iter().enumerate() {
        let Some(large) = large_type(field.data_type()) else { continue };
        let together = match is_asked(index, field.name()) {
            true => together,
            false if tested.contains(&field.name().as_str()) => Together::RowGroup,
            false => continue,
        };
        if first.is_given(index) {
            continue;
        }
        let place = |file: &ParquetFile| names::matching(&first.names(), index, &file.names(), &file.path).ok();
        let Some(places) = files.iter().map(place).collect::<Option<Vec<_>>>() else { continue };
        let of_groups = files.iter().zip(&places).flat_map(|(file, place)| {
            let leaves = file.leaves_of(*place);
            (0..file.num_groups()).map(move |group| file.text_bytes(group, &leaves))
        });
        let bytes = match together {
            Together::All => of_groups.fold(0, u64::saturating_add),
            Together::RowGroup => of_groups.max().unwrap_or(0),
        };
        if bytes > options.text_limit as u64 {
            wide.iter_mut().zip(places).for_each(|(types, place)| types.push((place, large.clone())));
        }
    }
    if wide.iter().any(|types| !types.is_empty()) {
        files = files.into_iter().zip(&wide).map(|(file, types)| file.with_types_at(types)).collect::<Result<_>>()?;
    }
    Ok(files)
}
