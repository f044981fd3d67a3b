//! N-grams of strings, made by joining consecutive rows.

use gdf_compute::binaryop::{BinaryOperator as Op, binary_operation, of};
use gdf_compute::lists::{Lists, offsets_of, rows_of_runs};
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnView, DataType, Error, ListsView, Result, TableView};
use gdf_engine::elementwise::Nulls;
use gdf_engine::strings;

use super::character_ngrams::check_ngrams;
use super::tokens::tokens;
use super::{JoinOptions, concatenate, tokenize};
use crate::Ctx;

/// Joins every `n` consecutive rows. Null and empty rows are first left out.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`InvalidArgument`](Error::InvalidArgument): `n` is less than 2.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn generate_ngrams(column: ColumnView<'_>, n: usize, separator: &str, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    strings::is_large("generate_ngrams", column)?;
    check_ngrams("n", n)?;
    let is_some = binary_operation(column.into(), "".into(), Op::NotEqual, &DataType::Boolean, scratch)?;
    let texts = apply_boolean_mask(TableView::try_new(vec![column])?, is_some.view(), scratch)?;
    joined(texts.column(0)?, n, separator, ctx)
}

/// Joins every `n` consecutive tokens of each row. The result has the n-grams of all rows in one column.
///
/// The tokens are those of [`tokenize`].
///
/// # Errors
/// * The errors of [`tokenize`]; [`InvalidArgument`](Error::InvalidArgument): `n` is 0.
pub fn ngrams_tokenize(
    column: ColumnView<'_>,
    n: usize,
    delimiters: &[&str],
    separator: &str,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (scratch, rows) = (ctx.scratch(), column.len());
    match n {
        0 => return Err(Error::invalid_argument("the number of tokens is 0; use at least 1").in_argument("n")),
        1 => return tokenize(column, delimiters, ctx),
        _ => {}
    }
    let lists = tokens("ngrams_tokenize", column, delimiters, scratch, |all| all.into_lists(Nulls::Never, scratch))?;
    let lists = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    let total = lists.elements.len();
    if n > total {
        strings::is_large("ngrams_tokenize", column)?;
        return strings::empty(column.data_type(), ctx);
    }
    let ends = offsets_of(&lists.sizes, scratch)?.slice(1, rows)?;
    let row_of = rows_of_runs(ends.view(), total, scratch)?;
    let (first, last) = (row_of.slice(0, total - n + 1)?, row_of.slice(n - 1, total - n + 1)?);
    let within = of(&first, Op::Equal, (&last).into(), &DataType::Boolean, scratch)?;
    let all = joined(&lists.elements, n, separator, scratch)?;
    let kept = apply_boolean_mask(TableView::try_new(vec![all.view()])?, within.view(), ctx)?;
    kept.column(0).cloned()
}

fn joined(texts: &Column, n: usize, separator: &str, ctx: Ctx<'_>) -> Result<Column> {
    if n > texts.len() {
        strings::is_large("ngrams", texts.view())?;
        return strings::empty(texts.data_type(), ctx);
    }
    let rows = texts.len() - n + 1;
    let slices = (0..n).map(|at| texts.view().slice(at, rows)).collect::<Result<Vec<_>>>()?;
    concatenate(TableView::try_new(slices)?, separator.into(), JoinOptions::default(), ctx)
}
