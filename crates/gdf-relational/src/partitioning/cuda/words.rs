//! Words that kernels report to the host: the first row of every partition but the first, and errors.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_engine::cuda::Out;
use gdf_memory::{Buffer, Mailbox};

use crate::Ctx;

/// Words that a kernel writes for the host.
pub(super) enum Words {
    Mailbox(Mailbox),
    Buffer(Buffer),
}

impl Words {
    /// Allocates `count` words: in a mailbox if they fit, and in device memory otherwise.
    pub(super) fn new(count: usize, ctx: Ctx<'_>) -> Result<Self> {
        match count <= Mailbox::MAX_WORDS {
            true => Ok(Self::Mailbox(Mailbox::new(ctx.stream, count)?)),
            false => Self::in_memory(count, ctx),
        }
    }

    pub(super) fn in_memory(count: usize, ctx: Ctx<'_>) -> Result<Self> {
        Ok(Self::Buffer(Buffer::uninitialized(count * 8, ctx.stream, ctx.mr.temporary)?))
    }

    pub(super) fn write(&mut self, stream: &Stream, launch: impl FnOnce(Out<'_, u64>) -> Result<()>) -> Result<()> {
        match self {
            Self::Mailbox(mailbox) => launch(Out::of(mailbox)),
            Self::Buffer(buffer) => {
                let access = buffer.write_on(stream)?;
                launch(Out::of(&access))
            }
        }
    }

    pub(super) fn wait(self, stream: &Stream) -> Result<Vec<u64>> {
        match self {
            Self::Mailbox(mailbox) => Ok(mailbox.wait()?.to_vec()),
            Self::Buffer(buffer) => {
                let bytes = buffer.to_host(stream)?;
                Ok(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
            }
        }
    }
}
