// strings::join_list_elements for elements without nulls and with one separator. The bytes of a list are contiguous, so
// the size of its text is known without reading its elements.

#include <gdf/build_strings.cuh>
#include <gdf/byte_run.cuh>

GDF_POLICY(join_lists, 128, 4, 8);

namespace join_lists {

struct parameters {
  gdf::text_in elements; // no element is null
  gdf::column_in lists;
  gdf::text_in separator; // a single row
  int32_t empty_is_null;
  int32_t unused;
};

struct list {
  gdf::extent elements;
  gdf::extent text;
  bool is_value;
};

GDF_DEVICE int64_t begin_of(int64_t element, const parameters& p) {
  gdf::column_in const& column = p.elements.column;
  return gdf::load_offset(column.offsets, column.flags & gdf::wide_offsets, column.offset + element);
}

GDF_DEVICE list list_at(int64_t row, const parameters& p) {
  gdf::extent const elements = gdf::extent_within(p.lists, row, p.elements.column.length);
  bool const is_empty = elements.size() == 0;
  list of{elements, {0, 0}, gdf::is_valid(p.lists, row) && (p.empty_is_null == 0 || !is_empty)};
  if (of.is_value && !is_empty) {
    of.text = gdf::clamped({begin_of(elements.begin, p), begin_of(elements.end, p)}, p.elements.bytes);
  }
  return of;
}

/// [thread] Returns the range of an element's bytes, relative to the first byte of the list.
GDF_DEVICE gdf::extent part_of(int64_t element, const gdf::extent& text, const parameters& p) {
  gdf::extent const within = gdf::extent_within(p.elements.column, element, p.elements.bytes);
  return gdf::clamped({within.begin - text.begin, within.end - text.begin}, text.size());
}

struct joined {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t, const parameters&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    list const of = list_at(row, p);
    auto const* const data = static_cast<const uint8_t*>(p.elements.column.data);
    gdf::string_piece const text{data + of.text.begin, of.text.size(), data + p.elements.bytes};
    for (int64_t i = of.elements.begin; of.is_value && i < of.elements.end; i++) {
      gdf::extent const part = part_of(i, of.text, p);
      if (i > of.elements.begin) { sink.put(gdf::text_at(p.separator, 0)); }
      sink.put(gdf::part_of(text, part.begin, part.end));
    }
    return of.is_value;
  }
};

/// The non-empty lists of a warp's rows, one after another, in shared memory.
struct lists_of_warp {
  int64_t begin[32]; // first byte
  uint32_t size[32];
  uint32_t to[32]; // output position of the text
  uint32_t first[32]; // first element of the list, among the warp's elements
};

/// [warp] Writes a row per lane. Returns false without writing if the lists of the lanes do not follow one another, or
/// have 2^31 or more elements together.
GDF_DEVICE bool write_lists(const list& mine, bool inside, uint8_t* stage, uint32_t to, const parameters& p,
                            const gdf::literal& separator, lists_of_warp& lists) {
  int64_t const before = __shfl_up_sync(~0u, static_cast<long long>(mine.elements.end), 1);
  bool const follows = !inside || gdf::lane() == 0 || before == mine.elements.begin;
  int64_t const begin = __shfl_sync(~0u, static_cast<long long>(mine.elements.begin), 0);
  int const rows = __popc(__ballot_sync(~0u, inside));
  int64_t const count = __shfl_sync(~0u, static_cast<long long>(mine.elements.end), rows - 1) - begin;
  if (!__all_sync(~0u, follows) || count >= 1ll << 31) { return false; }
  bool const has_elements = inside && mine.elements.size() > 0;
  uint32_t const first = has_elements ? static_cast<uint32_t>(mine.elements.begin - begin) : ~0u;
  uint32_t const with_elements = __ballot_sync(~0u, has_elements);
  __syncwarp(); // all lanes have read the previous contents
  if (has_elements) {
    int const at = __popc(with_elements & ((1u << gdf::lane()) - 1));
    lists.begin[at] = mine.text.begin;
    lists.size[at] = mine.is_value ? static_cast<uint32_t>(mine.text.size()) : ~0u;
    lists.to[at] = to;
    lists.first[at] = first;
  }
  __syncwarp();
  auto const separator_size = static_cast<uint32_t>(separator.text.size); // enough bits for rows that fit in the stage
  auto const* const data = static_cast<const uint8_t*>(p.elements.column.data);
  int last_head = -1;
  for (uint32_t at = 0; at < static_cast<uint32_t>(count); at += 32) {
    uint32_t const heads = gdf::warp_or(first - at < 32 ? 1u << (first - at) : 0);
    uint32_t const element = at + gdf::lane();
    int const of = last_head + __popc(heads & (~0u >> (31 - gdf::lane())));
    last_head += __popc(heads);
    if (element >= static_cast<uint32_t>(count) || lists.size[of] == ~0u) { continue; }
    int64_t const text = lists.begin[of];
    gdf::extent const part = part_of(begin + element, {text, text + lists.size[of]}, p);
    uint32_t const number = element - lists.first[of];
    uint32_t const target = lists.to[of] + static_cast<uint32_t>(part.begin) + number * separator_size;
    if (number > 0) {
      gdf::staged_sink before{stage, target - separator_size};
      separator.put(before);
    }
    gdf::put_bytes(stage, target, data + text + part.begin, static_cast<uint32_t>(part.size()), data + p.elements.bytes);
  }
  return true;
}

struct staged_lists {
  static constexpr uint32_t bytes = 3584;
  static constexpr uint32_t most_elements = 768;
  static constexpr int rows = 32 * join_lists_tuning::items;

  uint4 units[bytes / 16 + 3]; // the first unit has no text
  uint32_t valid[join_lists_tuning::items];
  uint16_t first[rows + 1]; // first element of each row
  uint16_t places[most_elements + 1]; // where each element begins

  /// [warp] Loads the lists of rows [first_row, end), which are at most `rows` rows. Returns false if the lists do not
  /// fit in shared memory, or lie outside of their column.
  GDF_DEVICE bool load(int64_t first_row, int64_t end, const parameters& p) {
    gdf::column_in const& column = p.elements.column;
    if (((p.lists.flags | column.flags) & gdf::broadcast) != 0 || column.length == 0) { return false; }
    bool const wide_lists = p.lists.flags & gdf::wide_offsets;
    int64_t begin[join_lists_tuning::items];
    int64_t behind[join_lists_tuning::items];
    bool is_value[join_lists_tuning::items];
#pragma unroll
    for (int i = 0; i < join_lists_tuning::items; i++) { // rows beyond `end` are empty
      int64_t const row = first_row + i * 32 + gdf::lane();
      begin[i] = gdf::load_offset(p.lists.offsets, wide_lists, p.lists.offset + (row < end ? row : end));
      behind[i] = gdf::load_offset(p.lists.offsets, wide_lists, p.lists.offset + (row < end ? row + 1 : end));
      is_value[i] = row < end && gdf::is_valid(p.lists, row);
    }
    int64_t const from = __shfl_sync(~0u, static_cast<long long>(begin[0]), 0);
    int64_t const to = __shfl_sync(~0u, static_cast<long long>(behind[join_lists_tuning::items - 1]), 31);
    bool fits = from >= 0 && from <= to && to <= column.length && to - from <= most_elements;
    __syncwarp(); // all lanes have read the previous contents
#pragma unroll
    for (int i = 0; i < join_lists_tuning::items; i++) {
      fits = fits && from <= begin[i] && begin[i] <= behind[i] && behind[i] <= to;
      first[i * 32 + gdf::lane()] = static_cast<uint16_t>(begin[i] - from);
      uint32_t const bits = __ballot_sync(~0u, is_value[i]);
      if (gdf::lane() == 0) { valid[i] = bits; }
    }
    if (gdf::lane() == 0) { first[rows] = static_cast<uint16_t>(to - from); }
    if (!__all_sync(~0u, fits)) { return false; }
    bool const wide = column.flags & gdf::wide_offsets;
    int64_t const offsets = column.offset + from;
    int64_t const text = gdf::load_offset(column.offsets, wide, offsets);
    int64_t const text_end = gdf::load_offset(column.offsets, wide, column.offset + to);
    if (text < 0 || text_end < text || text_end > p.elements.bytes || text_end - text > bytes - 16) { return false; }
    auto const* const data = static_cast<const uint8_t*>(column.data);
    auto const skipped = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + text) & 15);
    auto const total = static_cast<uint32_t>(text_end - text);
    gdf::stage_units<true>(data, p.elements.bytes, data + text - skipped, total + skipped, units + 1);
    auto const count = static_cast<uint32_t>(to - from);
#pragma unroll 4
    for (uint32_t i = gdf::lane(); i <= count; i += 32) {
      int64_t const place = gdf::load_offset(column.offsets, wide, offsets + i) - text;
      int64_t const next = gdf::load_offset(column.offsets, wide, offsets + (i < count ? i + 1 : count)) - text;
      fits = fits && place >= 0 && place <= next && next <= total;
      places[i] = static_cast<uint16_t>(place + skipped + 16);
    }
    gdf::await_words();
    fits = __all_sync(~0u, fits);
    __syncwarp();
    return fits;
  }

  /// [thread] Returns whether the text of row `at` is not null.
  GDF_DEVICE bool has(int at, const parameters& p) const {
    return (valid[at >> 5] >> gdf::lane() & 1) != 0 && (p.empty_is_null == 0 || first[at + 1] != first[at]);
  }

  GDF_DEVICE uint32_t size(int at, const parameters& p, const gdf::literal& separator) const {
    uint32_t const begin = first[at];
    uint32_t const end = first[at + 1];
    if (begin == end || !has(at, p)) { return 0; }
    return places[end] - places[begin] + (end - begin - 1) * static_cast<uint32_t>(separator.text.size);
  }

  GDF_DEVICE void put(int at, uint8_t* stage, uint32_t to, const gdf::literal& separator) const {
    gdf::byte_run run(stage, to);
    auto const added = static_cast<uint32_t>(separator.text.size);
    uint32_t const end = first[at + 1];
    uint32_t place = places[first[at]];
#pragma unroll 1
    for (uint32_t i = first[at]; i < end;) {
      uint32_t const next = places[++i];
      gdf::staged_piece const text{reinterpret_cast<const uint32_t*>(units), place, static_cast<int32_t>(next - place)};
      uint32_t rest = next - place;
      int32_t done = 0;
#pragma unroll 1
      for (; rest > 8; rest -= 8, done += 8) { run.put_eight(gdf::loose_bytes_at(text, done), 8); }
      gdf::u64 word = gdf::bytes_at(text, done);
      uint32_t const behind = i < end ? added : 0;
      if (rest + behind <= 8) {
        if (behind != 0) { word |= separator.word << (8 * rest); }
        run.put_eight(word, rest + behind);
      } else {
        run.put_eight(word, rest);
        run.put_eight(separator.word, behind);
      }
      place = next;
    }
    run.end();
  }
};

union memory {
  lists_of_warp lists;
  staged_lists staged;
};

/// [warp] Prefetches the elements of the lists of rows [first, end).
GDF_DEVICE void prefetch(int64_t first, int64_t end, const parameters& p) {
  gdf::column_in const& column = p.elements.column;
  if (((p.lists.flags | column.flags) & gdf::broadcast) != 0 || column.length == 0) { return; }
  gdf::extent const elements = gdf::clamped(gdf::load_extent(p.lists, first, end), column.length);
  gdf::extent const text = gdf::clamped({begin_of(elements.begin, p), begin_of(elements.end, p)}, p.elements.bytes);
  int const width = column.flags & gdf::wide_offsets ? 8 : 4;
  auto const* const offsets = static_cast<const uint8_t*>(column.offsets) + column.offset * width;
  gdf::prefetch_bytes(offsets + elements.begin * width, offsets + elements.end * width);
  auto const* const data = static_cast<const uint8_t*>(column.data);
  gdf::prefetch_bytes(data + text.begin, data + text.end);
}

GDF_DEVICE gdf::u64 size_of(int64_t row, bool inside, const parameters& p, const gdf::literal& separator) {
  list const of = inside ? list_at(row, p) : list{{0, 0}, {0, 0}, false};
  if (!of.is_value || of.elements.size() == 0) { return 0; }
  auto const separators = static_cast<gdf::u64>(of.elements.size() - 1);
  return gdf::saturating_add(static_cast<gdf::u64>(of.text.size()),
                             gdf::saturating_multiply(separators, static_cast<gdf::u64>(separator.text.size)));
}

} // namespace join_lists

extern "C" __global__ void GDF_BOUNDS(join_lists) GDF_VARIANT(join_lists, text_sizes)
join_lists_text_sizes_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ join_lists::parameters p,
                             const __grid_constant__ gdf::tile_counts counts, gdf::scratch* scratch,
                             unsigned long long* mailbox) {
  gdf::literal const separator = gdf::literal::of(gdf::text_at(p.separator, 0));
  gdf::build_strings_detail::size_tiles<join_lists_tuning>(
    out, counts, scratch, mailbox, [](auto&&) { return false; },
    [&](int64_t row, bool inside, int, bool) { return join_lists::size_of(row, inside, p, separator); });
}

extern "C" __global__ void GDF_BOUNDS(join_lists) GDF_VARIANT(join_lists, text_write)
join_lists_text_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ join_lists::parameters p,
                             const __grid_constant__ gdf::tile_counts counts, gdf::scratch* scratch,
                             unsigned long long* mailbox) {
  using namespace gdf::build_strings_detail;
  __shared__ join_lists::memory memory[join_lists_tuning::threads / 32];
  gdf::literal const separator = gdf::literal::of(gdf::text_at(p.separator, 0));
  gdf::copy_list const later = list_of(counts, scratch);
  auto const far = [&](int64_t row, bool inside, gdf::u64 size, uint8_t* target) {
    return write_row<gdf::text_sink, join_lists::joined>(row, inside, size, target, gdf::text_sink<false, true>{target, 0}, p, later);
  };
  build_tiles<join_lists_tuning, 1>(
    one_output{out, counts.capacity}, counts, scratch, mailbox,
    [&](const warp_rows& rows, int) {
      if (separator.text.size <= 8 && memory[gdf::warp()].staged.load(rows.first, rows.end, p)) { return true; }
      if (rows.count() > 32) { join_lists::prefetch(rows.first, rows.end, p); }
      return false;
    },
    [&](int64_t row, bool inside, int at, bool staged) {
      if (staged) { return static_cast<gdf::u64>(memory[gdf::warp()].staged.size(at, p, separator)); }
      return join_lists::size_of(row, inside, p, separator);
    },
    [&](int64_t row, bool inside, int at, bool staged, gdf::u64 size, uint8_t* stage, uint32_t to) {
      auto& mine = memory[gdf::warp()];
      if (staged) {
        if (size != 0) { mine.staged.put(at, stage, to, separator); }
        return mine.staged.has(at, p);
      }
      join_lists::list const list = inside ? join_lists::list_at(row, p) : join_lists::list{{0, 0}, {0, 0}, false};
      if (join_lists::write_lists(list, inside, stage, to, p, separator, mine.lists)) { return list.is_value; }
      return far(row, inside, size, stage + to);
    },
    far);
}
