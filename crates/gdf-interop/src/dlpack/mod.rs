//! DLPack, a C layout with which array libraries exchange tensors. gdf supports version 1, and the layout that was used
//! before version 1.

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
pub use export::table_to_array;
pub use tensor::DlpackTensor;
