//! The patches in `tests/mutants`. A patch has a header of plain text and then the output of `git diff`.
//!
//! ```text
//! One sentence of what is wrong.
//!
//! Device: cpu
//! Package: gdf-tests
//! Target: it
//! Test: catalog::hashing
//! Env: GDF_TEST_ENTRY=hashing.murmurhash3_x64_128
//! diff --git a/… b/…
//! ```
//!
//! `Target` is `lib` or the name of a test program. `Test` is the full path of one test. The field `Env` is optional
//! and may occur several times. A CUDA mutant also has the field `Image`, which names the capability to compile.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::floors::in_algorithms;

pub(super) const FOLDER: &str = "tests/mutants";

/// The options of `git apply`.
pub(super) const APPLY: [&str; 2] = ["--unidiff-zero", "--ignore-whitespace"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cpu,
    Cuda,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if *self == Kind::Cpu { "cpu" } else { "cuda" })
    }
}

/// A test, and the environment variables that restrict the test to some cases.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Test {
    pub(super) package: String,
    pub(super) target: String,
    pub(super) name: String,
    pub(super) env: Vec<(String, String)>,
}

impl fmt::Display for Test {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(out, "{name}={value} ")?;
        }
        write!(out, "{} {} {}", self.package, self.target, self.name)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Mutant {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) fault: String,
    pub(super) device: Kind,
    pub(super) test: Test,
    /// For a CUDA mutant, the capability to compile.
    pub(super) image: Option<String>,
    /// The paths of the files that the patch changes.
    pub(super) files: Vec<String>,
}

impl Mutant {
    fn parse(path: &Path, text: &str) -> Result<Self> {
        let (header, diff) = text.split_once("diff --git ").context("the patch has no line `diff --git …`")?;
        let (fault, fields) = header.split_once("\n\n").context("the header has no empty line after the sentence")?;
        let mut known = BTreeMap::<&str, Vec<&str>>::new();
        for line in fields.lines().filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(": ").with_context(|| format!("`{line}` is not `Name: value`"))?;
            known.entry(name).or_default().push(value);
        }
        let mut take = |name: &str| known.remove(name).unwrap_or_default();
        let env = take("Env").into_iter().map(|pair| {
            let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}` is not NAME=VALUE"))?;
            Ok((name.to_owned(), value.to_owned()))
        });
        let env = env.collect::<Result<Vec<_>>>()?;
        let image = take("Image").first().map(|image| (*image).to_owned());
        let mut one = |name: &str| -> Result<String> {
            let values = take(name);
            ensure!(values.len() == 1, "the header must have exactly one field `{name}`");
            Ok(values[0].to_owned())
        };
        let device = match one("Device")?.as_str() {
            "cpu" => Kind::Cpu,
            "cuda" => Kind::Cuda,
            other => bail!("`{other}` is not a device; expected cpu or cuda"),
        };
        let test = Test { package: one("Package")?, target: one("Target")?, name: one("Test")?, env };
        ensure!(image.is_some() == (device == Kind::Cuda), "only a CUDA mutant must have the field `Image`");
        if let Some(unknown) = known.keys().next() {
            bail!("the header has the unknown field `{unknown}`; use Device, Package, Target, Test, Env and Image");
        }
        let files = diff.lines().filter_map(|line| line.strip_prefix("+++ b/")).map(str::to_owned).collect();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let fault = fault.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Mutant { name, path: path.to_owned(), fault, device, test, image, files })
    }

    /// Returns the capability whose operations the patch changes.
    pub(super) fn capability(&self) -> Option<&str> {
        let mut capabilities = self.files.iter().map(|file| {
            let inside = in_algorithms(file).filter(|_| !file.starts_with("crates/gdf-engine/"))?;
            Some(inside.split_once('/')?.0)
        });
        let first = capabilities.next()??;
        capabilities.all(|other| other == Some(first)).then_some(first)
    }
}

pub(super) fn all(root: &Path) -> Result<Vec<Mutant>> {
    let folder = root.join(FOLDER);
    let mut mutants = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("could not read the folder {FOLDER}"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "patch") {
            let text = fs::read_to_string(&path)?;
            mutants.push(Mutant::parse(&path, &text).with_context(|| path.display().to_string())?);
        }
    }
    mutants.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(mutants)
}

#[cfg(test)]
pub(super) mod tests {
    use std::process::Command;

    use super::*;
    use crate::repository::{read, root};

    /// The minimum number of mutants. If you add a mutant, increase the number.
    const COUNT: usize = 781;

    const TEXT: &str = "It is\nwrong.\n\nDevice: cuda\nPackage: gdf-tests\nTarget: it\nTest: catalog::scan\n\
        Env: GDF_TEST_ENTRY=scan.scan\nImage: scan\ndiff --git a/x.cu b/x.cu\n--- a/x.cu\n+++ b/x.cu\n";

    pub(in super::super) fn mutant(name: &str, file: &str) -> Mutant {
        let text = TEXT.replace("cuda", "cpu").replace("Image: scan\n", "").replace("x.cu", file);
        Mutant::parse(Path::new(&format!("{name}.patch")), &text).unwrap()
    }

    #[test]
    fn headers_are_read() {
        let mutant = Mutant::parse(Path::new("dir/a.patch"), TEXT).unwrap();
        assert_eq!((mutant.name.as_str(), mutant.fault.as_str(), mutant.device), ("a", "It is wrong.", Kind::Cuda));
        assert_eq!(mutant.test.to_string(), "GDF_TEST_ENTRY=scan.scan gdf-tests it catalog::scan");
        assert_eq!((mutant.image.as_deref(), mutant.files), (Some("scan"), vec!["x.cu".to_owned()]));
        for (field, other) in [
            ("Image: scan\n", ""),
            ("Device: cuda", "Device: tpu"),
            ("Target", "Goal"),
            ("diff", "dif"),
            ("Test: ", ""),
        ] {
            assert!(Mutant::parse(Path::new("a.patch"), &TEXT.replace(field, other)).is_err(), "{field}");
        }
    }

    #[test]
    fn capabilities_are_folders_of_operations() {
        assert_eq!(mutant("a", "crates/gdf-relational/src/join/hash_join/host.rs").capability(), Some("join"));
        for path in
            ["crates/gdf-engine/src/host/bits.rs", "crates/gdf-strings/src/pad.rs", "crates/gdf-memory/src/a/b.rs"]
        {
            assert_eq!(mutant("a", path).capability(), None, "{path}");
        }
    }

    #[test]
    fn every_patch_applies_and_changes_what_it_must() {
        let mutants = all(&root()).unwrap();
        assert!(mutants.len() >= COUNT, "there are {} mutants; the minimum is {COUNT}", mutants.len());
        for mutant in mutants {
            let mut check = Command::new("git");
            check.current_dir(root()).args(["apply", "--check"]).args(APPLY).arg(&mutant.path);
            read(&mut check).unwrap_or_else(|error| panic!("{}: {error:#}", mutant.name));
            assert!(!mutant.files.is_empty(), "{} changes nothing", mutant.name);
            assert!(mutant.fault.ends_with('.'), "{} must say what is wrong", mutant.name);
            let is_kernel = |file: &String| file.starts_with("kernels/");
            match &mutant.image {
                None => assert!(!mutant.files.iter().any(is_kernel), "{} must be killed on a GPU", mutant.name),
                Some(image) => {
                    assert!(
                        mutant.files.iter().all(is_kernel),
                        "{}: a mutant with an image must change only kernels",
                        mutant.name
                    );
                    assert!(root().join("kernels").join(image).is_dir(), "{}: kernels/{image}", mutant.name);
                }
            }
        }
    }

    #[test]
    fn every_named_test_is_there() {
        for mutant in all(&root()).unwrap() {
            let Test { package, target, name, env } = &mutant.test;
            let crates =
                if package == "gdf-tests" { root().join("tests") } else { root().join("crates").join(package) };
            let sources = match target.as_str() {
                "lib" => crates.join("src"),
                _ if package == "gdf-tests" => crates.join(target),
                _ => crates.join("tests"),
            };
            let texts = sources_below(&sources);
            let function = name.rsplit("::").next().unwrap_or_default();
            let is_there = |text: &String| {
                text.contains(&format!("fn {function}(")) || text.lines().any(|line| line == format!("    {function}"))
            };
            assert!(texts.iter().any(is_there), "{}: {package} has no test {function}", mutant.name);
            for (_, entry) in env.iter().filter(|(name, _)| name == "GDF_TEST_ENTRY") {
                let function = entry.rsplit('.').next().unwrap_or_default();
                let mut catalog = sources_below(&root().join("tests/catalog")).into_iter();
                let named =
                    |text: String| text.contains(&format!("\"{entry}\"")) || text.contains(&format!("{function}\""));
                assert!(catalog.any(named), "{}: the catalog has no entry {entry}", mutant.name);
            }
        }
    }

    fn sources_below(folder: &Path) -> Vec<String> {
        let mut texts = Vec::new();
        for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                texts.extend(sources_below(&path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.push(fs::read_to_string(&path).unwrap());
            }
        }
        texts
    }
}
