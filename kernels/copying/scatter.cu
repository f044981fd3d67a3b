// copying::scatter: rows of a table instead of those of another one that a map of row numbers names.
//
// The map is inverted first: for each row of the target the row of the source that replaces it. All columns then are
// put together from two sources, in order: masks and booleans as whole words, strings as their sizes ask for, and where
// the map has a row twice, one of the two wins in all columns. Columns of plain values without nulls are copied, and
// then written to directly: those writes in no order are what costs, so there should be no more of them.

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

/// How a column is put together. Its source is column 2 c of the launch, its target column 2 c + 1.
struct column {
  gdf::byte_count source_bytes; // of the character buffer; copy_any_width: of a row
  gdf::byte_count target_bytes; // of the character buffer
  int32_t kind; // a width or a gdf::copy_kind
  int32_t slot; // copy_strings: which of the arrays of tile sums is its own
};
static_assert(sizeof(column) == 24);

struct columns {
  column at[16];
};

/// For each row of the target the row of the source that replaces it, counted from 1; 0 if there is none. Without
/// `words` there is none for any.
struct inverse_map {
  void* words;
  int32_t wide; // words have 64 bits
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

/// [thread] The values of a tile, of type T.
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

/// [thread] The rows of a tile, of `width` bytes at any alignment: a warp does a row, its lanes consecutive bytes.
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

/// [block] Boolean values, if that is what there is, and validity, if the result has any, of a tile. Returns the caller's
/// number of valid rows, for post_null_count.
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

/// The rows of a string column.
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

  /// [thread] The bytes of a row of the result, none for null.
  GDF_DEVICE gdf::string_piece operator()(int64_t row) const {
    int64_t const from = inverse[row];
    return from >= 0 ? piece(source, from, copy.source_bytes) : piece(target, row, copy.target_bytes);
  }
};

} // namespace scatter

/// Clears the inverse of a map into `rows` rows: so many words.
extern "C" __global__ void GDF_BOUNDS(scatter_invert)
scatter_clear_kernel(scatter::inverse_map inverse, gdf::row_count rows) {
  gdf::for_each_index(rows, [&](int64_t row) { inverse.clear(row); });
}

/// Writes the inverse of `map`, of integers, into `rows` rows: so many words, which are clear; or are cleared here, if
/// there is only one block and `clears` is not 0. Elements that are null, or no rows, go nowhere: `check` is null or
/// report. With report, mailbox[0] becomes 1 if there are such that are no rows.
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

/// For string column blockIdx.y: the bytes of each tile of 2,048 rows, of `rows`, made into the positions of their
/// first bytes, at counts + slot * tiles; their total to mailbox[blockIdx.y]. Targets have `rows` rows; `inverse`,
/// unless it is without words, one for each of them, which tells rows that the sources have. Tickets 32 + blockIdx.y.
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

/// Each column (blockIdx.y) of the result: the rows of its source where `inverse` has one, else of its target, which
/// has as many rows and the type of both. Strings go where the sizes kernel for the same inverse says, and have memory
/// for the bytes that it has posted.
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

/// [block] The bytes [begin, end) of the values of a column, copied.
GDF_DEVICE void copy_target(const gdf::column_in& target, const gdf::column_out& out, int64_t width, int64_t begin,
                            int64_t end) {
  auto const* const from = static_cast<const uint8_t*>(target.data) + target.offset * width;
  gdf::copy_bytes<scatter_copy_tuning::threads, 4>(static_cast<uint8_t*>(out.data) + begin, from + begin, end - begin);
}

} // namespace scatter

/// Each column (blockIdx.y) of the result, of values of copy.kind bytes without nulls: a copy of its target, of as many
/// rows.
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

/// Each column (blockIdx.y) of the result, of values of copy.kind (1, 2, 4 or 8) bytes without nulls, aligned to them:
/// the rows of its source, of at least map.length or broadcast, go where `map`, of integers, tells, of `rows` rows,
/// into a copy of its target; which is made here, if there is only one block per column and `copies` is not 0. `check`
/// is null or report; with report, mailbox[0] becomes 1 if there are elements that are no rows.
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
