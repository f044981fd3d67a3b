//! Shows the progress of fetching and compiling: as bars on a terminal, and as lines of text elsewhere.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use gdf_nvcc::compile::Summary;
use gdf_nvcc::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};

#[derive(Default)]
pub(crate) struct Bars {
    current: Mutex<Option<(String, ProgressBar)>>,
}

impl Bars {
    /// Returns the bar with this name. If the current bar has another name, a new bar replaces it.
    fn bar(&self, name: &str, total: u64, template: &str) -> ProgressBar {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, bar)) = &*current
            && known == name
        {
            return bar.clone();
        }
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style).with_message(name.to_owned());
        *current = Some((name.to_owned(), bar.clone()));
        bar
    }

    fn suspend(&self, work: impl FnOnce()) {
        let bar = self.current.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(_, bar)| bar.clone());
        match bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    pub(crate) fn clear(&self) {
        if let Some((_, bar)) = self.current.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bars {
    fn fetched(&self, file: &str, bytes: u64, total: Option<u64>) {
        let name = file.split("-py3").next().unwrap_or(file);
        let bar = self.bar(name, total.unwrap_or(0), "fetching {msg} {wide_bar} {bytes}/{total_bytes} {eta}");
        bar.set_position(bytes);
        if total == Some(bytes) {
            bar.finish_and_clear();
            self.suspend(|| eprintln!("fetched {name}"));
        }
    }

    fn begin(&self, units: usize) {
        self.clear();
        self.bar("kernels", units as u64, "compiling {msg} {wide_bar} {pos}/{len} {elapsed}").tick();
    }

    fn unit(&self) {
        self.bar("kernels", 0, "compiling {msg} {wide_bar} {pos}/{len} {elapsed}").inc(1);
    }

    fn compiled(&self, _file: &str, _kernels: usize, _bytes: usize, _time: Duration) {}

    fn failed(&self, file: &str, error: &anyhow::Error) {
        self.suspend(|| eprintln!("{file}: {error:#}"));
    }

    fn remark(&self, text: &str) {
        // Warnings, for example about register spills, concern only the authors of the kernels.
        if !text.contains(": warning: ") || text.contains('\n') {
            self.suspend(|| eprintln!("{text}"));
        }
    }

    fn end(&self, _summary: &Summary, _folder: &Path) {
        self.clear();
    }
}
