//! `asof_join`: finds for each left row the right row with the nearest key.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::{OutOfBoundsPolicy, copy_if_else, gather};
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::replace::replace_nulls;
use gdf_compute::search::{lower_bound, upper_bound};
use gdf_compute::sorting::{sorted_order, sorted_order_where};
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Position, Result, Table, TableView, is_floating, width};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::keys::row_indices;
use gdf_engine::mask::bitmask_and;
use gdf_expr::types::temporal::{Kind, Temporal};

use super::{JoinKeys, NullEquality};
use crate::Ctx;
use crate::vouch::gather_trusted;

/// The direction in which an as-of join searches the right row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AsofDirection {
    /// The last right row whose key is not greater than the key of the left row.
    #[default]
    Backward,
    /// The first right row whose key is not less than the key of the left row.
    Forward,
    /// The nearer of two rows: the row that `Backward` finds and the row that `Forward` finds.
    Nearest,
}

/// The columns and the conditions of an as-of join.
///
/// ```
/// # mod gdf { pub use gdf_core::{self as core, *}; pub use gdf_relational::*; }
/// use gdf::join::{AsofDirection, AsofKeys, JoinKeys};
///
/// let on = AsofKeys::new(1, 0).by(JoinKeys::new(&[0], &[2])).within(10_i64);
/// assert_eq!(on.direction, AsofDirection::Backward);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AsofKeys<'k> {
    /// The position of the ordered key in the left table.
    pub left: usize,
    /// The position of the ordered key in the right table.
    pub right: usize,
    /// The direction in which the right row is searched.
    pub direction: AsofDirection,
    /// Columns that must be equal in both rows. The default is no columns.
    pub by: JoinKeys<'k>,
    /// The largest distance of the two ordered keys. The default is no limit.
    pub tolerance: Option<Literal<'k>>,
}

impl<'k> AsofKeys<'k> {
    /// Returns a backward search by these columns, without limit.
    pub fn new(left: usize, right: usize) -> Self {
        Self { left, right, direction: AsofDirection::default(), by: JoinKeys::new(&[], &[]), tolerance: None }
    }

    /// Returns the same join with another direction.
    #[must_use]
    pub fn direction(self, direction: AsofDirection) -> Self {
        Self { direction, ..self }
    }

    /// Returns the same join among rows that are equal in these columns.
    #[must_use]
    pub fn by(self, by: JoinKeys<'k>) -> Self {
        Self { by, ..self }
    }

    /// Returns the same join of rows that are at most this far from each other.
    #[must_use]
    pub fn within(self, tolerance: impl Into<Literal<'k>>) -> Self {
        Self { tolerance: Some(tolerance.into()), ..self }
    }
}

/// Implements `gdf_api::join::asof_join` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn asof_join(left: &TableView<'_>, right: &TableView<'_>, on: &AsofKeys<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let rows = asof_join_rows(left, right, on, ctx.scratch())?;
    let kept: Vec<usize> = (0..right.num_columns()).filter(|column| !on.by.right.contains(column)).collect();
    let matched = gather(right.select(&kept)?, rows.view(), OutOfBoundsPolicy::Nullify, ctx)?;
    let columns = left.to_table().into_columns().into_iter().chain(matched.into_columns()).collect();
    Table::try_with_rows(columns, left.num_rows())
}

/// Implements `gdf_api::join::asof_join_rows` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn asof_join_rows(left: &TableView<'_>, right: &TableView<'_>, on: &AsofKeys<'_>, ctx: Ctx<'_>) -> Result<Column> {
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    if on.by.left.len() != on.by.right.len() {
        return Err(Error::count_mismatch((on.by.left.len(), "left key"), (on.by.right.len(), "right key")));
    }
    let scratch = ctx.scratch();
    let left = left.select(&[on.by.left, &[on.left]].concat())?;
    let right = right.select(&[on.by.right, &[on.right]].concat())?;
    let [left, right] = prepare("asof_join", [&left, &right], Purpose::equality_of_columns(on.by.nulls), scratch)?;
    let (left, right) = (left.view()?, right.view()?);
    for (i, (left, right)) in left.columns().iter().zip(right.columns()).enumerate() {
        check::types(left.data_type(), right.data_type())
            .map_err(|error| error.in_argument("right").at(Position::Column(i)))?;
    }
    let measure = Measure::new(left.column(on.by.left.len())?.data_type(), on)?;
    let rows = match matchable(&right, on.by.nulls, scratch)? {
        None => sorted_order(right.clone(), &[], &[], scratch)?,
        Some(mask) => sorted_order_where(right.clone(), mask.view(), &[], &[], scratch)?,
    };
    if left.num_rows() == 0 {
        return Column::empty_on(&row_indices(right.num_rows()), ctx.stream.device());
    }
    let sorted = gather_trusted(&right, rows.view(), scratch)?;
    let searched = matchable(&left, on.by.nulls, scratch)?;
    let search = Search { left: &left, sorted: sorted.view(), searched: searched.as_ref(), measure, ctx: scratch };
    let found = match on.direction {
        AsofDirection::Backward => search.one(true)?.row,
        AsofDirection::Forward => search.one(false)?.row,
        AsofDirection::Nearest => search.nearest()?,
    };
    let rows = gather(TableView::from(rows.view()), found.view(), OutOfBoundsPolicy::Nullify, ctx)?;
    rows.column(0).cloned()
}

/// Returns a boolean column that is true for rows that can match a row of the other side.
fn matchable(keys: &TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let first = if nulls == NullEquality::Equal { keys.num_columns() - 1 } else { 0 };
    let nullable: Vec<_> = keys.columns()[first..].iter().copied().filter(|key| key.has_validity()).collect();
    if nullable.is_empty() {
        return Ok(None);
    }
    bitmask_and(&TableView::try_new(nullable)?, ctx)?.to_column().map(Some)
}

/// The left keys, and the right keys in sorted order.
struct Search<'a> {
    left: &'a TableView<'a>,
    sorted: TableView<'a>,
    /// A boolean column that is true for left rows that can have a match.
    searched: Option<&'a Column>,
    measure: Option<Measure>,
    ctx: Ctx<'a>,
}

/// For each left row, a row of the sorted right side.
struct Candidate {
    /// The row number as `Int64`.
    row: Column,
    /// The distance between the keys, if the join needs distances.
    distance: Option<Column>,
}

impl Search<'_> {
    /// Returns for each left row the number of sorted right rows that are less than the left row in the first `columns`
    /// keys. If `upper` is set, equal right rows count, too.
    fn bound(&self, columns: usize, upper: bool) -> Result<Column> {
        let columns: Vec<usize> = (0..columns).collect();
        let search = if upper { upper_bound } else { lower_bound };
        let found = search(&self.sorted.select(&columns)?, &self.left.select(&columns)?, &[], &[], self.ctx)?;
        cast(found.view(), &DataType::Int64, self.ctx)
    }

    /// Returns a right row for each left row, or null if there is no such row.
    fn one(&self, backward: bool) -> Result<Candidate> {
        let (ctx, boolean, long) = (self.ctx, &DataType::Boolean, &DataType::Int64);
        let by = self.left.num_columns() - 1;
        let position = self.bound(by + 1, backward)?;
        let op = if backward { Op::Greater } else { Op::Less };
        let mut exists = match by {
            0 => of(&position, op, (if backward { 0 } else { self.sorted.num_rows() as i64 }).into(), boolean, ctx)?,
            _ => of(&position, op, (&self.bound(by, !backward)?).into(), boolean, ctx)?,
        };
        if let Some(searched) = self.searched {
            exists = of(&exists, Op::LogicalAnd, searched.into(), boolean, ctx)?;
        }
        let row = if backward { of(&position, Op::Sub, 1_i64.into(), long, ctx)? } else { position };
        let row = copy_if_else((&row).into(), Literal::null(long).into(), exists.view(), ctx)?;
        let Some(measure) = self.measure else { return Ok(Candidate { row, distance: None }) };
        let right = TableView::from(self.sorted.column(by)?);
        let right = gather(right, row.view(), OutOfBoundsPolicy::Nullify, ctx)?;
        let (left, right) = (self.left.column(by)?, right.column(0)?.view());
        let [larger, smaller] = if backward { [left, right] } else { [right, left] };
        measure.limit(row, larger, smaller, ctx)
    }

    fn nearest(&self) -> Result<Column> {
        let (before, after) = (self.one(true)?, self.one(false)?);
        let (Some(backward), Some(forward)) = (&before.distance, &after.distance) else { return Ok(before.row) };
        let nearer = of(forward, Op::Less, backward.into(), &DataType::Boolean, self.ctx)?;
        let row = copy_if_else((&after.row).into(), (&before.row).into(), nearer.view(), self.ctx)?;
        replace_nulls(row.view(), (&after.row).into(), self.ctx)
    }
}

#[derive(Clone, Copy, Debug)]
enum Measure {
    Integers(Option<u64>),
    Floats(Option<f64>),
}

impl Measure {
    /// Returns the method by which distances between keys are computed.
    fn new(key: &DataType, on: &AsofKeys<'_>) -> Result<Option<Self>> {
        if on.tolerance.is_none() && on.direction != AsofDirection::Nearest {
            return Ok(None);
        }
        let measure = match Temporal::of(key).map(|key| key.tick) {
            None if is_floating(key) => Measure::Floats(on.tolerance.map(float_tolerance).transpose()?),
            None if matches!(key, DataType::Decimal32(..) | DataType::Decimal64(..)) => {
                Measure::Integers(on.tolerance.map(|limit| decimal_tolerance(limit, key)).transpose()?)
            }
            None if !key.is_integer() => return Err(Error::unsupported("asof_join", key).in_argument("left")),
            tick => Measure::Integers(on.tolerance.map(|limit| integer_tolerance(limit, tick)).transpose()?),
        };
        Ok(Some(measure))
    }

    /// Returns the row numbers `row` and the distances between `larger` and `smaller`. Both are null where the distance
    /// exceeds the limit.
    fn limit(self, row: Column, larger: ColumnView<'_>, smaller: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Candidate> {
        let boolean = &DataType::Boolean;
        let (distance, within) = match self {
            Measure::Integers(limit) => {
                let (larger, smaller) = (words(larger, ctx)?, words(smaller, ctx)?);
                let distance = of(&larger, Op::Sub, (&smaller).into(), larger.data_type(), ctx)?;
                let distance = distance.bit_cast(DataType::UInt64)?;
                let within = limit.map(|limit| of(&distance, Op::LessEqual, limit.into(), boolean, ctx)).transpose()?;
                (distance, within)
            }
            Measure::Floats(limit) => {
                let double = &DataType::Float64;
                let (larger, smaller) = (cast(larger, double, ctx)?, cast(smaller, double, ctx)?);
                let distance = of(&larger, Op::Sub, (&smaller).into(), double, ctx)?;
                // Without a limit, every distance is near that is no NaN: NaN is the distance to no number.
                let near = of(&distance, Op::LessEqual, limit.unwrap_or(f64::INFINITY).into(), boolean, ctx)?;
                // The difference of two equal infinities is NaN, but their distance is 0.
                let equal = of(&larger, Op::Equal, (&smaller).into(), boolean, ctx)?;
                (distance, Some(of(&near, Op::LogicalOr, (&equal).into(), boolean, ctx)?))
            }
        };
        let Some(within) = within else { return Ok(Candidate { row, distance: Some(distance) }) };
        let keep =
            |column: &Column| copy_if_else(column.into(), Literal::null(column.data_type()).into(), within.view(), ctx);
        Ok(Candidate { row: keep(&row)?, distance: Some(keep(&distance)?) })
    }
}

/// Returns integers, times and the stored numbers of decimals as integers of 64 bits.
fn words(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let stored = match column.data_type() {
        DataType::UInt64 => return Ok(column.to_column()),
        of if of.is_integer() => column.to_column(),
        of if width(of) == Some(4) => column.to_column().bit_cast(DataType::Int32)?,
        _ => column.to_column().bit_cast(DataType::Int64)?,
    };
    cast(stored.view(), &DataType::Int64, ctx)
}

/// Returns the tolerance in ticks of the key, rounded down.
fn integer_tolerance(limit: Literal<'_>, tick: Option<i128>) -> Result<u64> {
    let given = Temporal::of(limit.data_type()).filter(|given| given.kind == Kind::Duration);
    let limit = match (tick, given) {
        (Some(tick), Some(given)) => {
            let ticks = limit.stored_word().ok_or_else(unusable)? as i64;
            (i128::from(ticks) * given.tick + i128::from(limit.nanoseconds_beyond())).div_euclid(tick)
        }
        (Some(_), None) => return Err(Error::type_mismatch("a duration", limit.data_type()).in_argument("tolerance")),
        (None, _) if matches!(limit.data_type(), DataType::UInt64) => limit.stored_word().map_or(-1, i128::from),
        (None, _) => {
            let number = limit.with_type(&DataType::Int64).map_err(|error| error.in_argument("tolerance"))?;
            number.stored_word().map_or(-1, |word| i128::from(word as i64))
        }
    };
    // A tolerance beyond all differences is no limit.
    if limit < 0 { Err(unusable()) } else { Ok(u64::try_from(limit).unwrap_or(u64::MAX)) }
}

/// Returns the tolerance as a stored number with the scale of the key.
fn decimal_tolerance(limit: Literal<'_>, key: &DataType) -> Result<u64> {
    let limit = limit.with_type(key).map_err(|error| error.in_argument("tolerance"))?;
    let word = limit.stored_word().ok_or_else(unusable)?;
    let stored = if width(key) == Some(4) { i64::from(word as u32 as i32) } else { word as i64 };
    u64::try_from(stored).map_err(|_| unusable())
}

fn float_tolerance(limit: Literal<'_>) -> Result<f64> {
    let number = limit.with_type(&DataType::Float64).map_err(|error| error.in_argument("tolerance"))?;
    let limit = number.stored_word().map(f64::from_bits).filter(|limit| *limit >= 0.0);
    limit.ok_or_else(unusable)
}

fn unusable() -> Error {
    Error::invalid_argument("the tolerance is null, negative or NaN; pass a tolerance of at least 0")
        .in_argument("tolerance")
}
