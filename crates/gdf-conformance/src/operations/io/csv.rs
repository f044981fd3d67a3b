//! Area `io_csv`: reading and writing CSV.

use gdf_io::{Batch, CsvReader, CsvWriter, QuoteStyle};
use serde_json::Value as Json;

use super::options::{Asked, data_type, files, folder, read, written};
use crate::call::{Answered, Call, Failure};
use crate::operations::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[("csv.read", run_read), ("csv.write", run_write)];

/// The texts that libcudf reads as null by default, in addition to empty cells. gdf reads such a text as null only if
/// `CsvReader::null` is called with the text.
const NULLS: [&str; 17] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "n/a", "nan", "null",
];

fn run_read(call: &Call<'_>) -> Answered {
    let mut asked = Asked::of(call);
    let (_folder, path) = files(call, "csv")?;
    // libcudf infers days and times only if the caller requests the inference.
    let mut reader = CsvReader::open(path)?.parse_dates(false);
    asked.compression();
    reader = dialect(reader, &mut asked)?;
    reader = header(reader, &mut asked)?;
    reader = values(reader, &mut asked)?;
    reader = types(reader, &mut asked)?;
    if let Some(columns) = asked.texts("use_cols_names")? {
        reader = reader.columns(columns);
    }
    if let Some(columns) = asked.numbers("use_cols_indexes")? {
        reader = reader.column_indices(columns);
    }
    if let Some(rows) = asked.number("nrows")? {
        reader = reader.rows(..rows).infer_records(rows);
    }
    if let Some(bytes) = asked.byte_range()? {
        reader = reader.byte_range(bytes);
    }
    // gdf keeps columns with equal names, and has no option for them. libcudf renames or drops such columns.
    asked.flag("mangle_dupe_cols")?;
    asked.finish()?;
    read(reader.read()?)
}

fn dialect(mut reader: CsvReader, asked: &mut Asked<'_>) -> Result<CsvReader, Failure> {
    if let Some(delimiter) = asked.byte("delimiter")? {
        reader = reader.delimiter(delimiter);
    }
    if let Some(quote) = asked.byte("quotechar")? {
        reader = reader.quote(quote);
    }
    if asked.take("quoting").is_some_and(|quoting| quoting == "NONE") {
        reader = reader.quote(None);
    }
    if let Some(comment) = asked.byte("comment")? {
        reader = reader.comment(comment);
    }
    if let Some(point) = asked.byte("decimal")? {
        reader = reader.decimal_point(point);
    }
    asked.take_if("doublequote", true);
    asked.take_if("skip_blank_lines", true);
    Ok(reader)
}

fn header(mut reader: CsvReader, asked: &mut Asked<'_>) -> Result<CsvReader, Failure> {
    let mut skipped = asked.number("skiprows")?.unwrap_or(0);
    match asked.take("header").and_then(Json::as_i64) {
        None => {}
        Some(-1) => reader = reader.has_header(false),
        Some(line) => skipped += usize::try_from(line).unwrap_or(0),
    }
    if let Some(names) = asked.texts("names")? {
        reader = reader.names(names);
    }
    Ok(reader.skip_lines(skipped))
}

fn values(mut reader: CsvReader, asked: &mut Asked<'_>) -> Result<CsvReader, Failure> {
    asked.take_if("na_filter", true);
    asked.take_if("keep_default_na", true);
    for null in NULLS.into_iter().chain(asked.texts("na_values")?.unwrap_or_default()) {
        reader = reader.null(null);
    }
    for text in asked.texts("true_values")?.unwrap_or_default() {
        reader = reader.true_value(text);
    }
    for text in asked.texts("false_values")?.unwrap_or_default() {
        reader = reader.false_value(text);
    }
    Ok(reader)
}

fn types(mut reader: CsvReader, asked: &mut Asked<'_>) -> Result<CsvReader, Failure> {
    match asked.take("dtypes") {
        None => {}
        Some(Json::Object(types)) => {
            for (name, of) in types {
                reader = reader.types([(name, data_type(of.as_str().unwrap_or_default())?)]);
            }
        }
        Some(_) => return Err(asked.missing("types of columns by their places")),
    }
    for column in asked.take("parse_dates").and_then(Json::as_array).into_iter().flatten() {
        let Some(column) = column.as_str() else { return Err(asked.missing("dates of columns by their places")) };
        reader = reader.types([(column, data_type("TIMESTAMP_NANOSECONDS")?)]);
    }
    Ok(reader)
}

fn run_write(call: &Call<'_>) -> Answered {
    let mut asked = Asked::of(call);
    let table = call.table("input")?;
    let schema = table.schema(&asked.texts("names")?.unwrap_or_default());
    let folder = folder()?;
    let path = folder.path().join("t.csv");
    let mut writer = CsvWriter::new(&path, &schema);
    if let Some(has_header) = asked.flag("include_header")? {
        writer = writer.has_header(has_header);
    }
    if let Some(null) = asked.text("na_rep")? {
        writer = writer.null(null);
    }
    if let Some(delimiter) = asked.byte("inter_column_delimiter")? {
        writer = writer.delimiter(delimiter);
    }
    if let Some(text) = asked.text("true_value")? {
        writer = writer.true_value(text);
    }
    if let Some(text) = asked.text("false_value")? {
        writer = writer.false_value(text);
    }
    for (terminator, crlf) in [("\n", false), ("\r\n", true)] {
        if asked.peek("line_terminator") == Some(terminator) {
            asked.take("line_terminator");
            writer = writer.crlf(crlf);
        }
    }
    let styles =
        [("MINIMAL", QuoteStyle::Necessary), ("NONNUMERIC", QuoteStyle::NonNumeric), ("ALL", QuoteStyle::Always)];
    for (name, style) in styles {
        if asked.peek("quoting") == Some(name) {
            asked.take("quoting");
            writer = writer.quote_style(style);
        }
    }
    // The option determines how many rows are formatted at a time. The option does not change the text, so gdf has no
    // such option.
    asked.number("rows_per_chunk")?;
    asked.finish()?;
    writer.write(&Batch::try_new(schema, table)?)?;
    writer.finish()?;
    written(path)
}
