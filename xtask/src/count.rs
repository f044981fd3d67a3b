//! `cargo xtask count`: counts the source text per operation. The chore prints the metrics for which the design sets
//! goals.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::floors::{self, ALGORITHMS, Floors, in_algorithms};
use crate::repository::{read, root};
use crate::text::{code_only, functions_of_tables, is_word, is_written_by_hand};
use crate::tidy::capability;

/// Flags of `cargo xtask count`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Another commit, to compare with
    #[arg(long, value_name = "REV")]
    before: Option<String>,
    /// Name the repeated types, and the functions with tuples or booleans as parameters
    #[arg(long)]
    list: bool,
    /// Print the lines per public function of each module of gdf-api, counted in all folders of the module's
    /// operations
    #[arg(long)]
    modules: bool,
}

/// Paths and their texts.
type Files = BTreeMap<String, String>;

/// The folders with the source text of an operation: the public function, both backends, the kernels, the oracle, the
/// catalog entry and the conformance cases.
const OPERATION: [&str; 12] = [
    "crates/gdf-api/src/",
    "crates/gdf-engine/src/",
    "crates/gdf-compute/src/",
    "crates/gdf-relational/src/",
    "crates/gdf-strings/src/",
    "crates/gdf-nested/src/",
    "crates/gdf-decode/src/",
    "crates/gdf-detail/src/",
    "kernels/",
    "tests/naive/",
    "tests/catalog/",
    "crates/gdf-conformance/src/operations/",
];

/// The smallest number of parameters that counts as many parameters.
const MANY_PARAMETERS: usize = 8;

pub(crate) fn run(args: &Args) -> Result<()> {
    let now = numbers(&working_tree()?);
    let before =
        args.before.as_deref().map(|revision| Ok::<_, anyhow::Error>(numbers(&commit(revision)?))).transpose()?;
    for (index, (name, value)) in now.iter().enumerate() {
        match &before {
            Some(before) => println!("{name:<58} {:>9} {value:>9}", before[index].1),
            None => println!("{name:<58} {value:>9}"),
        }
    }
    if args.list {
        let files = working_tree()?;
        println!("type names used more than twice: {}", repeated_types(&files).join(", "));
        println!("tuples:\n{}", functions_with(&algorithms(&files), has_tuple).join("\n"));
        println!("booleans:\n{}", functions_with(&algorithms(&files), has_boolean).join("\n"));
    }
    if args.modules {
        println!("{:<24} {:>7} {:>9} {:>9}", "module", "lines", "functions", "each");
        let files = working_tree()?;
        for (module, (lines, functions)) in of_modules(&files) {
            let each = lines.checked_div(functions).map_or_else(|| "-".to_owned(), |each| each.to_string());
            println!("{module:<24} {lines:>7} {functions:>9} {each:>9}");
        }
    }
    Ok(())
}

/// Returns the number of lines and of public functions of each module.
fn of_modules(files: &Files) -> BTreeMap<String, (usize, usize)> {
    let names: BTreeSet<&str> = files.keys().filter_map(|path| capability(path)).collect();
    let mut modules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (path, text) in files {
        let Some(place) = OPERATION.iter().find(|place| path.starts_with(**place)) else { continue };
        let name = path[place.len()..].split(['/', '.']).next().unwrap_or_default();
        let prefixes = name.match_indices('_').map(|(at, _)| &name[..at]).chain([name]);
        let name = prefixes.rev().find(|name| names.contains(name)).unwrap_or("shared").to_owned();
        let entry = modules.entry(name).or_default();
        entry.0 += text.lines().count();
        if *place == OPERATION[0] {
            entry.1 += functions_of(&code_only(text));
        }
    }
    modules
}

fn functions_of(code: &str) -> usize {
    let is_function =
        |line: &&str| line.trim_start().starts_with("pub fn ") || line.trim_start().starts_with("pub unsafe fn ");
    code.lines().filter(is_function).count() + functions_of_tables(code).len()
}

fn is_counted(path: &str) -> bool {
    matches!(path.rsplit_once('.'), Some((_, "rs" | "cu" | "cuh"))) && !path.contains("/generated/")
}

fn working_tree() -> Result<Files> {
    let list = read(Command::new("git").current_dir(root()).args(["ls-files", "-co", "--exclude-standard"]))?;
    let paths = list.lines().filter(|path| is_counted(path) && root().join(path).is_file());
    let files = paths.map(|path| Ok((path.to_owned(), fs::read_to_string(root().join(path))?)));
    Ok(files.collect::<Result<Files>>()?.into_iter().filter(|(_, text)| is_written_by_hand(text)).collect())
}

fn commit(revision: &str) -> Result<Files> {
    let list = read(Command::new("git").current_dir(root()).args(["ls-tree", "-r", "--name-only", revision]))?;
    let mut files = Files::new();
    for path in list.lines().filter(|path| is_counted(path)) {
        let text = read(Command::new("git").current_dir(root()).args(["show", &format!("{revision}:{path}")]))?;
        if is_written_by_hand(&text) {
            files.insert(path.to_owned(), text);
        }
    }
    Ok(files)
}

fn numbers(files: &Files) -> Vec<(&'static str, String)> {
    let algorithms = algorithms(files);
    let operations = part(files, &OPERATION);
    let functions = public_functions(files);
    let lines = |files: &Files| files.values().map(|text| text.lines().count()).sum::<usize>();
    let per = |count: usize| format!("{:.0}", count as f64 / functions.max(1) as f64);
    let matches = |files: &Files, word: &str| files.values().map(|text| text.matches(word).count()).sum::<usize>();
    let code: Files = files.iter().map(|(path, text)| (path.clone(), text.clone())).collect();
    let counts = ALGORITHMS.map(|name| Floors::new(files, name).counts());
    let (modules, arrows, upward) =
        counts.into_iter().fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
    vec![
        ("lines of sources", lines(files).to_string()),
        ("public functions of gdf-api", functions.to_string()),
        ("of these, made by macros of tables", functions_of_macros(files).to_string()),
        ("lines of operations (api, detail, kernels, tests' half)", lines(&operations).to_string()),
        ("lines per public function", per(lines(&operations))),
        ("files of operations", operations.len().to_string()),
        ("lines of the algorithms' crates", lines(&algorithms).to_string()),
        ("lines of kernels", lines(&part(files, &["kernels/"])).to_string()),
        ("lines of the test kit's catalog", lines(&part(files, &["tests/catalog/"])).to_string()),
        ("`SAFETY` in these", matches(&algorithms, "SAFETY").to_string()),
        ("`repr(C)` written by hand in these", matches(&algorithms, "repr(C)").to_string()),
        ("launches by string", launches_by_string(&code).to_string()),
        ("type names used more than twice in a crate", repeated_types(files).len().to_string()),
        ("modules of these", modules.to_string()),
        ("arrows between them", arrows.to_string()),
        ("of these, upward", upward.to_string()),
        ("circles of modules in all crates", circles_of_modules(files).to_string()),
        ("circles of files in all crates", circles_of_files(files).to_string()),
        ("functions with more than 7 parameters", functions_with(files, has_many_parameters).len().to_string()),
        ("functions of the algorithms' crates with a tuple", functions_with(&algorithms, has_tuple).len().to_string()),
        ("functions of these for others with a boolean", functions_with(&algorithms, has_boolean).len().to_string()),
    ]
}

fn circles_of_modules(files: &Files) -> usize {
    floors::crates(files).iter().map(|name| Floors::new(files, name).circles().len()).sum()
}

fn circles_of_files(files: &Files) -> usize {
    floors::crates(files).iter().map(|name| floors::file_circles(files, &format!("crates/{name}/src/")).len()).sum()
}

fn algorithms(files: &Files) -> Files {
    let those = files.iter().filter(|(path, _)| in_algorithms(path).is_some());
    those.map(|(path, text)| (path.clone(), text.clone())).collect()
}

fn part(files: &Files, starts: &[&str]) -> Files {
    let is_part = |path: &String| starts.iter().any(|start| path.starts_with(start));
    files.iter().filter(|(path, _)| is_part(path)).map(|(path, text)| (path.clone(), text.clone())).collect()
}

/// Returns the code of gdf-api, except the code of the root and of the scope.
fn capabilities(files: &Files) -> impl Iterator<Item = String> {
    let api = files.iter().filter(|(path, _)| path.starts_with("crates/gdf-api/src/"));
    api.filter(|(path, _)| !path.contains("/scope") && !path.ends_with("/lib.rs")).map(|(_, text)| code_only(text))
}

fn functions_of_macros(files: &Files) -> usize {
    capabilities(files).map(|code| functions_of_tables(&code).len()).sum()
}

fn public_functions(files: &Files) -> usize {
    capabilities(files).map(|code| functions_of(&code)).sum()
}

/// Counts the launches that name the kernel by a string literal.
fn launches_by_string(files: &Files) -> usize {
    let of = |text: &String| {
        let finds = text.match_indices("Kernel::find(").filter(|(at, _)| {
            let call = &text[*at..text[*at..].find(')').map_or(text.len(), |end| at + end)];
            call.contains('"')
        });
        finds.count() + text.matches("gdf_kernels::function(").count()
    };
    algorithms(files).values().map(of).sum()
}

fn crate_of(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split_once("/src/").map(|(name, _)| name)
}

/// Returns each type that is declared repeatedly in a crate, in the form `crate: name`.
fn repeated_types(files: &Files) -> Vec<String> {
    let mut names: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (path, text) in files {
        let Some(name) = crate_of(path) else { continue };
        for line in code_only(text).lines() {
            let words: Vec<&str> = line.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
            let declares = words.iter().position(|word| matches!(*word, "struct" | "enum"));
            if let Some(declared) = declares.filter(|at| *at <= 3).and_then(|at| words.get(at + 1)) {
                *names.entry((name.to_owned(), (*declared).to_owned())).or_default() += 1;
            }
        }
    }
    names.iter().filter(|(_, count)| **count > 2).map(|((of, name), _)| format!("{of}: {name}")).collect()
}

/// Returns the functions in the files for whose parameters `is_counted` returns true.
fn functions_with(files: &Files, is_counted: impl Fn(&str, &[String]) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.starts_with("crates/") && path.ends_with(".rs")) {
        let code = code_only(text);
        for (at, _) in code.match_indices("fn ").filter(|(at, _)| !code[..*at].ends_with(is_word)) {
            let line = &code[code[..at].rfind('\n').map_or(0, |end| end + 1)..];
            if is_counted(line, &parameters(&code[at..])) {
                found.push(format!("{path}:{}", code[..at].matches('\n').count() + 1));
            }
        }
    }
    found
}

fn has_many_parameters(_: &str, parameters: &[String]) -> bool {
    parameters.len() >= MANY_PARAMETERS
}

fn has_tuple(_: &str, parameters: &[String]) -> bool {
    parameters.iter().any(|parameter| parameter.contains(": (") && !parameter.contains(": ()"))
}

/// Returns whether a function has a boolean parameter and other modules can call it.
fn has_boolean(line: &str, parameters: &[String]) -> bool {
    line.trim_start().starts_with("pub") && parameters.iter().any(|parameter| parameter.ends_with(": bool"))
}

/// Returns the parameters, including `self`, of the function at the start of `text`.
fn parameters(text: &str) -> Vec<String> {
    let Some(open) = first_parenthesis(text) else { return Vec::new() };
    let (mut depth, mut previous) = (0, ' ');
    let mut parameters = vec![String::new()];
    for letter in text[open..].chars() {
        match letter {
            '(' | '[' | '<' => depth += 1,
            '>' if previous == '-' => {}
            ')' | ']' | '>' => depth -= 1,
            _ => {}
        }
        match (depth, letter) {
            (0, _) => break,
            (1, ',') => parameters.push(String::new()),
            (1, '(') if parameters == [""] => {}
            _ => parameters.iter_mut().last().into_iter().for_each(|last| last.push(letter)),
        }
        previous = letter;
    }
    parameters.iter().map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

/// Returns the position of the opening parenthesis of the parameters.
fn first_parenthesis(text: &str) -> Option<usize> {
    let (mut depth, mut previous) = (0, ' ');
    for (at, letter) in text.char_indices() {
        match letter {
            '(' if depth == 0 => return Some(at),
            '{' | ';' => return None,
            '<' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            _ => {}
        }
        previous = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&str, &str)]) -> Files {
        texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn parameters_are_distinguished_from_types() {
        assert_eq!(parameters("fn a()"), [""; 0]);
        let all = ["&self", "b: Vec<(u8, u8)>", "c: impl Fn(u8, u8) -> u8"];
        assert_eq!(parameters("fn a(&self, b: Vec<(u8, u8)>, c: impl Fn(u8, u8) -> u8,) -> B"), all);
        assert_eq!(parameters("fn a<T: Into<(u8, u8)>>((b, c): (T, bool)) {}"), ["(b, c): (T, bool)"]);
    }

    #[test]
    fn tuples_and_booleans_are_counted() {
        let text =
            "pub fn a((b, c): (u8, u8)) {}\n    pub(super) fn d(e: bool, f: Vec<(u8, u8)>) {}\nfn g(h: bool) {}\n";
        let files = files(&[("crates/gdf-compute/src/a.rs", text)]);
        assert_eq!(functions_with(&files, has_tuple), ["crates/gdf-compute/src/a.rs:1"]);
        assert_eq!(functions_with(&files, has_boolean), ["crates/gdf-compute/src/a.rs:2"]);
    }

    #[test]
    fn folders_tell_the_module() {
        let files = files(&[
            ("crates/gdf-api/src/lib.rs", "//! A.\n"),
            ("crates/gdf-api/src/null_mask.rs", "pub fn null_count() {}\n"),
            ("crates/gdf-api/src/sorting.rs", "pub fn sort() {}\n"),
            ("crates/gdf-api/src/sorting/segmented.rs", "pub fn segmented_sort() {}\n"),
            ("tests/catalog/sorting/rank.rs", "//! A.\n//! B.\n"),
            ("tests/catalog/mod.rs", "//! A.\n"),
            ("kernels/null_mask/count.cu", "// A.\n"),
        ]);
        let expected = [("null_mask", (2, 1)), ("shared", (2, 0)), ("sorting", (4, 2))];
        assert_eq!(of_modules(&files), expected.map(|(name, counts)| (name.to_owned(), counts)).into());
    }

    #[test]
    fn what_goals_are_set_for_is_counted() {
        let text = "Kernel::find(stream, \"cap\", \"name\")?; Kernel::find(stream)?;";
        assert_eq!(launches_by_string(&files(&[("crates/gdf-compute/src/a.rs", text)])), 1);
        let twice = ("crates/a/src/x.rs", "struct Plan; pub(crate) enum Plan {}\nstruct Plan;\nstruct Plan;");
        assert_eq!(repeated_types(&files(&[twice])).len(), 1);
        let api =
            ("crates/gdf-api/src/unary.rs", "/// pub fn no\npub fn yes() {}\nimpl A {\n    pub fn also(&self) {}\n}\n");
        assert_eq!(public_functions(&files(&[api])), 2);
    }
}
