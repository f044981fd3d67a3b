//! Hashes of lists and structs, by the rules of libcudf. A nested column is split into paths. Each path leads from the
//! nested column to one column of plain values. The hash of a row along a path combines three things, level by level:
//! the validity of each struct and list, the hashes of the sizes of lists, and the hashes of the values.

use bytemuck::Zeroable;
use gdf_core::{
    Column, ColumnView, DataType, Error, ListsView, Operand, PhysicalType, Result, StructsView, TableView,
    physical_type,
};
use gdf_engine::decoded::decoded_type;
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::mask::bitmask_and;
use gdf_engine::row_hash::Function;
use gdf_engine::sequence::constant;
use gdf_kernels::generated::common::ColumnIn;
use gdf_kernels::generated::hashing::{FoldHashes, FoldHashesKernel};

use super::plain::plain;
use crate::Ctx;
use crate::copying::copy_if_else;
use crate::lists::{Lists, Ranges, as_lists, cast_nested, gather_column, offsets_of};

/// Returns whether rows of the type are lists or structs, whose hashes are combined from the hashes of their parts.
pub fn is_nested(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_nested(values),
        _ => matches!(
            physical_type(data_type),
            PhysicalType::Struct | PhysicalType::List { .. } | PhysicalType::Map | PhysicalType::FixedSizeList(_)
        ),
    }
}

pub(super) struct Nested<'a, F: Function> {
    pub operation: &'static str,
    /// The type of a word of a hash: `UInt32` or `UInt64`.
    pub data_type: &'a DataType,
    pub seed: F::Seed,
    pub ctx: Ctx<'a>,
}

type Word<F> = <<F as Function>::Fold as Function>::Value;

/// The hashes of items: a column for each word.
type Hashes = Vec<Column>;

/// The items of rows at one level of a nested column.
#[derive(Clone)]
struct Level {
    items: Column,
    /// The structs with a validity mask that contain the items.
    around: Vec<Column>,
    /// The position of the first item of each row, as `Int64`, followed by the end of the last row. `None` if each row
    /// has exactly one item.
    offsets: Option<Column>,
}

impl<F: Function> Nested<'_, F> {
    pub(super) fn of_rows(&self, table: &TableView<'_>) -> Result<Hashes> {
        let mut paths = Vec::new();
        for column in table.columns() {
            let level = Level { items: column.to_column(), around: Vec::new(), offsets: None };
            self.descend(&level, None, &mut paths).map_err(|error| error.in_type(column.data_type()))?;
        }
        let last = paths.pop().ok_or_else(|| Error::internal("a nested table has no hashes"))?;
        let mut paths = paths.into_iter();
        let Some(first) = paths.next() else {
            return last.iter().map(|word| word.deep_copy(self.ctx.stream, self.ctx.mr.output)).collect();
        };
        let before = paths.try_fold(first, |hashes, path| self.fold(Some(&hashes), &path, None, self.ctx.scratch()))?;
        self.fold(Some(&before), &last, None, self.ctx)
    }

    /// Appends to `paths` the hashes of all paths that begin with the items of a level.
    fn descend(&self, level: &Level, state: Option<&Hashes>, paths: &mut Vec<Hashes>) -> Result<()> {
        let scratch = self.ctx.scratch();
        let view = level.items.view();
        match physical_type(view.data_type()) {
            PhysicalType::Struct => {
                let with_nulls = self.folded(state, &self.validity(level)?, level)?;
                let fields = StructsView::try_from(view)?;
                let mut around = level.around.clone();
                around.extend(view.has_validity().then(|| level.items.clone()));
                for i in 0..fields.num_children() {
                    let items = fields.child(i)?.to_column();
                    let field = Level { items, around: around.clone(), offsets: level.offsets.clone() };
                    let state = if i == 0 { Some(&with_nulls) } else { state };
                    self.descend(&field, state, paths)?;
                }
                if fields.num_children() == 0 {
                    paths.push(with_nulls);
                }
                Ok(())
            }
            PhysicalType::List { .. } | PhysicalType::Map | PhysicalType::FixedSizeList(_) => {
                let state = self.folded(state, &self.validity(level)?, level)?;
                let lists = as_lists(self.operation, view, scratch)?;
                let around: Vec<_> = level.around.iter().map(Column::view).collect();
                let has_nulls = lists.has_validity() || !around.is_empty();
                let lists = Lists::open(ListsView::try_from(lists.view())?, &around, scratch)?;
                let sizes = cast_nested(lists.sizes.view(), &DataType::Int32, scratch)?;
                let sizes = self.plain(sizes.view(), F::Seed::zeroed())?;
                let state = self.folded(Some(&state), &sizes, level)?;
                self.descend(&self.elements(level, lists, has_nulls)?, Some(&state), paths)
            }
            PhysicalType::Dictionary if is_nested(view.data_type()) => {
                let items = cast_nested(view, decoded_type(view.data_type()), scratch)?;
                self.descend(&Level { items, ..level.clone() }, state, paths)
            }
            _ => {
                let hashes = self.plain(view, self.seed)?;
                let hashes = self.select(&level.around, Some(&hashes), view.len())?;
                paths.push(match state {
                    None => hashes,
                    Some(state) => self.folded(Some(state), &hashes, level)?,
                });
                Ok(())
            }
        }
    }

    /// Returns the elements of the lists of a level as the next level.
    fn elements(&self, level: &Level, lists: Lists, has_nulls: bool) -> Result<Level> {
        let scratch = self.ctx.scratch();
        let (items, offsets) = if has_nulls {
            let (ranges, offsets) = Ranges::new(lists.begins()?, &lists.sizes, scratch)?;
            (ranges.copy_column(lists.elements.view(), scratch)?, offsets)
        } else {
            let range = Lists::ranges(std::slice::from_ref(&lists), scratch)?.pop().unwrap_or(0..0);
            (lists.elements.slice(range.start, range.len())?, offsets_of(&lists.sizes, scratch)?)
        };
        let offsets = match &level.offsets {
            None => offsets,
            Some(outer) => gather_column(offsets.view(), outer.view(), scratch)?,
        };
        Ok(Level { items, around: Vec::new(), offsets: Some(offsets) })
    }

    /// Returns a hash of the validity of each item of a level: zero if the item is valid, and a word of ones if the
    /// item or an enclosing struct is null.
    fn validity(&self, level: &Level) -> Result<Hashes> {
        let own = level.items.has_validity().then(|| level.items.clone());
        let nullable: Vec<_> = level.around.iter().cloned().chain(own).collect();
        self.select(&nullable, None, level.items.len())
    }

    /// Returns `hashes`, or zeros if `hashes` is `None`. In rows in which a column of `nullable` is null, all bits are
    /// set.
    fn select(&self, nullable: &[Column], hashes: Option<&Hashes>, rows: usize) -> Result<Hashes> {
        let scratch = self.ctx.scratch();
        let (zero, null): (Operand<'_>, Operand<'_>) = match F::FOLD {
            FoldHashesKernel::Narrow => (0_u32.into(), u32::MAX.into()),
            FoldHashesKernel::Wide => (0_u64.into(), u64::MAX.into()),
        };
        let valid = match nullable.is_empty() {
            true => None,
            false => {
                let masks = TableView::try_new(nullable.iter().map(Column::view).collect())?;
                Some(bitmask_and(&masks, scratch)?.to_column()?)
            }
        };
        let word = |word: usize| match (hashes.map(|hashes| &hashes[word]), &valid) {
            (Some(hashes), None) => Ok(hashes.clone()),
            (None, None) => constant(zero, rows, scratch),
            (hashes, Some(valid)) => copy_if_else(hashes.map_or(zero, Into::into), null, valid.view(), scratch),
        };
        (0..F::WORDS).map(word).collect()
    }

    fn plain(&self, items: ColumnView<'_>, seed: F::Seed) -> Result<Hashes> {
        plain::<F>(self.operation, self.data_type, &TableView::from(items), seed, self.ctx.scratch())
    }

    fn folded(&self, state: Option<&Hashes>, hashes: &Hashes, level: &Level) -> Result<Hashes> {
        self.fold(state, hashes, level.offsets.as_ref(), self.ctx.scratch())
    }

    /// Combines the hashes of each row, word by word.
    fn fold(&self, state: Option<&Hashes>, hashes: &Hashes, offsets: Option<&Column>, ctx: Ctx<'_>) -> Result<Hashes> {
        let words = hashes.iter().enumerate();
        words.map(|(word, hashes)| self.fold_word(state.map(|state| &state[word]), hashes, offsets, ctx)).collect()
    }

    /// Combines the hash of each row with the hashes of the items of the row.
    fn fold_word(
        &self,
        state: Option<&Column>,
        hashes: &Column,
        offsets: Option<&Column>,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let rows = offsets.map_or(hashes.len(), |offsets| offsets.len() - 1);
        let [given, ranges] = [state, offsets].map(|column| column.unwrap_or(hashes).view());
        elementwise::map(
            Inputs::for_rows([given.into(), hashes.view().into(), ranges.into()], rows, ctx)?,
            self.data_type,
            Nulls::Never,
            ctx,
            |rows| {
                let [given, hashes, ranges] = rows.columns();
                let hashes = hashes.values::<Word<F>>()?;
                let given = if state.is_some() { Some(given.values::<Word<F>>()?) } else { None };
                let ranges = if offsets.is_some() { Some(ranges.values::<i64>()?) } else { None };
                rows.filled(
                    || rows.mask(),
                    |first, out: &mut [Word<F>]| {
                        for (row, out) in (first..).zip(out) {
                            let before = given.map_or(Word::<F>::zeroed(), |given| given[row]);
                            let items = ranges.map_or(row..row + 1, |at| at[row] as usize..at[row + 1] as usize);
                            *out = hashes[items].iter().fold(before, |hash, item| F::Fold::combine(hash, *item));
                        }
                    },
                )
            },
            |launch| {
                let [given, items, ranges] = launch.inputs;
                let state = if state.is_some() { given } else { ColumnIn::default() };
                let offsets = if offsets.is_some() { ranges } else { ColumnIn::default() };
                launch.run(F::FOLD, launch.rows, &FoldHashes { state, items, offsets, out: launch.out })
            },
        )
    }
}
