//! What is done before a signal ends the command.

use anyhow::Result;

/// Removes half-written files when a signal ends the command, and then lets it end so. Files are whole or not there.
#[cfg(unix)]
pub(super) fn remove_files_at_end() -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGINT, SIGTERM};
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
    let mut signals = signals.context("signals cannot be handled")?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            gdf::io::remove_unfinished_files();
            // Whoever started the command sees that the signal ended it. It fails only for signals that there are not.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn remove_files_at_end() -> Result<()> {
    Ok(())
}
