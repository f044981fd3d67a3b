//! The methods with which expressions are built. The tables of operators and functions of `gdf-expr` declare them.

use gdf_expr::{Component, ExprKind, Function};

use super::{Expr, lit};

impl Expr {
    gdf_expr::builder_methods!();
    gdf_expr::function_table!(gdf_expr::number_function_methods);

    /// Returns an object with the functions of text, for example `col("city").str().starts_with("L")`.
    pub fn str(self) -> TextExpr {
        TextExpr(self)
    }

    /// Returns an object with the functions of dates and times, for example `col("day").dt().year()`.
    pub fn dt(self) -> DateExpr {
        DateExpr(self)
    }

    /// Returns an object with the functions of lists, for example `col("scores").list().max()`.
    pub fn list(self) -> ListExpr {
        ListExpr(self)
    }

    /// Returns an object with the functions of maps, for example `col("tags").map().get("color")`.
    pub fn map(self) -> MapExpr {
        MapExpr(self)
    }

    /// Returns an object with the functions of structs, for example `col("point").struct_().field("x")`.
    pub fn struct_(self) -> StructExpr {
        StructExpr(self)
    }
}

gdf_expr::builder_operators!();

/// The functions of text that can be applied to an expression. [`Expr::str`] returns this type.
///
/// ```
/// use gdf::core::Field;
/// use gdf::frame::{Frame, col};
/// use gdf::{Column, DataType};
///
/// let frame = Frame::try_new([("event", Column::from_strs([r#"{"id": 7, "tags": ["a"]}"#, "no JSON"])?)])?;
/// let event = DataType::Struct([Field::new("id", DataType::Int32, true)].into_iter().collect());
/// let found = frame.select([
///     col("event").str().from_json(&event).struct_().field("id").alias("id"),
///     col("event").str().get_json_object("$.tags[0]").alias("tag"),
///     col("event").str().from_json(&event).struct_().to_json().alias("json"),
/// ])?;
/// assert_eq!(found.column("id")?.to_vec::<i32>()?, [Some(7), None]);
/// assert_eq!(found.column("tag")?.to_strings()?, [Some("a".to_owned()), None]);
/// assert_eq!(found.column("json")?.to_strings()?, [Some(r#"{"id":7}"#.to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct TextExpr(Expr);

impl TextExpr {
    gdf_expr::function_table!(gdf_expr::text_function_methods);

    fn function(self, function: gdf_expr::Function, further: Vec<Expr>) -> Expr {
        self.0.function(function, further)
    }
}

/// The functions of lists that can be applied to an expression. [`Expr::list`] returns this type.
#[derive(Clone, Debug)]
#[must_use]
pub struct ListExpr(pub(super) Expr);

impl ListExpr {
    gdf_expr::function_table!(gdf_expr::list_function_methods);

    /// The list as a JSON array. See [`to_json`](gdf_api::json::to_json).
    pub fn to_json(self) -> Expr {
        self.function(Function::ToJson, Vec::new())
    }

    fn function(self, function: Function, further: Vec<Expr>) -> Expr {
        self.0.function(function, further)
    }
}

/// The functions of structs that can be applied to an expression. [`Expr::struct_`] returns this type.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::{Frame, col};
///
/// let frame = Frame::try_new([("x", Column::from_slice(&[1, 2])?)])?;
/// let points = gdf::structs::from_columns(frame.table(), &["x"])?;
/// let points = Frame::try_new([("point", points)])?;
/// let moved = col("point").struct_().with_field("y", col("point").struct_().field("x") + 1);
/// let found = points.select([moved.struct_().field("y")])?;
/// assert_eq!(found.column("point")?.to_vec::<i32>()?, [Some(2), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct StructExpr(Expr);

impl StructExpr {
    gdf_expr::function_table!(gdf_expr::struct_function_methods);

    /// The struct as a JSON object without its null fields. See [`to_json`](gdf_api::json::to_json).
    pub fn to_json(self) -> Expr {
        self.function(Function::ToJson, Vec::new())
    }

    /// The struct with these names of its fields, in the order of the fields.
    pub fn rename_fields<'n>(self, names: impl IntoIterator<Item = &'n str>) -> Expr {
        self.function(Function::StructRenameFields, names.into_iter().map(lit).collect())
    }

    /// The struct without the fields of these names.
    pub fn drop_fields<'n>(self, names: impl IntoIterator<Item = &'n str>) -> Expr {
        self.function(Function::StructDropFields, names.into_iter().map(lit).collect())
    }

    fn function(self, function: Function, further: Vec<Expr>) -> Expr {
        self.0.function(function, further)
    }
}

/// The functions of maps that can be applied to an expression. [`Expr::map`] returns this type.
#[derive(Clone, Debug)]
#[must_use]
pub struct MapExpr(Expr);

impl MapExpr {
    gdf_expr::function_table!(gdf_expr::map_function_methods);

    /// The map as a JSON object. See [`to_json`](gdf_api::json::to_json).
    pub fn to_json(self) -> Expr {
        self.function(Function::ToJson, Vec::new())
    }

    fn function(self, function: Function, further: Vec<Expr>) -> Expr {
        self.0.function(function, further)
    }
}

/// The functions of dates and times that can be applied to an expression. [`Expr::dt`] returns this type.
#[derive(Clone, Debug)]
#[must_use]
pub struct DateExpr(Expr);

impl DateExpr {
    gdf_expr::function_table!(gdf_expr::date_function_methods);

    fn function(self, function: Function, further: Vec<Expr>) -> Expr {
        self.0.function(function, further)
    }
}

macro_rules! components {
    ($($name:ident = $component:ident;)*) => {
        impl DateExpr {
            $(
                #[doc = concat!("Returns the component [`", stringify!($component), "`](Component::", stringify!($component), ").")]
                pub fn $name(self) -> Expr {
                    self.0.extract(Component::$component)
                }
            )*
        }

        #[cfg(test)]
        const COMPONENTS: &[Component] = &[$(Component::$component),*];
    };
}

components! {
    year = Year;
    month = Month;
    day = Day;
    weekday = Weekday;
    hour = Hour;
    minute = Minute;
    second = Second;
    millisecond = Millisecond;
    microsecond = Microsecond;
    nanosecond = Nanosecond;
    day_of_year = DayOfYear;
    quarter = Quarter;
    days_in_month = DaysInMonth;
    iso_week = IsoWeek;
    iso_year = IsoYear;
    is_leap_year = IsLeapYear;
    last_day_of_month = LastDayOfMonth;
}

/// The condition of a branch of a `CASE`. [`then`](Self::then) adds the value of the branch.
#[derive(Clone, Debug)]
#[must_use]
pub struct When {
    condition: Expr,
    case: Case,
}

/// The branches of a `CASE`. [`otherwise`](Self::otherwise) and [`end`](Self::end) make an expression from the
/// branches.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Case {
    /// The values of the branches, followed by the conditions of the branches. The values come first because the result
    /// is named after the first value.
    values: Vec<Expr>,
    conditions: Vec<Expr>,
}

impl When {
    pub(super) fn new(condition: Expr) -> When {
        When { condition, case: Case::default() }
    }

    /// Sets the value of rows for which the condition is true and no earlier condition is true.
    pub fn then(mut self, value: impl Into<Expr>) -> Case {
        self.case.conditions.push(self.condition);
        self.case.values.push(value.into());
        self.case
    }
}

impl Case {
    /// Begins a branch for rows in which no earlier condition is true.
    pub fn when(self, condition: impl Into<Expr>) -> When {
        When { condition: condition.into(), case: self }
    }

    /// Returns the expression. `value` is the value of rows in which no condition is true.
    pub fn otherwise(self, value: impl Into<Expr>) -> Expr {
        self.finish(Some(value.into()))
    }

    /// Returns the expression. Rows in which no condition is true are null.
    pub fn end(self) -> Expr {
        self.finish(None)
    }

    fn finish(self, otherwise: Option<Expr>) -> Expr {
        let count = self.values.len();
        let parts = self.values.into_iter().chain(self.conditions).chain(otherwise).collect();
        Expr::of_all(parts, |mut parts| {
            let mut conditions = parts.split_off(count);
            let otherwise = conditions.split_off(count).pop();
            ExprKind::Case { branches: conditions.into_iter().zip(parts).collect(), otherwise }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_has_a_method() {
        assert_eq!(COMPONENTS, Component::ALL);
    }
}
