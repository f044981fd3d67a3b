//! Files that appear under their name when they are complete, or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::{Error, Result};

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 18;

/// A file under another name in the same folder, until [`Output::persist`]; dropped, it is gone.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    to: BufWriter<To>,
}

#[derive(Debug)]
enum To {
    Temporary(NamedTempFile),
    /// A pipe or a device, which cannot be replaced.
    Special(File),
}

impl Output {
    /// Opens a temporary file beside `path`.
    ///
    /// # Errors
    /// - [`Error::Write`].
    pub(crate) fn create(path: &Path) -> Result<Output> {
        let failed = |source| Error::writing(path, source);
        // A link stays one: what it leads to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let to = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => To::Special(File::options().write(true).open(&target).map_err(failed)?),
            _ => {
                let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
                let mut builder = Builder::new();
                builder.prefix(".gdf-");
                #[cfg(unix)]
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
                To::Temporary(builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(failed)?)
            }
        };
        Ok(Output { path: target, to: BufWriter::with_capacity(BUFFER, to) })
    }

    /// Gives the file its name; what had it before is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`].
    pub(crate) fn persist(self) -> Result<()> {
        let Output { path, to } = self;
        match to.into_inner().map_err(|error| Error::writing(&path, error.into_error()))? {
            To::Temporary(file) => file.persist(&path).map(drop).map_err(|error| Error::writing(&path, error.error)),
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
            To::Temporary(file) => file.write(bytes),
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
}
