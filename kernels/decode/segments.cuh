// The output of the elements of a chunk is written one segment after the other. Bytes that are in the page, or in
// earlier output, are read at once. A byte that is copied from the segment itself names its source. Doubling steps find
// the source of the source, until all of them are bytes that were read. No element waits for another one.
#pragma once

#include "windows.cuh"

namespace decode {

/// The elements of a chunk that are right. They are listed in shared memory.
struct right_elements {
  uint32_t number;
  uint32_t end;  // the position behind them in the output
  uint32_t next; // the position behind them in the page
};

/// [block] Lists the literals and copies of a chunk, up to the first sequence that is not right.
template <class Walk>
GDF_DEVICE right_elements list_elements(const Walk& walk, const found_sequences& found) {
  constexpr uint32_t number_bit = 20; // sequences of the stage have less than 2^20 bytes of output
  decompress_memory& memory = walk.memory;
  auto const lane = static_cast<uint32_t>(gdf::lane());
  auto const warp = static_cast<uint32_t>(gdf::warp());
  uint32_t const limit = walk.limit();
  uint32_t const items = (found.count + decompress_threads - 1) / decompress_threads;
  uint32_t const first = threadIdx.x * items;
  uint32_t const end = first + items < found.count ? first + items : found.count;
  uint32_t sum = 0;
  for (uint32_t i = first; i < end; i++) {
    sequence const of = walk.sequence_at(walk.base + memory.begins[i], limit);
    sum += of.bytes() + ((of.literal > 0 ? 1u << number_bit : 0) + (of.copy > 0 ? 1u << number_bit : 0));
  }
  uint32_t const up_to = lane_sum(sum);
  if (lane == 31) { memory.sums[warp] = up_to; }
  if (threadIdx.x == 0) { memory.bad = found.count; }
  __syncthreads();
  uint32_t before = up_to - sum;
  uint32_t all = 0;
  for (uint32_t i = 0; i < decompress_threads / 32; i++) {
    before += i < warp ? memory.sums[i] : 0;
    all += memory.sums[i];
  }
  uint32_t to = walk.out + (before & ((1u << number_bit) - 1));
  uint32_t number = before >> number_bit;
  uint32_t i = first;
  for (; i < end; i++) {
    sequence const of = walk.sequence_at(walk.base + memory.begins[i], limit);
    if (!walk.is_right(of, to)) {
      atomicMin(&memory.bad, i);
      break;
    }
    if (of.literal > 0) { memory.elements[number++] = {to, of.literal_at % stage_bytes}; }
    if (of.copy > 0) { memory.elements[number++] = {to + of.literal, of.distance | copy_bit}; }
    to += of.bytes();
  }
  __syncthreads();
  uint32_t const bad = memory.bad;
  right_elements right{all >> number_bit, walk.out + (all & ((1u << number_bit) - 1)), walk.base + found.next};
  if (bad != found.count) {
    if (i == bad && i < end) {
      memory.bad_to = to;
      memory.bad_number = number;
    }
    __syncthreads();
    right = {memory.bad_number, memory.bad_to, walk.base + memory.begins[bad]};
  }
  if (threadIdx.x == 0) { memory.elements[right.number].to = right.end; }
  __syncthreads();
  return right;
}

/// A part of the output that is written at the same time. All members are the same in all threads.
struct segment {
  static constexpr int words = segment_bytes / 4 / decompress_threads; // of a thread
  static constexpr uint32_t read_bit = 0x8000; // a source with this bit is a byte that was read
  static constexpr gdf::u64 all_read = 0x8000800080008000; // the bits of four sources

  decompress_memory& memory;
  uint8_t* output;
  uint32_t base;  // the position of the first word, from which on sources are counted
  uint32_t begin; // the position of the first byte
  uint32_t end;
  uint32_t recent_from; // the output from here on is in shared memory

  template <class Walk>
  GDF_DEVICE segment(const Walk& walk, uint32_t begin_, uint32_t behind)
      : memory(walk.memory), output(walk.output), base(begin_ & ~15u), begin(begin_) {
    end = behind - base < segment_bytes ? behind : base + segment_bytes;
    uint32_t const kept = base < recent_bytes - segment_bytes ? 0 : base - (recent_bytes - segment_bytes);
    recent_from = walk.recent_from > kept ? walk.recent_from : kept;
  }

  GDF_DEVICE uint8_t& recent(uint32_t position) const {
    return reinterpret_cast<uint8_t*>(memory.recent)[position % recent_bytes];
  }

  GDF_DEVICE uint32_t& recent_word(uint32_t word) const {
    return memory.recent[(base / 4 + word) % (recent_bytes / 4)];
  }

  /// [thread] Writes a byte that was read.
  GDF_DEVICE void put(uint32_t position, uint8_t byte) const {
    recent(position) = byte;
    memory.sources[position - base] = static_cast<uint16_t>((position - base) | read_bit);
  }

  /// [thread] Reads every `stride`-th byte of an element, or names its source. Returns whether it names any.
  GDF_DEVICE bool read_element(const listed_element& element, uint32_t first, uint32_t behind, uint32_t stride) const {
    if ((element.source & copy_bit) == 0) {
      auto const* const staged = reinterpret_cast<const uint8_t*>(memory.stage);
      uint32_t const from = element.source - element.to;
      for (uint32_t i = first; i < behind; i += stride) { put(i, staged[(from + i) % stage_bytes]); }
      return false;
    }
    uint32_t const distance = element.source & ~copy_bit;
    bool names = false;
    for (uint32_t i = first; i < behind; i += stride) {
      uint32_t const source = i - distance;
      if (source >= begin) {
        memory.sources[i - base] = static_cast<uint16_t>(source - base);
        names = true;
      } else {
        // Not by `__ldg`, because the block has written the bytes.
        put(i, source >= recent_from ? recent(source) : output[source]);
      }
    }
    return names;
  }

  /// [block] Reads all bytes of elements `first` up to `behind`, or names their sources. Returns whether any are named.
  GDF_DEVICE bool read(uint32_t first, uint32_t behind) const {
    constexpr uint32_t bytes_of_lane = 16; // a warp reads an element with more
    bool names = false;
    uint32_t lanes = 1; // which share an element
    while (lanes < 32 && (behind - first) * lanes * 2 <= decompress_threads) { lanes *= 2; }
    for (uint32_t i = first + threadIdx.x / lanes; i < behind; i += decompress_threads / lanes) {
      listed_element const element = memory.elements[i];
      uint32_t const next = memory.elements[i + 1].to;
      uint32_t const from = element.to > begin ? element.to : begin;
      uint32_t const to = next < end ? next : end;
      if (to - from > bytes_of_lane * lanes) {
        if (threadIdx.x % lanes == 0) { memory.longs[atomicAdd(&memory.long_count, 1u)] = static_cast<uint16_t>(i); }
      } else {
        names = read_element(element, from + threadIdx.x % lanes, to, lanes) || names;
      }
    }
    // The bytes before the segment in its first word are written again.
    uint32_t const position = (begin & ~3u) + threadIdx.x;
    if (position < begin) {
      if (position < recent_from) { recent(position) = output[position]; }
      memory.sources[position - base] = static_cast<uint16_t>((position - base) | read_bit);
    }
    bool const has_named = __syncthreads_or(names) != 0;
    uint32_t const longs = memory.long_count;
    if (longs == 0) { return has_named; }
    names = false;
    for (uint32_t k = gdf::warp(); k < longs; k += decompress_threads / 32) {
      uint32_t const i = memory.longs[k];
      listed_element const element = memory.elements[i];
      uint32_t const next = memory.elements[i + 1].to;
      uint32_t const from = element.to > begin ? element.to : begin;
      names = read_element(element, from + gdf::lane(), next < end ? next : end, 32) || names;
    }
    bool const has_more = __syncthreads_or(names) != 0;
    if (threadIdx.x == 0) { memory.long_count = 0; }
    return has_named || has_more;
  }

  /// [block] Writes the segment, of which all bytes are read or named.
  GDF_DEVICE void write(bool has_named) const {
    auto* const of_words = reinterpret_cast<gdf::u64*>(memory.sources);
    uint32_t values[words];
    uint32_t copied = 0; // a bit for each word with a byte that was not read
    if (has_named) {
      gdf::u64 sources[words];
#pragma unroll
      for (int k = 0; k < words; k++) {
        uint32_t const word = threadIdx.x + k * decompress_threads;
        uint32_t const position = base + word * 4;
        bool const exists = position < end && position + 4 > begin;
        sources[k] = exists ? of_words[word] : all_read;
        if (exists && end - position < 4) { sources[k] |= all_read << (16 * (end - position)); }
        copied |= (sources[k] & all_read) == all_read ? 0 : 1u << k;
      }
      bool is_pending = copied != 0;
      while (__syncthreads_or(is_pending) != 0) {
#pragma unroll
        for (int k = 0; k < words; k++) { sources[k] = doubled(sources[k]); }
        __syncthreads();
        is_pending = false;
#pragma unroll
        for (int k = 0; k < words; k++) {
          if ((copied >> k & 1) == 0) { continue; }
          of_words[threadIdx.x + k * decompress_threads] = sources[k];
          is_pending = is_pending || (sources[k] & all_read) != all_read;
        }
      }
#pragma unroll
      for (int k = 0; k < words; k++) {
        if ((copied >> k & 1) != 0) { values[k] = bytes_of(sources[k]); }
      }
      __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < words; k++) {
      uint32_t const word = threadIdx.x + k * decompress_threads;
      uint32_t const position = base + word * 4;
      if (position >= end || position + 4 <= begin) { continue; }
      if ((copied >> k & 1) != 0) {
        recent_word(word) = values[k];
      } else {
        values[k] = recent_word(word);
      }
      *reinterpret_cast<uint32_t*>(output + position) = values[k];
    }
  }

  /// [thread] Returns the sources of the sources that were not read.
  GDF_DEVICE gdf::u64 doubled(gdf::u64 sources) const {
    if ((sources & all_read) == all_read) { return sources; }
    gdf::u64 next = 0;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      auto const source = static_cast<uint32_t>(sources >> (16 * b)) & 0xffff;
      uint32_t const of = (source & read_bit) != 0 ? source : memory.sources[source];
      next |= static_cast<gdf::u64>(of) << (16 * b);
    }
    return next;
  }

  /// [thread] Returns the bytes that sources name.
  GDF_DEVICE uint32_t bytes_of(gdf::u64 sources) const {
    uint32_t value = 0;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      auto const source = static_cast<uint32_t>(sources >> (16 * b)) & (read_bit - 1);
      value |= static_cast<uint32_t>(recent(base + source)) << (8 * b);
    }
    return value;
  }
};

/// [block] Writes the output of the elements of a chunk.
template <class Walk>
GDF_DEVICE void write_elements(Walk& walk, const right_elements& elements) {
  decompress_memory& memory = walk.memory;
  uint32_t first = 0; // the elements before it are before the segment
  while (walk.out < elements.end) {
    segment const part(walk, walk.out, elements.end);
    uint32_t behind = elements.number;
    if (part.end < elements.end) {
      for (uint32_t i = first + threadIdx.x; i < elements.number; i += decompress_threads) {
        if (memory.elements[i].to < part.end && part.end <= memory.elements[i + 1].to) { memory.last = i; }
      }
      __syncthreads();
      behind = memory.last + 1;
    }
    part.write(part.read(first, behind));
    __syncthreads(); // the next segment reads what this one has written
    first = part.end < elements.end && memory.elements[behind].to == part.end ? behind : behind - 1;
    walk.out = part.end;
  }
}

} // namespace decode
