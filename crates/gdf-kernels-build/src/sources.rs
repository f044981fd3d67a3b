//! The translation units of the kernels. A unit is a `.cu` file, together with all files that the file includes. The
//! module reads the files as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// A translation unit: a `.cu` file that no other `.cu` file includes. A `.cu` file that another file includes is not a
/// unit, because it is compiled as a part of the other file's unit.
#[derive(Debug)]
pub struct Unit {
    /// The name of the `.cu` file without the extension.
    pub name: String,
    /// The path of the `.cu` file below `kernels/`. An `#include` of the file contains the same path.
    pub file: String,
    /// The texts of the `.cu` file and of all files of this repository that it includes. The key is the path of the
    /// file below `kernels/`.
    pub texts: BTreeMap<String, String>,
}

impl Unit {
    /// Returns the path and the lines of code of each file. Empty lines and lines of comments are left out, and blanks
    /// at the ends of lines are removed.
    pub fn code(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().flat_map(|(name, text)| {
            let code = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
            std::iter::once(name.as_str()).chain(code)
        })
    }

    /// Returns a 64-bit FNV-1a hash of the sources. The hash does not cover lines of comments, and is the same on every
    /// machine. The image carries the hash of each unit, and the loader compares these hashes with the hashes of the
    /// library.
    pub fn hash(&self) -> u64 {
        let bytes = self.code().flat_map(|line| line.bytes().chain([b'\n']));
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Returns the error of the operating system with a text in front that names the failed action and the file.
fn at(what: &str, path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{what} {}: {error}", path.display()))
}

/// Returns the directories of `kernels/` with their units. Directories and units are sorted by name. The order of the
/// units is the order in which an image holds them.
///
/// # Errors
/// A directory cannot be listed, or a file cannot be read.
pub fn capabilities(kernels: &Path) -> Result<BTreeMap<String, Vec<Unit>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(kernels).map_err(|error| at("cannot list", kernels, &error))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type()?.is_dir() || name == "include" {
            continue;
        }
        let mut paths = Vec::new();
        for file in fs::read_dir(entry.path())? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "cu") {
                paths.push(path);
            }
        }
        paths.sort();
        if !paths.is_empty() {
            found.insert(name, units(kernels, &paths)?);
        }
    }
    Ok(found)
}

/// Returns the translation units among the `.cu` files of a capability.
///
/// # Errors
/// A file cannot be read.
pub fn units(kernels: &Path, paths: &[PathBuf]) -> Result<Vec<Unit>> {
    let unit = |path: &PathBuf| -> Result<Unit> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Unit { name, file: relative(kernels, path), texts: read(kernels, path)? })
    };
    let mut units: Vec<Unit> = paths.iter().map(unit).collect::<Result<_>>()?;
    let others = |unit: &Unit| unit.texts.keys().filter(|name| **name != unit.file).cloned().collect::<Vec<_>>();
    let included: BTreeSet<String> = units.iter().flat_map(others).collect();
    units.retain(|unit| !included.contains(&unit.file));
    Ok(units)
}

/// Returns the texts of a file and of all files of this repository that it includes, by their paths below `kernels`. An
/// `#include` in an inactive branch of an `#if` also counts.
fn read(kernels: &Path, path: &Path) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let mut ahead = vec![path.to_owned()];
    while let Some(path) = ahead.pop() {
        let name = relative(kernels, &path);
        if texts.contains_key(&name) {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|error| at("cannot read", &path, &error))?;
        let directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        let written = directives.filter_map(|directive| directive.trim_start().strip_prefix("include"));
        ahead.extend(written.filter_map(|written| included(kernels, &path, written.trim())));
        texts.insert(name, text);
    }
    Ok(texts)
}

/// Returns the path of the file that `from` includes. If the file belongs to the toolkit, the function returns `None`.
pub fn included(kernels: &Path, from: &Path, written: &str) -> Option<PathBuf> {
    let name = written.trim_start_matches(['"', '<']).split(['"', '>']).next()?;
    let beside = from.parent()?.join(name);
    [beside, kernels.join("include").join(name), kernels.join(name)].into_iter().find(|path| path.is_file())
}

fn relative(kernels: &Path, path: &Path) -> String {
    // The separator is `/` on every machine. The path is part of the hash of the unit, and the hash must not depend on
    // the machine.
    let parts = path.strip_prefix(kernels).unwrap_or(path).components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A hash must change with every change of the unit's code, and with no other change.
    #[test]
    fn hashes_tell_sources_apart() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| write(folder.path(), name, text);
        write("copying/gather.cu", "#include <gdf/bits.cuh>\n// A word.\nint x = 1;\n");
        write("copying/scatter.cu", "int y;\n");
        write("include/gdf/bits.cuh", "int z;\n");
        let hashes =
            || -> Vec<u64> { capabilities(folder.path()).unwrap()["copying"].iter().map(Unit::hash).collect() };
        let [gather, scatter] = hashes()[..] else { panic!() };
        assert_ne!(gather, scatter);
        write("copying/gather.cu", "#include <gdf/bits.cuh>\n  // Another.\n\n  int x = 1;\n");
        assert_eq!(hashes(), [gather, scatter], "words and blanks");
        write("copying/gather.cu", "#include <gdf/bits.cuh>\nint x = 2;\n");
        let other = hashes();
        assert!(other[0] != gather && other[1] == scatter, "a body");
        write("include/gdf/bits.cuh", "int z = 3;\n");
        assert!(hashes()[0] != other[0] && hashes()[1] == scatter, "a header");
    }

    #[test]
    fn a_unit_is_all_that_it_includes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| write(folder.path(), name, text);
        write("copying/gather.cu", "#include \"map.cuh\"\n#include <cstdint>\nint x;\n");
        write("copying/scatter.cu", "# include \"gdf/bits.cuh\"\n#include \"tail.cu\"\n");
        write("copying/tail.cu", "");
        write("copying/map.cuh", "#if 0\n#include \"gdf/bits.cuh\"\n#endif\n");
        write("include/gdf/bits.cuh", "#include \"gdf/bits.cuh\"\n");
        write("notes/readme.md", "");
        let found = capabilities(folder.path()).unwrap();
        assert_eq!(Vec::from_iter(found.keys()), ["copying"]);
        let units: Vec<_> = found["copying"].iter().map(|unit| (unit.name.as_str(), unit.file.as_str())).collect();
        assert_eq!(units, [("gather", "copying/gather.cu"), ("scatter", "copying/scatter.cu")]);
        let files = |at: usize| Vec::from_iter(found["copying"][at].texts.keys().cloned());
        assert_eq!(files(0), ["copying/gather.cu", "copying/map.cuh", "include/gdf/bits.cuh"]);
        assert_eq!(files(1), ["copying/scatter.cu", "copying/tail.cu", "include/gdf/bits.cuh"]);
    }
}
