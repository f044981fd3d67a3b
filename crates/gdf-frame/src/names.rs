//! Rules for the names of columns.

use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use arrow_schema::FieldRef;
use gdf_core::{Error, Result};

/// The name of an output. The name of a column of the source is shared with its field.
#[derive(Clone)]
pub(crate) enum Name {
    OfField(FieldRef),
    Own(Arc<str>),
}

impl Name {
    pub(crate) fn to_shared(&self) -> Arc<str> {
        match self {
            Name::OfField(field) => field.name().as_str().into(),
            Name::Own(name) => name.clone(),
        }
    }
}

impl From<Arc<str>> for Name {
    fn from(name: Arc<str>) -> Name {
        Name::Own(name)
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Name::OfField(field) => field.name(),
            Name::Own(name) => name,
        }
    }
}

/// Up to this number of names, a search through all names is faster than a hash table.
pub(crate) const SEARCHED: usize = 16;

/// Checks that no two names are equal.
///
/// # Errors
/// * [`DuplicateName`](Error::DuplicateName).
pub(crate) fn check_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let (mut few, mut many) = ([""; SEARCHED], HashSet::new());
    for (at, name) in names.into_iter().enumerate() {
        if at == SEARCHED {
            many.extend(few);
        }
        let is_known = if at < SEARCHED { few[..at].contains(&name) } else { !many.insert(name) };
        if is_known {
            return Err(Error::duplicate_name(name));
        }
        if let Some(place) = few.get_mut(at) {
            *place = name;
        }
    }
    Ok(())
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

/// Displays a name in SQL syntax. The name is in quotes unless it is a plain word.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        let is_word = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|character| character.is_alphanumeric() || character == '_');
        if is_word { f.write_str(self.0) } else { write!(f, "\"{}\"", self.0.replace('"', "\"\"")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_repeated_name_is_found_among_few_and_many() {
        for count in [3, SEARCHED - 2, SEARCHED - 1, 100] {
            let names: Vec<String> = (0..count).map(|at| at.to_string()).collect();
            assert!(check_names(names.iter().map(String::as_str)).is_ok());
            for first in [0, count - 2] {
                let repeated = names.iter().chain([&names[first], &names[0]]).map(String::as_str);
                let error = check_names(repeated).unwrap_err();
                assert!(matches!(&error, Error::DuplicateName { name, .. } if **name == names[first]), "{error}");
            }
        }
    }
}
