//! Output files. A file gets its final name only when it is complete.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

use crate::{Error, Result};

/// The number of bytes that are written at a time.
const BUFFER: usize = 1 << 18;

/// The paths of the temporary files of this process that are not finished.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the temporary files of writers of this process that are not finished.
///
/// The temporary file is in the same folder as the file that the writer replaces. When a writer is dropped, it removes
/// its temporary file. If a signal ends the program, nothing is dropped. Therefore the signal handler of the program
/// should call this function on an ordinary thread, and then end the process. After this call, writers that are still
/// used return errors.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # #[cfg(feature = "csv")] {
/// use gdf::io::{CsvWriter, example_batch, remove_unfinished_files};
///
/// # let folder = tempfile::tempdir()?;
/// let batch = example_batch()?;
/// let mut writer = CsvWriter::new(folder.path().join("t.csv"), batch.schema());
/// writer.write(&batch)?;
/// remove_unfinished_files();
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// assert!(writer.finish().is_err());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remove_unfinished_files() {
    for name in std::mem::take(&mut *unfinished()) {
        // The error is ignored, because another process may already have removed the file.
        let _ = fs::remove_file(name);
    }
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the error of a writer that is used after a write has failed.
#[cfg(any(feature = "parquet", feature = "csv", feature = "json", feature = "ipc"))]
pub(crate) fn failed_earlier() -> io::Error {
    io::Error::other("an earlier write to this file failed; create a new writer and write the file again")
}

/// An output file.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    to: BufWriter<To>,
}

#[derive(Debug)]
enum To {
    Temporary(Unfinished),
    /// A pipe or a device that already exists.
    Special(File),
}

/// A temporary file.
#[derive(Debug)]
struct Unfinished(Option<NamedTempFile>);

impl Unfinished {
    fn create(builder: &Builder<'_, '_>, folder: &Path) -> io::Result<Unfinished> {
        let mut names = unfinished();
        let file = builder.tempfile_in(folder)?;
        names.insert(file.path().to_owned());
        Ok(Unfinished(Some(file)))
    }

    /// Writes all data of the file to the disk, and then renames the file to `path`.
    fn persist(mut self, path: &Path) -> io::Result<()> {
        let Some(file) = self.0.take() else { return Ok(()) };
        let synced = file.as_file().sync_all();
        let mut names = unfinished();
        names.remove(file.path());
        synced?;
        file.persist(path).map_err(|error| error.error)?;
        drop(names);
        // Some file systems cannot sync a folder.
        #[cfg(unix)]
        let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            unfinished().remove(file.path());
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the path to which a symbolic link points. There may be no file at that path.
fn target_of(path: &Path) -> PathBuf {
    // The limit of Linux. More links are a cycle.
    const LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return target,
        }
    }
    path.to_owned()
}

/// Opens a temporary file in a folder. The temporary file has the permissions of the file that it will replace.
fn temporary(folder: &Path, replaced: Option<&fs::Metadata>) -> io::Result<Unfinished> {
    let mut builder = Builder::new();
    builder.prefix(".gdf-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = replaced.map(|replaced| fs::Permissions::from_mode(replaced.permissions().mode() & 0o777));
        builder.permissions(mode.clone().unwrap_or(fs::Permissions::from_mode(0o666)));
        let unfinished = Unfinished::create(&builder, folder)?;
        // The mask of the process has removed permissions. Some file systems have no other permissions.
        if let (Some(mode), Some(file)) = (mode, &unfinished.0) {
            let _ = file.as_file().set_permissions(mode);
        }
        Ok(unfinished)
    }
    #[cfg(not(unix))]
    {
        let _ = replaced;
        Unfinished::create(&builder, folder)
    }
}

impl Output {
    /// Opens a temporary file in the same folder as `path`.
    ///
    /// # Errors
    /// - [`Error::Write`].
    pub(crate) fn create(path: &Path) -> Result<Output> {
        let failed = |source| Error::writing(path, source);
        // If `path` is a symbolic link, the link stays, and the file to which it points is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| target_of(path));
        let to = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => To::Special(File::options().write(true).open(&target).map_err(failed)?),
            found => To::Temporary(temporary(folder_of(&target), found.ok().as_ref()).map_err(failed)?),
        };
        Ok(Output { path: target, to: BufWriter::with_capacity(BUFFER, to) })
    }

    /// Gives the file its final name.
    ///
    /// # Errors
    /// - [`Error::Write`].
    pub(crate) fn persist(self) -> Result<()> {
        let Output { path, to } = self;
        match to.into_inner().map_err(|error| Error::writing(&path, error.into_error()))? {
            To::Temporary(file) => file.persist(&path).map_err(|error| Error::writing(&path, error)),
            To::Special(_) => Ok(()),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Write for To {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            To::Temporary(Unfinished(Some(file))) => file.write(bytes),
            // The file already has its final name.
            To::Temporary(Unfinished(None)) => Err(io::ErrorKind::NotFound.into()),
            To::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        assert!(!path.exists());
        output.persist().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");

        let mut output = Output::create(&path).unwrap();
        output.write_all(b"half").unwrap();
        drop(output);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a"]);
        let is_known =
            |name: &PathBuf| name.starts_with(folder.path().canonicalize().unwrap()) || name.starts_with(folder.path());
        assert!(!unfinished().iter().any(is_known));
    }

    #[test]
    fn folders_that_are_not_there_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("gone/a"), folder.path().to_owned()] {
            let error = Output::create(&path).unwrap_err();
            assert!(matches!(&error, Error::Write { path: found, .. } if *found == path), "{error}");
        }
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_was_written_and_links_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        Output::create(&path).unwrap().persist().unwrap();
        fs::write(folder.path().join("plain"), "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")));

        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write_all(b"x").unwrap();
        output.persist().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for mode in [0o600, 0o444, 0o777] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mut output = Output::create(&path).unwrap();
            output.write_all(b"new").unwrap();
            output.persist().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{mode:o}");
            fs::remove_file(&path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_that_is_not_there_stays() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let [path, link, other] = ["deep/a", "link", "other"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("deep")).unwrap();
        symlink("other", &link).unwrap();
        symlink(&path, &other).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write_all(b"x").unwrap();
        output.persist().unwrap();
        assert!([&link, &other].into_iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
        assert_eq!(fs::read(&path).unwrap(), b"x");
        // Links in a cycle point to no path.
        symlink("round", folder.path().join("round")).unwrap();
        Output::create(&folder.path().join("round")).unwrap();
    }
}
