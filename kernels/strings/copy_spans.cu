// Text of spans that an operation has found in the rows of a column, see crates/gdf-detail/src/engine/strings/spans.rs.

#include <gdf/build_strings.cuh>

GDF_POLICY(copy_spans, 128, 4, 8);

namespace copy_spans {

struct source {
  gdf::text_in text;
  const int32_t* offsets; // of the rows that the spans are of; null: `each` of every row, the first ones of all rows first
  const gdf::text_span* spans; // null: the rows of the text are these
  int64_t count; // of all
  int64_t nth; // -1: a row for each span; else a row for each row, which has that span of it
  int64_t rows; // that the spans are of
  int64_t each;

  /// [thread] How many spans a row has.
  GDF_DEVICE uint32_t count_of(int64_t row) const {
    return static_cast<uint32_t>(offsets == nullptr ? each : int64_t{offsets[row + 1]} - offsets[row]);
  }

  /// [thread] Where a span of a row is that has so many.
  GDF_DEVICE int64_t place_of(int64_t row, int64_t which) const {
    return offsets == nullptr ? which * rows + row : offsets[row] + which;
  }
};

/// [thread] The span at a place.
GDF_DEVICE gdf::text_span span_at(const source& p, int64_t at) {
  if (p.spans != nullptr) { return p.spans[at]; }
  gdf::extent const row = gdf::extent_within(p.text.column, at, p.text.bytes);
  return {row.begin, row.size()};
}

struct piece {
  static constexpr bool by_warp = true;

  GDF_DEVICE static gdf::text_span span_of(int64_t row, const source& p) {
    constexpr gdf::text_span none{0, -1};
    int64_t at = row;
    if (p.nth >= 0) {
      if (p.nth >= p.count_of(row)) { return none; }
      at = p.place_of(row, p.nth);
    }
    return at < p.count ? span_at(p, at) : none;
  }

  GDF_DEVICE static int64_t work(int64_t, const source&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const source& p) {
    gdf::text_span const span = span_of(row, p);
    if (span.size < 0) { return false; }
    sink.put({static_cast<const uint8_t*>(p.text.column.data) + span.begin, span.size,
              static_cast<const uint8_t*>(p.text.column.data) + p.text.bytes});
    return true;
  }
};

} // namespace copy_spans

/// The text of spans.
GDF_STRINGS_BUILD(copy_spans, copy_spans, text, copy_spans::source, copy_spans::piece);

GDF_POLICY(span_columns, 128, 4, 6);

namespace span_columns {

/// Columns of a launch.
constexpr int most_columns = 16;

/// Columns of the spans `source.nth` and those that follow, of each row.
struct parameters {
  copy_spans::source source;
  gdf::column_out out[most_columns];
  int64_t capacity[most_columns]; // bytes
  int32_t columns;
  int32_t unused;
};

/// What a warp keeps of its rows: their spans, and the text that these are of.
struct warp_memory {
  static constexpr uint32_t most_spans = 640;
  static constexpr uint32_t stage_bytes = 1536;
  static constexpr uint32_t none = 0xffff; // a span that is null, or that is not there

  gdf::staged_rows<1>::memory texts;
  alignas(16) uint8_t stage[stage_bytes];
  uint32_t spans[most_spans]; // where each begins among the texts, and from bit 16 on its size; `none` where it is null
};

/// What a lane keeps of its rows, which follow one another.
struct lane_rows {
  static constexpr int most = gdf::build_strings_detail::most_share;

  uint32_t spans[most]; // the first span of each among those of the warp, and from bit 16 on their number
  uint32_t between; // a span and the next of its row
  int32_t before; // spans of a row that another launch writes
};

/// [thread] A span of a row.
GDF_DEVICE uint32_t span_of(const warp_memory& memory, const lane_rows& own, int k, int column) {
  auto const which = static_cast<uint32_t>(own.before + column);
  return which < own.spans[k] >> 16 ? memory.spans[(own.spans[k] & 0xffff) + which * own.between] : warp_memory::none;
}

/// [warp] Keeps `count` spans, each of which `at` gives as an extent of `bytes` bytes, or one of negative size for null; false in
/// lanes where one is not within these.
template <class At>
GDF_DEVICE bool keep_spans(uint32_t* spans, uint32_t count, uint32_t bytes, uint32_t first_byte, At&& at) {
  constexpr int each = 4; // under way
  bool fits = true;
#pragma unroll 1
  for (uint32_t first = gdf::lane(); first < count; first += 32 * each) {
    gdf::extent found[each];
#pragma unroll
    for (int k = 0; k < each; k++) { found[k] = at(first + k * 32 < count ? first + k * 32 : first); }
#pragma unroll
    for (int k = 0; k < each; k++) {
      auto const begin = static_cast<uint32_t>(found[k].begin);
      auto const size = static_cast<uint32_t>(found[k].end - found[k].begin);
      bool const is_null = found[k].end < found[k].begin;
      bool const within = static_cast<gdf::u64>(found[k].begin) <= bytes && static_cast<gdf::u64>(found[k].end) <= bytes;
      fits = fits && (is_null || within);
      if (first + k * 32 < count) { spans[first + k * 32] = is_null ? warp_memory::none : (begin + first_byte) | size << 16; }
    }
  }
  return fits;
}

/// [thread] Finds the spans of the lane's rows among those of the warp's: `all`, from `first` on.
GDF_DEVICE bool find_spans(const parameters& p, const gdf::build_strings_detail::warp_rows& rows, int share, lane_rows& own,
                           int64_t& first, int64_t& all) {
  const copy_spans::source& source = p.source;
  int const count = rows.count();
  bool const fixed = source.offsets == nullptr;
  first = fixed ? 0 : __ldg(source.offsets + rows.first);
  all = fixed ? int64_t{count} * p.columns : __ldg(source.offsets + rows.end) - first;
  own.between = fixed ? static_cast<uint32_t>(count) : 1;
  own.before = fixed ? 0 : static_cast<int32_t>(source.nth);
  bool fits = fixed ? (source.nth + p.columns) * source.rows <= source.count : first >= 0 && first + all <= source.count;
#pragma unroll
  for (int k = 0; k < lane_rows::most; k++) {
    int const row = gdf::lane() * share + k;
    own.spans[k] = 0;
    if (k >= share || row >= count) { continue; }
    int64_t const begin = fixed ? row : __ldg(source.offsets + rows.first + row) - first;
    int64_t const end = fixed ? row + p.columns : __ldg(source.offsets + rows.first + row + 1) - first;
    fits = fits && begin >= 0 && end >= begin && (fixed || end <= all);
    own.spans[k] = static_cast<uint32_t>(begin) | static_cast<uint32_t>(end - begin) << 16;
  }
  return fits && all <= warp_memory::most_spans;
}

/// [warp] Keeps the spans of rows and their text; false, in all lanes, where they do not fit, or where offsets are none.
GDF_DEVICE bool load(const parameters& p, const gdf::build_strings_detail::warp_rows& rows, int share, lane_rows& own,
                     warp_memory& memory) {
  using texts = gdf::staged_rows<1>;
  const copy_spans::source& source = p.source;
  const gdf::column_in& column = source.text.column;
  if (column.flags & gdf::broadcast) { return false; }
  int64_t first;
  int64_t all;
  if (!__all_sync(~0u, find_spans(p, rows, share, own, first, all))) { return false; }
  // The text of the spans' rows, or of the spans.
  bool const is_of_rows = source.spans != nullptr;
  int64_t from = 0;
  int64_t to = 0;
  if (is_of_rows || all != 0) {
    from = gdf::extent_of(column, is_of_rows ? rows.first : first).begin;
    to = gdf::extent_of(column, is_of_rows ? rows.end - 1 : first + all - 1).end;
  }
  if (from < 0 || to < from || to > source.text.bytes || to - from > texts::bytes - 16) { return false; }
  auto const* const data = static_cast<const uint8_t*>(column.data);
  auto const skipped = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + from) & 15);
  auto const bytes = static_cast<uint32_t>(to - from);
  bool fits = true;
  auto const keep = [&](uint32_t place, int64_t count, auto&& at) {
    fits = keep_spans(memory.spans + place, static_cast<uint32_t>(count), bytes, skipped + 16, at) && fits;
  };
  auto const keep_found = [&](uint32_t place, int64_t count, int64_t begin) {
    auto const* const spans = reinterpret_cast<const longlong2*>(source.spans) + begin;
    keep(place, count, [&](uint32_t i) {
      longlong2 const span = __ldg(spans + i);
      return gdf::extent{span.x - from, span.x - from + span.y};
    });
  };
  auto const keep_elements = [&](auto const* offsets) {
    keep(0, all, [&](uint32_t i) { return gdf::extent{__ldg(offsets + i) - from, __ldg(offsets + i + 1) - from}; });
  };
  __syncwarp(); // what was there is read
  if (!is_of_rows) {
    if (column.flags & gdf::wide_offsets) {
      keep_elements(static_cast<const int64_t*>(column.offsets) + column.offset + first);
    } else {
      keep_elements(static_cast<const int32_t*>(column.offsets) + column.offset + first);
    }
  } else if (source.offsets != nullptr) {
    keep_found(0, all, first);
  } else {
    for (int i = 0; i < p.columns; i++) {
      keep_found(static_cast<uint32_t>(i * rows.count()), rows.count(), (source.nth + i) * source.rows + rows.first);
    }
  }
  texts::copy(data, source.text.bytes, data + from - skipped, bytes + skipped, memory.texts);
  fits = __all_sync(~0u, fits);
  __syncwarp();
  return fits;
}

/// [thread] Puts the bytes of spans from a place on, where memory is zero.
GDF_DEVICE void put_spans(uint8_t* stage, uint32_t place, const uint32_t (&spans)[lane_rows::most], const uint32_t* words) {
  uint32_t to = place & ~3u;
  uint32_t bits = (place & 3) * 8; // of `low`
  uint32_t low = 0;
#pragma unroll
  for (int k = 0; k < lane_rows::most; k++) {
    gdf::staged_piece const text{words, spans[k] & 0xffff, static_cast<int32_t>(spans[k] >> 16)};
#pragma unroll 1
    for (int32_t at = 0; at < text.size; at += 8) {
      gdf::u64 const eight = gdf::bytes_at(text, at);
      auto const first = static_cast<uint32_t>(eight);
      auto const second = static_cast<uint32_t>(eight >> 32);
      uint32_t const middle = __funnelshift_l(first, second, bits);
      uint32_t const high = __funnelshift_l(second, 0, bits);
      low |= first << bits;
      bits += static_cast<uint32_t>(text.size - at < 8 ? text.size - at : 8) * 8;
      if (bits >= 32) {
        gdf::join_word(stage, to, low);
        if (bits >= 64) { gdf::join_word(stage, to + 4, middle); }
        low = bits >= 64 ? high : middle;
        to += bits >> 5 << 2;
        bits &= 31;
      }
    }
  }
  if (bits != 0) { gdf::join_word(stage, to, low); }
}

/// [warp] Writes the offsets and the mask of a column, of whose rows each lane has some; how many are valid, in some lanes.
GDF_DEVICE uint32_t write_rows(const gdf::column_out& out, const gdf::build_strings_detail::warp_rows& rows, int share,
                               gdf::u64 base, const uint32_t (&spans)[lane_rows::most]) {
  constexpr int most = lane_rows::most;
  bool const wide = out.flags & gdf::wide_offsets;
  int64_t const row = rows.first + gdf::lane() * share;
  if (share == most && row + most <= rows.end && !wide) {
    int4 four;
    four.x = static_cast<int32_t>(base);
    four.y = four.x + static_cast<int32_t>(spans[0] >> 16);
    four.z = four.y + static_cast<int32_t>(spans[1] >> 16);
    four.w = four.z + static_cast<int32_t>(spans[2] >> 16);
    *reinterpret_cast<int4*>(static_cast<int32_t*>(out.offsets) + row) = four;
    base = static_cast<gdf::u64>(four.w) + (spans[3] >> 16);
  } else {
#pragma unroll
    for (int k = 0; k < most; k++) {
      if (k < share && row + k < rows.end) { gdf::store_offset(out.offsets, wide, row + k, static_cast<int64_t>(base)); }
      base += spans[k] >> 16;
    }
  }
  if (rows.end == out.length && gdf::lane() == 31) { gdf::store_offset(out.offsets, wide, out.length, static_cast<int64_t>(base)); }
  if (share == 1) { return gdf::store_valid_word(out, row, spans[0] != warp_memory::none); }
  if (out.validity == nullptr) { return 0; }
  // Eight lanes have the rows of a word.
  uint32_t valid = 0;
#pragma unroll
  for (int k = 0; k < most; k++) { valid |= (spans[k] != warp_memory::none ? 1u : 0u) << k; }
  valid <<= gdf::lane() % 8 * most;
#pragma unroll
  for (int step = 1; step < 8; step <<= 1) { valid |= __shfl_xor_sync(~0u, valid, step); }
  if (gdf::lane() % 8 != 0 || row >= rows.end) { return 0; }
  out.validity[row >> 5] = valid;
  return __popc(valid);
}

/// [warp] Writes a column of rows whose spans are kept, from byte `base` on; how many are valid, in some lanes.
GDF_DEVICE uint32_t write_kept(const gdf::column_out& out, const gdf::build_strings_detail::warp_rows& rows, int share,
                               gdf::u64 base, const lane_rows& own, int column, warp_memory& memory) {
  auto const* const words = reinterpret_cast<const uint32_t*>(memory.texts.units);
  uint32_t spans[lane_rows::most];
  uint32_t size = 0;
#pragma unroll
  for (int k = 0; k < lane_rows::most; k++) {
    spans[k] = span_of(memory, own, k, column);
    size += spans[k] >> 16;
  }
  uint32_t const up_to = gdf::warp_inclusive_sum(size);
  uint32_t const total = __shfl_sync(~0u, up_to, 31);
  gdf::byte_stage stage(memory.stage, static_cast<uint8_t*>(out.data) + base);
  for (uint32_t done = 0; done < total;) {
    uint32_t const begin = up_to - size;
    bool const is_next = size != 0 && begin >= done && stage.fill + up_to - done <= warp_memory::stage_bytes;
    uint32_t const lanes = __ballot_sync(~0u, is_next);
    if (is_next) { put_spans(memory.stage, stage.fill + begin - done, spans, words); }
    if (lanes != 0) {
      uint32_t const end = __shfl_sync(~0u, up_to, 31 - __clz(static_cast<int>(lanes)));
      stage.fill += end - done;
      stage.flush();
      done = end;
      continue;
    }
    // A lane whose rows do not fit.
    int const owner = __ffs(static_cast<int>(__ballot_sync(~0u, size != 0 && begin >= done))) - 1;
    uint32_t written = 0;
#pragma unroll
    for (int k = 0; k < lane_rows::most; k++) {
      uint32_t const span = __shfl_sync(~0u, spans[k], owner);
      auto const* const from = reinterpret_cast<const uint8_t*>(words) + (span & 0xffff);
      for (uint32_t i = gdf::lane(); i < span >> 16; i += 32) { stage.target[written + i] = from[i]; }
      written += span >> 16;
    }
    stage.skip(written);
    done += written;
  }
  return write_rows(out, rows, share, base + (up_to - size), spans);
}

/// [warp] As write_kept, of spans that are read where they lie.
GDF_DEVICE uint32_t write_far(const gdf::column_out& out, const gdf::build_strings_detail::warp_rows& rows, gdf::u64 base,
                              const copy_spans::source& source, warp_memory& memory) {
  using namespace gdf::build_strings_detail;
  using copy_spans::piece;
  bool const wide = out.flags & gdf::wide_offsets;
  uint32_t valid = 0;
  gdf::byte_stage stage(memory.stage, static_cast<uint8_t*>(out.data) + base);
#pragma unroll 1
  for (int64_t row = rows.first + gdf::lane(); row - gdf::lane() < rows.end; row += 32) {
    bool const inside = row < rows.end;
    int64_t const found = inside ? piece::span_of(row, source).size : 0;
    auto const size = static_cast<gdf::u64>(found < 0 ? 0 : found);
    gdf::u64 of_step;
    gdf::u64 const position = inclusive_sum_of_sizes(size, of_step) - size;
    if (inside) { gdf::store_offset(out.offsets, wide, row, static_cast<int64_t>(base + position)); }
    base += of_step;
    if (row == out.length - 1) { gdf::store_offset(out.offsets, wide, row + 1, static_cast<int64_t>(base)); }
    if (stage.fill + of_step > warp_memory::stage_bytes) { stage.flush(); }
    bool is_value;
    if (stage.fill + of_step <= warp_memory::stage_bytes) {
      uint32_t const to = stage.fill + static_cast<uint32_t>(position);
      is_value = write_row<gdf::text_sink, piece>(row, inside, size, stage.bytes + to, gdf::staged_sink{stage.bytes, to}, source);
      stage.fill += static_cast<uint32_t>(of_step);
    } else {
      uint8_t* const target = stage.target + position;
      is_value = write_row<gdf::text_sink, piece>(row, inside, size, target, gdf::text_sink<false, true>{target, 0}, source);
      stage.skip(of_step);
    }
    valid += gdf::store_valid_word(out, row, inside && is_value);
  }
  stage.flush();
  return valid;
}

/// [warp] The bytes of a column of rows, in all lanes.
GDF_DEVICE gdf::u64 size_of(const gdf::build_strings_detail::warp_rows& rows, const copy_spans::source& source) {
  gdf::u64 size = 0;
#pragma unroll 1
  for (int64_t row = rows.first + gdf::lane(); row < rows.end; row += 32) {
    int64_t const found = copy_spans::piece::span_of(row, source).size;
    size += static_cast<gdf::u64>(found < 0 ? 0 : found);
  }
  return gdf::warp_sum(size);
}

} // namespace span_columns

/// How many spans the row with the most has, and the bytes of each of `most_columns` columns, as words of the mailbox.
extern "C" __global__ void GDF_BOUNDS(span_columns) GDF_VARIANT(span_columns, totals)
span_columns_totals_kernel(const __grid_constant__ span_columns::parameters p, const __grid_constant__ gdf::tile_counts,
                           gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int words = span_columns::most_columns + 1;
  const copy_spans::source& source = p.source;
  __shared__ unsigned long long found[words];
  for (int i = threadIdx.x; i < words; i += blockDim.x) { found[i] = 0; }
  __syncthreads();
  int64_t const rows = p.out[0].length;
  gdf::for_each_tile<span_columns_tuning::threads, span_columns_tuning::items>(rows, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < span_columns_tuning::items; i++) {
      int64_t const row = gdf::row_of<span_columns_tuning::threads>(first, i);
      uint32_t const count = row < rows ? source.count_of(row) : 0;
      uint32_t const most = gdf::warp_max(count);
      if (gdf::lane() == 0) { atomicMax(found, static_cast<unsigned long long>(most)); }
      for (uint32_t nth = static_cast<uint32_t>(source.nth); nth < most && nth < source.nth + span_columns::most_columns; nth++) {
        int64_t const size = nth < count ? copy_spans::span_at(source, source.place_of(row, nth)).size : 0;
        gdf::u64 const bytes = gdf::warp_sum(static_cast<gdf::u64>(size < 0 ? 0 : size));
        if (gdf::lane() == 0) { atomicAdd(found + 1 + (nth - source.nth), bytes); }
      }
    }
  });
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    if (i == 0) {
      atomicMax(scratch->zeroed, found[0]);
    } else {
      atomicAdd(scratch->zeroed + i, found[i]);
    }
  }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    gdf::post(mailbox + i, static_cast<volatile unsigned long long*>(scratch->zeroed)[i]);
    scratch->zeroed[i] = 0;
  }
}

/// The columns, of which the memory has as many bytes. A warp keeps the spans of its rows and their text, and writes these rows of
/// all columns.
extern "C" __global__ void GDF_BOUNDS(span_columns) GDF_VARIANT(span_columns, write)
span_columns_write_kernel(const __grid_constant__ span_columns::parameters p, const __grid_constant__ gdf::tile_counts counts,
                          gdf::scratch* scratch, unsigned long long*) {
  using namespace gdf::build_strings_detail;
  using namespace span_columns;
  using gdf::lane;
  using gdf::u64;
  using gdf::warp;
  constexpr int warps = span_columns_tuning::threads / 32;
  __shared__ warp_memory memory[warps];
  __shared__ u64 totals[warps][most_columns];
  __shared__ u64 bases[most_columns];
  __shared__ uint32_t valid[most_columns];
  __shared__ uint32_t slots[2];
  auto& mine = memory[warp()];
  int64_t const length = p.out[0].length;
  gdf::scan_state all(true, reinterpret_cast<uint32_t*>(counts.entries), nullptr,
                      tiles_of_rows<span_columns_tuning>(length, counts.share), scratch);
  auto const of_column = [&](int column) {
    gdf::scan_state found = all;
    found.status += static_cast<int64_t>(column) * all.tiles * all.status_words;
    return found;
  };
  auto const of_tile = [&](int column) {
    u64 total = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) { total += totals[w][column]; }
    return total;
  };
  gdf::scan_turns in_turn(scratch, slots, all.tiles);
  if (threadIdx.x < most_columns) { valid[threadIdx.x] = 0; }
  for (uint32_t i = lane() * 16; i < warp_memory::stage_bytes; i += 512) { *reinterpret_cast<uint4*>(mine.stage + i) = uint4{}; }
  __syncthreads();
  copy_spans::source source = p.source;
  lane_rows own;
  for (int tile = in_turn.first(), next; tile < all.tiles; tile = next) {
    warp_rows const rows = rows_of_warp<span_columns_tuning>(tile, counts.share, length);
    bool const kept = rows.count() > 0 && load(p, rows, counts.share, own, mine);
#pragma unroll 1
    for (int column = 0; column < p.columns; column++) {
      u64 size = 0;
      if (kept) {
        uint32_t of_lane = 0;
#pragma unroll
        for (int k = 0; k < lane_rows::most; k++) { of_lane += span_of(mine, own, k, column) >> 16; }
        size = gdf::warp_sum(of_lane);
      } else if (rows.count() > 0) {
        source.nth = p.source.nth + column;
        size = size_of(rows, source);
      }
      if (lane() == 0) { totals[warp()][column] = size; }
    }
    __syncthreads();
    int const published = warp() + lane() * warps;
    if (published < p.columns && all.tiles > 1) {
      gdf::publish_aggregate<sum_of_sizes>(of_column(published), tile, gdf::carried<u64>{of_tile(published), 0});
    }
#pragma unroll 1
    for (int column = warp(); column < p.columns; column += warps) {
      u64 const before = gdf::look_back_plain(of_column(column), sum_of_sizes{}, tile, gdf::carried<u64>{of_tile(column), 0}).value;
      if (lane() == 0) { bases[column] = before; }
    }
    __syncthreads();
#pragma unroll 1
    for (int column = 0; column < p.columns; column++) {
      u64 base = bases[column];
      if (rows.count() == 0 || base + of_tile(column) > static_cast<u64>(p.capacity[column])) { continue; }
      for (int w = 0; w < warp(); w++) { base += totals[w][column]; }
      uint32_t valid_rows;
      if (kept) {
        valid_rows = write_kept(p.out[column], rows, counts.share, base, own, column, mine);
      } else {
        source.nth = p.source.nth + column;
        valid_rows = write_far(p.out[column], rows, base, source, mine);
      }
      if (valid_rows != 0) { atomicAdd(&valid[column], valid_rows); }
    }
    in_turn.take();
    in_turn.pass_on();
    __syncthreads();
    next = in_turn.next();
  }
  __syncthreads();
  if (threadIdx.x < p.columns) {
    int const column = static_cast<int>(threadIdx.x);
    gdf::add_valid_rows(scratch, column, p.out[column], valid[column]);
  }
  if (all.tiles > 1) { all.tiles *= p.columns; }
  gdf::finish_tiles<span_columns_tuning::threads>(all, scratch);
}
