//! DLPack: tensors of one memory layout that array libraries hand to each other (version 1, and the form before it).

mod abi;
mod export;
mod import;
mod tensor;
#[cfg(test)]
mod tests;

pub use abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_IS_COPIED,
    DLPACK_FLAG_BITMASK_READ_ONLY, DLPackVersion, DLTensor,
};
pub use tensor::DlpackTensor;
