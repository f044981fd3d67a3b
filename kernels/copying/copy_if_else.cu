// copying::copy_if_else and replace::replace_nulls: each row of the result comes from one of two inputs.
//
// Strings take two launches (see string_rows.cuh).

#include <gdf/count.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>
#include <gdf/string_rows.cuh>
#include <gdf/vector.cuh>

GDF_POLICY(copy_if_else, 256, 8, 3);
GDF_POLICY(copy_if_else_strings, 256, 4, 3);

namespace copy_if_else {

using tuning = copy_if_else_tuning;
constexpr int tile_words = tuning::tile / 32;

/// [thread] Returns a bit for each of 32 rows, from `row` on.
GDF_DEVICE uint32_t condition_word(const gdf::column_in& condition, bool by_validity, int64_t row,
                                   int64_t limit) {
  uint32_t const valid = gdf::valid_word(condition, row, limit);
  return by_validity ? valid : valid & gdf::boolean_word(condition, row, limit);
}

template <int n>
GDF_DEVICE uint32_t condition_run(const gdf::column_in& condition, bool by_validity, int64_t row,
                                  int64_t limit) {
  uint32_t const valid = gdf::valid_run<n>(condition, row, limit);
  return by_validity ? valid : valid & gdf::boolean_run<n>(condition, row, limit);
}

GDF_DEVICE uint32_t select_bits(uint32_t left, uint32_t a, uint32_t b) {
  return (left & a) | (~left & b);
}

template <class T>
GDF_DEVICE void select_values(const gdf::column_in& lhs, const gdf::column_in& rhs,
                              const gdf::column_in& condition, bool by_validity,
                              const gdf::column_out& out, int64_t first) {
  constexpr int threads = tuning::threads;
  constexpr int fits = 16 / static_cast<int>(sizeof(T));
  constexpr int n = fits < 1 ? 1 : fits > tuning::items ? tuning::items : fits; // rows per access
  constexpr int chunks = tuning::items / n;
  constexpr int most = sizeof(T) > 16 ? 2 : 4;
  constexpr int batch = chunks < most ? chunks : most; // accesses in flight
  constexpr uint32_t all = (1u << n) - 1;
  static_assert(chunks % batch == 0);
  gdf::values<T> const a(lhs);
  gdf::values<T> const b(rhs);
  auto* const target = static_cast<T*>(out.data);
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; chunk += batch) {
    gdf::run<T, n> x[batch];
    gdf::run<T, n> y[batch];
    uint32_t bits[batch];
#pragma unroll
    for (int k = 0; k < batch; k++) {
      int64_t const row = gdf::run_row<threads, n>(first, chunk + k);
      bits[k] = condition_run<n>(condition, by_validity, row, out.length);
    }
#pragma unroll
    for (int k = 0; k < batch; k++) {
      int64_t const row = gdf::run_row<threads, n>(first, chunk + k);
      if (row < out.length) {
        if (bits[k] != 0) { x[k] = gdf::load_run<n>(a, row, out.length); }
        if (bits[k] != all) { y[k] = gdf::load_run<n>(b, row, out.length); }
      }
    }
#pragma unroll
    for (int k = 0; k < batch; k++) {
      int64_t const row = gdf::run_row<threads, n>(first, chunk + k);
      if (row < out.length) {
        gdf::run<T, n> result;
#pragma unroll
        for (int i = 0; i < n; i++) { result.row[i] = bits[k] >> i & 1 ? x[k].row[i] : y[k].row[i]; }
        gdf::store_run<n>(target, row, out.length, result);
      }
    }
  }
}

/// [block] Writes the rows of a tile, which have `width` bytes and any alignment.
template <class Unit>
GDF_DEVICE void select_units(const gdf::column_in& lhs, const gdf::column_in& rhs, int64_t width,
                           const gdf::column_out& out, int64_t first, const uint32_t* left) {
  int64_t const per_row = width / static_cast<int64_t>(sizeof(Unit));
  auto const* const a = reinterpret_cast<const Unit*>(static_cast<const uint8_t*>(lhs.data) +
                                                      gdf::index_of(lhs, first) * width);
  auto const* const b = reinterpret_cast<const Unit*>(static_cast<const uint8_t*>(rhs.data) +
                                                      gdf::index_of(rhs, first) * width);
  int64_t const a_step = lhs.flags & gdf::broadcast ? 0 : per_row;
  int64_t const b_step = rhs.flags & gdf::broadcast ? 0 : per_row;
  auto* const target = reinterpret_cast<Unit*>(static_cast<uint8_t*>(out.data) + first * width);
  int64_t const rows = out.length - first < tuning::tile ? out.length - first : tuning::tile;
  for (int64_t unit = threadIdx.x; unit < rows * per_row; unit += tuning::threads) {
    auto const row = static_cast<int>(unit / per_row);
    int64_t const within = unit - row * per_row;
    bool const is_left = left[row >> 5] >> (row & 31) & 1;
    target[unit] = __ldg(is_left ? a + row * a_step + within : b + row * b_step + within);
  }
}

/// [block] Does the same as select_units, with the widest unit that divides the width and the addresses.
GDF_DEVICE void select_bytes(const gdf::column_in& lhs, const gdf::column_in& rhs, int64_t width,
                           const gdf::column_out& out, int64_t first, const uint32_t* left) {
  auto const together = static_cast<int64_t>(reinterpret_cast<uintptr_t>(lhs.data) |
                                             reinterpret_cast<uintptr_t>(rhs.data)) |
                        width;
  if ((together & 7) == 0) {
    select_units<gdf::u64>(lhs, rhs, width, out, first, left);
  } else if ((together & 3) == 0) {
    select_units<uint32_t>(lhs, rhs, width, out, first, left);
  } else {
    select_units<uint8_t>(lhs, rhs, width, out, first, left);
  }
}

/// [block] Handles all tiles of this block. For each tile, the function writes the mask words and the boolean values of
/// the result, and then calls `move(first, words)`.
template <bool keep, class Move>
GDF_DEVICE uint32_t all_tiles(const gdf::column_in& lhs, const gdf::column_in& rhs,
                              const gdf::column_in& condition, bool by_validity,
                              const gdf::column_out& out, Move&& move) {
  __shared__ uint32_t left[keep ? tile_words : 1];
  bool const booleans = out.type == static_cast<int>(gdf::type::boolean);
  uint32_t valid = 0;
  gdf::for_each_tile<tuning::threads, tuning::items>(out.length, [&](int64_t first, bool) {
    if constexpr (keep) { __syncthreads(); } // all threads have read the words of the previous tile
    if (threadIdx.x < tile_words && (keep || booleans || out.validity != nullptr)) {
      int64_t const row = first + int64_t{threadIdx.x} * 32;
      uint32_t bits = 0;
      if (row < out.length) {
        bits = condition_word(condition, by_validity, row, out.length);
        if (out.validity != nullptr) {
          uint32_t const word = select_bits(bits, gdf::valid_word(lhs, row, out.length),
                                            gdf::valid_word(rhs, row, out.length));
          out.validity[row >> 5] = word;
          valid += __popc(word);
        }
        if (booleans) {
          static_cast<uint32_t*>(out.data)[row >> 5] =
            select_bits(bits, gdf::boolean_word(lhs, row, out.length),
                        gdf::boolean_word(rhs, row, out.length));
        }
      }
      if constexpr (keep) { left[threadIdx.x] = bits; }
    }
    if constexpr (keep) { __syncthreads(); }
    move(first, left);
  });
  return valid;
}

struct strings {
  const gdf::column_in& lhs;
  const gdf::column_in& rhs;
  const gdf::column_in& condition;
  bool by_validity;
  int64_t lhs_bytes;
  int64_t rhs_bytes;

  GDF_DEVICE bool is_left(int64_t row) const {
    return gdf::is_valid(condition, row) &&
           (by_validity || gdf::element<bool>(condition, row));
  }

  GDF_DEVICE uint32_t valid_word(int64_t row, int64_t limit) const {
    return select_bits(condition_word(condition, by_validity, row, limit),
                       gdf::valid_word(lhs, row, limit), gdf::valid_word(rhs, row, limit));
  }

  GDF_DEVICE static gdf::string_piece piece(const gdf::column_in& column, int64_t row,
                                            int64_t bytes) {
    return gdf::is_valid(column, row) ? gdf::string_piece_at(column, row, bytes)
                                      : gdf::string_piece{nullptr, 0, nullptr};
  }

  GDF_DEVICE gdf::string_piece operator()(int64_t row) const {
    return is_left(row) ? piece(lhs, row, lhs_bytes) : piece(rhs, row, rhs_bytes);
  }
};

} // namespace copy_if_else

/// Selects rows of `width` bytes, or booleans. The inputs have the type of `out`. If an address is not a multiple of
/// min(width, 8), the type must be fixed_binary.
extern "C" __global__ void GDF_BOUNDS(copy_if_else)
copy_if_else_kernel(const __grid_constant__ gdf::column_in lhs,
                    const __grid_constant__ gdf::column_in rhs,
                    const __grid_constant__ gdf::column_in condition, int by_validity,
                    int64_t width, const __grid_constant__ gdf::column_out out,
                    gdf::scratch* scratch) {
  using namespace copy_if_else;
  uint32_t valid = 0;
  if (out.type == static_cast<int>(gdf::type::boolean)) {
    valid = all_tiles<false>(lhs, rhs, condition, by_validity != 0, out,
                             [](int64_t, const uint32_t*) {});
  } else if (out.type == static_cast<int>(gdf::type::fixed_binary)) {
    valid = all_tiles<true>(lhs, rhs, condition, by_validity != 0, out,
                      [&](int64_t first, const uint32_t* left) {
                        select_bytes(lhs, rhs, width, out, first, left);
                      });
  } else {
    gdf::by_width(static_cast<int>(width), [&]<class T>() {
      valid = all_tiles<false>(lhs, rhs, condition, by_validity != 0, out,
                               [&](int64_t first, const uint32_t*) {
                                 select_values<T>(lhs, rhs, condition, by_validity != 0, out, first);
                               });
    });
  }
  gdf::post_null_count<tuning::threads>(scratch, out, valid);
}

/// Computes the bytes of each tile of 1,024 rows of the result, and writes the position of the first byte of each tile
/// to `counts`, which has a word per tile. Posts the total to the mailbox. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(copy_if_else_strings)
copy_if_else_sizes_kernel(const __grid_constant__ gdf::column_in lhs,
                          const __grid_constant__ gdf::column_in rhs,
                          const __grid_constant__ gdf::column_in condition, int by_validity,
                          gdf::byte_count lhs_bytes, gdf::byte_count rhs_bytes, unsigned long long* counts,
                          gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = copy_if_else_strings_tuning;
  copy_if_else::strings const rows{lhs, rhs, condition, by_validity != 0, lhs_bytes, rhs_bytes};
  gdf::count_string_rows<tuning::threads, tuning::items>(
    condition.length, scratch, 32, counts, mailbox,
    [&](int64_t row) { return rows(row).size; });
}

/// Writes the offsets, the bytes and the validity of strings. The sizes kernel must have written `counts` for the same
/// inputs.
extern "C" __global__ void GDF_BOUNDS(copy_if_else_strings)
copy_if_else_strings_kernel(const __grid_constant__ gdf::column_in lhs,
                            const __grid_constant__ gdf::column_in rhs,
                            const __grid_constant__ gdf::column_in condition, int by_validity,
                            gdf::byte_count lhs_bytes, gdf::byte_count rhs_bytes,
                            const __grid_constant__ gdf::column_out out,
                            const unsigned long long* counts, gdf::scratch* scratch) {
  using tuning = copy_if_else_strings_tuning;
  constexpr int threads = tuning::threads;
  __shared__ gdf::string_step<threads> step;
  copy_if_else::strings const rows{lhs, rhs, condition, by_validity != 0, lhs_bytes, rhs_bytes};
  gdf::write_string_rows<threads, tuning::items>(out, counts, step, rows);
  if (out.validity == nullptr) { return; }
  uint32_t valid = 0;
  gdf::for_each_index(gdf::words_for(out.length), [&](int64_t word) {
    uint32_t const bits = rows.valid_word(word * 32, out.length);
    out.validity[word] = bits;
    valid += __popc(bits);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}
