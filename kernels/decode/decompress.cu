// decode: compressed pages are decompressed, all pages of a batch in one launch. A block decompresses a page: one warp
// lists elements, a batch after the other, and the other warps write the elements of earlier batches to recent output in
// shared memory, from where it goes to global memory.
//
// Literals, and copies of older output, depend on nothing that is in work, so groups of lanes write them at the same time.
// Copies of recent output may depend on the element before. One warp writes them in their order.

#include <gdf/grid.cuh>

#include "lz4.cuh"
#include "snappy.cuh"

GDF_POLICY(decode_compressed_pages, 128, 1, 8);

namespace decode {

constexpr int filling_threads = decode_compressed_pages_tuning::threads - 64; // without the warps that list and copy

/// The number of lanes that share an element that is not long.
constexpr int element_lanes = 8;

/// If a batch has more bytes for each copy of recent output, the copies are written in their order.
constexpr uint32_t bytes_of_copy = 128;

/// The output of a page.
struct page_output {
  const uint8_t* page; // aligned to 16; the positions of literals count from here
  uint8_t* output;
  decompress_memory& memory;

  GDF_DEVICE uint8_t& recent(uint32_t position) const {
    return reinterpret_cast<uint8_t*>(memory.history)[position % history_bytes];
  }

  /// [warp] Writes the copies of recent output of a batch.
  GDF_DEVICE void copy_recent(const element_batch& batch) const {
    if (batch.copies * bytes_of_copy < batch.end - batch.begin) { return copy_in_order(batch); }
    find_sources(batch);
    uint32_t const bytes = batch.end - batch.begin;
    for (uint32_t i = static_cast<uint32_t>(gdf::lane()); i < bytes; i += 32) {
      uint32_t const source = memory.sources[i];
      if (source != i) { recent(batch.begin + i) = recent(batch.begin + source); }
    }
  }

  /// [warp] Writes one copy after the other.
  GDF_DEVICE void copy_in_order(const element_batch& batch) const {
    for (uint32_t i = 0; i < batch.copies; i++) {
      element const of = batch.copy(i);
      uint32_t const first = of.to - of.from;
      for (uint32_t k = static_cast<uint32_t>(gdf::lane()); k < of.length; k += 32) {
        recent(of.to + k) = recent(first + (k < of.from ? k : k % of.from)); // the bytes before the copy repeat
      }
      __syncwarp(); // the next copy may read these bytes
    }
  }

  /// [warp] Finds for each byte of a batch the byte that it comes from and that is not copied in the batch: first the one
  /// that its copy names, then, in doubling steps, the source of the source.
  GDF_DEVICE void find_sources(const element_batch& batch) const {
    auto const lane = static_cast<uint32_t>(gdf::lane());
    uint32_t const bytes = batch.end - batch.begin;
    for (uint32_t i = lane; i < bytes; i += 32) { memory.sources[i] = static_cast<uint16_t>(i); }
    __syncwarp();
    for (uint32_t i = lane / element_lanes; i < batch.copies; i += 32 / element_lanes) {
      element const of = batch.copy(i);
      uint32_t const to = of.to - batch.begin;
      for (uint32_t k = lane % element_lanes; k < of.length; k += element_lanes) {
        uint32_t const from = k < of.from ? k : k % of.from;
        memory.sources[to + k] = static_cast<uint16_t>((to - of.from + from) % history_bytes);
      }
    }
    __syncwarp();
    constexpr int items = 4;
    for (bool changes = true; __any_sync(~0u, changes);) {
      changes = false;
      for (uint32_t first = lane; first < bytes + lane; first += items * 32) {
        uint32_t found[items];
#pragma unroll
        for (int k = 0; k < items; k++) {
          uint32_t const i = first + k * 32;
          uint32_t const source = i < bytes ? memory.sources[i] : i;
          uint32_t const next = source < bytes ? memory.sources[source] : source;
          found[k] = next == source ? i : next;
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < items; k++) {
          uint32_t const i = first + k * 32;
          if (found[k] != i) {
            memory.sources[i] = static_cast<uint16_t>(found[k]);
            changes = true;
          }
        }
        __syncwarp();
      }
    }
  }

  /// [filling threads] Writes the other elements of a batch.
  GDF_DEVICE void fill(const element_batch& batch, uint32_t thread) const {
    auto const* const staged = reinterpret_cast<const uint8_t*>(memory.stage);
    for (uint32_t i = thread / element_lanes; i < batch.fills; i += filling_threads / element_lanes) {
      element const of = batch.elements[i];
      if (of.length > long_element) { continue; }
      for (uint32_t k = thread % element_lanes; k < of.length; k += element_lanes) {
        uint8_t byte = 0;
        switch (static_cast<origin>(of.source)) {
          case origin::stage: byte = staged[(of.from + k) % stage_bytes]; break;
          case origin::page: byte = __ldg(page + of.from + k); break;
          case origin::output: byte = output[of.to - of.from + k]; break;
          case origin::history: byte = recent(of.to - of.from + k); break;
          case origin::recent: break;
        }
        recent(of.to + k) = byte;
      }
    }
    for (uint32_t i = 0; i < batch.long_count; i++) {
      element const of = batch.elements[batch.longs[i]];
      bool const is_literal = of.source == static_cast<uint32_t>(origin::page);
      fill_long(of, is_literal ? page + of.from : output + (of.to - of.from), is_literal, thread);
    }
  }

  /// [filling threads] Writes a long element.
  GDF_DEVICE void fill_long(const element& of, const uint8_t* source, bool is_literal, uint32_t thread) const {
    uint32_t const head = (4 - of.to % 4) % 4; // the bytes before the first whole word
    uint32_t const words = (of.length - head) / 4;
    uint32_t const tail = of.length - head - words * 4;
    if (thread < head + tail) {
      uint32_t const k = thread < head ? thread : thread + words * 4;
      recent(of.to + k) = is_literal ? __ldg(source + k) : source[k];
    }
#pragma unroll 4
    for (uint32_t i = thread; i < words; i += filling_threads) {
      uint32_t const k = head + i * 4;
      uint32_t const word = is_literal ? load<uint32_t>(source + k) : load_output(source + k);
      *reinterpret_cast<uint32_t*>(&recent(of.to + k)) = word;
    }
  }

  /// [thread] Returns 4 bytes of output at any address.
  static GDF_DEVICE uint32_t load_output(const uint8_t* from) {
    auto const misalignment = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from) & 3);
    auto const* const words = reinterpret_cast<const uint32_t*>(from - misalignment);
    // Not by `__ldg`, because the block has written the bytes.
    return __funnelshift_r(words[0], misalignment == 0 ? 0 : words[1], misalignment * 8);
  }

  /// [filling threads] Copies the output of a batch to global memory, up to a multiple of 16 bytes, or all of the last
  /// batch.
  GDF_DEVICE void flush(const element_batch& batch, uint32_t thread) const {
    uint32_t const end = batch.is_last ? batch.end + 15 : batch.end;
    for (uint32_t i = batch.begin / 16 + thread; i < end / 16; i += filling_threads) {
      reinterpret_cast<uint4*>(output)[i] = memory.history[i % (history_bytes / 16)];
    }
  }
};

/// [block] Decompresses a page.
///
/// In each step, a batch is listed, the literals of the batch before are written, then the copies of the one before that,
/// and one more batch is copied to global memory.
template <class Walk>
GDF_DEVICE void decompress(const compressed_page& page, const uint8_t* bytes, decompress_memory& memory,
                           status* statuses) {
  Walk walk(page, bytes, memory, statuses);
  page_output const output{walk.page, page.decompressed, memory};
  bool ends = false;
  for (uint32_t step = 0; !ends; step++) {
    auto const slot = [&](uint32_t before) -> element_batch& { return memory.batches[(step - before) % batch_slots]; };
    ends = step >= 3 && slot(3).is_last;
    if (gdf::warp() == 0) {
      walk.list(slot(0));
    } else if (gdf::warp() == 1) {
      if (step >= 2) { output.copy_recent(slot(2)); }
    } else {
      uint32_t const thread = threadIdx.x - 64;
      if (step >= 1) { output.fill(slot(1), thread); }
      if (step >= 3) { output.flush(slot(3), thread); }
    }
    __syncthreads();
  }
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
