//! Reads images from files. Kernels run in the process of the program, so a file that every user of the machine can
//! change is refused.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;

use gdf_driver::{DriverError, Result};

/// The largest size of an image in bytes. The largest images, with code for all architectures, have a tenth of it.
const MOST_BYTES: u64 = 256 << 20;

/// Reads the image `name` in a folder. Returns `None` if there is no such file, or if it cannot be read.
///
/// # Errors
/// - [`DriverError::KernelsWritable`]: every user of the machine can write to the file or the folder.
/// - [`DriverError::KernelsTooLarge`]: the file has more than [`MOST_BYTES`].
pub(crate) fn read(folder: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    read_most(folder, name, MOST_BYTES)
}

fn read_most(folder: &Path, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
    let path = folder.join(name);
    // The checks are those of the open file, which no other user can exchange after the check.
    let open = || -> std::io::Result<_> {
        let (above, file) = (fs::metadata(folder)?, File::open(&path)?);
        let metadata = file.metadata()?;
        Ok((above, file, metadata))
    };
    let (above, mut file, metadata) = match open() {
        Ok(opened) => opened,
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "image not read");
            return Ok(None);
        }
    };
    for (metadata, path) in [(&above, folder), (&metadata, path.as_path())] {
        if is_writable_by_all(metadata) {
            return Err(DriverError::KernelsWritable { path: path.display().to_string().into() });
        }
    }
    // A shared installation may belong to the account of its administrator, so another owner is not an error.
    if let Some(owner) = foreign_owner(&metadata) {
        tracing::warn!(path = %path.display(), owner, "kernels of another user are loaded");
    }
    let too_large = |bytes| DriverError::KernelsTooLarge { path: path.display().to_string().into(), bytes, most };
    if metadata.len() > most {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    match file.by_ref().take(most + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > most => Err(too_large(bytes.len() as u64)),
        Ok(_) => Ok(Some(bytes)),
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "image not read");
            Ok(None)
        }
    }
}

/// Returns whether every user may exchange the file, or the files of the folder. In a sticky folder, users may exchange
/// their own files only.
#[cfg(unix)]
fn is_writable_by_all(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const WRITABLE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    metadata.mode() & WRITABLE != 0 && !(metadata.is_dir() && metadata.mode() & STICKY != 0)
}

#[cfg(not(unix))]
fn is_writable_by_all(_: &Metadata) -> bool {
    false
}

/// Returns the owner of the file if it is neither the user of the process nor root.
#[cfg(unix)]
fn foreign_owner(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the function has no requirements and cannot fail.
    let user = unsafe { libc::geteuid() };
    Some(metadata.uid()).filter(|owner| ![0, user].contains(owner))
}

#[cfg(not(unix))]
fn foreign_owner(_: &Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "sorting.fatbin";

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), [1, 2, 3]).unwrap();
        folder
    }

    #[test]
    fn files_are_read_up_to_a_size() {
        let folder = folder();
        assert_eq!(read(folder.path(), NAME), Ok(Some(vec![1, 2, 3])));
        assert_eq!(read_most(folder.path(), NAME, 3), Ok(Some(vec![1, 2, 3])));
        assert_eq!(read(folder.path(), "filling.fatbin"), Ok(None));
        assert_eq!(read(&folder.path().join("none"), NAME), Ok(None));
        let path = folder.path().join(NAME).display().to_string().into();
        let error = DriverError::KernelsTooLarge { path, bytes: 3, most: 2 };
        assert_eq!(read_most(folder.path(), NAME, 2), Err(error.clone()));
        let text = error.to_string();
        assert!(text.contains("has 3 bytes") && text.contains("at most 2; run `gdf kernels install`"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_every_user_can_change_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        let file = folder.path().join(NAME);
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = |path: &Path| Err(DriverError::KernelsWritable { path: path.display().to_string().into() });
        let whole = Ok(Some(vec![1, 2, 3]));
        set(&file, 0o664);
        assert_eq!(read(folder.path(), NAME), whole);
        set(&file, 0o666);
        assert_eq!(read(folder.path(), NAME), refused(&file));
        set(&file, 0o644);
        set(folder.path(), 0o777);
        assert_eq!(read(folder.path(), NAME), refused(folder.path()));
        set(folder.path(), 0o1777);
        assert_eq!(read(folder.path(), NAME), whole);
    }

    #[cfg(unix)]
    #[test]
    fn files_of_the_user_are_not_foreign() {
        let folder = folder();
        assert_eq!(foreign_owner(&fs::metadata(folder.path().join(NAME)).unwrap()), None);
    }
}
