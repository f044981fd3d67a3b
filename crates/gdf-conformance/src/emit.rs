//! Writes results to files. A table or a scalar is written to `ID.arrow`. Several tables are written to `ID.0.arrow`,
//! `ID.1.arrow` and so on. A value is written to `ID.value.json`. The class of an error is written to `ID.error`.
//!
//! There is no file for a case without an answer: a case that gdf does not support, that panicked, or that ran out of
//! memory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;

use crate::case::Case;
use crate::verdict::{Outcome, Verdict};

/// Writes the outcome of a case. The caller has removed the files of an earlier run with [`remove_earlier`].
///
/// # Errors
/// - A file cannot be written.
pub fn emit(dir: &Path, case: &Case, outcome: &Outcome, verdict: &Verdict) -> Result<()> {
    let path = |end: &str| dir.join(format!("{}.{end}", case.id));
    match outcome {
        Ok(output) => {
            for batch in output.table.iter().chain(&output.scalar) {
                write(path("arrow"), batch)?;
            }
            for (i, batch) in output.tables.iter().flatten().enumerate() {
                write(path(&format!("{i}.arrow")), batch)?;
            }
            if let Some(value) = &output.value {
                fs::write(path("value.json"), value.to_string())?;
            }
        }
        Err(_) if matches!(verdict, Verdict::Refused(_)) => {}
        Err(failure) => {
            if let Some(class) = failure.class(&case.op) {
                fs::write(path("error"), class.to_string())?;
            }
        }
    }
    Ok(())
}

/// Removes the files of the case that an earlier run has written. The case may have no answer in this run.
///
/// # Errors
/// - A file cannot be removed.
pub fn remove_earlier(dir: &Path, case: &Case) -> Result<()> {
    let path = |end: &str| dir.join(format!("{}.{end}", case.id));
    let tables = (0..).map(|i| path(&format!("{i}.arrow"))).take_while(|path| path.exists());
    let single = ["arrow", "value.json", "error"].map(path).into_iter().filter(|path| path.exists());
    for earlier in single.chain(tables) {
        fs::remove_file(&earlier).with_context(|| format!("could not remove {}", earlier.display()))?;
    }
    Ok(())
}

fn write(path: PathBuf, batch: &RecordBatch) -> Result<()> {
    let file = File::create(&path).with_context(|| format!("could not write {}", path.display()))?;
    let mut writer = StreamWriter::try_new_buffered(file, &batch.schema())?;
    writer.write(batch)?;
    Ok(writer.finish()?)
}
