//! Grouping of keys in ascending order. A group is a run of consecutive rows, and no table is needed.

use std::ops::Range;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use super::{Grouping, RangeGroups, Visit, ranges_of};
use crate::host::{for_each_task, map_tasks, split_mut};
use crate::keys::{HostKeys, KEY_BLOCK, VALID};
use crate::limits::HostLimits;

/// The number of blocks of keys that are sampled.
const SAMPLES: usize = 16;

struct Runs<'r, S> {
    positions: Range<usize>,
    first_rows: HostVec<'r, u64>,
    state: S,
    first_word: u64,
    last_word: u64,
}

/// Groups the rows in the same way as [`Grouping::new`]. The result is `None` if there are few rows, if the keys are
/// not packed or do not ascend, or if rows may be null or excluded.
#[allow(clippy::type_complexity, reason = "what `Grouping::new` returns, or nothing")]
pub(super) fn grouping<'r, V: Visit>(
    keys: &HostKeys<'_>,
    rows: usize,
    visit: &V,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<Option<(Grouping<'r>, Vec<V::State>)>> {
    let few = rows < HostLimits::current().group_split_rows || u32::try_from(rows).is_err();
    if few || keys.packed_bits().is_none() || !keys.all_plain() || !sample_ascends(keys, rows) {
        return Ok(None);
    }
    let mut ids = HostVec::<u32>::uninitialized(if visit.keeps_ids() { rows } else { 0 }, stream, mr)?;
    let positions = ranges_of(rows);
    let kept = split_mut(&mut ids, positions.iter().map(Range::len));
    let number = |_, (positions, kept): (Range<usize>, &mut [u32])| number(keys, positions, kept, visit, stream, mr);
    let runs = map_tasks(positions.into_iter().zip(kept).collect(), &number);
    let runs: Option<Vec<Runs<'r, V::State>>> = runs.into_iter().collect::<Result<_>>()?;
    let Some(runs) = runs.filter(|runs| runs.is_sorted_by(|a, b| a.last_word <= b.first_word)) else {
        return Ok(None);
    };

    // If the first key of a range equals the last key of the range before, their common group has the number of that
    // range.
    let mut groups = 0;
    let (mut ranges, mut states, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    let mut last_word = None;
    for Runs { positions, first_rows, state, first_word, last_word: last } in runs {
        let shared = usize::from(last_word == Some(first_word));
        ranges.push(RangeGroups { positions, groups: first_rows.len(), map: None, before: groups - shared });
        groups += first_rows.len() - shared;
        states.push(state);
        firsts.push((first_rows, shared));
        last_word = Some(last);
    }
    let mut first_rows = HostVec::<u64>::uninitialized(groups, stream, mr)?;
    let pieces = split_mut(&mut first_rows, firsts.iter().map(|(rows, shared)| rows.len() - shared));
    let tasks: Vec<_> = pieces.into_iter().zip(&firsts).collect();
    for_each_task(tasks, |_, (piece, (rows, shared))| piece.copy_from_slice(&rows[*shared..]));
    Ok(Some((Grouping { ids, rows: None, ranges, first_rows }, states)))
}

/// Returns whether the words of a sample are in ascending order. The sample consists of blocks of rows that are spread
/// over all rows.
fn sample_ascends(keys: &HostKeys<'_>, rows: usize) -> bool {
    let (mut words, mut flags) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK]);
    let (length, mut last) = (KEY_BLOCK.min(rows / SAMPLES), 0);
    let (words, flags) = (&mut words[..length], &mut flags[..length]);
    (0..SAMPLES).all(|block| {
        keys.words_into(block * (rows / SAMPLES), words, flags);
        let ascends = words.first().is_none_or(|first| last <= *first) && words.is_sorted();
        last = words.last().copied().unwrap_or(last);
        ascends
    })
}

/// Numbers the runs of equal keys of `positions`.
fn number<'r, V: Visit>(
    keys: &HostKeys<'_>,
    positions: Range<usize>,
    kept: &mut [u32],
    visit: &V,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<Option<Runs<'r, V::State>>> {
    let (mut state, mut first_rows) = (visit.begin()?, HostVec::new(stream, mr));
    let (mut words, mut flags, mut block) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK], [0; KEY_BLOCK]);
    let (mut first_word, mut last_word) = (0, None);
    for first in positions.clone().step_by(KEY_BLOCK) {
        let (at, len) = (first - positions.start, KEY_BLOCK.min(positions.end - first));
        let (words, flags) = (&mut words[..len], &mut flags[..len]);
        keys.words_into(first, words, flags);
        let ids = kept.get_mut(at..at + len).unwrap_or(&mut block[..len]);
        for ((row, word), id) in (first as u64..).zip(&*words).zip(&mut *ids) {
            match last_word {
                Some(last) if *word == last => {}
                Some(last) if *word < last => return Ok(None),
                None => {
                    first_word = *word;
                    first_rows.try_push(row)?;
                }
                Some(_) => first_rows.try_push(row)?,
            }
            last_word = Some(*word);
            *id = first_rows.len() as u32;
        }
        visit.rows(&mut state, first, ids, first_rows.len())?;
    }
    let last_word = last_word.unwrap_or(first_word);
    Ok(Some(Runs { positions, first_rows, state, first_word, last_word }))
}
