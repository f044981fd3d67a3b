//! Oracles of t-digests. The oracles process one centroid after another.

use std::f64::consts::PI;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

pub use crate::documented_types::digest_type;
use gdf_test::value::{Value, from_values, to_values};

/// Builds a digest from centroids, the smallest value and the largest value.
pub fn digest(centroids: &[(f64, f64)], min: f64, max: f64) -> Value {
    let double = |number| Some(Value::F64(number));
    let centroid = |(mean, weight): &(f64, f64)| Some(Value::Struct(vec![double(*mean), double(*weight)]));
    let centroids = Value::List(centroids.iter().map(centroid).collect());
    Value::Struct(vec![Some(centroids), double(min), double(max)])
}

type Parts = (Vec<(f64, f64)>, f64, f64);

fn parts(digest: &Value) -> Option<Parts> {
    let double = |value: &Option<Value>| value.as_ref().and_then(Value::as_f64);
    let Some([centroids, min, max]) = digest.as_struct() else { return None };
    let centroid = |value: &Option<Value>| match value.as_ref()?.as_struct()? {
        [mean, weight] => double(mean).zip(double(weight)),
        _ => None,
    };
    let centroids = centroids.as_ref()?.as_list()?.iter().map(centroid).collect::<Option<Vec<_>>>()?;
    Some((centroids, double(min)?, double(max)?))
}

fn clustered(mut items: Vec<(f64, f64)>, min: f64, max: f64, max_centroids: u32) -> Value {
    // A NaN of either sign is greater than every number.
    items.sort_by(|(a, v), (b, w)| a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b)).then(v.total_cmp(w)));
    let (size, total) = (f64::from(max_centroids), items.iter().map(|(_, weight)| weight).sum::<f64>());
    let (mut clusters, mut before) = (Vec::<(f64, f64, f64)>::new(), 0.0);
    for (mean, weight) in items {
        let share = (before + weight / 2.0) / total;
        let number = (size * ((2.0 * share - 1.0).asin() / PI + 0.5)).floor().min(size - 1.0);
        match clusters.last_mut().filter(|(last, ..)| *last == number) {
            Some((_, sum, all)) => (*sum, *all) = (*sum + mean * weight, *all + weight),
            None => clusters.push((number, mean * weight, weight)),
        }
        before += weight;
    }
    let centroids: Vec<_> = clusters.into_iter().map(|(_, sum, weight)| (sum / weight, weight)).collect();
    digest(&centroids, min, max)
}

/// Returns the digest of the numbers.
pub fn of_numbers(numbers: &[f64], max_centroids: u32) -> Value {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(|a, b| a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b)));
    let (min, max) = (sorted.first().copied(), sorted.last().copied());
    let items = sorted.into_iter().map(|number| (number, 1.0)).collect();
    clustered(items, min.unwrap_or_default(), max.unwrap_or_default(), max_centroids)
}

/// Returns the digest of the numbers of a column of doubles.
pub fn tdigest(column: &ArrayRef, max_centroids: u32) -> ArrayRef {
    let numbers: Vec<_> = to_values(column).iter().flatten().filter_map(Value::as_f64).collect();
    from_values(&digest_type(), &[Some(of_numbers(&numbers, max_centroids))])
}

/// Returns the digest of the values of all digests.
pub fn merged<'a>(digests: impl Iterator<Item = &'a Value>, max_centroids: u32) -> Value {
    let all: Vec<_> = digests.filter_map(parts).filter(|(centroids, ..)| !centroids.is_empty()).collect();
    let min = all.iter().map(|(_, min, _)| *min).min_by(|a, b| a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b)));
    let max = all.iter().map(|(.., max)| *max).max_by(|a, b| a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b)));
    let centroids = all.into_iter().flat_map(|(centroids, ..)| centroids).collect();
    clustered(centroids, min.unwrap_or_default(), max.unwrap_or_default(), max_centroids)
}

/// Returns the digests of all columns, in order.
pub fn concatenated(columns: &[ArrayRef]) -> ArrayRef {
    let rows = columns.iter().flat_map(|column| to_values(column));
    let rows: Vec<_> = rows.map(|row| Some(row.unwrap_or_else(|| digest(&[], 0.0, 0.0)))).collect();
    from_values(&digest_type(), &rows)
}

fn percentile(digest: &Value, q: f64) -> Option<f64> {
    let (centroids, min, max) = parts(digest)?;
    let total = centroids.iter().map(|(_, weight)| weight).sum::<f64>();
    let position = q.clamp(0.0, 1.0) * total;
    // A centroid is a point in the middle of its weight.
    let (mut points, mut before, mut single) = (vec![(0.0, min)], 0.0, None);
    for (mean, weight) in &centroids {
        if *weight == 1.0 && before < position && position <= before + 1.0 {
            single = Some(*mean);
        }
        points.push((before + weight / 2.0, *mean));
        before += weight;
    }
    points.push((total, max));
    let next = points.iter().position(|(at, _)| *at > position).unwrap_or(points.len() - 1).max(1);
    let ((left, a), (right, b)) = (points[next - 1], points[next]);
    Some(match single {
        _ if centroids.is_empty() => return None,
        _ if position <= 1.0 => min,
        _ if position >= total - 1.0 => max,
        Some(mean) => mean,
        None if a == b => a,
        None => a + (b - a) * ((position - left) / (right - left)),
    })
}

/// For each fraction in `q`, returns a column with the percentile of each digest.
pub fn percentile_approx(digests: &ArrayRef, q: &[f64]) -> Vec<ArrayRef> {
    let digests = to_values(digests);
    let of = |q| digests.iter().map(|digest| percentile(digest.as_ref()?, q).map(Value::F64)).collect::<Vec<_>>();
    q.iter().map(|q| from_values(&DataType::Float64, &of(*q))).collect()
}
