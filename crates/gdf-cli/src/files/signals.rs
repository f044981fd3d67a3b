//! Cleans up before a signal ends the command.

use anyhow::Result;

/// Removes incomplete files when a signal ends the command. Afterwards the signal ends the command. Therefore a file is
/// either complete or absent.
#[cfg(unix)]
pub(super) fn remove_files_at_end() -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGINT, SIGTERM};
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
    let mut signals = signals.context("handlers for SIGINT and SIGTERM cannot be installed")?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            gdf::io::remove_unfinished_files();
            // The signal must end the process, because the parent process must see that a signal ended the process. The
            // call fails only for signals that do not exist.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn remove_files_at_end() -> Result<()> {
    Ok(())
}
