//! Membership tests: whether the key of a row is in a table.

use gdf_core::Result;
use gdf_memory::Buffer;

use super::{KeyTable, Lookups, Matches, open_key_columns};
use crate::Ctx;
use crate::host::mask_from_chunks;
use crate::keys::{KEY_BLOCK, KeySide, VALID};

/// Returns a bit for each row of `probe`, which is set if `build` has a row with the same key.
pub fn members(build: &KeySide<'_>, probe: &KeySide<'_>, ctx: Ctx<'_>) -> Result<Buffer> {
    let lookups = Lookups { is_set: true, probe_rows: probe.rows() };
    let table = KeyTable::new(build, lookups, ctx.scratch())?;
    let (own, columns) = (open_key_columns(build, ctx.stream)?, open_key_columns(probe, ctx.stream)?);
    let (own, keys) = (table.own_keys(&own, build)?, table.other_keys(&columns, probe)?);
    let open = table.open(ctx.stream)?;
    let slots = open.slices()?;
    let (bits, _) = mask_from_chunks(probe.rows(), ctx.stream, ctx.mr.output, &|first, out| {
        let (mut words, mut flags, mut found) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK], [Matches::NONE; KEY_BLOCK]);
        for (block, out) in out.chunks_mut(KEY_BLOCK / 64).enumerate() {
            let at = first * 64 + block * KEY_BLOCK;
            let len = (probe.rows() - at).min(out.len() * 64);
            let (words, flags, found) = (&mut words[..len], &mut flags[..len], &mut found[..len]);
            keys.words_into(at, words, flags);
            slots.find_block(words, flags, |index, other| keys.same(at + index, &own, other), found);
            for (word, found) in out.iter_mut().zip(found.chunks(64)) {
                *word = found.iter().rev().fold(0, |bits, found| bits << 1 | u64::from(found.count > 0));
            }
        }
    })?;
    Ok(bits)
}
