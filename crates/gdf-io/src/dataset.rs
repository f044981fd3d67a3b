//! Finds the files that a path means, and the partition columns that the names of folders give.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Date32Array, Int64Array, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, FieldRef};

use crate::{Error, Result};

/// The value of a folder name that Hive writes for a null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Files in the order of their paths, and partition columns.
#[derive(Debug, Default)]
pub(crate) struct Dataset {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) partitions: Vec<Partition>,
}

/// A column whose values come from names of folders, such as `year=2026/month=1/part.parquet`.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    pub(crate) field: FieldRef,
    values: ArrayRef,
}

impl Partition {
    pub(crate) fn repeat(&self, file: usize, rows: usize) -> Result<ArrayRef, arrow_schema::ArrowError> {
        let indices = UInt32Array::from_value(file as u32, rows);
        arrow_select::take::take(&self.values, &indices, None)
    }
}

impl Dataset {
    /// Returns the files that the paths mean, one path after the other. The files of a folder have one of the
    /// extensions, which have lower case.
    ///
    /// # Errors
    /// - There are no paths, a path or pattern has no files, or a pattern is invalid.
    /// - A folder cannot be read.
    pub(crate) fn find<P: AsRef<Path>, S: AsRef<str>>(paths: &[P], extensions: &[S]) -> Result<Dataset> {
        Self::find_where(paths, |file| {
            let name = file.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
            let is_of = |known: &S| name.strip_suffix(known.as_ref()).is_some_and(|stem| stem.ends_with('.'));
            extensions.iter().any(is_of)
        })
    }

    /// Returns the files that the paths mean, with their partition columns. Of a folder, these are the files for which
    /// `is_wanted` is true.
    ///
    /// # Errors
    /// - The errors of [`find`](Self::find).
    fn find_where<P: AsRef<Path>>(paths: &[P], is_wanted: impl Fn(&Path) -> bool) -> Result<Dataset> {
        let (mut files, mut bases) = (Vec::new(), Vec::new());
        for path in paths {
            let (found, base) = Self::files_of(path.as_ref(), &is_wanted)?;
            bases.resize(bases.len() + found.len(), base);
            files.extend(found);
        }
        if files.is_empty() {
            return Err(Error::NoFiles { pattern: "an empty list of paths".to_owned() });
        }
        let partitions = partitions(&files, &bases)?;
        Ok(Dataset { files, partitions })
    }

    /// Returns the files that `path` means, and the folder below which the names of folders are keys. There is no such
    /// folder if the path is one file. The files may have other keys, because files of several formats are listed too.
    ///
    /// # Errors
    /// - [`Error::NoFiles`], [`Error::BadPattern`], and the errors of reading a folder.
    pub(crate) fn files_of(path: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<(Vec<PathBuf>, Option<PathBuf>)> {
        let text = path.to_string_lossy();
        let found = |files: Vec<PathBuf>, base: PathBuf| match files.is_empty() {
            true => Err(Error::NoFiles { pattern: text.clone().into_owned() }),
            false => Ok((files, Some(base))),
        };
        if path.is_dir() {
            let mut files = files_below(path)?;
            files.retain(|file| is_wanted(file));
            files.sort();
            return found(files, path.to_owned());
        }
        if path.exists() || !text.contains(['*', '?', '[']) {
            return Ok((vec![path.to_owned()], None));
        }
        let is_fixed = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
        // The paths that glob returns do not begin with `.`.
        let is_named = |part: &Component<'_>| *part != Component::CurDir;
        let base: PathBuf = path.components().take_while(is_fixed).filter(is_named).collect();
        found(matches(&text, &base)?, base)
    }
}

/// Returns the files in a folder and its subfolders. Hidden files and folders are left out. Each folder is read once:
/// a link to a folder that was read before is left out, so that cycles and folders with many links end.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut read = HashSet::new();
    // Links come after all folders, so that a file has the path without a link if there is one.
    let (mut folders, mut links) = (vec![folder.to_owned()], BTreeSet::new());
    while let Some(folder) = folders.pop().or_else(|| links.pop_first()) {
        let real = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        if !read.insert(real) {
            continue;
        }
        let failed = |error| Error::reading(&folder, error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_hidden(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let path = entry.path();
            match (path.is_dir(), entry.file_type().is_ok_and(|found| found.is_symlink())) {
                (true, true) => drop(links.insert(path)),
                (true, false) => folders.push(path),
                (false, _) if path.is_file() => files.push(path),
                (false, _) => {}
            }
        }
    }
    Ok(files)
}

/// Returns the sorted files that match the pattern. Hidden files, and files in hidden folders below `base`, are left
/// out.
fn matches(pattern: &str, base: &Path) -> Result<Vec<PathBuf>> {
    // The option `require_literal_leading_dot` is off. With this option, glob panics at names that are not UTF-8.
    let paths = glob::glob(pattern).map_err(|source| Error::BadPattern { pattern: pattern.to_owned(), source })?;
    let is_hidden_below = |path: &Path| {
        let below = path.strip_prefix(base).unwrap_or(path);
        below.iter().any(|name| is_hidden(&name.to_string_lossy()))
    };
    let mut files = Vec::new();
    for path in paths {
        match path {
            Ok(path) if path.is_file() && !is_hidden_below(&path) => files.push(path),
            Ok(_) => {}
            Err(error) if is_hidden_below(error.path()) => {}
            Err(error) => {
                let path = error.path().to_owned();
                return Err(Error::reading(&path, error.into()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns whether the name is one that Hive and Spark give to files without data.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || name.starts_with('_') && !name.contains('=')
}

/// Returns the partition columns, in the order of the folders of the first file. The keys of a file are the names of
/// folders below its base. A file without a base has no keys.
///
/// # Errors
/// - [`Error::Partitions`]: the folders of a file have other keys than those of the first file, or have a key twice.
fn partitions(files: &[PathBuf], bases: &[Option<PathBuf>]) -> Result<Vec<Partition>> {
    let keys = |(file, base): (&PathBuf, &Option<PathBuf>)| -> Vec<(String, Option<String>)> {
        let folders = base.as_ref().and_then(|base| file.strip_prefix(base).ok()).and_then(Path::parent);
        let folders = folders.map(|folders| folders.iter().map(|name| name.to_string_lossy().into_owned()));
        folders.into_iter().flatten().filter_map(|name| key_value(&name)).collect()
    };
    let of_files: Vec<_> = files.iter().zip(bases).map(keys).collect();
    let names = |keys: &[(String, Option<String>)]| keys.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let of_first = of_files.first().map(|keys| names(keys)).unwrap_or_default();
    let sorted = |mut names: Vec<String>| {
        names.sort_unstable();
        names
    };
    let (first, expected) = (files.first().cloned().unwrap_or_default(), sorted(of_first.clone()));
    let refused = |file: &Path, what: String| Error::Partitions { path: file.to_owned(), what };
    if let Some([key, _]) = expected.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refused(&first, format!("the key {key} occurs twice; rename a folder")));
    }
    for (file, keys) in files.iter().zip(&of_files) {
        let found = names(keys);
        if sorted(found.clone()) != expected {
            let listed = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let what = format!(
                "its keys are {}, but the keys of {} are {}; move the files to folders with the same keys, or read \
                 them one by one",
                listed(&found),
                first.display(),
                listed(&of_first)
            );
            return Err(refused(file, what));
        }
    }
    let column = |name: String| {
        let value = |keys: &Vec<(String, Option<String>)>| keys.iter().find(|(key, _)| *key == name).cloned();
        let values: Vec<Option<String>> =
            of_files.iter().map(|keys| value(keys).and_then(|(_, value)| value)).collect();
        let values = typed(&values);
        Partition { field: Arc::new(Field::new(name, values.data_type().clone(), true)), values }
    };
    Ok(of_first.into_iter().map(column).collect())
}

/// Splits a folder name `key=value` and decodes percent escapes in both parts.
fn key_value(name: &str) -> Option<(String, Option<String>)> {
    let (key, value) = name.split_once('=').filter(|(key, _)| !key.is_empty())?;
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    Some((decoded(key), (value != NULL).then(|| decoded(value))))
}

/// Converts the values of a partition column.
fn typed(values: &[Option<String>]) -> ArrayRef {
    let is_canonical = |text: &String| text.parse::<i64>().is_ok_and(|number| number.to_string() == *text);
    let present = || values.iter().flatten();
    if present().next().is_some() && present().all(is_canonical) {
        let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<i64>().ok());
        return Arc::new(values.iter().map(number).collect::<Int64Array>());
    }
    let text: ArrayRef = Arc::new(values.iter().map(Option::as_deref).collect::<StringArray>());
    let is_day = |text: &String| text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    if present().next().is_some() && present().all(is_day) {
        let days = arrow_cast::cast(&text, &DataType::Date32).ok();
        if let Some(days) = days.filter(|days| days.null_count() == text.null_count()) {
            debug_assert!(days.as_any().is::<Date32Array>());
            return days;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn folders_and_patterns_are_sorted_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let hidden = ["_temporary.csv", ".hidden.csv", "_temporary/0/x.csv", "deep/_delta_log/x.csv", ".git/x.csv"];
        for name in ["b.csv", "a.csv", "c.txt", "deep/d.CSV"].into_iter().chain(hidden) {
            touch(&root.join(name));
        }
        let names = |path: PathBuf| -> Vec<String> {
            let files = Dataset::find(&[&path], &["csv"]).unwrap().files;
            files.iter().map(|file| file.strip_prefix(root).unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(root.to_owned()), ["a.csv", "b.csv", "deep/d.CSV"]);
        assert_eq!(names(root.join("*.csv")), ["a.csv", "b.csv"]);
        assert_eq!(names(root.join("[bc].*")), ["b.csv", "c.txt"]);
        assert_eq!(names(root.join("a.csv")), ["a.csv"]);
        assert_eq!(names(root.join("**/*.csv")), ["a.csv", "b.csv"]);
        // If the caller names a hidden folder, the folder is read.
        assert_eq!(names(root.join("_temporary/**/*.csv")), ["_temporary/0/x.csv"]);
        assert_eq!(names(root.join("_temporary")), ["_temporary/0/x.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_but_not_in_a_cycle() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        touch(&path("d/a.csv"));
        touch(&path("d/deep/b.csv"));
        touch(&path("other/c.csv"));
        for (to, link) in [(".", "d/here"), ("..", "d/deep/up"), ("../other", "d/link"), ("../d", "other/back")] {
            symlink(to, path(link)).unwrap();
        }
        let found = Dataset::find(&[&path("d")], &["csv"]).unwrap().files;
        assert_eq!(found, ["d/a.csv", "d/deep/b.csv", "d/link/c.csv"].map(path));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_not_utf8_do_not_end_a_read() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join(OsStr::from_bytes(b"\xff.csv"));
        for path in [&odd, &folder.path().join("a.csv"), &folder.path().join("\u{e9}/b.csv")] {
            touch(path);
        }
        let found = Dataset::find(&[folder.path()], &["csv"]).unwrap().files;
        assert_eq!((found.len(), found.contains(&odd)), (3, true), "{found:?}");
        // A pattern is text, so it matches only names that are text.
        let found = Dataset::find(&[&folder.path().join("*.csv")], &["csv"]).unwrap().files;
        assert_eq!(found, [folder.path().join("a.csv")]);
    }

    #[test]
    fn keys_of_partitions_may_begin_with_an_underscore() {
        let folder = tempfile::tempdir().unwrap();
        touch(&folder.path().join("_year=2026/part.csv"));
        assert_eq!(Dataset::find(&[folder.path()], &["csv"]).unwrap().partitions[0].field.name(), "_year");
    }

    #[test]
    fn nothing_found_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let find = |path: &str| Dataset::find(&[&folder.path().join(path)], &["csv"]);
        assert!(matches!(find("*.csv"), Err(Error::NoFiles { .. })));
        assert!(matches!(find(""), Err(Error::NoFiles { .. })));
        assert!(matches!(find("a***b"), Err(Error::BadPattern { .. })));
        // If a path has no wildcards, `find` does not check whether the file exists.
        assert_eq!(find("gone.csv").unwrap().files.len(), 1);
    }

    #[test]
    fn a_name_with_brackets_is_a_file_if_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a[1].csv");
        touch(&path);
        assert_eq!(Dataset::find(&[&path], &["csv"]).unwrap().files, [path]);
    }

    #[test]
    fn partitions_are_typed_by_all_their_values() {
        let folder = tempfile::tempdir().unwrap();
        let folders = ["n=1/d=2026-01-31/t=x%20y/z=01", "n=-20/d=2024-02-29/t=__HIVE_DEFAULT_PARTITION__/z=2"];
        for name in folders {
            touch(&folder.path().join(name).join("part.csv"));
        }
        let found = Dataset::find(&[folder.path()], &["csv"]).unwrap();
        let types: Vec<String> =
            found.partitions.iter().map(|p| format!("{}: {}", p.field.name(), p.field.data_type())).collect();
        assert_eq!(types, ["n: Int64", "d: Date32", "t: Utf8", "z: Utf8"]);
        // The files are sorted by path, so the file in `n=-20` comes first.
        let numbers = found.partitions[0].repeat(1, 2).unwrap();
        assert_eq!(numbers.as_any().downcast_ref::<Int64Array>().unwrap().values(), &[1, 1]);
        assert_eq!(found.partitions[2].repeat(0, 3).unwrap().null_count(), 3);
    }

    #[test]
    fn keys_that_some_files_lack_are_an_error() {
        for (names, expected) in [
            (["a=1/x.csv", "b=1/x.csv"], "its keys are b, but the keys of "),
            (["a=1/x.csv", "x.csv"], "its keys are none, but the keys of "),
            (["a=1/a=2/x.csv", "a=1/a=3/x.csv"], "the key a occurs twice"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            names.iter().for_each(|name| touch(&folder.path().join(name)));
            let error = Dataset::find(&[folder.path()], &["csv"]).unwrap_err();
            assert!(matches!(error, Error::Partitions { .. }) && error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn keys_of_folders_are_decoded_and_may_have_another_order() {
        let folder = tempfile::tempdir().unwrap();
        touch(&folder.path().join("a%20b=1/c=x/x.csv"));
        touch(&folder.path().join("c=y/a%20b=2/x.csv"));
        let found = Dataset::find(&[folder.path()], &["csv"]).unwrap();
        let names: Vec<&String> = found.partitions.iter().map(|partition| partition.field.name()).collect();
        assert_eq!(names, ["a b", "c"]);
        let numbers = found.partitions[0].repeat(1, 1).unwrap();
        assert_eq!(numbers.as_any().downcast_ref::<Int64Array>().unwrap().values(), &[2]);
    }

    #[cfg(unix)]
    #[test]
    fn folders_of_many_links_are_read_once() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: String| folder.path().join(name);
        for level in 0..30 {
            fs::create_dir(path(format!("d{level}"))).unwrap();
            for link in ["a", "b"] {
                symlink(format!("../d{}", level + 1), path(format!("d{level}/{link}"))).unwrap();
            }
        }
        touch(&path("d30/x.csv".to_owned()));
        assert_eq!(Dataset::find(&[&path("d0".to_owned())], &["csv"]).unwrap().files.len(), 1);
        assert_eq!(Dataset::find(&[folder.path()], &["csv"]).unwrap().files, [path("d30/x.csv".to_owned())]);
    }
}
