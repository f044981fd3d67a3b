//! The edit distance between strings.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::cuda::Out;
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::input::Input;
use gdf_engine::layout::byte_len;
use gdf_engine::layout::characters as characters_of;
use gdf_engine::strings::{Texts, is_large};
use gdf_kernels::generated::common::TextIn;
use gdf_kernels::generated::strings::EditDistance;
use gdf_memory::Buffer;

use super::arguments::Argument;
use super::characters;
use super::search::{answers, number_type};
use crate::Ctx;

/// Returns the edit distance between each string and its `target`.
///
/// The distance is the least number of characters to insert, delete or replace. Nulls count as empty strings. The type
/// of the result is `Int32`, or `Int64` for `LargeUtf8`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the target is not a string;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch).
/// * Driver and memory errors.
pub fn edit_distance(column: ColumnView<'_>, target: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    is_large("edit_distance", column)?;
    let target = Argument::text("target", target, ctx)?;
    let inputs = Inputs::new([column.into(), target.input()], ctx)?;
    elementwise::map(
        inputs,
        &number_type(column.data_type()),
        Nulls::Never,
        ctx,
        |rows| {
            let [text, target] = rows.columns();
            let (texts, targets) = (Texts::open(text)?, Texts::open(target)?);
            let of = |texts: &Texts<'_>, row| -> Vec<char> {
                characters::each(texts.get(row).unwrap_or_default()).map(characters::code).collect()
            };
            answers(rows, |row| between(&of(&texts, row), &of(&targets, row)))
        },
        |launch| {
            let bytes = [column, target.input().view()].map(characters_of);
            // A row needs one word for each 32 bytes of its text, rounded up.
            let is_short = matches!(target.input(), Input::Scalar(_)) && bytes[1].get() <= 32;
            let words = if is_short { 0 } else { bytes[0].get() / 32 + launch.rows };
            let mut carries = Buffer::uninitialized(byte_len(words, 8, ctx.mr)?, ctx.stream, ctx.mr.temporary)?;
            let carries = carries.write_on(ctx.stream)?;
            let [text, target] = [0, 1].map(|at| TextIn { column: launch.inputs[at], bytes: bytes[at] });
            launch.run_warps(&EditDistance { text, target, out: launch.out, carries: Out::of(&carries) })
        },
    )
}

/// Computes the distance between two texts, with the algorithm of `kernels/strings/edit_distance.cu` and strips of 64
/// characters.
fn between(text: &[char], target: &[char]) -> i64 {
    let mut carries: Vec<i8> = vec![1; text.len()];
    for strip in target.chunks(64) {
        let mut equal_ascii = [0_u64; 128];
        for (bit, code) in strip.iter().enumerate() {
            if let Some(bits) = equal_ascii.get_mut(*code as usize) {
                *bits |= 1 << bit;
            }
        }
        let last = strip.len() - 1;
        let (mut grows, mut falls) = (!0_u64, 0_u64);
        for (code, carry) in text.iter().zip(&mut carries) {
            let mut equal = equal_ascii.get(*code as usize).copied().unwrap_or_else(|| {
                strip.iter().enumerate().fold(0, |bits, (bit, other)| bits | u64::from(code == other) << bit)
            });
            let vertical = equal | falls;
            equal |= u64::from(*carry < 0);
            let diagonal = ((equal & grows).wrapping_add(grows) ^ grows) | equal;
            let (mut plus, mut minus) = (falls | !(diagonal | grows), grows & diagonal);
            let behind = (plus >> last & 1) as i8 - (minus >> last & 1) as i8;
            plus = plus << 1 | u64::from(*carry > 0);
            minus = minus << 1 | u64::from(*carry < 0);
            (grows, falls) = (minus | !(vertical | plus), plus & vertical);
            *carry = behind;
        }
    }
    target.len() as i64 + carries.iter().map(|carry| i64::from(*carry)).sum::<i64>()
}
