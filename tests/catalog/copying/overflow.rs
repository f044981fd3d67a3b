//! Cases whose results have more bytes than 32-bit offsets can represent. The inputs have only 1 MiB, because many
//! result rows repeat the same text.
//!
//! If the result has one byte too many, the operation must refuse the result before memory is allocated.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray};
use gdf_api::copying::{self, OutOfBoundsPolicy};
use gdf_api::{concatenate, replace};
use gdf_core::{Column, Error, Result, Scalar, TableView, scope};
use gdf_memory::{LimitingResource, Resource};

use crate::catalog::Case;
use gdf_test::builders::{plain, strings};

/// The number of bytes of the text.
const TEXT: usize = 1 << 20;
/// The number of result rows that have the text.
const ROWS: usize = 2047;
/// The number of bytes that an operation may allocate.
const LIMIT: usize = 64 << 20;

#[derive(Clone, Copy, Debug)]
enum Bytes {
    Fit,
    Overflow,
}

/// Returns the text, and a text that is one byte shorter.
fn texts() -> ArrayRef {
    let text = "x".repeat(TEXT);
    strings([Some(text.as_str()), Some(&text[1..])])
}

type Run = fn(&[Column]) -> Result<Column>;

fn cases(name: &str, inputs: impl Fn(Bytes) -> Vec<ArrayRef>, run: Run) -> Vec<Case> {
    let case = |bytes: Bytes| {
        let is_right: fn(&Error) -> bool = match bytes {
            Bytes::Fit => Error::is_out_of_memory,
            Bytes::Overflow => |error| matches!(error, Error::OffsetOverflow { needed, .. } if *needed == 1 << 31),
        };
        let limited = move |inputs: &[Column]| {
            let (output, temporary) = scope::current_resources(inputs[0].device())?;
            let [output, temporary] = [output, temporary].map(|of| Resource::new(LimitingResource::new(of, LIMIT)));
            Ok(vec![scope::with_resources(&output, &temporary, || run(inputs))??])
        };
        Case::refused(format!("{name} of 2 GiB: {bytes:?}"), inputs(bytes), limited, is_right)
    };
    vec![case(Bytes::Fit), case(Bytes::Overflow)]
}

/// Returns a gather map that repeats the text.
fn map(bytes: Bytes) -> ArrayRef {
    let last = matches!(bytes, Bytes::Fit);
    plain::<Int32Type>(std::iter::repeat_n(0, ROWS).chain([i32::from(last)]))
}

pub(crate) fn gather() -> Vec<Case> {
    cases(
        "gather",
        |bytes| vec![texts(), map(bytes)],
        |inputs| {
            let table = TableView::try_new(vec![inputs[0].view()])?;
            Ok(copying::gather(table, &inputs[1], OutOfBoundsPolicy::Error)?.column(0)?.clone())
        },
    )
}

pub(crate) fn concatenations() -> Vec<Case> {
    // The map only makes the inputs longer. Pieces with masks may have bytes below nulls, and the operation copies such
    // pieces before it counts their bytes.
    let inputs = |bytes| {
        let last = usize::from(matches!(bytes, Bytes::Fit));
        vec![texts().slice(0, 1), texts().slice(last, 1), map(bytes)]
    };
    cases("concatenate", inputs, |inputs| {
        let mut pieces = vec![inputs[0].view(); ROWS];
        pieces.push(inputs[1].view());
        concatenate::concatenate_columns(&pieces)
    })
}

/// Returns two columns.
fn last_text(bytes: Bytes) -> Vec<ArrayRef> {
    let text = "x".repeat(TEXT);
    let last = if matches!(bytes, Bytes::Fit) { &text[1..] } else { &text[..] };
    let column = strings(std::iter::repeat_n(None, ROWS).chain([Some(last)]));
    vec![strings([Some(text.as_str())]), column]
}

fn scalar(column: &Column) -> Result<Scalar> {
    Scalar::from_column(column.clone())
}

pub(crate) fn copies() -> Vec<Case> {
    let inputs = |bytes| {
        let mut inputs = last_text(bytes);
        let mask = BooleanArray::from_iter((0..=ROWS).map(|row| Some(row < ROWS)));
        inputs.push(Arc::new(mask));
        inputs
    };
    cases("copy_if_else", inputs, |inputs| copying::copy_if_else(&scalar(&inputs[0])?, &inputs[1], &inputs[2]))
}

pub(crate) fn replacements() -> Vec<Case> {
    cases("replace_nulls", last_text, |inputs| replace::replace_nulls(&inputs[1], &scalar(&inputs[0])?))
}

pub(crate) fn scatters() -> Vec<Case> {
    let inputs = |bytes| {
        let mut inputs = last_text(bytes);
        inputs.push(plain::<Int32Type>(0..ROWS as i32));
        inputs
    };
    cases("scatter", inputs, |inputs| {
        let target = TableView::try_new(vec![inputs[1].view()])?;
        let table = copying::scatter_scalars(&[&scalar(&inputs[0])?], &inputs[2], target, OutOfBoundsPolicy::Error)?;
        Ok(table.column(0)?.clone())
    })
}
