//! Probes the hash table of the build side on the CPU. In a first pass, all threads find and count the matches. In a
//! second pass, all threads write the matches.

use bytemuck::Pod;
use gdf_core::{Column, DataType, Result};
use gdf_engine::hash_table::{KeySlots, KeyTable, Matches, NO_MATCH, open_key_columns};
use gdf_engine::host::{HostMask, HostOutput, compact, for_each_task, split_mut, task_rows, test_word};
use gdf_engine::keys::{HostKeys, KEY_BLOCK, KeySide, VALID, row_indices};
use gdf_memory::HostVec;

use crate::Ctx;
use crate::join::hash_join::{JOIN_NO_MATCH, Kind, Request};

/// The results of lookups.
struct Found<'r> {
    starts: HostVec<'r, u32>,
    counts: HostVec<'r, u32>,
    sizes: Vec<usize>,
    unmatched: Option<HostVec<'r, u32>>,
}

impl Found<'_> {
    fn size(&self) -> usize {
        self.sizes.iter().sum::<usize>() + self.unmatched.as_ref().map_or(0, |rows| rows.len())
    }
}

pub(in crate::join) fn join_size(
    table: &KeyTable,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    ctx: Ctx<'_>,
) -> Result<usize> {
    let open = table.open(ctx.stream)?;
    Ok(find(table, open.slices()?, build, probe, request, ctx)?.size())
}

pub(in crate::join) fn join(
    table: &KeyTable,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    ctx: Ctx<'_>,
) -> Result<(Column, Option<Column>)> {
    let open = table.open(ctx.stream)?;
    let slots = open.slices()?;
    let found = find(table, slots, build, probe, request, ctx)?;
    let left_type = row_indices(probe.rows());
    let mut right = request.has_pairs().then(|| HostOutput::<u32>::new(found.size(), ctx)).transpose()?;
    let right_values = right.as_mut().map(|right| right.values(ctx.stream)).transpose()?.unwrap_or_default();
    let left = if left_type == DataType::UInt32 {
        let mut left = HostOutput::<u32>::new(found.size(), ctx)?;
        write(&found, slots, request.kind, left.values(ctx.stream)?, right_values, |row| row as u32, JOIN_NO_MATCH);
        left.finish(&left_type, HostMask::none())?
    } else {
        let mut left = HostOutput::<u64>::new(found.size(), ctx)?;
        write(&found, slots, request.kind, left.values(ctx.stream)?, right_values, |row| row as u64, u64::MAX);
        left.finish(&left_type, HostMask::none())?
    };
    let right = right.map(|right| right.finish(&row_indices(build.rows()), HostMask::none())).transpose()?;
    Ok((left, right))
}

pub(in crate::join) fn unmatched_rows(
    table: &KeyTable,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let open = table.open(ctx.stream)?;
    let request = Request { kind: Kind::Semi, full: true };
    let found = find(table, open.slices()?, build, probe, request, ctx)?;
    let rows = found.unmatched.as_deref().unwrap_or_default();
    let mut output = HostOutput::<u32>::new(rows.len(), ctx)?;
    output.values(ctx.stream)?.copy_from_slice(rows);
    output.finish(&row_indices(build.rows()), HostMask::none())
}

fn find<'r>(
    table: &KeyTable,
    slots: KeySlots<'_>,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    ctx: Ctx<'r>,
) -> Result<Found<'r>> {
    let (build_columns, columns) = (open_key_columns(build, ctx.stream)?, open_key_columns(probe, ctx.stream)?);
    let build_keys = table.own_keys(&build_columns, build)?;
    let keys = table.other_keys(&columns, probe)?;
    let rows = probe.rows();
    let mut starts = HostVec::<u32>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
    let counted = slots.grouped.is_some() && request.has_pairs();
    let mut counts = HostVec::<u32>::uninitialized(if counted { rows } else { 0 }, ctx.stream, ctx.mr.temporary)?;
    let task = task_rows();
    let mut sizes = vec![0; rows.div_ceil(task)];
    let lengths = || (0..sizes.len()).map(|chunk| task.min(rows - chunk * task));
    let pieces = split_mut(&mut starts, lengths()).into_iter().zip(split_mut(&mut counts, lengths()));
    let tasks: Vec<_> = pieces.zip(&mut sizes).collect();
    for_each_task(tasks, |chunk, ((starts, counts), size)| {
        *size = find_chunk(slots, &build_keys, &keys, request, chunk * task, starts, counts);
    });
    let unmatched = if request.full { Some(unmatched(slots, &build_keys, build.rows(), &starts, ctx)?) } else { None };
    Ok(Found { starts, counts, sizes, unmatched })
}

/// Looks up the rows of a chunk and returns the number of results.
fn find_chunk(
    slots: KeySlots<'_>,
    build: &HostKeys<'_>,
    keys: &HostKeys<'_>,
    request: Request,
    first: usize,
    starts: &mut [u32],
    counts: &mut [u32],
) -> usize {
    let (mut words, mut flags, mut found) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK], [Matches::NONE; KEY_BLOCK]);
    let (mut matched, mut results) = (0, 0);
    let rows = starts.len();
    let presence = !request.has_pairs() && !request.full;
    for (block, starts) in starts.chunks_mut(KEY_BLOCK).enumerate() {
        let at = block * KEY_BLOCK;
        let (words, flags) = (&mut words[..starts.len()], &mut flags[..starts.len()]);
        let found = &mut found[..starts.len()];
        keys.words_into(first + at, words, flags);
        if let Some(found) = slots.find_rows(words, flags, presence, starts) {
            matched += found;
            continue;
        }
        slots.find_block(words, flags, |index, other| keys.same(first + at + index, build, other), found);
        for (start, found) in starts.iter_mut().zip(&*found) {
            *start = found.start;
            matched += usize::from(found.count > 0);
        }
        let counts = counts.get_mut(at..at + starts.len()).unwrap_or_default();
        for (count, found) in counts.iter_mut().zip(&*found).filter(|(_, found)| found.count > 0) {
            *count = found.count;
            results += found.count as usize - 1;
        }
    }
    match request.kind {
        Kind::Inner => matched + results,
        Kind::Left => rows + results,
        Kind::Semi => matched,
        Kind::Anti => rows - matched,
    }
}

fn unmatched<'r>(
    slots: KeySlots<'_>,
    build: &HostKeys<'_>,
    rows: usize,
    starts: &[u32],
    ctx: Ctx<'r>,
) -> Result<HostVec<'r, u32>> {
    let mut marks = HostVec::<u8>::zeroed(rows, ctx.stream, ctx.mr.temporary)?;
    for start in starts.iter().filter(|start| **start != NO_MATCH) {
        marks[*start as usize] = 1;
    }
    let (mut words, mut flags, mut keys) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK], [Matches::NONE; KEY_BLOCK]);
    let mut found = HostVec::<u32>::new(ctx.stream, ctx.mr.temporary);
    found.try_reserve(rows)?;
    for first in (0..rows).step_by(KEY_BLOCK) {
        let len = KEY_BLOCK.min(rows - first);
        let (words, flags, keys) = (&mut words[..len], &mut flags[..len], &mut keys[..len]);
        build.words_into(first, words, flags);
        slots.find_block(words, flags, |index, other| build.same(first + index, build, other), keys);
        for (index, key) in keys.iter().enumerate() {
            if key.count == 0 || marks[key.start as usize] == 0 {
                found.try_push((first + index) as u32)?;
            }
        }
    }
    Ok(found)
}

/// Writes all results.
fn write<T: Pod + Send + Sync>(
    found: &Found<'_>,
    slots: KeySlots<'_>,
    kind: Kind,
    left: &mut [T],
    right: &mut [u32],
    number: impl Fn(usize) -> T + Sync,
    nothing: T,
) {
    let pairs = !right.is_empty();
    let ends = || found.sizes.iter().copied().chain([usize::MAX]);
    let lefts = split_mut(left, ends());
    let rights = split_mut(right, ends());
    let (counts, starts) = (&found.counts[..], &found.starts[..]);
    let task = task_rows();
    let tasks: Vec<_> = lefts.into_iter().zip(rights).collect();
    let number = &number;
    for_each_task(tasks, |chunk, (left, right)| {
        if chunk == found.sizes.len() {
            let Some(rows) = &found.unmatched else { return };
            left.fill(nothing);
            right.copy_from_slice(rows);
            return;
        }
        let rows = chunk * task..((chunk + 1) * task).min(starts.len());
        let Some(grouped) = slots.grouped.filter(|_| pairs) else {
            write_single(&starts[rows.clone()], rows.start, kind, left, right, number);
            return;
        };
        let mut at = 0;
        let mut put = |row: usize, match_of: u32| {
            (left[at], right[at]) = (number(row), match_of);
            at += 1;
        };
        for row in rows {
            match (starts[row], kind) {
                (NO_MATCH, Kind::Left) => put(row, JOIN_NO_MATCH),
                (NO_MATCH, _) => {}
                (start, _) => {
                    let positions = start as usize..start as usize + counts[row] as usize;
                    grouped[positions].iter().for_each(|row_there| put(row, *row_there));
                }
            }
        }
    });
}

/// Writes the results of rows of which each has at most one result.
fn write_single<T: Pod>(
    starts: &[u32],
    first: usize,
    kind: Kind,
    mut left: &mut [T],
    mut right: &mut [u32],
    number: impl Fn(usize) -> T,
) {
    let (mut numbers, mut words) = ([T::zeroed(); KEY_BLOCK], [0; KEY_BLOCK / 64]);
    for (first, starts) in (first..).step_by(KEY_BLOCK).zip(starts.chunks(KEY_BLOCK)) {
        let words = &mut words[..starts.len().div_ceil(64)];
        for (word, starts) in words.iter_mut().zip(starts.chunks(64)) {
            *word = match kind {
                Kind::Inner | Kind::Semi => test_word(starts, &|start| start != NO_MATCH),
                Kind::Anti => test_word(starts, &|start| start == NO_MATCH),
                Kind::Left => test_word(starts, &|_| true),
            };
        }
        let numbers = &mut numbers[..starts.len()];
        (first..).zip(&mut *numbers).for_each(|(row, to)| *to = number(row));
        let count = words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        compact(numbers, words.iter().copied(), left);
        left = left.get_mut(count..).unwrap_or_default();
        if !right.is_empty() {
            compact(starts, words.iter().copied(), right);
            right = right.get_mut(count..).unwrap_or_default();
        }
    }
}
