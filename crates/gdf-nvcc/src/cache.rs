//! The cache of compiled units in the user's cache directory. The key of a unit is a hash of all inputs of the unit.
//! Therefore a unit is not compiled again in a new checkout, on another branch, or after the target folder was deleted.

use std::env;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use crate::trust;

/// The environment variable that names another directory for the cache.
const VARIABLE: &str = "GDF_KERNELS_CACHE";

/// The size limit of the cache in bytes. The images of about thirty states of the sources fit if they are compiled for
/// the architectures of a release. If the limit is exceeded, the least recently used units are removed first.
const CAPACITY: u64 = 512 << 20;

/// The age at which an unfinished file is removed. Writing a file takes far less time, so the process that wrote the
/// file must have been killed.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// The output of compiling a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiled {
    pub(crate) code: Vec<u8>,
    /// The device resources of the unit's kernels, one line per kernel.
    pub(crate) resources: String,
}

/// A directory of compiled units, which several processes may share.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the directory that the environment names, or else the user's cache directory. If there is no home
    /// directory, the cache is a directory below `work`.
    pub(crate) fn open(work: &Path) -> Result<Self> {
        let named = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let of_user = || etcetera::choose_base_strategy().ok().map(|base| base.cache_dir().join("gdf/kernels"));
        Self::at(named.or_else(of_user).unwrap_or_else(|| work.join("cache")))
    }

    fn at(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}; name another folder with {VARIABLE}", folder.display()))?;
        // Programs load the images that are made of the units.
        trust::check(&folder)
            .with_context(|| format!("cannot use the cache of kernels; name another folder with {VARIABLE}"))?;
        Ok(Self { folder })
    }

    /// Returns the cached unit of this key, and marks the unit as just used.
    pub(crate) fn find(&self, key: &str) -> Option<Compiled> {
        let path = self.folder.join(key);
        trust::check(&path).ok()?;
        let compiled = Compiled::read(&fs::read(&path).ok()?)?;
        // The time of the file cannot be set if the file system stores no times, or if the file belongs to another
        // user. In both cases the cache only removes the unit earlier than necessary.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(compiled)
    }

    /// Stores a unit atomically. Several processes may store the same unit at the same time.
    pub(crate) fn insert(&self, key: &str, compiled: &Compiled) -> Result<()> {
        let fresh = self.folder.join(format!("{key}.{}", std::process::id()));
        let written = fs::write(&fresh, compiled.written());
        written
            .and_then(|()| fs::rename(&fresh, self.folder.join(key)))
            .with_context(|| format!("cannot write to the cache of kernels in {}", self.folder.display()))
    }

    /// Removes the least recently used units until the remaining units are within the size limit.
    pub(crate) fn trim(&self) -> Result<()> {
        self.trim_to(CAPACITY)
    }

    fn trim_to(&self, capacity: u64) -> Result<()> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let is_written = entry.path().extension().is_some();
            // Another process may have removed the file.
            if let Ok(metadata) = entry.metadata() {
                if is_written && metadata.modified()?.elapsed().is_ok_and(|age| age < LEFT_BEHIND) {
                    continue; // another process is still writing this file
                }
                entries.push((metadata.modified()?, metadata.len(), entry.path()));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in entries {
            if total <= capacity {
                break;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => total -= bytes,
            }
        }
        Ok(())
    }
}

impl Compiled {
    /// Returns the contents of a cache file: the length of the resources, the resources, the code, and a hash of these
    /// three parts. The hash reveals whether a file is truncated.
    fn written(&self) -> Vec<u8> {
        let mut bytes = (self.resources.len() as u64).to_le_bytes().to_vec();
        bytes.extend(self.resources.as_bytes());
        bytes.extend(&self.code);
        let hash = Sha256::digest(&bytes);
        bytes.extend(hash);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (bytes, hash) = bytes.split_last_chunk::<32>()?;
        if Sha256::digest(bytes)[..] != hash[..] {
            return None;
        }
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let (resources, code) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        Some(Self { code: code.to_vec(), resources: String::from_utf8(resources.to_vec()).ok()? })
    }
}

/// Returns the key of a unit with these inputs.
pub(crate) fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn compiled(size: usize) -> Compiled {
        Compiled { code: vec![7; size], resources: "a_kernel sm_90 8\n".into() }
    }

    #[test]
    fn what_is_kept_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("deep/er")).unwrap();
        assert_eq!(cache.find("a"), None);
        cache.insert("a", &compiled(5)).unwrap();
        assert_eq!(cache.find("a"), Some(compiled(5)));
        let bytes = fs::read(cache.folder.join("a")).unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Compiled::read(&bytes[..length]), None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_every_user_can_change_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let cache = Cache::at(folder.path().to_owned()).unwrap();
        cache.insert("a", &compiled(5)).unwrap();
        set(&folder.path().join("a"), 0o666);
        assert_eq!(cache.find("a"), None);
        set(folder.path(), 0o777);
        let error = format!("{:#}", Cache::at(folder.path().to_owned()).unwrap_err());
        assert!(error.contains("GDF_KERNELS_CACHE") && error.contains("chmod o-w"), "{error}");
    }

    #[test]
    fn what_was_not_used_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_owned()).unwrap();
        for (age, name) in [(30, "b"), (20, "a"), (10, "c")] {
            cache.insert(name, &compiled(1000)).unwrap();
            let file = File::options().append(true).open(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        assert!(cache.find("b").is_some());
        cache.trim_to(2500).unwrap();
        assert_eq!((cache.find("a"), cache.find("b").is_some(), cache.find("c").is_some()), (None, true, true));
    }

    #[test]
    fn what_others_write_stays_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_owned()).unwrap();
        for (name, age) in [("a.1", 10), ("b.2", 7200)] {
            fs::write(folder.path().join(name), "half").unwrap();
            let file = File::options().append(true).open(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        cache.trim_to(0).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a.1"]);
    }

    #[test]
    fn keys_tell_where_parts_end() {
        assert_ne!(key(["ab", "c"]), key(["a", "bc"]));
        assert_eq!(key(["ab", "c"]).len(), 64);
    }
}
