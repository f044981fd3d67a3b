//! Tests of the programs and the frictions of `docs/usability.md`. Each test belongs to a line of that page.

mod frictions;
mod programs;
