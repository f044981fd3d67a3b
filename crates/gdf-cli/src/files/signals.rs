//! Cleans up before a signal ends the command.

use anyhow::Result;

/// Removes incomplete files when a signal ends the command.
#[cfg(unix)]
pub(super) fn remove_files_at_end() -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGINT, SIGTERM};
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
    let mut signals = signals.context("handlers for SIGINT and SIGTERM cannot be installed")?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            gdf::io::remove_unfinished_files();
            // The parent process must see that the signal ended this process. The call fails only for signals that do
            // not exist.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn remove_files_at_end() -> Result<()> {
    Ok(())
}
