//! Finds columns by name. A file may have several columns of the same name.

use std::path::Path;

use crate::{Error, Result};

/// Returns the index of the column with this name, or `None` if no column has the name.
///
/// # Errors
/// - [`Error::AmbiguousColumn`]: several columns have the name.
pub(crate) fn find<S: AsRef<str>>(names: &[S], name: &str, path: &Path) -> Result<Option<usize>> {
    let mut found = places(names, name);
    match (found.next(), found.count()) {
        (first, 0) => Ok(first),
        (_, more) => Err(ambiguous(path, name, more + 1)),
    }
}

/// Returns the index in `names` of the column that has index `index` in `expected`.
///
/// # Errors
/// - [`Error::NoColumn`].
/// - [`Error::AmbiguousColumn`]: the number of columns with this name differs between `expected` and `names`.
pub(crate) fn matching<E: AsRef<str>, S: AsRef<str>>(
    expected: &[E],
    index: usize,
    names: &[S],
    path: &Path,
) -> Result<usize> {
    let name = expected[index].as_ref();
    let found: Vec<usize> = places(names, name).collect();
    if found.is_empty() {
        return Err(no_column(path, name, names));
    }
    if found.len() != places(expected, name).count() {
        return Err(ambiguous(path, name, found.len()));
    }
    Ok(found[places(&expected[..index], name).count()])
}

pub(crate) fn no_column<S: AsRef<str>>(path: &Path, name: &str, names: &[S]) -> Error {
    Error::NoColumn {
        path: path.to_owned(),
        column: name.to_owned(),
        known: names.iter().map(|name| name.as_ref().to_owned()).collect(),
    }
}

pub(crate) fn no_place<S: AsRef<str>>(path: &Path, place: usize, names: &[S]) -> Error {
    no_column(path, &format!("number {place}"), names)
}

pub(crate) fn ambiguous(path: &Path, name: &str, count: usize) -> Error {
    Error::AmbiguousColumn { path: path.to_owned(), column: name.to_owned(), count }
}

/// Returns the names that are in `names` but not in `others`.
pub(crate) fn without(names: &[String], others: &[String]) -> Vec<String> {
    let mut others: Vec<&String> = others.iter().collect();
    let mut left = Vec::new();
    for name in names {
        match others.iter().position(|other| *other == name) {
            Some(at) => drop(others.swap_remove(at)),
            None => left.push(name.clone()),
        }
    }
    left
}

fn places<S: AsRef<str>>(names: &[S], name: &str) -> impl Iterator<Item = usize> {
    names.iter().enumerate().filter(move |(_, known)| known.as_ref() == name).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_column_or_none_or_an_error() {
        let found = |name| find(&["a", "b", "a"], name, Path::new("x"));
        assert_eq!(found("b").unwrap(), Some(1));
        assert_eq!(found("c").unwrap(), None);
        assert!(matches!(found("a"), Err(Error::AmbiguousColumn { count: 2, .. })));
    }

    #[test]
    fn columns_of_one_name_are_matched_in_their_order() {
        let place = |index, names: &[&str]| matching(&["a", "b", "a"], index, names, Path::new("x"));
        let places: Vec<usize> = (0..3).map(|index| place(index, &["b", "c", "a", "a"]).unwrap()).collect();
        assert_eq!(places, [2, 0, 3]);
        assert!(matches!(place(0, &["a", "b"]), Err(Error::AmbiguousColumn { count: 1, .. })));
        assert!(matches!(place(1, &["a", "a"]), Err(Error::NoColumn { .. })));
    }
}
