//! The programs and the frictions of `docs/usability.md`. Each test is the answer to a line of that page.

mod frictions;
mod programs;
