//! Tests of the decoder against a decoder that reads one value after the other, on the device that `GDF_TEST_DEVICE`
//! names.

mod booleans;
mod borders;
mod check;
mod codecs;
mod compressor;
mod damaged;
mod deltas;
mod elements;
mod encoder;
mod flaws;
mod levels;
mod memory;
mod naive;
mod nested;
mod pages;
mod prefixes;
mod programs;
mod random;
mod runs;
mod texts;
