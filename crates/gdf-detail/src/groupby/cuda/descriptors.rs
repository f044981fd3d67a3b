//! What the kernels of `kernels/groupby` take by value, bit for bit.

use bytemuck::{Pod, Zeroable};
use gdf_core::{ColumnView, Result};
use gdf_driver::Stream;
use gdf_kernels::ColumnIn;

use crate::cuda::{CudaColumn, characters};
use crate::groupby::plan::Step;

/// Columns of values of a launch.
pub(super) const VALUE_COLUMNS: usize = 16;
/// Accumulators of a launch.
pub(super) const STEPS: usize = 32;
/// Words that a launch makes empty.
pub(super) const BEGINNINGS: usize = 256;

/// `gdf::row_table` of values.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ValuesIn {
    column: [ColumnIn; VALUE_COLUMNS],
    bytes: [i64; VALUE_COLUMNS],
    count: i32,
    unused: i32,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct StepIn {
    kind: i32,
    column: i16,
    value: i16,
    word: i32,
    local: i32,
}

/// `groupby::steps`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct StepsIn {
    step: [StepIn; STEPS],
    count: i32,
    local_words: i32,
}

/// `groupby::local_plan`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LocalPlan {
    pub(super) slots: i32,
    pub(super) groups: i32,
    pub(super) copies: i32,
    pub(super) keep: i32,
}

/// `gdf::group_table`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct GroupTable {
    pub(super) slots: u64,
    pub(super) mask: u64,
    pub(super) state: u64,
    pub(super) first_row: u64,
    pub(super) room: u64,
}

/// `groupby::accumulators`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct AccumulatorsOut {
    pub(super) words: u64,
    pub(super) stride: i64,
}

impl AccumulatorsOut {
    /// From a later word on.
    pub(super) fn after_word(self, word: usize) -> Self {
        Self { words: self.words + (word as u64) * (self.stride as u64) * 8, ..self }
    }
}

/// `groupby::beginnings`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Beginnings([u8; BEGINNINGS]);

/// `groupby::sample_table`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SampleTable {
    pub(super) hashes: u64,
    pub(super) counts: u64,
    pub(super) mask: u64,
}

/// Columns of values that rows can be moved with.
pub(super) const MOVED: usize = 8;

/// `groupby::moved_out`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MovedOut {
    pub(super) words: u64,
    pub(super) values: MovedValues,
}

/// `groupby::moved_values`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MovedValues {
    pub(super) data: [u64; MOVED],
    pub(super) valid: u64,
}

/// `groupby::row_set`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RowSet {
    pub(super) slots: u64,
    pub(super) mask: u64,
}

const _: () = assert!(size_of::<ValuesIn>() == 904 && size_of::<StepsIn>() == 520);

/// Steps of one launch, and the columns that they read. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(super) struct OpenSteps<'a> {
    pub(super) values: ValuesIn,
    pub(super) steps: StepsIn,
    /// The columns that the steps read.
    pub(super) requests: Vec<ColumnView<'a>>,
    _columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenSteps<'a> {
    /// `steps` as [`launches`] cuts them.
    pub(super) fn new(steps: &[Step], views: &[ColumnView<'a>], stream: &Stream) -> Result<Self> {
        let (mut values, mut out) = (ValuesIn::zeroed(), StepsIn::zeroed());
        let mut requests = Vec::new();
        let mut columns = Vec::new();
        for (step, out_step) in steps.iter().zip(&mut out.step) {
            let column = match step.request {
                None => -1,
                Some(request) => {
                    let known = requests.iter().position(|known| *known == request);
                    known.unwrap_or_else(|| {
                        requests.push(request);
                        requests.len() - 1
                    }) as i16
                }
            };
            *out_step = StepIn {
                kind: step.kind as i32,
                column,
                value: step.value as i16,
                word: step.word as i32,
                local: out.local_words,
            };
            out.local_words += step.kind.words() as i32;
            out.count += 1;
        }
        for ((place, bytes), request) in values.column.iter_mut().zip(&mut values.bytes).zip(&requests) {
            let column = CudaColumn::open(views[*request], stream)?;
            (*place, *bytes) = (column.desc, characters(views[*request]));
            columns.push(column);
        }
        values.count = requests.len() as i32;
        let requests = requests.into_iter().map(|request| views[request]).collect();
        Ok(Self { values, steps: out, requests, _columns: columns })
    }

    pub(super) fn words(&self) -> usize {
        self.steps.local_words as usize
    }
}

/// The steps of each launch: at least one launch, as many steps each as fit.
pub(super) fn launches(steps: &[Step]) -> Vec<&[Step]> {
    let mut cut = Vec::new();
    let mut rest = steps;
    loop {
        let mut requests = Vec::new();
        let fits = |step: &&Step| {
            if let Some(request) = step.request.filter(|request| !requests.contains(request)) {
                requests.push(request);
            }
            requests.len() <= VALUE_COLUMNS
        };
        let count = rest.iter().take(STEPS).take_while(fits).count();
        let (launch, after) = rest.split_at(count);
        cut.push(launch);
        rest = after;
        if rest.is_empty() {
            return cut;
        }
    }
}

/// How the words `first ..` of the accumulators begin, and how many these are.
pub(super) fn beginnings(steps: &[Step], words: usize, first: usize) -> (Beginnings, i32) {
    let mut begin = Beginnings::zeroed();
    for step in steps {
        if let Some(place) = step.word.checked_sub(first).and_then(|word| begin.0.get_mut(word)) {
            *place = match step.kind.identity() {
                0 => 0,
                u64::MAX => 1,
                1 => 2,
                _ => 3,
            };
        }
    }
    (begin, (words - first).min(BEGINNINGS) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groupby::plan::{Kind, Value};

    #[test]
    fn launches_hold_what_fits() {
        let step = |request: usize| Step { kind: Kind::Add, value: Value::One, request: Some(request), word: 0 };
        assert_eq!(launches(&[]).len(), 1);
        let one_column: Vec<_> = (0..70).map(|_| step(3)).collect();
        assert_eq!(launches(&one_column).iter().map(|steps| steps.len()).collect::<Vec<_>>(), [32, 32, 6]);
        let columns: Vec<_> = (0..40).map(step).collect();
        assert_eq!(launches(&columns).iter().map(|steps| steps.len()).collect::<Vec<_>>(), [16, 16, 8]);
    }
}
