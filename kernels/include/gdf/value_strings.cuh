// Kernels that make a boolean or a number of each text, of each pair of texts, or of each row of other inputs.
#pragma once

#include "build_strings.cuh"
#include "byte_dfa.cuh"
#include "marked_text.cuh"
#include "number.cuh"

namespace gdf {

/// [block] Runs the body of a kernel that makes a value of O, or a bit if O is bool, of each text. The value of a null
/// is 0.
///
/// The functor has
///   static constexpr bool by_warp                                        whether the whole warp takes long rows
///   static O row(const Text&, const P&)                                  [thread] the value of a text. Text is any
///                                                                        type of text, or only gdf::string_piece.
///   static O warp(const gdf::string_piece&, const P&)                    [warp] if by_warp: the value of a text, in
///                                                                        all lanes
///   static bool stages(const P&)                                         optional: whether `row` takes a
///                                                                        gdf::staged_piece
///   static void mark(const gdf::marked_bytes&, const P&, uint32_t& found, uint32_t& continued)
///                                                                        [thread] optional: `row` takes a
///                                                                        gdf::marked_piece
///   static const gdf::byte_dfa<most>& dfa(const P&)                      optional: a DFA that computes the result of
///                                                                        `row` for a gdf::staged_piece. Either `row`
///                                                                        takes a gdf::staged_piece, or `stages`
///                                                                        returns whether the DFA exists.
/// If the functor has a type `prepared`, each block makes a `prepared` from the parameters, and the members of the
/// functor get it instead of the parameters.
template <class Functor, class O, class tuning, class P>
GDF_DEVICE void value_strings(tuning, const column_in& in, int64_t bytes, const column_out& out, const P& parameters,
                              scratch* scratch) {
  using namespace build_strings_detail;
  auto const& p = prepared_for<Functor>(parameters);
  auto const store = [&](int64_t row, O value, bool is_value) {
    if constexpr (is_same<O, bool>) {
      uint32_t const bits = __ballot_sync(~0u, value);
      if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
    } else if (row < out.length) {
      static_cast<O*>(out.data)[row] = value;
    }
    return store_valid_word(out, row, is_value);
  };
  auto const near = [&](int64_t row, bool is_value, const auto& text) {
    return store(row, is_value ? Functor::row(text, p) : O{}, is_value);
  };
  auto const far = [&](int64_t row) {
    bool const is_value = row < out.length && is_valid(in, row);
    string_piece const mine = piece_of(in, bytes, row, out.length);
    bool const is_long = Functor::by_warp && mine.size > long_row;
    O value{};
    if (is_value && !is_long) { value = Functor::row(mine, p); }
    if constexpr (Functor::by_warp) {
      for_each_long(is_long, mine, [&](const string_piece& text, int owner) {
        O const found = Functor::warp(text, p);
        if (lane() == owner) { value = found; }
      });
    }
    return store(row, value, is_value);
  };
  if constexpr (requires(const marked_bytes& read, uint32_t& bits) { Functor::mark(read, p, bits, bits); }) {
    using rows = marked_rows<tuning::items>;
    for_each_loaded<tuning, rows>(in, out, scratch, [&](int64_t row, int64_t end, auto& memory) {
      return rows::load(in, bytes, row, end, memory, [&](const marked_bytes& read, uint32_t& found, uint32_t& continued) {
        Functor::mark(read, p, found, continued);
      });
    }, near, far);
  } else if constexpr (requires { Functor::dfa(p); }) {
    using rows = tested_rows<tuning::items>;
    auto const& dfa = Functor::dfa(p);
    auto const test = [&](const auto& texts, auto& bits) {
      bool found[rows::together];
      dfa.test(texts, dfa.start, found);
#pragma unroll
      for (int k = 0; k < rows::together; k++) { bits[k] = found[k]; }
    };
    auto const each = [&](const auto& text)
      requires requires { Functor::row(text, p); }
    { return Functor::row(text, p); };
    auto const load = [&](int64_t row, int64_t end, auto& memory) {
      return build_strings_detail::stages<Functor>(p) &&
             rows::load(in, bytes, row, end, memory, test, !dfa.is_there, each);
    };
    auto const tested = [&](int64_t row, bool is_value, const tested_piece& text) { return store(row, is_value && text.found != 0, is_value); };
    for_each_loaded<tuning, rows>(in, out, scratch, load, tested, far);
  } else {
    constexpr bool stages = requires(const staged_piece& text) { Functor::row(text, p); };
    for_each_staged<tuning, stages>(in, bytes, out, scratch, near, far, build_strings_detail::stages<Functor>(p));
  }
}

/// [block] Does the same as value_strings, for columns of few or long rows. The results are the same. A block has 32
/// rows at a time. A thread takes a row of at most `thread_row` bytes, a warp takes any other row, and all warps of a
/// block share a row of more than `shared_row` bytes if the functor splits texts.
///
/// In addition to `row` and `warp`, the functor has
///   static bool splits(const P&)                                         [thread] whether the value of a text is the
///                                                                        sum of the values of its parts or, if O is
///                                                                        bool, whether the value of any part is true
///   static O part(const gdf::string_piece&, int64_t from, int64_t to, const P&, bool& is_known)
///                                                                        [warp] the value of the part [from, to) of a
///                                                                        text, in all lanes. If the function cannot
///                                                                        find the value, it sets `is_known` to false,
///                                                                        and the value of the row is that of `warp`.
template <class Functor, class O, class tuning, class P>
GDF_DEVICE void value_long_strings(tuning, const column_in& in, int64_t bytes, const column_out& out, const P& p,
                                   scratch* scratch) {
  constexpr int64_t shared_row = 8192;
  constexpr int64_t thread_row = 32;
  constexpr int warps = tuning::threads / 32;
  __shared__ O values[32];
  __shared__ O parts[warps];
  __shared__ bool known[warps];
  uint32_t valid = 0;
  for (int64_t first = int64_t{blockIdx.x} * 32; first < out.length; first += int64_t{gridDim.x} * 32) {
    int64_t const row = first + lane();
    bool const is_value = row < out.length && is_valid(in, row);
    string_piece const mine = build_strings_detail::piece_of(in, bytes, row, out.length);
    uint32_t const present = __ballot_sync(~0u, is_value);
    uint32_t const shared = Functor::splits(p) ? __ballot_sync(~0u, mine.size > shared_row) : 0;
#pragma unroll 1
    for (int i = warp(); i < 32; i += warps) {
      build_strings_detail::for_each_long(lane() == i && (present & ~shared) >> i & 1, mine, [&](const string_piece& text, int) {
        O const value = text.size > thread_row ? Functor::warp(text, p) : Functor::row(text, p);
        if (lane() == 0) { values[i] = value; }
      });
    }
    build_strings_detail::for_each_long(shared >> lane() & 1, mine, [&](const string_piece& text, int owner) {
      int64_t const each = (text.size + warps - 1) / warps;
      int64_t const from = warp() * each;
      int64_t const to = from + each < text.size ? from + each : text.size;
      bool is_known = true;
      O const value = from < to ? Functor::part(text, from, to, p, is_known) : O{};
      if (lane() == 0) {
        parts[warp()] = value;
        known[warp()] = is_known;
      }
      __syncthreads();
      if (warp() == 0) {
        O all{};
        bool all_known = true;
#pragma unroll 1
        for (int i = 0; i < warps; i++) {
          if constexpr (is_same<O, bool>) {
            all = all || parts[i];
          } else {
            all += parts[i];
          }
          all_known = all_known && known[i];
        }
        if (!all_known && !(is_same<O, bool> && all != O{})) { all = Functor::warp(text, p); }
        if (lane() == 0) { values[owner] = all; }
      }
      __syncthreads(); // the parts of the next row may be written
    });
    __syncthreads();
    if (warp() == 0) {
      O const value = is_value ? values[lane()] : O{};
      if constexpr (is_same<O, bool>) {
        uint32_t const bits = __ballot_sync(~0u, value);
        if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      } else if (row < out.length) {
        static_cast<O*>(out.data)[row] = value;
      }
      valid += store_valid_word(out, row, is_value);
    }
    __syncthreads(); // the values of the next rows may be written
  }
  post_null_count<tuning::threads>(scratch, out, valid);
}

/// [block] Stores the result of f(text, target), an int64_t, for each row, in the type of `out`: a bit, 32 or 64 bits.
///
/// If either text is null, the row is null and its value is 0.
template <class tuning, class Function>
GDF_DEVICE void pair_strings(const column_in& in, const column_in& target, int64_t bytes, int64_t target_bytes,
                             const column_out& out, scratch* scratch, Function&& f) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  auto const kind = static_cast<type>(out.type);
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i);
      if (row - lane() >= out.length) { break; } // the whole warp
      bool const is_value = row < out.length && is_valid(in, row) && is_valid(target, row);
      int64_t value = 0;
      if (is_value) { value = f(string_piece_at(in, row, bytes), string_piece_at(target, row, target_bytes)); }
      if (kind == type::boolean) {
        uint32_t const bits = __ballot_sync(~0u, value != 0);
        if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      } else if (row < out.length) {
        if (kind == type::i64) {
          static_cast<int64_t*>(out.data)[row] = value;
        } else {
          static_cast<int32_t*>(out.data)[row] = static_cast<int32_t>(value);
        }
      }
      valid += store_valid_word(out, row, is_value);
    }
  });
  post_null_count<threads>(scratch, out, valid);
}

/// [block] Runs the body of a kernel that makes a value of O, or a bit if O is bool, for each row of `out`.
///
/// The value of a null is 0. The parameters contain the inputs. The functor has
///   static constexpr bool by_warp                        whether the whole warp makes a row with much work
///   static int64_t work(int64_t row, const P&)           [thread] if by_warp: the number of bytes that are read for a
///                                                        row
///   template <bool warp> static bool row(int64_t row, const P&, O& value)
///                                                        [thread; warp if `warp`] sets `value` in all calling lanes;
///                                                        returns false if the row is null
template <class Functor, class O, class tuning, class P>
GDF_DEVICE void try_value_rows(const column_out& out, const P& p, scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i);
      if (row - lane() >= out.length) { break; } // the whole warp
      bool const inside = row < out.length;
      bool is_long = false;
      if constexpr (Functor::by_warp) { is_long = inside && Functor::work(row, p) > build_strings_detail::long_row; }
      O value{};
      bool is_value = false;
      if (inside && !is_long) { is_value = Functor::template row<false>(row, p, value); }
      if constexpr (Functor::by_warp) {
        build_strings_detail::for_each_long_row(is_long, row, [&](int64_t of, int owner) {
          O found{};
          bool const is_found = Functor::template row<true>(of, p, found);
          if (lane() == owner) {
            value = found;
            is_value = is_found;
          }
        });
      }
      if (!is_value) { value = O{}; }
      if constexpr (is_same<O, bool>) {
        uint32_t const bits = __ballot_sync(~0u, value);
        if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      } else if (inside) {
        store(static_cast<O*>(out.data) + row, value);
      }
      valid += store_valid_word(out, row, is_value);
    }
  });
  post_null_count<threads>(scratch, out, valid);
}

} // namespace gdf

/// GDF_STRING_VALUES(policy, family, variant, P, driver) defines a kernel that computes a value for each text, with
/// parameters `p` of type P. The driver is gdf::value_strings of a functor.
#define GDF_STRING_VALUES(policy, family, variant, P, ...)                                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                                           \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,                        \
                              const __grid_constant__ gdf::column_out out, const __grid_constant__ P p,                \
                              gdf::scratch* scratch) {                                                                 \
    __VA_ARGS__(policy##_tuning{}, in, bytes, out, p, scratch);                                                        \
  }                                                                                                                    \
  static_assert(true)
