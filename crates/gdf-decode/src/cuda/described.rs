//! What kernels are told about columns, and the flaws that they report.

use gdf_core::Result;
use gdf_engine::cuda::{Memory, Tiles32};
use gdf_kernels::Out;
use gdf_kernels::generated::decode as descriptors;
use gdf_memory::AccessMut;

use super::Open;
use crate::batch::Flaw;
use crate::conversion::{Conversion, StoredDecimal, per_second};
use crate::plan::ColumnPlan;

/// Makes the descriptor of a column.
pub(super) fn describe<'o>(column: &ColumnPlan<'_>, output: &'o Open<'_>) -> Result<descriptors::Column<'o>> {
    use descriptors::{StoredDecimal as Form, Target};

    let Open { values, validity, nodes: _ } = output;
    let (form, largest) = match column.conversion {
        Conversion::Bit
        | Conversion::Copy { .. }
        | Conversion::Bytes { .. }
        | Conversion::Narrow { .. }
        | Conversion::Timestamp { .. }
        | Conversion::Keys
        | Conversion::Text { .. } => (Form::Int32, 0),
        Conversion::Decimal { stored, largest, .. } => match stored {
            StoredDecimal::Int32 => (Form::Int32, largest),
            StoredDecimal::Int64 => (Form::Int64, largest),
            StoredDecimal::Bytes(_) => (Form::Bytes, largest),
        },
    };
    let target = match column.conversion {
        Conversion::Bit => Target::Bit,
        Conversion::Bytes { .. } => Target::Bytes,
        Conversion::Narrow { width: 1 } => Target::Narrow8,
        Conversion::Narrow { width: 2 } => Target::Narrow16,
        Conversion::Copy { width: 2 } => Target::Same16,
        Conversion::Copy { width: 4 } => Target::Same32,
        Conversion::Copy { width: 8 } => Target::Same64,
        Conversion::Decimal { width: 4, .. } => Target::Decimal32,
        Conversion::Decimal { width: 8, .. } => Target::Decimal64,
        Conversion::Decimal { width: 16, .. } => Target::Decimal128,
        Conversion::Timestamp { .. } => Target::Timestamp,
        Conversion::Keys => Target::Keys,
        Conversion::Text { .. } => Target::Text,
        Conversion::Copy { .. } | Conversion::Narrow { .. } | Conversion::Decimal { .. } => {
            return Err(gdf_core::Error::internal("a conversion has a width that kernels do not have"));
        }
    };
    let words = |bits: &'o AccessMut<'_>| Memory::of(bits).array::<u32>(0, column.rows.div_ceil(32));
    let values = match column.conversion {
        Conversion::Bit => words(values)?.cast(),
        _ => Memory::of(values).rows(column.rows, column.conversion.width())?,
    };
    Ok(descriptors::Column {
        values,
        totals: Out::NULL,
        validity: validity.as_ref().map_or(Ok(Out::NULL), words)?,
        per_second: match column.conversion {
            Conversion::Timestamp { unit } => per_second(unit),
            _ => 0,
        },
        largest: [largest as u64, (largest >> 64) as u64],
        target: target as i32,
        stored_decimal: form as i32,
        decimal_width: column.conversion.stored_width() as i32,
        tiles: Tiles32::new(0),
    })
}

/// Returns the flaw that a kernel reports.
pub(super) fn flaw_of(code: u64) -> Result<Flaw> {
    use descriptors::Flaw as Code;

    let flaws = [
        (Code::Compression, Flaw::Compression),
        (Code::Size, Flaw::Size),
        (Code::Levels, Flaw::Levels),
        (Code::NullCount, Flaw::NullCount),
        (Code::NoDictionary, Flaw::NoDictionary),
        (Code::Values, Flaw::Values),
        (Code::KeyWidth, Flaw::KeyWidth),
        (Code::Keys, Flaw::Keys),
        (Code::Key, Flaw::Key),
        (Code::Digits, Flaw::Digits),
        (Code::Timestamp, Flaw::Timestamp),
        (Code::Rows, Flaw::Rows),
        (Code::Utf8, Flaw::Utf8),
        (Code::Dictionary, Flaw::Dictionary),
    ];
    let flaw = flaws.into_iter().find(|(of_kernel, _)| *of_kernel as u64 == code);
    Ok(flaw.ok_or_else(|| gdf_core::Error::internal("a kernel reports an unknown flaw"))?.1)
}
