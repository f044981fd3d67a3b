// The elements of compressed pages: literals, which are bytes of the page, and copies of earlier output. A warp walks from
// element to element and lists them, and other warps write them.
//
// Every length and distance is checked against the end of the page, the claimed size and the output so far before it is
// followed. Each element takes a byte of the page at least, so damaged pages end.
#pragma once

#include <gdf/async_copy.cuh>

#include "values.cuh"

namespace decode {

/// The number of bytes of recent output that are in shared memory. Copies from farther back depend on nothing that is in
/// work, so many are written at once. Less shared memory lets more blocks hide the latency of each.
constexpr uint32_t history_bytes = 16384;

/// The number of bytes of the compressed page that are in shared memory.
constexpr uint32_t stage_bytes = 2048;

/// The largest number of elements of a batch.
constexpr uint32_t batch_elements = 64;

/// The largest number of bytes of output of a batch.
constexpr uint32_t batch_bytes = 2048;

/// More threads share an element of more bytes.
constexpr uint32_t long_element = 64;

/// The number of batches that are in work at the same time, see `decode_compressed_pages_kernel`.
constexpr uint32_t batch_slots = 4;

// When a batch is written, the two batches before may not be in global memory yet, and the batch behind may be written at
// the same time. What a far copy needs is before all of them.
static_assert(history_bytes >= 5 * batch_bytes + 16);
static_assert(batch_bytes % 16 == 0 && stage_bytes >= 2 * long_element);

/// Where the bytes of an element come from.
enum class origin : uint32_t {
  stage = 0,   // a literal whose bytes are in shared memory
  page = 1,    // a literal
  output = 2,  // a copy of output that is no longer in shared memory, but in global memory
  history = 3, // a copy of output that is in shared memory
  recent = 4,  // a copy of output that may not be complete before the element before is written
};

struct alignas(16) element {
  uint32_t to;     // position in the output
  uint32_t length; // not zero
  uint32_t from;   // literals: position in the page; copies: the distance back
  uint32_t source; // an `origin`
};

struct element_batch {
  // From the back on, in the order of the output, copies of recent output. From the front on, the other elements.
  element elements[batch_elements];
  uint8_t longs[batch_elements]; // numbers of the long elements at the front
  uint32_t fills;  // the number of elements at the front
  uint32_t copies; // the number of elements at the back
  uint32_t long_count;
  uint32_t begin; // the position of the output of the batch
  uint32_t end;
  bool is_last;

  /// Returns a copy of recent output by its number.
  GDF_DEVICE element& copy(uint32_t number) { return elements[batch_elements - 1 - number]; }
  GDF_DEVICE const element& copy(uint32_t number) const { return elements[batch_elements - 1 - number]; }
};

/// The shared memory of a block.
struct decompress_memory {
  // Where each byte of the batch whose copies are written comes from, counted from the first byte of the batch on, modulo
  // the size of the history.
  uint16_t sources[batch_bytes];
  uint4 history[history_bytes / 16];
  uint4 stage[stage_bytes / 16];
  element_batch batches[batch_slots];
};

/// An element that has not been listed.
struct unlisted {
  uint32_t bytes; // of output
  uint32_t from;  // see `element`
  bool is_copy;
};

/// The elements that begin in a window of 32 bytes of a page.
struct window_chain {
  uint32_t begins; // a bit for each byte at which one begins
  uint32_t to;     // the position of the output of the lane's element
};

/// What a walk has listed of a batch.
struct batch_counts {
  uint32_t fills = 0;
  uint32_t copies = 0;
  uint32_t longs = 0;

  GDF_DEVICE uint32_t slots() const { return batch_elements - fills - copies; }
};

/// A walk over the elements of a page. All positions count from the multiple of 16 bytes at or before the start of the
/// page. A warp walks through windows of the page: each lane reads the element that would begin at its byte, and doubling
/// steps find the elements that do begin. All members are the same in all lanes.
struct element_walk {
  const compressed_page& of;
  const uint8_t* page; // aligned to 16
  decompress_memory& memory;
  status* statuses;
  uint32_t end;       // the position of the end of the page
  uint32_t size;      // the claimed number of bytes of output
  uint32_t at;        // the position of what follows
  uint32_t out = 0;   // the position in the output
  uint32_t begin = 0; // the position of the output of this batch
  uint32_t before = 0; // the position of the output of the batch before
  bool has_ended = false;
  // The element whose bytes are not all listed.
  uint32_t left = 0;
  uint32_t from = 0;
  bool is_copy = false;
  // The staged bytes: from `kept` on, batches may read them; those before `ready` have arrived; those before `asked` are
  // on their way.
  uint32_t kept;
  uint32_t ready;
  uint32_t asked;
  bool has_staged = false; // whether a literal of the last batch has its bytes in the stage

  GDF_DEVICE element_walk(const compressed_page& of_, const uint8_t* bytes, decompress_memory& memory_,
                          status* statuses_)
      : of(of_), memory(memory_), statuses(statuses_) {
    const uint8_t* const first = bytes + of.at;
    auto const lead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(first) & 15);
    page = first - lead;
    end = lead + static_cast<uint32_t>(of.bytes);
    size = static_cast<uint32_t>(of.size);
    at = lead + static_cast<uint32_t>(of.plain);
    left = static_cast<uint32_t>(of.plain);
    from = lead;
    kept = ready = asked = at & ~15u;
  }

  /// [warp] Begins a batch. Begins to bring bytes to shared memory. Those that the call before has asked for arrive.
  GDF_DEVICE void begin_batch() {
    before = begin;
    begin = out;
    gdf::await_words();
    __syncwarp();
    ready = asked;
    // The literals of the batch before are still read.
    if (at > asked) {
      if (has_staged) {
        has_staged = false;
        return;
      }
      kept = ready = asked = at & ~15u;
    }
    has_staged = false;
    uint32_t const beyond = (end + 15) & ~15u;
    uint32_t const limit = beyond - kept < stage_bytes ? beyond : kept + stage_bytes;
    for (uint32_t i = asked + static_cast<uint32_t>(gdf::lane()) * 16; i < limit; i += 32 * 16) {
      gdf::copy_word(memory.stage + i % stage_bytes / 16, reinterpret_cast<const uint4*>(page + i));
    }
    asked = limit > asked ? limit : asked;
    kept = at & ~15u;
  }

  /// [thread] Completes a batch.
  GDF_DEVICE void end_batch(element_batch& batch, const batch_counts& counts) const {
    batch.fills = counts.fills;
    batch.copies = counts.copies;
    batch.long_count = counts.longs;
    batch.begin = begin;
    batch.end = out;
    batch.is_last = has_ended && left == 0;
  }

  /// [thread] Returns the 8 staged bytes from a position on, of which 5 are valid. Those behind the end may be anything.
  GDF_DEVICE gdf::u64 bytes_at(uint32_t position) const {
    auto const* const words = reinterpret_cast<const uint32_t*>(memory.stage);
    uint32_t const first = position / 4;
    uint32_t const low = words[first % (stage_bytes / 4)];
    uint32_t const high = words[(first + 1) % (stage_bytes / 4)];
    return (static_cast<gdf::u64>(high) << 32 | low) >> ((position & 3) * 8);
  }

  /// [thread] Returns the 4 staged bytes from a position on.
  GDF_DEVICE uint32_t word(uint32_t position) const { return static_cast<uint32_t>(bytes_at(position)); }

  /// [thread] Returns whether what follows has arrived: `bytes` bytes, or all up to the end.
  GDF_DEVICE bool has_arrived(uint32_t bytes) const { return at + bytes <= ready || ready >= end; }

  /// [thread] Returns where the bytes of a literal come from.
  GDF_DEVICE origin origin_of_literal(uint32_t first, uint32_t bytes) const {
    bool const is_staged = bytes <= long_element && first >= kept && first + bytes <= ready;
    return is_staged ? origin::stage : origin::page;
  }

  /// [thread] Returns where the bytes of a copy to position `to` come from. When the other elements of a batch are
  /// written, all output before the batch before is complete.
  GDF_DEVICE origin origin_of_copy(uint32_t to, uint32_t distance, uint32_t bytes) const {
    uint32_t const first = to - distance;
    if (first + history_bytes < begin + 2 * batch_bytes) { return origin::output; }
    return bytes <= long_element && first + bytes <= before ? origin::history : origin::recent;
  }

  /// [warp] Finds the elements that begin in the window, the first one at its first byte. An element of `step` bytes has
  /// `bytes` bytes of output; if `step` is 0, no element follows. An element takes 2 bytes at least. Output positions may
  /// be too large, but not up to the first element with more bytes than are left.
  GDF_DEVICE window_chain follow(bool exists, uint32_t step, uint32_t bytes) const {
    constexpr int doubling_steps = 4;
    auto const lane = static_cast<uint32_t>(gdf::lane());
    // The elements from the own one on, their bytes of output, and the lane behind them.
    uint32_t begins = exists ? 1u << lane : 0;
    uint32_t sum = bytes;
    uint32_t behind = step == 0 || step > 31 - lane ? 32 : lane + step;
    for (int i = 0; i < doubling_steps; i++) {
      uint32_t const next_begins = __shfl_sync(~0u, begins, behind & 31);
      uint32_t const next_sum = __shfl_sync(~0u, sum, behind & 31);
      uint32_t const next_behind = __shfl_sync(~0u, behind, behind & 31);
      if (behind < 32) {
        begins |= next_begins;
        sum += next_sum;
        behind = next_behind;
      }
    }
    return {__shfl_sync(~0u, begins, 0), out + __shfl_sync(~0u, sum, 0) - sum};
  }

  /// [warp] Lists more bytes of the element that is not complete. Returns false if the batch is full.
  GDF_DEVICE bool list_rest(element_batch& batch, batch_counts& counts) {
    uint32_t const capacity = begin + batch_bytes - out;
    if (capacity == 0 || counts.slots() == 0) { return false; }
    uint32_t const part = left < capacity ? left : capacity;
    list_elements(batch, counts, {part, from, is_copy}, out, gdf::lane() == 0);
    out += part;
    left -= part;
    if (!is_copy) { from += part; }
    return true;
  }

  /// [warp] Lists an element of each lane that has one, in the order of the lanes.
  GDF_DEVICE void list_elements(element_batch& batch, batch_counts& counts, const unlisted& own, uint32_t to,
                                bool has_one) {
    origin const source =
        own.is_copy ? origin_of_copy(to, own.from, own.bytes) : origin_of_literal(own.from, own.bytes);
    bool const is_recent = source == origin::recent;
    bool const is_long = own.bytes > long_element;
    uint32_t const below = (1u << gdf::lane()) - 1;
    uint32_t const copies = __ballot_sync(~0u, has_one && is_recent);
    uint32_t const fills = __ballot_sync(~0u, has_one && !is_recent);
    uint32_t const longs = __ballot_sync(~0u, has_one && !is_recent && is_long);
    has_staged = __any_sync(~0u, has_one && source == origin::stage) || has_staged;
    if (has_one) {
      element const listed{to, own.bytes, own.from, static_cast<uint32_t>(source)};
      if (is_recent) {
        batch.copy(counts.copies + __popc(copies & below)) = listed;
      } else {
        uint32_t const number = counts.fills + __popc(fills & below);
        batch.elements[number] = listed;
        if (is_long) { batch.longs[counts.longs + __popc(longs & below)] = static_cast<uint8_t>(number); }
      }
    }
    counts.fills += __popc(fills);
    counts.copies += __popc(copies);
    counts.longs += __popc(longs);
  }

  GDF_DEVICE void refuse(flaw what) {
    report(statuses, of.column, of.number, what);
    has_ended = true;
    left = 0;
  }

  /// [thread] Ends the page, which has no more elements.
  GDF_DEVICE void finish(flaw what) {
    if (out != size) { return refuse(what); }
    has_ended = true;
  }
};

} // namespace decode
