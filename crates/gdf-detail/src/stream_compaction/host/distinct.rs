//! `distinct` on the CPU: a table of the keys, in which each row looks whether it is the one that stays.

use gdf_core::{Column, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::super::DuplicateKeepOption;
use crate::host::{
    HostKeys, HostMask, HostOutput, KeySlots, KeyTable, Matches, NOWHERE, column, for_each_chunk, mask_from_words,
    open_key_columns,
};
use crate::keys::{KeySide, row_indices};

pub(in super::super) fn distinct_mask(
    side: &KeySide<'_>,
    keep: DuplicateKeepOption,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let rows = side.rows();
    let table = KeyTable::new(side, stream, mr)?;
    let columns = open_key_columns(side, stream)?;
    let keys = table.own_keys(&columns, side)?;
    let open = table.open(stream)?;
    let slots = open.slices()?;
    let (bits, _) = mask_from_words(rows, stream, mr.output, |word| stay(&keys, slots, keep, word * 64, rows))?;
    let bits = bits.slice(0, rows.div_ceil(8))?;
    column(&DataType::Boolean, rows, [bits], HostMask { validity: None, nulls: 0 })
}

/// Which of the rows `first ..`, up to 64, stay.
fn stay(keys: &HostKeys<'_>, slots: KeySlots<'_>, keep: DuplicateKeepOption, first: usize, rows: usize) -> u64 {
    let (mut words, mut flags, mut found) = ([0; 64], [0; 64], [Matches::NONE; 64]);
    let count = (rows - first).min(64);
    let (words, flags, found) = (&mut words[..count], &mut flags[..count], &mut found[..count]);
    keys.words_into(first, words, flags);
    slots.find_block(words, flags, |index, other| keys.same(first + index, keys, other), found);
    let mut stay = 0;
    for (bit, (key, flag)) in found.iter().zip(flags).enumerate() {
        let chosen = || {
            let place = match keep {
                DuplicateKeepOption::Last => key.start + key.count - 1,
                _ => key.start,
            };
            let chosen = slots.grouped.map_or(key.start, |grouped| grouped[place as usize]);
            chosen as usize == first + bit && (keep != DuplicateKeepOption::None || key.count == 1)
        };
        let stays = *flag == NOWHERE || key.count > 0 && chosen();
        stay |= u64::from(stays) << bit;
    }
    stay
}

/// The numbers of rows.
pub(in super::super) fn row_numbers(rows: usize, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    let mut output = HostOutput::<u32>::new(rows, stream, mr)?;
    for_each_chunk(output.values(stream)?, |first, chunk| {
        (first..).zip(chunk).for_each(|(row, number)| *number = row as u32);
    });
    output.finish(&row_indices(rows), HostMask::none())
}
