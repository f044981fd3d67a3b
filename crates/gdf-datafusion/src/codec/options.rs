//! The message of the options with which files are read.

use std::sync::Arc;

use arrow_schema::Schema;
use datafusion::common::plan_datafusion_err;
use datafusion::error::Result;
use datafusion_proto::protobuf;
use prost::Message;

use super::{missing, size};
use crate::files::{FileFormat, FileOptions};

#[derive(Clone, PartialEq, Message)]
pub(super) struct OptionsMessage {
    #[prost(string, optional, tag = "1")]
    format: Option<String>,
    #[prost(uint32, optional, tag = "2")]
    delimiter: Option<u32>,
    #[prost(message, optional, tag = "3")]
    quote: Option<QuoteMessage>,
    #[prost(uint32, optional, tag = "4")]
    escape: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    comment: Option<u32>,
    #[prost(string, repeated, tag = "6")]
    nulls: Vec<String>,
    #[prost(string, repeated, tag = "7")]
    trues: Vec<String>,
    #[prost(string, repeated, tag = "8")]
    falses: Vec<String>,
    #[prost(bool, tag = "9")]
    has_no_header: bool,
    #[prost(message, optional, tag = "10")]
    names: Option<NamesMessage>,
    #[prost(uint64, tag = "11")]
    skipped_lines: u64,
    #[prost(uint32, optional, tag = "12")]
    decimal_point: Option<u32>,
    #[prost(bool, tag = "13")]
    has_no_dates: bool,
    #[prost(uint64, optional, tag = "14")]
    infer_records: Option<u64>,
    #[prost(message, optional, tag = "15")]
    declared: Option<protobuf::Schema>,
}

/// The quote, or a message without a quote if there is none.
#[derive(Clone, PartialEq, Message)]
struct QuoteMessage {
    #[prost(uint32, optional, tag = "1")]
    quote: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
struct NamesMessage {
    #[prost(string, repeated, tag = "1")]
    names: Vec<String>,
}

impl OptionsMessage {
    /// Returns the message. The inferred columns do not travel: the receiver infers them from the same files.
    pub(super) fn of(options: &FileOptions) -> Result<OptionsMessage> {
        let declared = options.declared.as_deref().map(|schema| schema.try_into()).transpose()?;
        Ok(OptionsMessage {
            format: options.format.map(|format| format.name().to_owned()),
            delimiter: options.delimiter.map(u32::from),
            quote: options.quote.map(|quote| QuoteMessage { quote: quote.map(u32::from) }),
            escape: options.escape.map(u32::from),
            comment: options.comment.map(u32::from),
            nulls: options.nulls.clone(),
            trues: options.trues.clone(),
            falses: options.falses.clone(),
            has_no_header: options.has_no_header,
            names: options.names.clone().map(|names| NamesMessage { names }),
            skipped_lines: options.skipped_lines as u64,
            decimal_point: options.decimal_point.map(u32::from),
            has_no_dates: options.has_no_dates,
            infer_records: options.infer_records.map(|records| records as u64),
            declared,
        })
    }

    pub(super) fn decoded(&self) -> Result<FileOptions> {
        let format = |name: &String| {
            FileFormat::of_name(name)
                .ok_or_else(|| plan_datafusion_err!("GdfCodec: the file format `{name}` is not known"))
        };
        let schema = |schema: &protobuf::Schema| Ok::<_, datafusion::error::DataFusionError>(Schema::try_from(schema)?);
        let mut options = FileOptions::new();
        options.format = self.format.as_ref().map(format).transpose()?;
        options.delimiter = self.delimiter.map(letter).transpose()?;
        options.quote = self.quote.as_ref().map(|of| of.quote.map(letter).transpose()).transpose()?;
        options.escape = self.escape.map(letter).transpose()?;
        options.comment = self.comment.map(letter).transpose()?;
        options.nulls.clone_from(&self.nulls);
        options.trues.clone_from(&self.trues);
        options.falses.clone_from(&self.falses);
        options.has_no_header = self.has_no_header;
        options.names = self.names.as_ref().map(|of| of.names.clone());
        options.skipped_lines = size(self.skipped_lines)?;
        options.decimal_point = self.decimal_point.map(letter).transpose()?;
        options.has_no_dates = self.has_no_dates;
        options.infer_records = self.infer_records.map(size).transpose()?;
        options.declared = self.declared.as_ref().map(schema).transpose()?.map(Arc::new);
        Ok(options)
    }
}

fn letter(letter: u32) -> Result<u8> {
    u8::try_from(letter).map_err(|_| missing("a character of one byte"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_one_byte() {
        let message = |delimiter| OptionsMessage { delimiter: Some(delimiter), ..OptionsMessage::default() };
        assert_eq!(message(59).decoded().unwrap(), FileOptions::new().delimiter(b';'));
        assert!(message(300).decoded().is_err());
    }
}
