//! Removal of characters from the beginning and the end of strings.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, Texts};
use gdf_kernels::generated::strings::{Strip, StripKernel, StripParameters};

use super::arguments::Argument;
use super::{Side, characters};
use crate::Ctx;

/// Removes the characters in `characters` from the given side of each string. If `characters` is empty, white space is
/// removed.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `characters` is not text.
/// * Driver and memory errors.
pub fn strip(column: ColumnView<'_>, side: Side, characters: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (text, set) = (Argument::column("strip", column)?, Argument::text("characters", characters, ctx)?);
    let (left, right) = (side != Side::Right, side != Side::Left);
    strings::build(
        Inputs::new([text.input(), set.input()], ctx)?,
        column.data_type(),
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let [text, set] = rows.columns();
            let (texts, sets) = (Texts::open(text)?, Texts::open(set)?);
            let is_in = |one: &[u8], set: &[u8]| match one {
                _ if set.is_empty() => characters::is_space(one),
                [byte] => set.contains(byte), // no other character contains an ASCII byte
                _ => characters::each(set).any(|of| of == one),
            };
            // `ascii` states for each ASCII byte whether the byte is in the set.
            let one = if set.broadcast() { sets.get(0) } else { None };
            let ascii: Option<[bool; 128]> = one.map(|set| std::array::from_fn(|byte| is_in(&[byte as u8], set)));
            builder.text(|row, sink| {
                let (Some(text), Some(set)) = (texts.get(row), sets.get(row)) else { return false };
                let strips = |one: &[u8]| match (one, &ascii) {
                    ([byte @ ..0x80], Some(ascii)) => ascii[usize::from(*byte)],
                    _ => is_in(one, set),
                };
                let mut rest = text;
                while let Some((one, after)) = characters::first(rest).filter(|(one, _)| left && strips(one)) {
                    (_, rest) = (one, after);
                }
                while let Some((before, one)) = characters::last(rest).filter(|(_, one)| right && strips(one)) {
                    (rest, _) = (before, one);
                }
                sink.put(rest);
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, set], out, counts, mailbox, .. } = launch;
            let p = StripParameters { text, set, left: left.into(), right: right.into() };
            launch.run_prepared(StripKernel::TextWrite, &Strip { out, p, counts, mailbox })
        },
    )
}
