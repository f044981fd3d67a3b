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

/// Gives 64-bit offsets to each text or binary column that has more bytes in all rows of all files than the limit.
pub(super) fn widened(mut files: Vec<ParquetFile>, options: &Options) -> Result<Vec<ParquetFile>> {
    let first = &files[0];
    let is_asked = |index: usize, name: &String| match &options.columns {
        Columns::All => true,
        Columns::Named(names) => names.contains(name),
        Columns::Numbered(places) => places.contains(&index),
    };
    let mut wide = vec![Vec::new(); files.len()];
    for (index, field) in first.schema().fields().iter().enumerate() {
        let Some(large) = large_type(field.data_type()) else { continue };
        if first.is_given(index) || !is_asked(index, field.name()) {
            continue;
        }
        let place = |file: &ParquetFile| names::matching(&first.names(), index, &file.names(), &file.path).ok();
        let Some(places) = files.iter().map(place).collect::<Option<Vec<_>>>() else { continue };
        let of_groups = files.iter().zip(&places).flat_map(|(file, place)| {
            let leaves = file.leaves_of(*place);
            (0..file.num_groups()).map(move |group| file.text_bytes(group, &leaves))
        });
        let bytes = of_groups.fold(0, u64::saturating_add);
        if bytes > options.text_limit as u64 {
            wide.iter_mut().zip(places).for_each(|(types, place)| types.push((place, large.clone())));
        }
    }
    if wide.iter().any(|types| !types.is_empty()) {
        files = files.into_iter().zip(&wide).map(|(file, types)| file.with_types_at(types)).collect::<Result<_>>()?;
    }
    Ok(files)
}
