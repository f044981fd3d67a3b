//! Tables of a folder. Each file, and each subfolder with files, is a table with the name of the file or subfolder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use gdf_datafusion::{FileFormat, GdfFiles};

use super::session::Session;

pub(super) fn register(session: &Session, folder: &Path) -> Result<()> {
    ensure!(folder.is_dir(), "{} is not a folder; name a folder with --tables", folder.display());
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut known: Vec<(String, PathBuf)> = Vec::new();
    for path in paths {
        let Some(name) = name_of(&path) else { continue };
        if let Some((_, other)) = known.iter().find(|(other, _)| *other == name) {
            bail!("{} and {} both have the table name {name}; rename one of them", other.display(), path.display());
        }
        let files = GdfFiles::open(&path).with_context(|| format!("{} cannot be used as a table", path.display()))?;
        session.register(&name, files)?;
        known.push((name, path));
    }
    ensure!(
        !known.is_empty(),
        "the folder {} has no files of a known format; name another folder with --tables",
        folder.display()
    );
    Ok(())
}

/// Returns the name of the table for a path, or `None` for an unknown format and for names that begin with `.` or `_`.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    if name.starts_with(['.', '_']) {
        return None;
    }
    if path.is_dir() {
        return FileFormat::of(path).is_ok().then(|| name.to_owned());
    }
    FileFormat::of_extension(path)?;
    let stem = Path::new(path.file_stem()?);
    // The extension of a compressed file has two parts.
    let is_packed = name.to_ascii_lowercase().ends_with(".gz") || name.to_ascii_lowercase().ends_with(".zst");
    let stem = if is_packed { Path::new(stem.file_stem()?) } else { stem };
    stem.to_str().map(str::to_owned)
}
