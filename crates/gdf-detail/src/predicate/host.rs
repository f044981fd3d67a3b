//! Evaluation of the steps on the CPU, 64 rows at a time. All steps are evaluated for 64 rows before the next 64 rows.

use bytemuck::Pod;
use gdf_core::{Column, DataType, Error, Result, physical_type};
use gdf_engine::elementwise::{BitWords, pack_stored};
use gdf_engine::host::{
    HostColumn, HostMask, HostOutput, StringRows, column, for_each_task, mask_from_words, task_rows, vectorized,
};

use super::plan::{Combine, Comparable, MAX_WAITING, Plan, PlannedStep, Test, by_stored_number};
use crate::Ctx;

/// Values and validity of 64 rows.
type Truth = (u64, u64);

/// A function that evaluates a step for the 64 rows from `64 * index` on. The second argument has a bit for each row
/// whose result matters.
type Words<'a> = Box<dyn Fn(usize, u64) -> Truth + Sync + 'a>;

/// Evaluates the plan to a column of `rows` rows. There must be at least one row.
pub(super) fn evaluate(plan: &Plan<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let views = plan.columns();
    let columns = views.iter().map(|view| HostColumn::open(*view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let steps = plan.steps.iter().map(|step| Ok((step, words(step, &columns, rows)?)));
    let steps = steps.collect::<Result<Vec<_>>>()?;
    let word = |index: usize| run(&steps, index, (rows - index * 64).min(64));
    let finish = |values: &(dyn Fn(usize) -> u64 + Sync), mask| {
        let (bits, _) = mask_from_words(rows, ctx.stream, ctx.mr.output, values)?;
        column(&DataType::Boolean, rows, [bits.slice(0, rows.div_ceil(8))?], mask)
    };
    if !plan.nullable() {
        return finish(&|index| word(index).0, HostMask::none());
    }
    // Values and validity are computed together, so that the inputs are read only once.
    let mut both = HostOutput::<[u64; 2]>::new(rows.div_ceil(64), ctx.scratch())?;
    let task = task_rows() / 64;
    for_each_task(both.values(ctx.stream)?.chunks_mut(task).collect(), |chunk, out: &mut [[u64; 2]]| {
        for (index, slot) in (chunk * task..).zip(out) {
            let (value, valid) = word(index);
            *slot = [value & valid, valid];
        }
    });
    let both = &*both.values(ctx.stream)?;
    let mask = HostMask::from_words(rows, ctx.stream, ctx.mr.output, |index| both[index][1])?;
    finish(&|index| both[index][0], mask)
}

/// Evaluates the steps for one word of rows. Steps that cannot change the result are skipped.
fn run(steps: &[(&PlannedStep, Words<'_>)], index: usize, rows: usize) -> Truth {
    let all = u64::MAX >> (64 - rows);
    let (mut waiting, mut depth) = ([((0, 0), 0); MAX_WAITING], 0);
    let (mut last, mut needed) = ((0, 0), all);
    for (at, (step, words)) in steps.iter().enumerate() {
        if step.test == Test::Joined {
            depth -= 1;
            let (before, needed_before) = waiting[depth];
            (last, needed) = (join(step.combine, before, last), needed_before);
            continue;
        }
        let wanted = needed & !decided(step.combine, last);
        let next = || if wanted == 0 { (0, 0) } else { words(index, wanted) };
        match step.combine {
            Combine::Both | Combine::Either if wanted == 0 => {}
            Combine::Both | Combine::Either => last = join(step.combine, last, next()),
            Combine::Push | Combine::PushForBoth | Combine::PushForEither => {
                if at > 0 {
                    waiting[depth] = (last, needed);
                    depth += 1;
                    needed = wanted;
                }
                last = next();
            }
        }
    }
    last
}

/// Combines two results by `and` or `or` in three-valued logic.
fn join(how: Combine, a: Truth, b: Truth) -> Truth {
    let both = a.1 & b.1;
    if how == Combine::Both {
        return (a.0 & b.0, both | (a.1 & !a.0) | (b.1 & !b.0));
    }
    let either = (a.1 & a.0) | (b.1 & b.0);
    (either, both | either)
}

/// Returns a mask of the rows whose result cannot change any more, whatever the further operands are.
fn decided(how: Combine, a: Truth) -> u64 {
    match how {
        Combine::Both | Combine::PushForBoth => a.1 & !a.0,
        Combine::Either | Combine::PushForEither => a.1 & a.0,
        Combine::Push => 0,
    }
}

fn words<'a>(step: &PlannedStep, columns: &'a [HostColumn<'_>], rows: usize) -> Result<Words<'a>> {
    let flipped = u64::from(step.negated).wrapping_neg();
    if matches!(step.test, Test::Never | Test::Joined) {
        return Ok(Box::new(move |_, _| (flipped, u64::MAX)));
    }
    let valid = BitWords::validity(&columns[step.column])?;
    let other = step.other.map(|other| BitWords::validity(&columns[other])).transpose()?;
    if step.test == Test::Valid {
        return Ok(Box::new(move |index, _| (valid.word(index) ^ flipped, u64::MAX)));
    }
    let values = values(step, columns, rows)?;
    Ok(Box::new(move |index, wanted| {
        let both = other.as_ref().map_or(u64::MAX, |other| other.word(index));
        (values(index, wanted) ^ flipped, valid.word(index) & both)
    }))
}

type Values<'a> = Box<dyn Fn(usize, u64) -> u64 + Sync + 'a>;

fn values<'a>(step: &PlannedStep, columns: &'a [HostColumn<'_>], rows: usize) -> Result<Values<'a>> {
    let column = &columns[step.column];
    let data_type = column.view().data_type();
    match step.test {
        Test::Boolean => {
            let bits = BitWords::values(column)?;
            Ok(Box::new(move |index, _| bits.word(index)))
        }
        Test::Text | Test::StartsWith => texts(step, column),
        _ => by_stored_number!(
            physical_type(data_type),
            T => numbers::<T>(step, columns, rows),
            Err(Error::unsupported("evaluate_predicate", data_type))
        ),
    }
}

fn numbers<'a, T: Comparable + Pod>(
    step: &PlannedStep,
    columns: &'a [HostColumn<'_>],
    rows: usize,
) -> Result<Values<'a>> {
    let block = move |values: &'a [T], index: usize| &values[index * 64..rows.min(index * 64 + 64)];
    let values = columns[step.column].values::<T>()?;
    let Some(other) = step.other else {
        let [low, high, ..] = step.bounds.map(T::of_word);
        return Ok(Box::new(move |index, _| within(block(values, index), low, high)));
    };
    if step.test == Test::Key {
        let ([first, count, ..], bits) = (step.bounds, BitWords::values(&columns[other])?);
        let width = u64::MAX >> (64 - 8 * size_of::<T>());
        return Ok(Box::new(move |index, _| {
            pack_stored(block(values, index), block(values, index), |value, _| {
                let at = value.to_word().wrapping_sub(first) & width;
                at < count && bits.word(at as usize / 64) >> (at % 64) & 1 != 0
            })
        }));
    }
    let (other, test) = (columns[other].values::<T>()?, step.test);
    Ok(Box::new(move |index, _| compare(block(values, index), block(other, index), test)))
}

vectorized! {
    /// Returns a bit for each of up to 64 rows. The bit is set if the value of the row is from `low` to `high`.
    fn within[T: Comparable](rows: &[T], low: T, high: T) -> u64 {
        pack_stored(rows, rows, |value, _| (low <= value) & (value <= high))
    }
}

vectorized! {
    /// Returns a bit for each of up to 64 rows. The bit is the result of the comparison.
    fn compare[T: Comparable](lhs: &[T], rhs: &[T], test: Test) -> u64 {
        match test {
            Test::Equal => pack_stored(lhs, rhs, |a, b| a == b),
            Test::Less => pack_stored(lhs, rhs, |a, b| a < b),
            _ => pack_stored(lhs, rhs, |a, b| a <= b),
        }
    }
}

fn texts<'a>(step: &PlannedStep, column: &'a HostColumn<'_>) -> Result<Values<'a>> {
    let (texts, size, prefix) = (StringRows::open(column)?, step.size, step.test == Test::StartsWith);
    let mut bytes = [0; 32];
    for (half, word) in bytes.chunks_mut(8).zip(step.bounds) {
        half.copy_from_slice(&word.to_le_bytes());
    }
    Ok(Box::new(move |index, mut wanted| {
        let mut word = 0;
        while wanted != 0 {
            let bit = wanted.trailing_zeros();
            let text = texts.get_valid(index * 64 + bit as usize);
            let is = if prefix { text.starts_with(&bytes[..size]) } else { text == &bytes[..size] };
            word |= u64::from(is) << bit;
            wanted &= wanted - 1;
        }
        word
    }))
}
