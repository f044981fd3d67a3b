//! Takes some cases of a corpus into another one of the same form.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value as Json, json};

use crate::area::Area;
use crate::case::{Case, Range};

/// Where data begin: the areas' own ranges are aligned so.
const ALIGNMENT: usize = 8;

/// Case ids from a list with commas, or from a file with one in each line (`#` begins a comment).
///
/// # Errors
/// - the file cannot be read.
pub fn case_list(list: &str) -> Result<Vec<String>> {
    let path = Path::new(list);
    let text = if path.is_file() {
        fs::read_to_string(path).with_context(|| format!("could not read {list}"))?
    } else {
        list.replace(',', "\n")
    };
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Writes the cases `wanted` of the corpus in `dir` as a corpus in `out`; areas that are there are replaced.
///
/// # Errors
/// - a case does not exist, or a file cannot be read or written.
pub fn write(dir: &Path, wanted: &[String], out: &Path) -> Result<()> {
    let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    fs::create_dir_all(out).with_context(|| format!("could not make {}", out.display()))?;
    for name in Area::names(dir)? {
        let area = Area::open(dir, &name)?;
        let cases: Vec<&Case> = area.cases.iter().filter(|case| wanted.contains(case.id.as_str())).collect();
        found.extend(cases.iter().map(|case| case.id.clone()));
        if !cases.is_empty() {
            let (lines, data) = take(&area, &cases)?;
            fs::write(out.join(format!("{name}.jsonl")), lines)?;
            fs::write(out.join(format!("{name}.bin")), &data)?;
            println!("{name}: {} cases, {} bytes", cases.len(), data.len());
        }
    }
    let missing: Vec<&str> = wanted.into_iter().filter(|id| !found.contains(*id)).collect();
    ensure!(missing.is_empty(), "no such cases: {}", missing.join(", "));
    Ok(())
}

/// The lines and the data of some cases; a range that several name is kept once.
fn take(area: &Area, cases: &[&Case]) -> Result<(String, Vec<u8>)> {
    let mut data: Vec<u8> = Vec::new();
    let mut moved: BTreeMap<Range, usize> = BTreeMap::new();
    let mut lines = String::new();
    for case in cases {
        for range in case.ranges() {
            if let Entry::Vacant(unmoved) = moved.entry(range) {
                data.resize(data.len().next_multiple_of(ALIGNMENT), 0);
                unmoved.insert(data.len());
                data.extend_from_slice(area.bytes(range)?);
            }
        }
        let mut json = case.json.clone();
        for part in ["inputs", "expect"] {
            for value in json[part].as_object_mut().into_iter().flatten().map(|(_, value)| value) {
                relocate(value, &moved);
            }
        }
        lines.push_str(&json.to_string());
        lines.push('\n');
    }
    Ok((lines, data))
}

/// Rewrites the ranges in an input or expectation. A list that is no known range, such as an expected value, stays.
fn relocate(json: &mut Json, moved: &BTreeMap<Range, usize>) {
    let Some(parts) = json.as_array_mut() else { return };
    let numbers: Vec<usize> = parts.iter().filter_map(|part| usize::try_from(part.as_u64()?).ok()).collect();
    let kind = parts.first().and_then(Json::as_str).is_some();
    match numbers[..] {
        [offset, len] if parts.len() == 2 + usize::from(kind) => {
            if let Some(to) = moved.get(&Range { offset, len }) {
                parts[usize::from(kind)] = json!(to);
            }
        }
        _ => parts.iter_mut().for_each(|part| relocate(part, moved)),
    }
}
