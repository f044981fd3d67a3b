//! Functions for which the standard library is not accurate enough.

/// For greater numbers, the 1 in `x * x + 1` and `x * x - 1` is lost by rounding.
const LARGE: f64 = (1_u64 << 28) as f64;

/// Returns the inverse hyperbolic sine.
pub(super) fn arc_sinh(x: f64) -> f64 {
    let size = x.abs();
    let result = if size > LARGE {
        size.ln() + std::f64::consts::LN_2
    } else if size > 2.0 {
        (2.0 * size + 1.0 / ((size * size + 1.0).sqrt() + size)).ln()
    } else {
        (size + size * size / (1.0 + (1.0 + size * size).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// Returns the inverse hyperbolic cosine.
pub(super) fn arc_cosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else if x > LARGE {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let over = x - 1.0;
        (over + (2.0 * over + over * over).sqrt()).ln_1p()
    }
}

/// Returns the inverse hyperbolic tangent, in a form that keeps the sign of zero and the digits of small numbers.
pub(super) fn arc_tanh(x: f64) -> f64 {
    let size = x.abs();
    let twice = size + size;
    let result = if size < 0.5 {
        0.5 * (twice + twice * size / (1.0 - size)).ln_1p()
    } else {
        0.5 * (twice / (1.0 - size)).ln_1p()
    };
    result.copysign(x)
}

/// Returns the sign of a number.
pub(super) fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}
