// Makes lists of the parts of a text that a functor finds. One launch writes the offsets of the lists, the offsets of
// the elements, and the bytes of the elements.
//
// A thread finds the parts of a row once, in shared memory, and records their positions.
#pragma once

#include "build_strings.cuh"
#include "separated_parts.cuh"

namespace gdf {

namespace build_strings_detail {

/// The total that is posted if a functor has given up. As a total, it would mean one byte and no elements, so no lists
/// have this total.
constexpr u64 unlisted = 1;

template <int items, bool is_separated>
struct list_memory {
  static constexpr uint32_t most_parts = 12; // greatest number of parts of a row
  static constexpr uint32_t most_elements = 768;
  static constexpr uint32_t stage_bytes = 32 * most_parts * sizeof(uint32_t);

  typename staged_rows<items>::memory texts;
  uint32_t elements[most_elements]; // bits 0 to 15: the begin of each element in `texts`; from bit 16 on: its size
  alignas(16) uint8_t stage[stage_bytes]; // bytes of the result; earlier the parts of 32 rows
  uint16_t starts[32 * items]; // the first element of each row
  uint32_t marks[is_separated ? staged_rows<items>::bytes / 32 + 4 : 1]; // the marks of separated_parts, if it is used

  GDF_DEVICE u64* sizes() { return reinterpret_cast<u64*>(texts.units); }
};

/// The base of the sinks for parts of a row.
template <bool warp>
struct list_sink {
  static constexpr bool is_warp = warp;
  using search = typename searcher<warp>::type;
  static constexpr bool counts = false;
  static constexpr bool is_writing = true;
  static constexpr bool is_absolute = false;

  GDF_DEVICE void set_size(u64) {}
};

/// A sink that records the parts of a staged row. Only the first `most_parts` of them are recorded.
template <class Memory>
struct part_recorder : list_sink<false> {
  uint32_t* parts; // every 32nd element belongs to this lane
  uint32_t count;
  uint32_t bytes;

  GDF_DEVICE part_recorder(uint32_t* parts) : parts(parts), count(0), bytes(0) {}

  /// Does the same as put, for the part [begin, end) of the text.
  GDF_DEVICE void put_part(int32_t begin, int32_t end) {
    auto const size = static_cast<uint32_t>(end - begin);
    if (count < Memory::most_parts) { parts[32 * count] = static_cast<uint32_t>(begin) | size << 16; }
    bytes += size;
    count++;
  }
  GDF_DEVICE void put(const text_span& span) {
    put_part(static_cast<int32_t>(span.begin), static_cast<int32_t>(span.begin + span.size));
  }
  GDF_DEVICE void put_at(u64 place, const text_span& span) {
    auto const size = static_cast<uint32_t>(span.size);
    if (place < Memory::most_parts) { parts[32 * static_cast<uint32_t>(place)] = static_cast<uint32_t>(span.begin) | size << 16; }
    bytes += size;
    count++;
  }
};

template <bool warp>
struct part_counter : list_sink<warp> {
  u64 size = 0;
  bool gave_up = false;

  GDF_DEVICE void put(const text_span& span) { size += list_size(1, static_cast<u64>(span.size)); }
  GDF_DEVICE void put_at(u64, const text_span& span) { put(span); }
  GDF_DEVICE void put_by_lane(u64, u64, const text_span&) {}
  GDF_DEVICE void set_sizes(u64 parts, u64 bytes) { size += list_size(parts, bytes); }
  GDF_DEVICE void give_up() { gave_up = true; }
};

template <bool warp>
struct part_writer : list_sink<warp> {
  const column_out& out;
  void* offsets;
  string_piece text;
  u64 element;
  u64 byte;

  GDF_DEVICE part_writer(const column_out& out, void* offsets, const string_piece& text, u64 base)
    : out(out), offsets(offsets), text(text), element(elements_of(base)), byte(bytes_of(base)) {}

  GDF_DEVICE void put(const text_span& span) {
    if (!warp || lane() == 0) {
      store_offset(offsets, out.flags & wide_offsets, static_cast<int64_t>(element), static_cast<int64_t>(byte));
    }
    copy_text<warp>(static_cast<uint8_t*>(out.data) + byte, part_of(text, span.begin, span.begin + span.size));
    element++;
    byte += static_cast<u64>(span.size);
  }
  GDF_DEVICE void put_at(u64, const text_span& span) { put(span); }
  /// [thread] Does the same as put, for part number `place` of the row. Each lane writes a different part.
  GDF_DEVICE void put_by_lane(u64 place, u64 before, const text_span& span) {
    store_offset(offsets, out.flags & wide_offsets, static_cast<int64_t>(element + place), static_cast<int64_t>(byte + before));
    copy_text<false>(static_cast<uint8_t*>(out.data) + byte + before, part_of(text, span.begin, span.begin + span.size));
  }
  GDF_DEVICE void set_sizes(u64 parts, u64 bytes) {
    element += parts;
    byte += bytes;
  }
  GDF_DEVICE void give_up() {}
};

/// [warp] Calls `thread()` [thread] for each lane whose row is `inside`. For a long row, `warp(row, owner)` [warp] is
/// called instead.
template <class Functor, class P, class Thread, class Warp>
GDF_DEVICE void for_row_of_lane(int64_t row, bool inside, const P& p, Thread&& thread, Warp&& warp) {
  bool is_long = false;
  if constexpr (Functor::by_warp) { is_long = inside && Functor::work(row, p) > long_row; }
  if (inside && !is_long) { thread(); }
  if constexpr (Functor::by_warp) { for_each_long_row(is_long, row, warp); }
}

/// [warp] Stores the list sizes of rows that are read from global memory, and writes the mask words of these rows.
template <class Functor, class P, class Memory>
GDF_DEVICE u64 count_parts(const warp_rows& rows, const column_out& out, const P& p, Memory& memory, uint32_t& valid_rows,
                           bool& gave_up) {
  u64 total = 0;
  __syncwarp(); // the texts have been read
  for (int i = lane(); i - lane() < rows.count(); i += 32) {
    int64_t const row = rows.first + i;
    bool const inside = row < rows.end;
    part_counter<false> mine;
    bool is_value = false;
    for_row_of_lane<Functor>(row, inside, p, [&] { is_value = put_row<Functor>(mine, row, p); }, [&](int64_t of, int owner) {
      part_counter<true> shared;
      bool const found = put_row<Functor>(shared, of, p);
      if (lane() == owner) {
        is_value = found;
        mine.size = shared.size;
        mine.gave_up = shared.gave_up;
      }
    });
    gave_up = gave_up || mine.gave_up;
    if (inside) { // descending offsets do not bound the sum of sizes
      extent const text = extent_of(p.text.column, row);
      gave_up = gave_up || text.end < text.begin;
    }
    memory.sizes()[i] = mine.size;
    total += mine.size;
    valid_rows += store_valid_word(out, row, is_value);
  }
  gave_up = __any_sync(~0u, gave_up);
  return warp_sum(total);
}

/// [warp] Writes the lists that count_parts has counted, from `base` on.
template <class Functor, class P, class Memory>
GDF_DEVICE void write_parts(const warp_rows& rows, u64 base, const column_out& out, void* offsets, const P& p, Memory& memory) {
  for (int i = lane(); i - lane() < rows.count(); i += 32) {
    int64_t const row = rows.first + i;
    bool const inside = row < rows.end;
    u64 const size = memory.sizes()[i];
    u64 const up_to = warp_inclusive_sum(size);
    u64 const first = base + up_to - size;
    if (inside) { static_cast<int32_t*>(out.offsets)[row] = static_cast<int32_t>(elements_of(first)); }
    for_row_of_lane<Functor>(
      row, inside, p,
      [&] {
        part_writer<false> sink(out, offsets, text_or_none(p.text, row), first);
        put_row<Functor>(sink, row, p);
      },
      [&](int64_t of, int owner) {
        part_writer<true> sink(out, offsets, text_or_none(p.text, of), __shfl_sync(~0u, first, owner));
        put_row<Functor>(sink, of, p);
      });
    base += __shfl_sync(~0u, up_to, 31);
  }
}

template <class Functor, int items, class P, class Memory>
GDF_DEVICE bool record_parts(const warp_rows& rows, const column_out& out, const P& p, Memory& memory, u64& total,
                             uint32_t& valid_rows) {
  auto* const parts = reinterpret_cast<uint32_t*>(memory.stage);
  uint32_t elements = 0;
  uint32_t bytes = 0;
  uint32_t valid = 0;
#pragma unroll 1
  for (int i = lane(); i - lane() < rows.count(); i += 32) {
    int64_t const row = rows.first + i;
    staged_piece const text = staged_rows<items>::get(memory.texts, i);
    part_recorder<Memory> sink(parts + lane());
    bool const is_value = row < rows.end && is_valid(p.text.column, row) && Functor::row(sink, text, row, p);
    uint32_t const up_to = warp_inclusive_sum(sink.count);
    uint32_t const of_step = __shfl_sync(~0u, up_to, 31);
    if (__any_sync(~0u, sink.count > Memory::most_parts) || elements + of_step > Memory::most_elements) { return false; }
    uint32_t const first = elements + up_to - sink.count;
    memory.starts[i] = static_cast<uint16_t>(first);
    for (uint32_t k = 0; k < sink.count; k++) { memory.elements[first + k] = parts[32 * k + lane()] + text.at; }
    elements += of_step;
    bytes += sink.bytes;
    valid += store_valid_word(out, row, is_value);
  }
  valid_rows += valid;
  total = list_size(elements, warp_sum(bytes));
  __syncwarp();
  return true;
}

/// [warp] Writes the parts that record_parts has found, from position `base` on.
template <class Memory>
GDF_DEVICE void write_recorded(const warp_rows& rows, u64 base, u64 total, bool separated, const column_out& out, void* offsets,
                               Memory& memory) {
  bool const wide = out.flags & wide_offsets;
  for (int i = lane(); i < rows.count(); i += 32) {
    static_cast<int32_t*>(out.offsets)[rows.first + i] = static_cast<int32_t>(elements_of(base) + memory.starts[i]);
  }
  auto const elements = static_cast<uint32_t>(elements_of(total));
  u64 byte = bytes_of(base);
  // The memory of the stage still contains parts of rows and must be set to zero.
  __syncwarp();
  for (uint32_t i = lane() * 16; i < Memory::stage_bytes; i += 512) { *reinterpret_cast<uint4*>(memory.stage + i) = uint4{}; }
  __syncwarp();
  byte_stage stage(memory.stage, static_cast<uint8_t*>(out.data) + byte);
  if (separated) {
    separated_parts<Memory> const parts(memory);
    parts.write_offsets(offsets, wide, elements_of(base), byte, elements);
    return parts.write_bytes(stage);
  }
#pragma unroll 1
  for (uint32_t i = lane(); i - lane() < elements; i += 32) {
    uint32_t const part = i < elements ? memory.elements[i] : 0;
    uint32_t const size = part >> 16;
    uint32_t const up_to = warp_inclusive_sum(size);
    uint32_t const of_step = __shfl_sync(~0u, up_to, 31);
    if (i < elements) {
      store_offset(offsets, wide, static_cast<int64_t>(elements_of(base) + i), static_cast<int64_t>(byte + up_to - size));
    }
    byte += of_step;
    if (stage.fill + of_step > Memory::stage_bytes) { stage.flush(); }
    if (stage.fill + of_step > Memory::stage_bytes) {
      auto const* const from = reinterpret_cast<const uint8_t*>(memory.texts.units) + (part & 0xffff);
      for (uint32_t k = 0; k < size; k++) { stage.target[up_to - size + k] = from[k]; }
      stage.skip(of_step);
      continue;
    }
    staged_sink sink{stage.bytes, stage.fill + up_to - size};
    sink.put(staged_piece{reinterpret_cast<const uint32_t*>(memory.texts.units), part & 0xffff, static_cast<int32_t>(size)});
    stage.fill += of_step;
  }
  stage.flush();
}

/// [block] Does the work of list_strings.
template <class Functor, class tuning, class P>
GDF_DEVICE void build_lists(const column_out& out, const P& p, const tile_counts& counts, scratch* scratch,
                            unsigned long long* mailbox) {
  constexpr int threads = tuning::threads;
  constexpr int warps = threads / 32;
  __shared__ list_memory<tuning::items, requires { Functor::separator(p); }> memory[warps];
  __shared__ u64 totals[warps];
  __shared__ u64 base_of_tile;
  __shared__ uint32_t is_slow;
  __shared__ uint32_t slots[2];
  __shared__ uint32_t valid;
  __shared__ uint32_t gave_up;
  auto& mine = memory[warp()];
  scan_state all(true, reinterpret_cast<uint32_t*>(counts.entries), nullptr, tiles_of_rows<tuning>(out.length, counts.share), scratch);
  scan_turns in_turn(scratch, slots, all.tiles);
  int const separator = separator_of<Functor>(p);
  if (threadIdx.x == 0) { valid = gave_up = 0; }
  __syncthreads();
  for (int tile = in_turn.first(), next; tile < all.tiles; tile = next) {
    warp_rows const rows = rows_of_warp<tuning>(tile, counts.share, out.length);
    uint32_t valid_rows = 0;
    u64 size = 0;
    bool const staged = rows.count() > 0 && stages<Functor>(p) &&
                        staged_rows<tuning::items>::load(p.text.column, p.text.bytes, rows.first, rows.end, mine.texts);
    bool const separated = separator >= 0 && staged &&
                           separated_parts(mine).record(rows, out, p.text.column, separator, size, valid_rows);
    bool const recorded = separated || (staged && record_parts<Functor, tuning::items>(rows, out, p, mine, size, valid_rows));
    if (!recorded && rows.count() > 0) {
      bool unknown = false;
      size = count_parts<Functor>(rows, out, p, mine, valid_rows, unknown);
      if (unknown && lane() == 0) { gave_up = 1; }
    }
    if (lane() == 0) { totals[warp()] = size; }
    __syncthreads();
    u64 base = 0;
    u64 total = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
      base += w < warp() ? totals[w] : 0;
      total += totals[w];
    }
    bool const is_last = tile == all.tiles - 1;
    if (warp() == 0) {
      carry<u64> const own{total, gave_up};
      if (lane() == 0 && all.tiles > 1) { publish_aggregate<sum_of_sizes>(all, tile, own); }
      carry<u64> const before = look_back_plain(all, sum_of_sizes{}, tile, own);
      if (lane() == 0) {
        base_of_tile = before.value;
        is_slow = is_slow_tile<warps>([&](int w) { return bytes_of(totals[w]); }) ? 1 : 0;
        if (before.flags != 0) { gave_up = 1; }
        if (is_last) { post(mailbox, (before.flags | own.flags) != 0 ? unlisted : before.value + total); }
      }
    }
    __syncthreads();
    u64 const end = base_of_tile + total;
    base += base_of_tile;
    if (gave_up == 0 && elements_of(end) <= static_cast<u64>(counts.most_elements) && bytes_of(end) <= static_cast<u64>(counts.capacity)) {
      if (recorded) {
        write_recorded(rows, base, size, separated, out, counts.elements, mine);
      } else if (rows.count() > 0) {
        write_parts<Functor>(rows, base, out, counts.elements, p, mine);
      }
      if (is_last && threadIdx.x == 0) {
        static_cast<int32_t*>(out.offsets)[out.length] = static_cast<int32_t>(elements_of(end));
        store_offset(counts.elements, out.flags & wide_offsets, static_cast<int64_t>(elements_of(end)), static_cast<int64_t>(bytes_of(end)));
      }
    }
    if (valid_rows != 0) { atomicAdd(&valid, valid_rows); }
    in_turn.take_behind(is_slow != 0);
    in_turn.pass_on();
    __syncthreads();
    next = in_turn.next();
  }
  __syncthreads();
  if (threadIdx.x == 0) { add_valid_rows(scratch, 0, out, valid); }
  finish_tiles<threads>(all, scratch);
}

} // namespace build_strings_detail

/// [block] Runs the body of a kernel that makes lists of texts.
///
/// The functor is a functor of write_strings with `by_text`. The spans that it appends are the elements. All elements
/// must lie within the text of the row, in the order of the text.
///
/// The kernel posts the total of elements and bytes to the mailbox. If a functor has given up, the kernel posts
/// `unlisted` instead.
template <class Functor, class tuning, class P>
GDF_DEVICE void list_strings(tuning, const column_out& out, const P& parameters, const tile_counts& counts, scratch* scratch,
                             unsigned long long* mailbox) {
  build_strings_detail::build_lists<Functor, tuning>(out, build_strings_detail::prepared_for<Functor>(parameters), counts, scratch,
                                                     mailbox);
}

} // namespace gdf
