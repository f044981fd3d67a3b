//! Conditional texts as codes: an expression that chooses among a few texts, as numbers of these texts.

use gdf_core::DataType;

use crate::value::Value;
use crate::{Expr, ExprKind};

const MAX_TEXTS: usize = 127;

/// An expression whose values are texts of a list, or null.
#[derive(Clone, Debug)]
pub struct CodedText {
    /// The number of the text in the list, as `Int8`. Null where the text is null.
    pub codes: Expr,
    /// The texts. All have the same type and are distinct, and none is null.
    pub texts: Vec<Value>,
}

impl CodedText {
    /// Returns the codes of a `CASE` whose values are literal texts of one type, or null. The result is `None` for any
    /// other expression.
    ///
    /// Numbers of one byte are computed and compared in less time than texts.
    ///
    /// ```
    /// use gdf_expr::{CodedText, col, when};
    ///
    /// let size = when(col(0).lt(3), "few").when(col(0).lt(9), "some").otherwise("few");
    /// let coded = CodedText::of(&size).unwrap();
    /// assert_eq!(coded.codes.to_string(), "CASE WHEN #0 < 3 THEN 0 WHEN #0 < 9 THEN 1 ELSE 0 END");
    /// assert_eq!(coded.texts.len(), 2);
    /// assert!(CodedText::of(&when(col(0).lt(3), "few").otherwise(col(1))).is_none());
    /// ```
    pub fn of(expr: &Expr) -> Option<Self> {
        let ExprKind::Case { branches, otherwise } = expr.kind() else { return None };
        let mut texts: Vec<Value> = Vec::new();
        let mut code = |value: &Expr| {
            let ExprKind::Literal(value) = value.kind() else { return None };
            let number = if value.is_null() && matches!(value.data_type(), DataType::Null | DataType::Utf8) {
                None
            } else {
                value.text()?;
                let known = texts.iter().position(|text| text == value);
                let at = known.unwrap_or(texts.len());
                if known.is_none() {
                    texts.push(value.clone());
                }
                Some(i8::try_from(at).ok().filter(|_| at < MAX_TEXTS)?)
            };
            Some(Expr::new(ExprKind::Literal(number.map_or_else(|| Value::null(DataType::Int8), Value::from))))
        };
        let coded = |(condition, value): &(Expr, Expr)| Some((condition.clone(), code(value)?));
        let branches = branches.iter().map(coded).collect::<Option<Vec<_>>>()?;
        let otherwise = match otherwise {
            Some(value) => Some(code(value)?),
            None => None,
        };
        let data_type = texts.first()?.data_type();
        if texts.iter().any(|text| text.data_type() != data_type) {
            return None;
        }
        Some(Self { codes: Expr::new(ExprKind::Case { branches, otherwise }), texts })
    }
}
