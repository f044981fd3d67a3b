// decode: compressed pages are decompressed, all pages of a batch in one launch. A block decompresses a page, one chunk
// of about 2 KiB after the other. It finds all elements of a chunk at the same time, then writes their output at the
// same time. Elements that are longer than a chunk, or damaged, are followed one by one.

#include <gdf/grid.cuh>

#include "segments.cuh"

GDF_POLICY(decode_compressed_pages, 256, 1, 6);

namespace decode {

static_assert(decode_compressed_pages_tuning::threads == decompress_threads);

/// [block] Writes the elements of the chunk. Returns false if the first one is not whole in the stage, or is damaged.
template <class Walk>
GDF_DEVICE bool write_chunk(Walk& walk) {
  if (walk.sequence_at(walk.at, walk.limit()).step == 0) { return false; }
  right_elements const elements = list_elements(walk, find_sequences(walk));
  if (elements.number == 0) { return false; }
  write_elements(walk, elements);
  walk.at = elements.next;
  return true;
}

/// [block] Decompresses a page.
template <class Walk>
GDF_DEVICE void decompress(const compressed_page& page, const uint8_t* bytes, decompress_memory& memory,
                           status* statuses) {
  Walk walk(page, bytes, memory, statuses);
  if (threadIdx.x == 0) { memory.long_count = 0; }
  auto const plain = static_cast<uint32_t>(page.plain);
  walk.copy_literal(walk.at, plain);
  walk.at += plain;
  walk.recent_from = plain;
  walk.begin_chunk();
  walk.start();
  while (!walk.has_ended) {
    if (!write_chunk(walk)) { walk.step(); }
    walk.begin_chunk();
  }
  gdf::await_words();
}

} // namespace decode

/// Decompresses page blockIdx.x. `bytes` are the pages, which begin at a multiple of 16, and 16 bytes follow the last
/// page.
extern "C" __global__ void GDF_BOUNDS(decode_compressed_pages)
decode_compressed_pages_kernel(const decode::compressed_page* pages, const uint8_t* bytes, decode::status* statuses) {
  __shared__ decode::decompress_memory memory;
  decode::compressed_page const page = pages[blockIdx.x];
  if (page.codec == static_cast<int32_t>(decode::codec::snappy)) {
    decode::decompress<decode::snappy_walk>(page, bytes, memory, statuses);
  } else {
    decode::decompress<decode::lz4_walk>(page, bytes, memory, statuses);
  }
}
