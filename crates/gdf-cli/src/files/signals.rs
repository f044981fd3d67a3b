//! Cleans up before a signal ends the command.

use anyhow::Result;

/// The meaning of Ctrl-C, which sends SIGINT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    EndsCommand,
    /// The command has a handler of its own for SIGINT.
    #[cfg(feature = "sql")]
    CancelsStatement,
}

/// Removes incomplete files when a signal ends the command.
#[cfg(unix)]
pub(crate) fn remove_files_at_end(interrupt: Interrupt) -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let mut ends = vec![SIGTERM, SIGQUIT];
    if interrupt == Interrupt::EndsCommand {
        ends.push(SIGINT);
    }
    // `nohup` ignores SIGHUP for the command, which must then not end.
    if !ignores(SIGHUP) {
        ends.push(SIGHUP);
    }
    let signals = signal_hook::iterator::Signals::new(ends);
    let mut signals = signals.context("handlers for SIGINT, SIGTERM, SIGQUIT and SIGHUP cannot be installed")?;
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

/// Returns whether this process ignores a signal. The result is true if the system does not show it.
#[cfg(unix)]
fn ignores(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| (mask >> (signal - 1)) & 1 == 1)
}

#[cfg(not(unix))]
pub(crate) fn remove_files_at_end(_interrupt: Interrupt) -> Result<()> {
    Ok(())
}
