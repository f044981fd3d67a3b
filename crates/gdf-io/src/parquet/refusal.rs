//! Why the CPU decodes columns of a read to a GPU.

use std::fmt;

use gdf_core::enter_span;
use gdf_decode::Flaw;
use gdf_driver::Device;

use super::plan::{Origin, PlanColumn};

/// The name of the span whose events say which columns the CPU decodes. The profile of a plan (gdf-exec) finds them by
/// this name.
const SPAN: &str = "decoded_on_cpu";

/// Why the GPU does not decode a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refusal {
    /// The decoder does not support the type of the column, or an encoding of its pages.
    Form,
    /// The files store the column in different forms.
    SeveralForms,
    /// The metadata claim many more decompressed bytes than the column chunk has.
    Expansion,
    /// Only some rows of a row group are read, and rows of the type cannot be dropped on a GPU.
    SelectedRows,
    /// The file is read in batches of few rows.
    Batches,
    /// There is too little memory for the pages.
    Memory,
    /// The pages have other sizes or numbers of rows than the metadata claim, or cannot be decompressed.
    OtherPages,
    /// The values are the names of folders.
    Folders,
    /// The decoder has refused a page.
    Page(Flaw),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Form => f.write_str("its type or an encoding is not supported"),
            Refusal::SeveralForms => f.write_str("the files store it in different forms"),
            Refusal::Expansion => f.write_str("its metadata claim an unusual compression"),
            Refusal::SelectedRows => {
                f.write_str("only some rows of a row group are read, and a GPU cannot drop rows of its type")
            }
            Refusal::Batches => f.write_str("the file is read in batches of few rows"),
            Refusal::Memory => f.write_str("there is too little memory for its pages"),
            Refusal::OtherPages => f.write_str("its pages differ from its metadata"),
            Refusal::Folders => f.write_str("its values are names of folders"),
            Refusal::Page(flaw) => flaw.fmt(f),
        }
    }
}

/// Says which columns of a read to `device` the CPU decodes. The text does not have the number of a page, so that the
/// pieces of a read say the same. The name of a folder is not decoded, so it is left out.
pub(super) fn report<'c>(refused: impl IntoIterator<Item = (&'c PlanColumn, Refusal)>, device: Device) {
    let is_stored = |(column, _): &(&PlanColumn, Refusal)| matches!(column.origin, Origin::Stored { .. });
    let mut refused = refused.into_iter().filter(is_stored).peekable();
    let _span = refused.peek().map(|_| enter_span(SPAN, device));
    for (column, refusal) in refused {
        tracing::debug!(target: "gdf", "{}: {refusal}", column.field.name());
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Decimal256Array, Int64Array, RecordBatch, StringArray};
    use arrow_buffer::i256;
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::{EnabledStatistics, WriterProperties};

    use super::*;
    use crate::Predicate;
    use crate::options::Options;
    use crate::parquet::file::ParquetFile;
    use crate::parquet::plan::{Plan, Unit};
    use crate::parquet::source::Source;
    use crate::target::Target;

    /// Plans a read of a file whose column `text` is not UTF-8. The decimals of the column `wide` have too many digits.
    fn plan(options: &Options) -> Plan {
        let wide = Decimal256Array::from_iter_values([1, 12, 123, 2].map(i256::from_i128));
        let columns: [(&str, ArrayRef); 3] = [
            ("wide", Arc::new(wide.with_precision_and_scale(50, 0).unwrap())),
            ("id", Arc::new(Int64Array::from(vec![7, 8, 9, 10]))),
            ("text", Arc::new(StringArray::from(vec!["one", "two", "three", "four"]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let at = bytes.windows(5).position(|bytes| bytes == b"three").unwrap();
        bytes[at] = 0xff;
        let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.into())).unwrap();
        Plan::new(vec![file], &[], options).unwrap()
    }

    /// Returns what the GPU refuses.
    fn refused(plan: &Plan) -> Vec<(&PlanColumn, Refusal)> {
        let columns: Vec<&PlanColumn> = plan.columns.iter().collect();
        let (mut found, parts) = (Vec::new(), [plan.units.as_slice()]);
        let mut finish = |_: &[Unit], of_part| {
            found = of_part;
            Ok(())
        };
        Target::run("test", None, |target| plan.read_on_device(&columns, &parts, target, &mut finish)).unwrap();
        columns.into_iter().zip(found).filter_map(|(column, found)| Some((column, found.err()?))).collect()
    }

    /// Returns the columns that a profile of `work` names.
    fn named(work: impl FnOnce()) -> Vec<String> {
        let ((), profile) = gdf_profile::profile(Device::Cpu, work).unwrap();
        let reports = profile.operations.into_iter().filter(|operation| operation.name == "decoded_on_cpu");
        reports.flat_map(|operation| operation.notes).collect()
    }

    #[test]
    fn profiles_name_the_columns_and_the_reasons() {
        let whole = plan(&Options::default());
        let reasons: Vec<Refusal> = refused(&whole).into_iter().map(|(_, refusal)| refusal).collect();
        assert_eq!(reasons, [Refusal::Form, Refusal::Page(Flaw::Utf8)]);
        assert_eq!(
            named(|| report(refused(&whole), Device::Cpu)),
            ["wide: its type or an encoding is not supported", "text: a text is not UTF-8"]
        );
        // To select rows changes nothing.
        let some = plan(&Options { rows: 1..3, ..Options::default() });
        let reasons: Vec<Refusal> = refused(&some).into_iter().map(|(_, refusal)| refusal).collect();
        assert_eq!(reasons, [Refusal::Form, Refusal::Page(Flaw::Utf8)]);
        assert!(named(|| report([], Device::Cpu)).is_empty());
    }

    #[test]
    fn profiles_name_the_columns_of_predicates() {
        let read = |predicate: Predicate| {
            let plan = plan(&Options { predicate: Some(predicate), ..Options::default() });
            named(|| {
                let found = Target::run("test", None, |target| plan.filtered_on_device(&[&plan.units], target));
                assert!(found.is_ok_and(|found| found.is_none()));
            })
        };
        assert_eq!(
            read(Predicate::eq("wide", 1).and(Predicate::gt("id", 7))),
            ["wide: its type or an encoding is not supported"]
        );
    }
}
