//! `COPY … TO`: the rows of a query become a file, which the writers of gdf-io write.
//!
//! DataFusion plans the statement. The formats that are registered here make its top node, a [`GdfCopyExec`].

mod exec;
mod format;

use std::path::Path;
use std::sync::Arc;

use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement;

pub(crate) use self::exec::GdfCopyExec;
use self::format::GdfFormatFactory;
use crate::files::FileFormat;

/// The names after `STORED AS`, and the extensions of files, for which gdf has writers. The names `gz` and `zst` are
/// extensions of compressed files, whose format is the extension before.
const NAMES: [(&str, Option<FileFormat>); 13] = [
    ("parquet", Some(FileFormat::Parquet)),
    ("pq", Some(FileFormat::Parquet)),
    ("csv", Some(FileFormat::Csv)),
    ("tsv", Some(FileFormat::Tsv)),
    ("tab", Some(FileFormat::Tsv)),
    ("json", Some(FileFormat::Json)),
    ("jsonl", Some(FileFormat::Json)),
    ("ndjson", Some(FileFormat::Json)),
    ("arrow", Some(FileFormat::Arrow)),
    ("arrows", Some(FileFormat::Arrow)),
    ("ipc", Some(FileFormat::Arrow)),
    ("gz", None),
    ("zst", None),
];

/// The formats of the session that gdf replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// Formats of the same name. DataFusion's own tables of files cannot read by them any more.
    All,
    /// No formats. The session gets only formats with new names.
    None,
}

/// Registers the formats.
pub(crate) fn register(state: &mut SessionState, replaces: Replaces) {
    for (name, format) in NAMES {
        if replaces == Replaces::All || state.get_file_format_factory(name).is_none() {
            // A registration that replaces or that has a new name cannot fail.
            let _ = state.register_file_format(Arc::new(GdfFormatFactory::new(name, format)), true);
        }
    }
}

/// Refuses a `COPY` whose format is not known. DataFusion would take the format of the extension for a name after
/// `STORED AS` that it does not know.
pub(crate) fn check_format(statement: &Statement, state: &SessionState) -> Result<()> {
    const KNOWN: &str = "PARQUET, CSV, TSV, JSON and ARROW";
    let of = match statement {
        Statement::CopyTo(of) => of,
        Statement::Explain(of) => return check_format(&of.statement, state),
        _ => return Ok(()),
    };
    let is_known = |name: &str| state.get_file_format_factory(name).is_some();
    let (target, extension) = (&of.target, Path::new(&of.target).extension().and_then(|extension| extension.to_str()));
    match (&of.stored_as, extension) {
        (Some(name), _) if is_known(name) => Ok(()),
        (Some(name), _) => {
            plan_err!("COPY TO '{target}': there is no format {name}; the formats after STORED AS are {KNOWN}")
        }
        (None, Some(extension)) if is_known(extension) => Ok(()),
        (None, _) => plan_err!(
            "COPY TO '{target}': the name of the file does not tell the format; use .parquet, .csv, .tsv, .json or .arrow, or \
             STORED AS with {KNOWN}"
        ),
    }
}
