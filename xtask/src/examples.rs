//! Tests the documentation examples in the way in which a user runs them: the only dependency is `gdf`.
//!
//! The blocks of code of each file become a page of a generated crate, and rustdoc builds and runs the blocks as
//! doctests.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::repository::root;

/// The documentation that users of the umbrella crate read.
const SOURCES: [(&str, bool); 14] = [
    ("README.md", false),
    ("docs/guide", false),
    ("crates/gdf/src", false),
    ("crates/gdf-api/src", false),
    ("crates/gdf-engine/src", true),
    ("crates/gdf-compute/src", true),
    ("crates/gdf-relational/src", true),
    ("crates/gdf-strings/src", true),
    ("crates/gdf-nested/src", true),
    ("crates/gdf-detail/src", true),
    ("crates/gdf-core/src", true),
    ("crates/gdf-memory/src", true),
    ("crates/gdf-driver/src", true),
    ("crates/gdf-interop/src", true),
];

const RENAMED: [(&str, &str); 7] = [
    ("gdf_api::", "gdf::"),
    ("gdf_core::", "gdf::core::"),
    ("gdf_memory::", "gdf::memory::"),
    ("gdf_driver::", "gdf::driver::"),
    ("gdf_interop::", "gdf::interop::"),
    ("arrow_array::", "gdf::arrow::array::"),
    ("arrow_schema::", "gdf::arrow::schema::"),
];

/// The first lines of examples in crates that cannot depend on `gdf`.
const STAND_INS: [&str; 2] = ["# use gdf_core as gdf;", "# mod gdf {"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Example {
    /// The number of the opening line of the block, counted from 1.
    pub(crate) line: usize,
    pub(crate) tag: String,
    pub(crate) code: String,
}

impl Example {
    /// Returns whether rustdoc compiles the block and the compilation must succeed.
    pub(crate) fn compiles(&self) -> bool {
        self.tag.split(',').all(|tag| matches!(tag.trim(), "" | "rust" | "no_run" | "should_panic"))
    }

    /// Returns whether the block is Rust code.
    pub(crate) fn is_code(&self) -> bool {
        self.compiles() || self.tag.starts_with("compile_fail")
    }
}

/// Returns the blocks of code of a Markdown page, or of the documentation comments of a Rust source.
pub(crate) fn examples(path: &str, text: &str) -> Vec<Example> {
    let source = path.ends_with(".rs");
    let mut found: Vec<Example> = Vec::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        if source && open && line.trim_start().starts_with("#[doc = ") {
            // Only rustdoc knows the text that a macro inserts at this line, so the example is ignored.
            if let Some(example) = found.last_mut() {
                "ignore".clone_into(&mut example.tag);
            }
            continue;
        }
        let line = if source { documentation(line) } else { Some(line) };
        let Some(line) = line else {
            open = false;
            continue;
        };
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(tag) => {
                open = true;
                found.push(Example { line: number, tag: tag.trim().to_owned(), code: String::new() });
            }
            None if open => {
                if let Some(example) = found.last_mut() {
                    example.code.push_str(line);
                    example.code.push('\n');
                }
            }
            None => {}
        }
    }
    found
}

/// Returns the text of a documentation comment.
fn documentation(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

fn renamed(code: &str, rename: bool) -> String {
    let code: String = code
        .lines()
        .filter(|line| !STAND_INS.iter().any(|it| line.trim().starts_with(it)))
        .flat_map(|line| [line, "\n"])
        .collect();
    if !rename {
        return code;
    }
    RENAMED.iter().fold(code, |code, (from, to)| code.replace(from, to))
}

pub(crate) fn write(folder: &Path) -> Result<usize> {
    let pages = folder.join("src/pages");
    fs::create_dir_all(&pages).with_context(|| format!("could not create the folder {}", pages.display()))?;
    let mut library = String::from("//! The examples of the documentation, a module per file.\n");
    let mut count = 0;
    for (place, rename) in SOURCES {
        for path in files(&root().join(place))? {
            let shown = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).with_context(|| format!("could not read {shown}"))?;
            let found: Vec<_> = examples(&shown, &text).into_iter().filter(Example::compiles).collect();
            if found.is_empty() {
                continue;
            }
            count += found.len();
            let mut page = String::new();
            for example in found {
                let code = renamed(&example.code, rename);
                write!(page, "{shown}, line {}\n\n```{}\n{code}```\n\n", example.line, example.tag)?;
            }
            let name: String = shown.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
            fs::write(pages.join(format!("{name}.md")), page)?;
            writeln!(library, "#[doc = include_str!(\"pages/{name}.md\")]\nmod {} {{}}", name.to_lowercase())?;
        }
    }
    ensure!(count > 0, "no example was found");
    write_manifest(folder, "downstream-examples", &[])?;
    fs::write(folder.join("src/lib.rs"), library)?;
    Ok(count)
}

/// The only example in crates/gdf/examples that is not a short program.
const LONG_PROGRAM: &str = "tpch";
const PROGRAM_FEATURES: [&str; 2] = ["csv", "parquet"];

/// Writes a crate with the short programs of crates/gdf/examples to `folder`, and returns the names of the programs.
pub(crate) fn write_programs(folder: &Path) -> Result<Vec<String>> {
    let programs = folder.join("src/bin");
    fs::create_dir_all(&programs).with_context(|| format!("could not create the folder {}", programs.display()))?;
    let mut names = Vec::new();
    for path in short_programs()? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        fs::copy(&path, programs.join(format!("{name}.rs")))?;
        names.push(name);
    }
    write_manifest(folder, "downstream-programs", &PROGRAM_FEATURES)?;
    Ok(names)
}

/// Returns the paths of the short programs, which need no arguments.
fn short_programs() -> Result<Vec<PathBuf>> {
    let all = files(&root().join("crates/gdf/examples"))?;
    let is_short = |path: &PathBuf| !path.components().any(|part| part.as_os_str() == LONG_PROGRAM);
    let found: Vec<PathBuf> = all.into_iter().filter(is_short).collect();
    ensure!(found.len() >= 10, "crates/gdf/examples has fewer than 10 short programs; the search may be wrong");
    Ok(found)
}

/// Writes the manifest of a crate whose only dependency is `gdf`.
fn write_manifest(folder: &Path, name: &str, features: &[&str]) -> Result<()> {
    let gdf = root().join("crates/gdf");
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[workspace]\n\n\
         [dependencies]\ngdf = {{ path = {gdf:?}, features = {features:?} }}\n"
    );
    Ok(fs::write(folder.join("Cargo.toml"), manifest)?)
}

/// Returns the sorted pages and sources below `place`, without tests.
fn files(place: &Path) -> Result<Vec<PathBuf>> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(place).with_context(|| format!("could not read {}", place.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_sources_and_pages_are_found() {
        let source = "/// Text.\n///\n/// ```\n/// # use gdf_core as gdf;\n/// let x = 1;\n/// ```\nfn f() {}\n\
                      //! ```text\n//! no code\n//! ```\n    /// ```no_run\n    ///   y();\n    /// ```\n";
        let found = examples("a.rs", source);
        assert_eq!(found.iter().map(|example| example.line).collect::<Vec<_>>(), [3, 8, 11]);
        assert_eq!(found.iter().map(Example::compiles).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(renamed(&found[0].code, false), "let x = 1;\n");
        assert_eq!(found[2].code, "  y();\n");
        let page = "# Title\n```rust,ignore\nx\n```\n```\ny\n```\n";
        let found = examples("a.md", page);
        assert_eq!(
            found.iter().map(|example| (example.line, example.compiles())).collect::<Vec<_>>(),
            [(2, false), (5, true)]
        );
    }

    #[test]
    fn blocks_that_macros_write_are_left_to_rustdoc() {
        let source =
            "/// ```\n/// let x = 1;\n#[doc = concat!(\"f\", $name)]\n/// ```\n/// Text.\n/// ```\n/// y();\n/// ```\n";
        let found = examples("a.rs", source);
        assert_eq!(
            found.iter().map(|example| (example.line, example.compiles())).collect::<Vec<_>>(),
            [(1, false), (6, true)]
        );
    }

    #[test]
    fn short_programs_name_nothing_but_gdf() {
        for path in short_programs().unwrap() {
            let text = fs::read_to_string(&path).unwrap();
            let used = text.lines().filter_map(|line| line.trim().strip_prefix("use "));
            for line in used {
                assert!(line.starts_with("gdf::") || line.starts_with("std::"), "{}: {line}", path.display());
            }
        }
    }

    #[test]
    fn lower_crates_get_the_names_of_the_umbrella() {
        let code = "# mod gdf { pub use gdf_memory as memory; }\nuse gdf::memory::Buffer;\n# Ok::<(), gdf_memory::MemoryError>(())\n";
        let expected = "use gdf::memory::Buffer;\n# Ok::<(), gdf::memory::MemoryError>(())\n";
        assert_eq!(renamed(code, true), expected);
        let code = "use gdf_memory::{Buffer, Resource};\nuse gdf_driver::Device;\n";
        assert_eq!(renamed(code, true), "use gdf::memory::{Buffer, Resource};\nuse gdf::driver::Device;\n");
        assert_eq!(renamed(code, false), code);
    }
}
