//! Refuses files and folders that every user of the machine can change, because their code is executed.

use std::fs::{self, Metadata};
use std::path::Path;

use anyhow::{Result, ensure};

/// Checks that not every user can write to a file or folder, and that not every user can exchange the file.
///
/// # Errors
/// - The path cannot be read.
/// - Every user can write to the path or, for a file, to its folder.
pub(crate) fn check(path: &Path) -> Result<()> {
    let metadata = fs::metadata(path)?;
    let above = path.parent().filter(|above| metadata.is_file() && !above.as_os_str().is_empty());
    refuse(path, &metadata)?;
    match above {
        Some(above) => refuse(above, &fs::metadata(above)?),
        None => Ok(()),
    }
}

fn refuse(path: &Path, metadata: &Metadata) -> Result<()> {
    let path = path.display();
    ensure!(!is_writable_by_all(metadata), "every user of the machine can write to {path}; run `chmod o-w {path}`");
    Ok(())
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_every_user_can_change_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nvcc");
        fs::write(&file, "").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = |path: &Path| check(path).unwrap_err().to_string();
        check(&file).unwrap();
        set(&file, 0o666);
        assert!(refused(&file).contains(&format!("run `chmod o-w {}`", file.display())), "{}", refused(&file));
        check(folder.path()).unwrap();
        set(&file, 0o644);
        set(folder.path(), 0o777);
        assert!(refused(&file).contains(&format!("run `chmod o-w {}`", folder.path().display())));
        assert!(refused(folder.path()).contains("can write"));
        set(folder.path(), 0o1777);
        check(&file).unwrap();
        assert!(check(&folder.path().join("none")).is_err());
    }
}
