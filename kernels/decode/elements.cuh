// The elements of compressed pages: literals, which are bytes of the page, and copies of earlier output. The threads of
// a block find many elements at the same time, see windows.cuh, and write them at the same time, see segments.cuh.
//
// Every length and distance is checked against the end of the page, the claimed size and the output so far before it is
// followed. Each element takes a byte of the page, so damaged pages end.
#pragma once

#include <gdf/async_copy.cuh>

#include "values.cuh"

namespace decode {

constexpr uint32_t decompress_threads = 256;

/// The number of bytes of the compressed page that are in shared memory. While the threads walk through one half, the
/// other half arrives.
constexpr uint32_t stage_bytes = 4096;

/// The largest number of bytes of a chunk, whose elements are found at the same time.
constexpr uint32_t chunk_bytes = 2048;

/// What follows the bytes of a chunk in shared memory, so that most of its elements are complete.
constexpr uint32_t chunk_margin = 72;

/// The largest number of elements of a chunk: each has 2 bytes, or a literal and a copy have 4.
constexpr uint32_t chunk_elements = chunk_bytes / 2;

/// The largest number of bytes of output that are written at the same time.
constexpr uint32_t segment_bytes = 4096;

/// The number of bytes of recent output that are in shared memory, with those that are being written.
constexpr uint32_t recent_bytes = 2 * segment_bytes;

/// An element whose bytes of output are not all written.
struct alignas(8) listed_element {
  uint32_t to;     // position in the output
  uint32_t source; // literals: position in the stage; copies: the distance back, with `copy_bit`
};

constexpr uint32_t copy_bit = 1u << 31;

/// The shared memory of a block.
struct decompress_memory {
  uint4 stage[stage_bytes / 16];
  uint32_t recent[recent_bytes / 4];
  union {
    uint32_t paths[chunk_bytes];     // see windows.cuh
    uint16_t sources[segment_bytes]; // see segments.cuh
  };
  union {
    struct {
      uint16_t window_exits[chunk_bytes];
      uint16_t group_exits[chunk_bytes];
    };
    listed_element elements[chunk_elements + 1]; // the last one is the end of the output
  };
  union {
    uint16_t begins[chunk_elements]; // where elements begin in the chunk
    uint16_t longs[segment_bytes / 16]; // elements that a warp reads
  };
  uint32_t masks[chunk_bytes / 32]; // `begins` as bits
  uint32_t sums[decompress_threads / 32];
  uint32_t long_count;
  uint32_t last; // the last element of a segment
  uint32_t bad;    // the first element that is not right
  uint32_t bad_to;
  uint32_t bad_number;
};

/// A literal and the copy behind it, as LZ4 stores them. An element of Snappy has only one of them.
struct sequence {
  uint32_t literal; // bytes
  uint32_t literal_at;
  uint32_t copy; // bytes
  uint32_t distance;
  uint32_t step; // the number of bytes of both in the page; 0 if they do not end before a limit, or are damaged

  GDF_DEVICE uint32_t bytes() const { return literal + copy; }
};

/// A walk over the elements of a page. All positions count from the multiple of 16 bytes at or before the start of the
/// page. All members are the same in all threads.
struct page_walk {
  const compressed_page& of;
  const uint8_t* page; // aligned to 16
  uint8_t* output;
  decompress_memory& memory;
  status* statuses;
  uint32_t end;         // the position of the end of the page
  uint32_t size;        // the claimed number of bytes of output
  uint32_t at;          // the position of what follows
  uint32_t out = 0;     // the position in the output
  uint32_t recent_from = 0; // from which position on the output is in shared memory, see `earlier`
  uint32_t ready = 0;   // staged bytes before it have arrived
  uint32_t asked = 0;   // those before it are on their way
  uint32_t base = 0;    // the position of the chunk
  bool has_ended = false;

  GDF_DEVICE page_walk(const compressed_page& of_, const uint8_t* bytes, decompress_memory& memory_, status* statuses_)
      : of(of_), output(of_.decompressed), memory(memory_), statuses(statuses_) {
    const uint8_t* const first = bytes + of.at;
    auto const lead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(first) & 15);
    page = first - lead;
    end = lead + static_cast<uint32_t>(of.bytes);
    size = static_cast<uint32_t>(of.size);
    at = lead;
  }

  /// [block] Begins to bring the bytes from `at` on to shared memory. All threads have read what was before.
  GDF_DEVICE void request() {
    uint32_t const first = at & ~15u;
    uint32_t const beyond = (end + 15) & ~15u;
    uint32_t const limit = beyond - first < stage_bytes ? beyond : first + stage_bytes;
    asked = asked > first ? asked : first;
    for (uint32_t i = asked + threadIdx.x * 16; i < limit; i += decompress_threads * 16) {
      gdf::copy_word(memory.stage + i % stage_bytes / 16, reinterpret_cast<const uint4*>(page + i));
    }
    asked = limit > asked ? limit : asked;
  }

  /// [block] Waits for the bytes of a chunk, and requests those of the next one.
  GDF_DEVICE void begin_chunk() {
    gdf::await_words();
    __syncthreads();
    ready = asked;
    request();
    base = at & ~15u;
    if (ready < end && ready < base + chunk_bytes / 2) {
      gdf::await_words();
      __syncthreads();
      ready = asked;
    }
  }

  /// [thread] Returns the end of the staged bytes that may be read. More bytes have arrived, because words are read.
  /// The bytes behind the end of the page may be anything.
  GDF_DEVICE uint32_t reach() const { return ready < end ? ready - 8 : end; }

  /// [thread] Returns the number of bytes of the chunk, a multiple of 32. It may have more than the page.
  GDF_DEVICE uint32_t bytes_of_chunk() const {
    uint32_t const bytes = ready < end ? ready - chunk_margin - base : end - base + 31;
    return bytes < chunk_bytes ? bytes & ~31u : chunk_bytes;
  }

  /// [thread] Returns the 8 staged bytes from a position on, of which 5 are valid.
  GDF_DEVICE gdf::u64 bytes_at(uint32_t position) const {
    auto const* const words = reinterpret_cast<const uint32_t*>(memory.stage);
    uint32_t const first = position / 4;
    uint32_t const low = words[first % (stage_bytes / 4)];
    uint32_t const high = words[(first + 1) % (stage_bytes / 4)];
    return (static_cast<gdf::u64>(high) << 32 | low) >> ((position & 3) * 8);
  }

  /// [thread] Returns a byte before the end of the page.
  GDF_DEVICE uint32_t byte_at(uint32_t position) const {
    if (position >= reach()) { return __ldg(page + position); }
    return reinterpret_cast<const uint8_t*>(memory.stage)[position % stage_bytes];
  }

  /// [thread] Refuses the page.
  GDF_DEVICE void refuse(flaw what) {
    if (threadIdx.x == 0) { report(statuses, of.column, of.number, what); }
    has_ended = true;
  }

  /// [thread] Ends the page, which has no more elements.
  GDF_DEVICE void finish(flaw what) {
    if (out != size) { return refuse(what); }
    has_ended = true;
  }

  /// [block] Writes the output of the sequence at `at`. It may have any length.
  GDF_DEVICE void write(const sequence& of) {
    gdf::await_words(); // no earlier bytes may arrive behind those that are requested
    __syncthreads();    // all threads have read the lengths in the stage
    at += of.step;
    request();
    copy_literal(of.literal_at, of.literal);
    if (of.copy > 0) {
      __syncthreads(); // the copy may read the literal
      copy_output(of.distance, of.copy);
    }
    recent_from = out;
  }

  /// [block] Copies bytes of the page to the output.
  GDF_DEVICE void copy_literal(uint32_t from, uint32_t bytes) {
    uint32_t const before = (4 - out % 4) % 4; // the bytes before the first whole word
    uint32_t const head = bytes < before ? bytes : before;
    uint32_t const words = (bytes - head) / 4;
    uint32_t const tail = bytes - head - words * 4;
    const uint8_t* const source = page + from;
    uint8_t* const to = output + out;
    if (threadIdx.x < head + tail) {
      uint32_t const k = threadIdx.x < head ? threadIdx.x : threadIdx.x + words * 4;
      to[k] = __ldg(source + k);
    }
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < words; i += decompress_threads) {
      uint32_t const k = head + i * 4;
      *reinterpret_cast<uint32_t*>(to + k) = load<uint32_t>(source + k);
    }
    out += bytes;
  }

  /// [block] Copies earlier output. The bytes before the copy repeat, so no byte depends on another one.
  GDF_DEVICE void copy_output(uint32_t distance, uint32_t bytes) {
    uint32_t const first = out - distance;
    uint32_t const advance = decompress_threads * 4 % distance;
    uint32_t const skipped = out & 3;
    // Words from the one on that has the first byte.
    uint32_t within = (threadIdx.x * 4 + distance - skipped % distance) % distance;
    for (uint32_t i = threadIdx.x * 4; i < skipped + bytes; i += decompress_threads * 4) {
      uint8_t* const to = output + (out - skipped) + i;
      if (i >= skipped && i + 4 <= skipped + bytes && within + 4 <= distance) {
        *reinterpret_cast<uint32_t*>(to) = output_word(first + within, 4);
      } else {
        uint32_t k = within;
        for (uint32_t b = 0; b < 4; b++) {
          if (i + b >= skipped && i + b < skipped + bytes) { to[b] = output[first + k]; }
          k = k + 1 == distance ? 0 : k + 1;
        }
      }
      within += advance;
      within -= within < distance ? 0 : distance;
    }
    out += bytes;
  }

  /// [thread] Returns up to 4 bytes of the output in global memory. They were written before a barrier of the block.
  GDF_DEVICE uint32_t output_word(uint32_t position, uint32_t bytes) const {
    uint32_t const misalignment = position & 3;
    // Not by `__ldg`, because the block has written the bytes.
    auto const* const words = reinterpret_cast<const uint32_t*>(output + (position - misalignment));
    return __funnelshift_r(words[0], misalignment + bytes > 4 ? words[1] : 0, misalignment * 8);
  }
};

} // namespace decode
