//! The command as users start it: what it prints, what it leaves and its exit status. Nothing here needs a GPU or the network.

mod doctor;
mod files;
mod kernels;
mod program;
mod usage;
