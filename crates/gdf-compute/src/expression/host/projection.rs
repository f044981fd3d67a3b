//! Computes the outputs of a program for one block of rows at a time.

use gdf_core::{PhysicalType, Result, physical_type};
use gdf_engine::host::{Bits, HostColumn};

use super::super::program::{Lane, Output, Program};
use super::output::Part;
use super::{BLOCK, Block, Machine, Register, WORDS};

/// Returns the physical type in which a block has the value of an output.
pub(crate) fn computed_type(output: &Output) -> PhysicalType {
    match (physical_type(&output.data_type), output.lane) {
        (PhysicalType::I128, Lane::I64) => PhysicalType::I64,
        (stored, _) => stored,
    }
}

/// A program that is open over its columns.
pub struct ProjectedBlocks<'a> {
    machine: Machine<'a>,
    outputs: &'a [Output],
}

/// The values of the outputs of a program for one block of rows.
#[derive(Debug)]
pub struct ProjectedBlock {
    registers: Vec<Register>,
    outputs: Vec<OutputBlock>,
    len: usize,
}

#[derive(Debug)]
struct OutputBlock {
    /// The memory is aligned for every value type.
    values: Vec<u128>,
    width: usize,
    mask: Option<[u64; WORDS]>,
}

impl ProjectedBlock {
    pub(crate) fn new(program: &Program) -> Self {
        let output = |output: &Output| {
            // Booleans have eight bytes for each word of a mask.
            let width = computed_type(output).width().unwrap_or(1);
            let values = vec![0; (BLOCK * width).div_ceil(size_of::<u128>())];
            OutputBlock { values, width, mask: output.nullable.then_some([0; WORDS]) }
        };
        Self { registers: Vec::new(), outputs: program.outputs.iter().map(output).collect(), len: 0 }
    }

    /// Returns the values of an output as bytes.
    pub fn values(&self, output: usize) -> &[u8] {
        let output = &self.outputs[output];
        &bytemuck::cast_slice(&output.values)[..self.len * output.width]
    }

    /// Returns the validity of the rows of an output that can be null.
    pub fn validity(&self, output: usize) -> Option<Bits<'_>> {
        let mask = self.outputs[output].mask.as_ref()?;
        Some(Bits::new(bytemuck::cast_slice(mask), 0, self.len))
    }
}

impl<'a> ProjectedBlocks<'a> {
    pub(crate) fn new(program: &'a Program, columns: &'a [HostColumn<'_>]) -> Result<Self> {
        Ok(Self { machine: Machine::new(program, columns)?, outputs: &program.outputs })
    }

    /// Computes the outputs for `len` rows from row `first` on. `first` must be a multiple of 64, and `len` at most the
    /// number of rows of a block.
    ///
    /// # Errors
    /// * [`Internal`](gdf_core::Error::Internal).
    pub fn compute(&self, to: &mut ProjectedBlock, first: usize, len: usize) -> Result<()> {
        if to.registers.is_empty() {
            to.registers = self.machine.registers();
        }
        to.len = len;
        self.machine.run(&mut to.registers, first, len)?;
        let block = Block { machine: &self.machine, registers: &to.registers, first, len, outer: None };
        for (output, to) in self.outputs.iter().zip(&mut to.outputs) {
            let values = bytemuck::cast_slice_mut(&mut to.values);
            let mut part = Part { values, mask: to.mask.as_mut().map(|mask| &mut mask[..]) };
            block.write_as(computed_type(output), output, &mut part, 0)?;
        }
        Ok(())
    }
}
