//! Shows on a terminal how far a long statement is.

use std::future::Future;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use gdf_datafusion::GdfOptions;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

/// Statements that end before this time show nothing.
const DELAY: Duration = Duration::from_millis(500);
const INTERVAL: Duration = Duration::from_millis(100);

/// Waits for `work`. A line on the standard error shows the pipelines of the islands that run with `options`, and
/// what they have read. Nothing is written if the standard error is not a terminal.
pub(super) async fn with_progress<T>(options: &GdfOptions, work: impl Future<Output = T>) -> T {
    if !stderr().is_terminal() {
        return work.await;
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
        bar.set_style(style);
    }
    let (shown, options) = (bar.clone(), options.clone());
    let ticker = tokio::spawn(async move {
        tokio::time::sleep(DELAY).await;
        loop {
            shown.set_message(message(&options));
            shown.tick();
            tokio::time::sleep(INTERVAL).await;
        }
    });
    let cleared = Clear { bar, ticker: ticker.abort_handle() };
    let result = work.await;
    drop(cleared);
    result
}

/// Removes the line when the statement ends or is canceled.
struct Clear {
    bar: ProgressBar,
    ticker: tokio::task::AbortHandle,
}

impl Drop for Clear {
    fn drop(&mut self) {
        self.ticker.abort();
        self.bar.finish_and_clear();
    }
}

fn message(options: &GdfOptions) -> String {
    let counts = options.counts();
    match counts.running_pipelines {
        0 => "planning, or reading rows outside of gdf".to_owned(),
        all => {
            let (rows, bytes) = (HumanCount(counts.read_rows), HumanBytes(counts.read_bytes));
            format!("{} of {all} pipelines have ended, {rows} rows ({bytes}) are read", counts.ended_pipelines.min(all))
        }
    }
}
