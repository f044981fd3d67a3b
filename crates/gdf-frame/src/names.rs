//! Rules for the names of columns.

use gdf_core::{Error, Result};

/// Checks that no two names are equal.
///
/// # Errors
/// * [`DuplicateName`](Error::DuplicateName).
pub(crate) fn check_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut known = std::collections::HashSet::new();
    match names.into_iter().find(|name| !known.insert(*name)) {
        Some(name) => Err(Error::duplicate_name(name)),
        None => Ok(()),
    }
}

/// An error suggests a name if the similarity to the unknown name is at least this number.
const SIMILAR: f64 = 0.75;

/// Returns the error for a name that no column has, with a similar name as a suggestion.
#[cold]
pub(crate) fn unknown_name<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
    let lower = name.to_lowercase();
    let similarity = |of: &str| strsim::jaro_winkler(&lower, &of.to_lowercase());
    let nearest = names.clone().map(|of| (similarity(of), of)).filter(|(similarity, _)| *similarity >= SIMILAR);
    let nearest = nearest.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, of)| of);
    Error::name_not_found(name, nearest, names)
}
