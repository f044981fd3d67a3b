//! Columns of t-digests in libcudf's layout. This file assembles digest columns from parts, splits digest columns
//! into parts, and concatenates digest columns.

use std::sync::Arc;

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::copying::copy_if_else;
use gdf_compute::lists::{Lists, offsets_of, rows_of_ranges};
use gdf_compute::reduction::minmax;
use gdf_compute::replace::replace_nulls;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, Field, Fields, ListsView, Literal, Position, Result, StructsView,
    TableView, same_type,
};
use gdf_engine::cast::cast;
use gdf_engine::check;

use super::segments::take;
use crate::Ctx;
use crate::vouch;
use crate::vouch::rows::gather_trusted;

/// The limit up to which `Float64` represents every whole number exactly.
const MAX_WEIGHT: f64 = (1_u64 << 53) as f64;

/// Returns the type of a digest.
pub(crate) fn digest_type() -> DataType {
    let centroids = Field::new_list_field(centroid_type(), true);
    let fields = [("centroids", DataType::List(Arc::new(centroids)))];
    structure(fields.into_iter().chain(["min", "max"].map(|name| (name, DataType::Float64))))
}

fn centroid_type() -> DataType {
    structure(["mean", "weight"].map(|name| (name, DataType::Float64)))
}

fn structure(fields: impl IntoIterator<Item = (&'static str, DataType)>) -> DataType {
    DataType::Struct(fields.into_iter().map(|(name, data_type)| Field::new(name, data_type, true)).collect::<Fields>())
}

/// Returns whether a column of the type can contain digests.
pub(crate) fn is_digest(data_type: &DataType) -> bool {
    same_type(&digest_type(), data_type)
}

/// The centroids of all digests, digest after digest.
pub(super) struct Centroids {
    /// The offsets of each digest's centroids.
    pub(super) offsets: Column,
    pub(super) means: Column,
    pub(super) weights: Column,
}

pub(super) struct Digests {
    /// The first centroid of each digest.
    begins: Column,
    pub(super) sizes: Column,
    pub(super) min: Column,
    pub(super) max: Column,
    centroids: Column,
}

impl Digests {
    pub(super) fn open(digests: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Self> {
        check::column(digests, ctx)?;
        check::types(&digest_type(), digests.data_type()).map_err(|error| error.in_argument("digests"))?;
        let fields = StructsView::try_from(digests)?;
        let lists = ListsView::try_from(fields.child(0)?)?;
        let lists = Lists::open(lists, &[digests], ctx)?;
        let (begins, Lists { sizes, elements, .. }) = (lists.begins()?, lists);
        let some = of(&sizes, Op::Greater, 0_i64.into(), &DataType::Boolean, ctx)?;
        let extreme =
            |of: ColumnView<'_>| copy_if_else(of.into(), Literal::null(&DataType::Float64).into(), some.view(), ctx);
        let (min, max) = (extreme(fields.child(1)?)?, extreme(fields.child(2)?)?);
        Ok(Self { begins, sizes, min, max, centroids: elements })
    }

    pub(super) fn take(self, rows: &Column, ctx: Ctx<'_>) -> Result<Self> {
        let of = |column: &Column| take(column, rows, ctx);
        let (begins, sizes) = (of(&self.begins)?, of(&self.sizes)?);
        Ok(Self { begins, sizes, min: of(&self.min)?, max: of(&self.max)?, centroids: self.centroids })
    }

    /// Returns the centroids of all digests.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if a centroid is null or has an invalid weight.
    pub(super) fn centroids(&self, ctx: Ctx<'_>) -> Result<Centroids> {
        let (rows, offsets) = rows_of_ranges(&self.begins, &self.sizes, self.centroids.len(), ctx)?;
        let centroids = gather_trusted(&TableView::from(self.centroids.view()), rows.view(), ctx)?;
        let [means, weights] = centroids.column(0)?.children() else {
            return Err(Error::invalid_data("the centroids of a digest must be structs of a mean and a weight"));
        };
        let (low, high) = minmax(weights.view(), ctx)?;
        let (low, high) = (low.value_on::<f64>(ctx.stream)?, high.value_on::<f64>(ctx.stream)?);
        let weighs = low.is_none_or(|low| low > 0.0) && high.is_none_or(|high| high <= MAX_WEIGHT);
        if !weighs || means.null_count_on(ctx.stream)? > 0 || weights.null_count_on(ctx.stream)? > 0 {
            let rule = "each centroid must have a mean, and a weight that is greater than 0 and at most 2⁵³";
            return Err(Error::invalid_argument(rule).in_argument("digests"));
        }
        Ok(Centroids { offsets, means: means.clone(), weights: weights.clone() })
    }
}

/// The parts of digests, in memory of any resource.
pub(super) struct Parts {
    pub(super) offsets: Column,
    pub(super) means: Column,
    pub(super) weights: Column,
    pub(super) min: Column,
    pub(super) max: Column,
}

impl Parts {
    /// Assembles the digests in newly allocated memory.
    ///
    /// # Errors
    /// * [`OffsetOverflow`](Error::OffsetOverflow) if there are more centroids than 32-bit offsets can address.
    pub(super) fn into_digests(self, ctx: Ctx<'_>) -> Result<Column> {
        let (device, rows, count) = (ctx.stream.device(), self.min.len(), self.means.len());
        if i32::try_from(count).is_err() {
            return Err(Error::offset_overflow(count as u64));
        }
        // The multiplication by 1.0 copies the column.
        let own = |column: &Column| {
            let column = replace_nulls(column.view(), 0.0.into(), ctx.scratch())?;
            of(&column, Op::Mul, 1.0.into(), &DataType::Float64, ctx)
        };
        let centroids = [("mean", own(&self.means)?), ("weight", own(&self.weights)?)];
        let centroids = vouch::result(ColumnParts::structs(device, count, centroids))?;
        let offsets = cast(self.offsets.view(), &DataType::Int32, ctx)?.buffers()[0].clone();
        let centroids = vouch::result(ColumnParts::lists(rows, offsets, false, centroids, true))?;
        let fields = [("centroids", centroids), ("min", own(&self.min)?), ("max", own(&self.max)?)];
        vouch::result(ColumnParts::structs(device, rows, fields))
    }
}

/// Implements `gdf_api::quantiles::concatenate_tdigests` with the stream and the resources of `ctx`.
pub fn concatenate_tdigests(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    if columns.is_empty() {
        return Err(Error::invalid_argument("the list of columns is empty; pass at least 1 column"));
    }
    let scratch = ctx.scratch();
    let mut found = [const { Vec::new() }; 5];
    for (i, column) in columns.iter().enumerate() {
        let at = |error: Error| error.at(Position::Input(i));
        let digests = Digests::open(*column, scratch).map_err(at)?;
        let Centroids { means, weights, .. } = digests.centroids(scratch).map_err(at)?;
        for (all, column) in found.iter_mut().zip([digests.sizes, means, weights, digests.min, digests.max]) {
            all.push(column);
        }
    }
    let join =
        |columns: Vec<Column>| concatenate_columns(&columns.iter().map(Column::view).collect::<Vec<_>>(), scratch);
    let [sizes, means, weights, min, max] = found.map(join);
    let offsets = offsets_of(&sizes?, scratch)?;
    Parts { offsets, means: means?, weights: weights?, min: min?, max: max? }.into_digests(ctx)
}
