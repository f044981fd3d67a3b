//! Fetches files of Python packages over HTTPS from a package index, like pip. Only files with a pinned hash are
//! accepted.

use std::env;
use std::fmt;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use url::Url;

use crate::pins::Wheel;
use crate::progress::Progress;

/// The environment variables by which pip and uv name another index. The first variable that is set determines the
/// index.
const INDEX_VARIABLES: [&str; 3] = ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"];
const INDEX: &str = "https://pypi.org/simple";

/// The size limit, in bytes, of a page of an index.
const PAGE_LIMIT: u64 = 64 << 20;

/// The largest sizes of a file of a package, in bytes. A pinned file has a tenth of them. Another index may send any
/// number of bytes before the hash shows that the file is another one.
#[derive(Clone, Copy, Debug)]
struct Limits {
    fetched: u64,
    unpacked: u64,
}

const LIMITS: Limits = Limits { fetched: 512 << 20, unpacked: 2 << 30 };

/// A file of a package is larger than its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TooLarge {
    file: &'static str,
    /// Whether the size is that of the unpacked files.
    is_unpacked: bool,
    limit: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, is_unpacked, limit } = self;
        let unpacked = if *is_unpacked { "unpacked, " } else { "" };
        write!(
            f,
            "{unpacked}{file} has more than {limit} bytes, the most that gdf takes; use another index, or install "
        )?;
        write!(f, "CUDA 13 and set the environment variable NVCC to the path of its nvcc")
    }
}

impl std::error::Error for TooLarge {}

/// Returns the index that the environment names, or PyPI.
pub(crate) fn index() -> String {
    let named = INDEX_VARIABLES.into_iter().find_map(|variable| env::var(variable).ok().filter(|url| !url.is_empty()));
    named.unwrap_or_else(|| INDEX.to_owned())
}

/// The prefix of the names of temporary folders.
const FRESH: &str = "fetch";

/// The age at which a temporary folder is removed. No fetch takes this long, so the process that created the folder
/// must have been killed.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes temporary folders that killed processes have left behind. Folders that cannot be removed are ignored.
fn clean(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().filter_map(Result::ok) {
        let is_ours = entry.file_name().to_string_lossy().starts_with(FRESH);
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).unwrap_or_else(|_| SystemTime::now());
        if is_ours && modified.elapsed().is_ok_and(|age| age > LEFT_BEHIND) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Fetches the files and unpacks them to the folder `site`. If the function fails before all files are unpacked, the
/// folder is not changed. If the last rename fails, the folder no longer exists. Only one process at a time may call
/// the function for a folder.
pub(crate) fn wheels(wheels: &[Wheel], index: &str, site: &Path, progress: &dyn Progress) -> Result<()> {
    wheels_within(wheels, index, site, progress, LIMITS)
}

fn wheels_within(wheels: &[Wheel], index: &str, site: &Path, progress: &dyn Progress, limits: Limits) -> Result<()> {
    let agent = agent();
    let above = site
        .parent()
        .with_context(|| format!("the target folder {} of the download has no parent folder", site.display()))?;
    clean(above);
    let made = fs::create_dir_all(above).and_then(|()| tempfile::Builder::new().prefix(FRESH).tempdir_in(above));
    let fresh = made.with_context(|| format!("cannot write to {}", above.display()))?;
    for wheel in wheels {
        let url = locate(&agent, index, wheel).with_context(|| format!("cannot find {} in {index}", wheel.package))?;
        let mut file = tempfile::tempfile_in(fresh.path())?;
        download(&agent, &url, wheel, &mut file, progress, limits.fetched)
            .with_context(|| format!("cannot fetch {url}"))?;
        file.rewind()?;
        unpack(&mut file, wheel, &fresh.path().join("site"), limits.unpacked)
            .with_context(|| format!("cannot unpack {}", wheel.file))?;
    }
    let (old, replaces) = (fresh.path().join("old"), site.exists());
    if replaces {
        // The old folder is deleted together with the temporary folder. If the process is killed between the two
        // renames, `site` does not exist, and the next process fetches the compiler again.
        fs::rename(site, &old).with_context(|| format!("cannot replace {}", site.display()))?;
    }
    fs::rename(fresh.path().join("site"), site).map_err(|error| {
        if replaces {
            // The first error is the one to report.
            let _ = fs::rename(&old, site);
        }
        anyhow::Error::from(error).context(format!("cannot write {}", site.display()))
    })
}

/// Returns an HTTPS client. The client trusts the certificates of the machine, which may include certificates of a
/// company. If the machine has no certificates, the client trusts Mozilla's certificates. Environment variables
/// determine the proxy.
fn agent() -> Agent {
    let known = rustls_native_certs::load_native_certs().certs;
    let known: Vec<_> = known.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    let roots = if known.is_empty() { RootCerts::WebPki } else { RootCerts::Specific(Arc::new(known)) };
    Agent::config_builder()
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .user_agent(concat!("gdf/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Returns the address of a file in the index.
fn locate(agent: &Agent, index: &str, wheel: &Wheel) -> Result<Url> {
    let page = Url::parse(&format!("{}/{}/", index.trim_end_matches('/'), wheel.package))?;
    let accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";
    let mut response = agent.get(page.as_str()).header("Accept", accept).call()?;
    let text = response.body_mut().with_config().limit(PAGE_LIMIT).read_to_string()?;
    let link = link(&text, wheel.file).with_context(|| format!("the package index does not list {}", wheel.file))?;
    Ok(page.join(&link)?)
}

/// Returns the address of a file on a page of an index. The page is JSON (PEP 691) or HTML (PEP 503).
fn link(page: &str, file: &str) -> Option<String> {
    if let Ok(json) = serde_json::from_str::<serde_json::Value>(page) {
        let mut files = json.get("files")?.as_array()?.iter();
        return Some(files.find(|entry| entry["filename"] == *file)?.get("url")?.as_str()?.to_owned());
    }
    let links = page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    let names = |link: &&str| link.split(['#', '?']).next().is_some_and(|path| path.rsplit('/').next() == Some(file));
    links.map(str::trim).find(names).map(|link| link.replace("&amp;", "&"))
}

/// Unpacks a file to a folder.
fn unpack(file: &mut File, wheel: &Wheel, folder: &Path, limit: u64) -> Result<()> {
    let mut archive = zip::ZipArchive::new(file)?;
    let mut total = 0_u64;
    for entry in 0..archive.len() {
        total = total.saturating_add(archive.by_index_raw(entry)?.size());
    }
    ensure!(total <= limit, TooLarge { file: wheel.file, is_unpacked: true, limit });
    Ok(archive.extract(folder)?)
}

/// Downloads the file at an address to `out`. If the file does not have the pinned hash, or has more than `limit` bytes,
/// the function returns an error.
fn download(
    agent: &Agent,
    url: &Url,
    wheel: &Wheel,
    out: &mut File,
    progress: &dyn Progress,
    limit: u64,
) -> Result<()> {
    let response = agent.get(url.as_str()).call()?;
    let total = response.body().content_length();
    let too_large = TooLarge { file: wheel.file, is_unpacked: false, limit };
    ensure!(total.is_none_or(|total| total <= limit), too_large);
    let mut from = response.into_body().into_reader();
    let (mut hasher, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let count = from.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        bytes += count as u64;
        // A response of chunks does not state its length.
        ensure!(bytes <= limit, too_large);
        hasher.update(&chunk[..count]);
        out.write_all(&chunk[..count])?;
        progress.fetched(wheel.file, bytes, total);
    }
    ensure!(total.is_none_or(|total| total == bytes), "the download ended too early, after {bytes} bytes; try again");
    let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found != wheel.sha256 {
        bail!("the file's SHA-256 is {found}, but {} is expected; try again, or use another index", wheel.sha256);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    use super::*;
    use crate::progress::Lines;

    const FILE: &str = "demo-1.0-py3-none-any.whl";

    /// Starts a server with an index. The server runs until the test ends.
    fn serve(pages: BTreeMap<&'static str, Vec<u8>>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
                lines.take_while(|line| !line.is_empty()).for_each(drop);
                let (status, body) = pages.get(&*path).map_or(("404 Not Found", &[][..]), |body| ("200 OK", body));
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            }
        });
        address
    }

    fn zipped() -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file("nvidia/bin/tool", zip::write::SimpleFileOptions::default().unix_permissions(0o755)).unwrap();
        zip.write_all(b"hello").unwrap();
        zip.finish().unwrap().into_inner()
    }

    fn pinned(bytes: &[u8]) -> Wheel {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Wheel { package: "demo", file: FILE, sha256: hash.leak() }
    }

    #[test]
    fn files_are_fetched_and_unpacked() {
        let html = format!("<a href=\"../files/{FILE}#sha256=0\">x</a>").into_bytes();
        let address = serve([("/simple/demo/", html), ("/simple/files/demo-1.0-py3-none-any.whl", zipped())].into());
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("deep/site");
        for _ in 0..2 {
            wheels(&[pinned(&zipped())], &format!("{address}/simple"), &site, &Lines).unwrap();
            assert_eq!(fs::read(site.join("nvidia/bin/tool")).unwrap(), b"hello");
            fs::write(site.join("old"), "").unwrap();
        }
        assert_eq!(fs::read_dir(site.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn old_folders_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for (name, hours) in [("fetch1", 25), ("fetch2", 1), ("images", 25)] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.join("site")).unwrap();
            let then = SystemTime::now() - Duration::from_secs(hours * 60 * 60);
            File::open(&path).unwrap().set_modified(then).unwrap();
        }
        clean(folder.path());
        let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut left: Vec<_> = left.collect();
        left.sort();
        assert_eq!(left, ["fetch2", "images"]);
    }

    #[test]
    fn other_files_are_refused() {
        let html = format!("<a href='/{FILE}'>x</a>").into_bytes();
        let address = serve([("/demo/", html), ("/demo-1.0-py3-none-any.whl", b"other".to_vec())].into());
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        let refused = |wheel: Wheel| format!("{:#}", wheels(&[wheel], &address, &site, &Lines).unwrap_err());
        let text = refused(pinned(&zipped()));
        assert!(text.contains("SHA-256") && text.contains("is expected"), "{text}");
        let text = refused(pinned(b"other"));
        assert!(text.contains("cannot unpack"), "{text}");
        let text = refused(Wheel { package: "none", ..pinned(b"") });
        assert!(text.contains("cannot find none") && text.contains("404"), "{text}");
        let text = refused(Wheel { file: "demo-2.0.whl", ..pinned(b"") });
        assert!(text.contains("the package index does not list demo-2.0.whl"), "{text}");
        assert!(!site.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn files_beyond_the_limits_are_refused() {
        let html = format!("<a href='/{FILE}'>x</a>").into_bytes();
        let address = serve([("/demo/", html), ("/demo-1.0-py3-none-any.whl", zipped())].into());
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        let fetch = |limits| wheels_within(&[pinned(&zipped())], &address, &site, &Lines, limits);
        let (bytes, all) = (zipped().len() as u64, "hello".len() as u64);
        for (limits, is_unpacked) in
            [(Limits { fetched: bytes - 1, ..LIMITS }, false), (Limits { unpacked: all - 1, ..LIMITS }, true)]
        {
            let error = fetch(limits).unwrap_err();
            let limit = if is_unpacked { limits.unpacked } else { limits.fetched };
            let expected = TooLarge { file: FILE, is_unpacked, limit };
            assert_eq!(error.downcast_ref::<TooLarge>(), Some(&expected), "{error:#}");
            let text = expected.to_string();
            assert!(
                text.contains(&format!("more than {limit} bytes")) && text.contains("set the environment"),
                "{text}"
            );
            assert!(!site.exists());
        }
        fetch(Limits { fetched: bytes, unpacked: all }).unwrap();
    }

    /// A response without a length is stopped when it passes the limit.
    #[test]
    fn endless_downloads_are_stopped() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/{FILE}", listener.local_addr().unwrap())).unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            BufReader::new(stream.try_clone().unwrap())
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .for_each(drop);
            stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").unwrap();
            while stream.write_all(&[0; 1000]).is_ok() {}
        });
        let mut out = tempfile::tempfile().unwrap();
        let error = download(&agent(), &url, &pinned(b""), &mut out, &Lines, 1 << 20).unwrap_err();
        assert!(error.is::<TooLarge>(), "{error:#}");
        assert!(out.metadata().unwrap().len() <= 1 << 20);
    }

    #[test]
    fn both_forms_of_pages_are_read() {
        let json = format!(r#"{{"files": [{{"filename": "x", "url": "a"}}, {{"filename": "{FILE}", "url": "b"}}]}}"#);
        assert_eq!(link(&json, FILE).as_deref(), Some("b"));
        let html =
            format!("<a href=\"https://x/not-{FILE}\">a</a><a data-x href='https://x/{FILE}?a=1&amp;b=2#sha'>b</a>");
        assert_eq!(link(&html, FILE), Some(format!("https://x/{FILE}?a=1&b=2#sha")));
        for page in ["", "{}", "<a href=>", "<a href=\"", r#"{"files": 3}"#] {
            assert_eq!(link(page, FILE), None, "{page}");
        }
    }
}
