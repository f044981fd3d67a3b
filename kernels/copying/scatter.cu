// copying::scatter: the rows of a target table are replaced by rows of a source table. A scatter map names the target
// row of each source row.
//
// The map is inverted first. For each row of the target, the inverse has the row of the source that replaces it.

#include <gdf/copy_bytes.cuh>
#include <gdf/count.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/policy.cuh>
#include <gdf/string_rows.cuh>
#include <gdf/table.cuh>

#include "gather_map.cuh"

GDF_POLICY(scatter_invert, 256, 4, 8);
GDF_POLICY(scatter, 256, 8, 2);
GDF_POLICY(scatter_copy, 256, 64, 4); // items are bytes
GDF_POLICY(scatter_direct, 256, 8, 4);

namespace scatter {

/// The description of a column to merge. For column c of the result, the source is column 2 c of the launch, and the
/// target is column 2 c + 1.
struct column {
  gdf::byte_count source_bytes; // length of the character buffer; for copy_any_width, the width of a row
  gdf::byte_count target_bytes; // length of the character buffer
  int32_t kind; // a gdf::copy_kind, or the width of a row
  int32_t slot; // copy_strings: the index of the column's array of tile sums
};
static_assert(sizeof(column) == 24);

struct columns {
  column at[16];
};

/// The inverse of a scatter map. It has a word for each row of the target. The word is the number of the source row
/// that replaces the target row, counted from 1. If the target row stays, the word is 0. If `words` is null, all target
/// rows stay.
struct inverse_map {
  void* words;
  int32_t wide; // whether words have 64 bits
  int32_t unused;

  GDF_DEVICE int64_t operator[](int64_t row) const {
    if (words == nullptr) { return -1; }
    return wide != 0 ? static_cast<int64_t>(static_cast<const gdf::u64*>(words)[row]) - 1
                     : static_cast<int64_t>(static_cast<const uint32_t*>(words)[row]) - 1;
  }

  GDF_DEVICE void set(int64_t row, int64_t source) const {
    if (wide != 0) {
      static_cast<gdf::u64*>(words)[row] = static_cast<gdf::u64>(source + 1);
    } else {
      static_cast<uint32_t*>(words)[row] = static_cast<uint32_t>(source + 1);
    }
  }

  GDF_DEVICE void clear(int64_t row) const { set(row, -1); }
};
static_assert(sizeof(inverse_map) == 16);

using tuning = scatter_tuning;
constexpr int threads = tuning::threads;

template <class T>
GDF_DEVICE void put_values(const gdf::column_in& source, const gdf::column_in& target,
                           const gdf::column_out& out, const inverse_map& inverse, int64_t first) {
  constexpr int items = tuning::items;
  constexpr int batch = sizeof(T) <= 8 ? items : sizeof(T) == 16 ? items / 2 : items / 4;
  gdf::values<T> const a(source);
  gdf::values<T> const b(target);
  auto* const data = static_cast<T*>(out.data);
#pragma unroll 1
  for (int k = 0; k < items; k += batch) {
    int64_t from[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int64_t const row = gdf::row_of<threads>(first, k + i);
      from[i] = row < out.length ? inverse[row] : -1;
    }
    T value[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int64_t const row = gdf::row_of<threads>(first, k + i);
      if (row < out.length) { value[i] = from[i] >= 0 ? a[from[i]] : b[row]; }
    }
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int64_t const row = gdf::row_of<threads>(first, k + i);
      if (row < out.length) { gdf::store(data + row, value[i]); }
    }
  }
}

/// [block] Writes the rows of a tile, which have `width` bytes and any alignment.
GDF_DEVICE void put_bytes(const gdf::column_in& source, const gdf::column_in& target, int64_t width,
                          const gdf::column_out& out, const inverse_map& inverse, int64_t first) {
  int64_t const left = out.length - first;
  int const count = left < tuning::tile ? static_cast<int>(left) : tuning::tile;
  for (int r = gdf::warp(); r < count; r += threads / 32) {
    int64_t const row = first + r;
    int64_t const replaced = inverse[row];
    auto const* const from =
      replaced >= 0
        ? static_cast<const uint8_t*>(source.data) + gdf::index_of(source, replaced) * width
        : static_cast<const uint8_t*>(target.data) + gdf::index_of(target, row) * width;
    auto* const to = static_cast<uint8_t*>(out.data) + row * width;
    for (int64_t b = gdf::lane(); b < width; b += 32) { to[b] = __ldg(from + b); }
  }
}

/// [block] Writes the validity of a tile if the result has a mask. If `values`, the function also writes the boolean
/// values of the tile.
GDF_DEVICE uint32_t put_bits(const gdf::column_in& source, const gdf::column_in& target, bool values,
                             const gdf::column_out& out, const inverse_map& inverse, int64_t first) {
  bool const validity = out.validity != nullptr;
  if (!values && !validity) { return 0; }
  uint32_t valid = 0;
  constexpr int words = tuning::tile / 32;
  for (int word = gdf::warp(); word < words; word += threads / 32) {
    int64_t const word_row = first + word * 32;
    if (word_row >= out.length) { break; }
    int64_t const row = word_row + gdf::lane();
    bool const there = row < out.length;
    int64_t const from = there ? inverse[row] : -1;
    if (values) {
      bool const value = there && (from >= 0 ? gdf::element<bool>(source, from)
                                             : gdf::element<bool>(target, row));
      uint32_t const found = __ballot_sync(~0u, value);
      if (gdf::lane() == 0) { static_cast<uint32_t*>(out.data)[word_row >> 5] = found; }
    }
    if (validity) {
      bool const value =
        there && (from >= 0 ? gdf::is_valid(source, from) : gdf::is_valid(target, row));
      uint32_t const found = __ballot_sync(~0u, value);
      if (gdf::lane() == 0) {
        out.validity[word_row >> 5] = found;
        valid += __popc(found);
      }
    }
  }
  return valid;
}

struct string_source {
  const gdf::column_in& source;
  const gdf::column_in& target;
  const column& copy;
  const inverse_map& inverse;

  GDF_DEVICE static gdf::string_piece piece(const gdf::column_in& column, int64_t row,
                                            int64_t bytes) {
    return gdf::is_valid(column, row) ? gdf::string_piece_at(column, row, bytes)
                                      : gdf::string_piece{nullptr, 0, nullptr};
  }

  GDF_DEVICE gdf::string_piece operator()(int64_t row) const {
    int64_t const from = inverse[row];
    return from >= 0 ? piece(source, from, copy.source_bytes) : piece(target, row, copy.target_bytes);
  }
};

} // namespace scatter

/// Clears the inverse of a map, which has a word for each of `rows` rows.
extern "C" __global__ void GDF_BOUNDS(scatter_invert)
scatter_clear_kernel(scatter::inverse_map inverse, gdf::row_count rows) {
  gdf::for_each_index(rows, [&](int64_t row) { inverse.clear(row); });
}

/// Writes the inverse of `map`, an integer column. The inverse has a word for each of `rows` target rows. If `clears`
/// is not 0, the kernel first clears the words, and the grid must have one block. Otherwise the words must be zero.
/// Elements that are null or out of bounds are skipped. If `check` is `report` and an element is out of bounds,
/// mailbox[0] becomes 1.
extern "C" __global__ void GDF_BOUNDS(scatter_invert)
scatter_invert_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check,
                      scatter::inverse_map inverse, int clears, unsigned long long* mailbox) {
  using tuning = scatter_invert_tuning;
  constexpr int threads = tuning::threads;
  gather::gather_map const numbers(map, rows, check);
  if (clears != 0) {
    for (int64_t row = threadIdx.x; row < rows; row += threads) { inverse.clear(row); }
    __syncthreads();
  }
  bool refused = false;
  gdf::for_each_spread_tile<threads, tuning::items>(map.length, [&]<int items>(int64_t first, int share) {
    int64_t at[items];
    bool active[items];
    gdf::rows_of_tile<threads>(first, share, map.length, at, active);
    int64_t row[items];
    numbers.rows_at(at, active, row, refused);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (row[i] >= 0) { inverse.set(row[i], at[i]); }
    }
  });
  if (check == gather::report && refused) { gather::refuse(mailbox); }
}

/// Measures string column blockIdx.y of the result. The total is posted to mailbox[blockIdx.y]. Column y uses ticket 32
/// + y.
extern "C" __global__ void GDF_BOUNDS(scatter)
scatter_sizes_kernel(const __grid_constant__ scatter::inverse_map inverse, gdf::row_count rows,
                     const __grid_constant__ gdf::table_in<32> in,
                     const __grid_constant__ scatter::columns columns, unsigned long long* counts,
                     gdf::tile_count tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace scatter;
  int const c = static_cast<int>(blockIdx.y);
  string_source const source{in.column[2 * c], in.column[2 * c + 1], columns.at[c], inverse};
  gdf::count_string_rows<threads, tuning::items>(rows, scratch, 32 + c,
                                                 counts + columns.at[c].slot * tiles, mailbox + c,
                                                 [&](int64_t row) { return source(row).size; });
}

/// Writes column blockIdx.y of the result. The target has the same number of rows as the result, and source and target
/// have the same type.
extern "C" __global__ void GDF_BOUNDS(scatter)
scatter_kernel(const __grid_constant__ scatter::inverse_map inverse,
               const __grid_constant__ gdf::table_in<32> in,
               const __grid_constant__ gdf::table_out<32> out,
               const __grid_constant__ scatter::columns columns, const unsigned long long* counts,
               gdf::tile_count tiles, gdf::scratch* scratch) {
  using namespace scatter;
  __shared__ gdf::string_step<threads> step;
  int const c = static_cast<int>(blockIdx.y);
  gdf::column_in const& source = in.column[2 * c];
  gdf::column_in const& target = in.column[2 * c + 1];
  gdf::column_out const& result = out.column[c];
  column const& copy = columns.at[c];
  uint32_t valid = 0;
  gdf::for_each_tile<threads, tuning::items>(result.length, [&](int64_t first, bool) {
    if (copy.kind > 0) {
      gdf::by_width(copy.kind, [&]<class T>() {
        put_values<T>(source, target, result, inverse, first);
      });
    } else if (copy.kind == gdf::copy_any_width) {
      put_bytes(source, target, copy.source_bytes, result, inverse, first);
    }
    valid += put_bits(source, target, copy.kind == gdf::copy_bits, result, inverse, first);
  });
  if (copy.kind == gdf::copy_strings) {
    gdf::write_string_rows<threads, tuning::items>(
      result, counts + copy.slot * tiles, step, string_source{source, target, copy, inverse});
  }
  gdf::post_null_count<threads>(scratch, result, valid);
}

namespace scatter {

/// [block] Copies the bytes [begin, end) of the values of a column.
GDF_DEVICE void copy_target(const gdf::column_in& target, const gdf::column_out& out, int64_t width, int64_t begin,
                            int64_t end) {
  auto const* const from = static_cast<const uint8_t*>(target.data) + target.offset * width;
  gdf::copy_bytes<scatter_copy_tuning::threads, 4>(static_cast<uint8_t*>(out.data) + begin, from + begin, end - begin);
}

} // namespace scatter

/// Copies the target to column blockIdx.y of the result, which has the same number of rows. A value has copy.kind
/// bytes. No value is null.
extern "C" __global__ void GDF_BOUNDS(scatter_copy)
scatter_copy_kernel(const __grid_constant__ gdf::table_in<32> in,
                    const __grid_constant__ gdf::table_out<32> out,
                    const __grid_constant__ scatter::columns columns) {
  int const c = static_cast<int>(blockIdx.y);
  int64_t const width = columns.at[c].kind;
  int64_t const bytes = out.column[c].length * width;
  constexpr int64_t tile = scatter_copy_tuning::tile;
  for (int64_t at = tile * blockIdx.x; at < bytes; at += tile * gridDim.x) {
    scatter::copy_target(in.column[2 * c + 1], out.column[c], width, at, bytes - at < tile ? bytes : at + tile);
  }
}

/// Writes the source rows to column blockIdx.y of the result. If `copies` is not 0, the kernel first copies the target
/// to the result, and the grid must have one block per column. Otherwise the result must already be a copy of the
/// target. A value has copy.kind (1, 2, 4 or 8) bytes and is aligned to its size. Each element of `map`, an integer
/// column, is the target row of a source row. If `check` is `report` and an element is out of bounds, mailbox[0]
/// becomes 1.
extern "C" __global__ void GDF_BOUNDS(scatter_direct)
scatter_direct_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check, int copies,
                      const __grid_constant__ gdf::table_in<32> in,
                      const __grid_constant__ gdf::table_out<32> out,
                      const __grid_constant__ scatter::columns columns, unsigned long long* mailbox) {
  using tuning = scatter_direct_tuning;
  constexpr int threads = tuning::threads;
  static_assert(threads == scatter_copy_tuning::threads);
  int const c = static_cast<int>(blockIdx.y);
  int const width = columns.at[c].kind;
  gather::gather_map const numbers(map, rows, check);
  if (copies != 0) {
    scatter::copy_target(in.column[2 * c + 1], out.column[c], width, 0, rows * width);
    __syncthreads();
  }
  bool refused = false;
  gdf::by_width(width, [&]<class T>() {
    if constexpr (sizeof(T) <= 8) {
      gdf::values<T> const source(in.column[2 * c]);
      auto* const data = static_cast<T*>(out.column[c].data);
      gdf::for_each_spread_tile<threads, tuning::items>(map.length, [&]<int items>(int64_t first, int share) {
        int64_t at[items];
        bool active[items];
        gdf::rows_of_tile<threads>(first, share, map.length, at, active);
        T value[items];
#pragma unroll
        for (int i = 0; i < items; i++) { value[i] = active[i] ? source[at[i]] : T{}; }
        int64_t row[items];
        numbers.rows_at(at, active, row, refused);
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (row[i] >= 0) { data[row[i]] = value[i]; }
        }
      });
    }
  });
  if (check == gather::report && c == 0 && refused) { gather::refuse(mailbox); }
}
