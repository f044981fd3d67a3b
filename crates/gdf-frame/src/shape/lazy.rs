//! The lazy forms of the verbs that change the shape.

use gdf_api::copying::Replacement;
use gdf_api::groupby::GroupByAggregation;

use super::columns;
use crate::lazy::LazyFrame;
use crate::plan::Whole;
use crate::selector::{Selector, cols};

/// # Verbs that change the shape
/// These verbs run on computed rows, and are not fused with other verbs. If the source has several batches, `sample`,
/// `unpivot`, `pivot` and `to_dummies` need all their rows in memory. The other verbs work on one batch after another.
impl LazyFrame {
    /// See [`Frame::sample`](crate::Frame::sample).
    pub fn sample(self, rows: usize, replacement: Replacement, seed: u64) -> LazyFrame {
        let text = format!("sample {rows} rows");
        let run = move |of: &_, _: &[_]| columns::sample(of, rows, replacement, seed);
        self.whole(Whole::new("frame.sample", text, run))
    }

    /// See [`Frame::unpivot`](crate::Frame::unpivot).
    pub fn unpivot(self, index: impl Into<Selector>, on: impl Into<Selector>) -> LazyFrame {
        let (index, on) = (index.into(), on.into());
        let (text, reads) = (format!("unpivot {on} by {index}"), vec![index.clone(), on.clone()]);
        let run = move |of: &_, _: &[_]| columns::unpivot(of, &index, &on);
        self.whole(Whole::new("frame.unpivot", text, run).reading(reads))
    }

    /// See [`Frame::pivot`](crate::Frame::pivot).
    pub fn pivot(
        self,
        index: impl Into<Selector>,
        on: &str,
        values: &str,
        aggregation: GroupByAggregation,
    ) -> LazyFrame {
        let (index, on, values) = (index.into(), on.to_owned(), values.to_owned());
        let text = format!("pivot {aggregation:?}({values}) of {on} by {index}");
        let reads = vec![index.clone(), cols([&on, &values])];
        let run = move |of: &_, _: &[_]| columns::pivot(of, &index, &on, &values, aggregation);
        self.whole(Whole::new("frame.pivot", text, run).reading(reads))
    }

    /// See [`Frame::cross_join`](crate::Frame::cross_join).
    pub fn cross_join(self, right: LazyFrame, suffix: &str) -> LazyFrame {
        let suffix = suffix.to_owned();
        let run = move |of: &_, others: &[_]| columns::cross_join(of, &others[0], &suffix);
        let whole = Whole::new("frame.cross_join", "cross join with".to_owned(), run);
        self.whole(whole.with_other(right.0).by_batch())
    }

    /// See [`Frame::to_dummies`](crate::Frame::to_dummies).
    pub fn to_dummies(self, name: &str) -> LazyFrame {
        let name = name.to_owned();
        let text = format!("dummies of {name}");
        let run = move |of: &_, _: &[_]| columns::to_dummies(of, &name);
        self.whole(Whole::new("frame.to_dummies", text, run))
    }

    /// See [`Frame::unnest`](crate::Frame::unnest).
    pub fn unnest(self, name: &str) -> LazyFrame {
        let name = name.to_owned();
        let text = format!("unnest {name}");
        let run = move |of: &_, _: &[_]| columns::unnest(of, &name);
        self.whole(Whole::new("frame.unnest", text, run).by_batch())
    }
}
