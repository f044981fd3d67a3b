// Kernels that make a text, or spans of text, for each row of a result. This file writes their offsets, elements, masks
// and null counts.
//
// A functor makes one row. It either reports that the row is null, or appends the bytes of the row to a sink. The
// functor is called twice: once with a sink that counts bytes, and once with a sink that writes bytes.
//
// If a functor reads the text of its row, the warp first loads the texts of all its rows into shared memory
// (staged_text.cuh).
#pragma once

#include "policy.cuh"
#include "row_parts.cuh"
#include "string_tiles.cuh"

namespace gdf {

namespace build_strings_detail {

/// [warp] Calls `body(row, owner)` for each lane whose `is_long` is true, one lane after the other. `owner` is the
/// number of that lane, and `row` is its row.
template <class Body>
GDF_DEVICE void for_each_long_row(bool is_long, int64_t row, Body&& body) {
  for (uint32_t left = __ballot_sync(~0u, is_long); left != 0; left &= left - 1) {
    int const owner = __ffs(static_cast<int>(left)) - 1;
    body(static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(row), owner)), owner);
  }
}

constexpr int64_t lane_bytes = 32;

/// [thread] Returns the text of a row from a character buffer of `bytes` bytes.
///
/// The text is empty if the row is null.
GDF_DEVICE string_piece piece_of(const column_in& in, int64_t bytes, int64_t row, int64_t limit) {
  return row < limit && is_valid(in, row) ? string_piece_at(in, row, bytes)
                                          : string_piece{nullptr, 0, nullptr};
}

/// [warp] Calls `body(piece, owner)` for each lane whose `is_long` is true, one lane after the other. `owner` is the
/// number of that lane, and `piece` is its text.
template <class Body>
GDF_DEVICE void for_each_long(bool is_long, const string_piece& mine, Body&& body) {
  auto const from = [](const uint8_t* address, int owner) {
    return reinterpret_cast<const uint8_t*>(
      __shfl_sync(~0u, static_cast<u64>(reinterpret_cast<uintptr_t>(address)), owner));
  };
  for (uint32_t left = __ballot_sync(~0u, is_long); left != 0; left &= left - 1) {
    int const owner = __ffs(static_cast<int>(left)) - 1;
    auto const size = static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(mine.size), owner));
    body(string_piece{from(mine.data, owner), size, from(mine.limit, owner)}, owner);
  }
}

/// Whether a functor reads the text of its row, which may be staged in shared memory.
template <class Functor>
constexpr bool by_text = requires { Functor::by_text; };

/// Returns whether texts are staged in shared memory, for a functor that reads texts.
template <class Functor, class P>
GDF_DEVICE bool stages(const P& p) {
  if constexpr (requires { Functor::stages(p); }) {
    return Functor::stages(p);
  } else {
    return true;
  }
}

template <class Functor, class P>
GDF_DEVICE decltype(auto) prepared_for(const P& p) {
  if constexpr (requires { typename Functor::prepared; }) {
    return typename Functor::prepared(p);
  } else {
    return (p);
  }
}

template <class Functor, class Sink, class Text, class P>
GDF_DEVICE bool put_text_row(Sink& sink, Text&& text, int64_t row, const P& p) {
  if (is_valid(p.text.column, row)) { return Functor::row(sink, text(), row, p); }
  if constexpr (requires { Functor::null_row(sink, row, p); }) {
    return Functor::null_row(sink, row, p);
  } else {
    return false;
  }
}

template <class Functor, class Sink, class P>
GDF_DEVICE bool put_row(Sink& sink, int64_t row, const P& p) {
  if constexpr (by_text<Functor>) {
    return put_text_row<Functor>(sink, [&] { return text_at(p.text, row); }, row, p);
  } else {
    return Functor::row(sink, row, p);
  }
}

template <class Functor, class tuning, class P, class Memory>
GDF_DEVICE bool stage_texts(const P& p, const warp_rows& rows, Memory& memory) {
  if constexpr (by_text<Functor>) {
    if (!stages<Functor>(p)) { return false; }
    return staged_rows<tuning::items>::load(p.text.column, p.text.bytes, rows.first, rows.end, memory[warp()]);
  } else {
    return false;
  }
}

template <class Functor, int items>
struct texts_memory {
  using type = typename staged_rows<items>::memory;
};
template <class Functor, int items>
  requires(!by_text<Functor>)
struct texts_memory<Functor, items> {
  using type = char;
};

template <template <bool, bool> class Sink, class Functor, class tuning, class P, class Memory>
GDF_DEVICE u64 size_of_row(int64_t row, bool inside, int at, bool staged, const P& p, Memory& memory) {
  if constexpr (by_text<Functor>) {
    if (staged) {
      staged_piece const text = staged_rows<tuning::items>::get(memory[warp()], at);
      Sink<false, false> sink{nullptr, 0};
      bool const is_value = inside && put_text_row<Functor>(sink, [&] { return text; }, row, p);
      return is_value ? sink.size : 0;
    }
  }
  bool is_long = false;
  if constexpr (Functor::by_warp) { is_long = inside && Functor::work(row, p) > long_row; }
  u64 size = 0;
  if (inside && !is_long) {
    Sink<false, false> sink{nullptr, 0};
    if (put_row<Functor>(sink, row, p)) { size = sink.size; }
  }
  if constexpr (Functor::by_warp) {
    for_each_long_row(is_long, row, [&](int64_t of, int owner) {
      Sink<true, false> sink{nullptr, 0};
      bool const is_value = put_row<Functor>(sink, of, p);
      if (lane() == owner && is_value) { size = sink.size; }
    });
  }
  return size;
}

/// A sink of a single thread that writes to shared memory.
template <template <bool, bool> class Sink>
struct shared_sink {
  GDF_DEVICE static Sink<false, true> at(uint8_t* stage, uint32_t at) { return {stage + at, 0}; }
};
template <>
struct shared_sink<text_sink> {
  GDF_DEVICE static staged_sink at(uint8_t* stage, uint32_t at) { return {stage, at}; }
};

template <class Functor, class P>
GDF_DEVICE bool is_for_warp(int64_t row, bool inside, u64 size, const P& p) {
  if constexpr (Functor::by_warp) {
    return inside && (static_cast<int64_t>(size) > long_row || Functor::work(row, p) > long_row);
  } else {
    return false;
  }
}

template <class Functor, class Own, class P>
GDF_DEVICE bool write_own_row(int64_t row, bool inside, u64 size, Own sink, const P& p) {
  return inside && !is_for_warp<Functor>(row, inside, size, p) && put_row<Functor>(sink, row, p);
}

/// [warp] Writes the results of the rows that the whole warp writes. The result of a row is written to the `target` of
/// the lane that owns the row. Returns whether the result of the lane's row is a value. If the lane itself has written
/// its row, the function returns `is_value`.
template <template <bool, bool> class Sink, class Functor, class P>
GDF_DEVICE bool write_long_rows(int64_t row, bool inside, u64 size, uint8_t* target, bool is_value, const P& p,
                                const copy_list& later = {}) {
  if constexpr (Functor::by_warp) {
    for_each_long_row(is_for_warp<Functor>(row, inside, size, p), row, [&](int64_t of, int owner) {
      auto const to = __shfl_sync(~0u, static_cast<u64>(reinterpret_cast<uintptr_t>(target)), owner);
      Sink<true, true> shared{reinterpret_cast<uint8_t*>(to), 0};
      if constexpr (requires { shared.later; }) { shared.later = later; }
      bool const found = put_row<Functor>(shared, of, p);
      if (lane() == owner) { is_value = found; }
    });
  }
  return is_value;
}

template <template <bool, bool> class Sink, class Functor, class Own, class P>
GDF_DEVICE bool write_row(int64_t row, bool inside, u64 size, uint8_t* target, Own sink, const P& p, const copy_list& later = {}) {
  return write_long_rows<Sink, Functor>(row, inside, size, target, write_own_row<Functor>(row, inside, size, sink, p), p, later);
}

/// Whether a functor makes text from one value of each row.
template <class Functor>
constexpr bool by_value = requires { typename Functor::value; };

template <class Functor, int items>
struct values_memory {
  using type = char;
};
template <class Functor, int items>
  requires(by_value<Functor>)
struct values_memory<Functor, items> {
  struct type {
    typename Functor::value values[32 * items];
    uint32_t valid[items];
  };
};

template <class Functor, int items, class P, class Memory>
GDF_DEVICE void load_values(const P& p, const warp_rows& rows, Memory& memory) {
  typename Functor::value values[items];
  bool is_value[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = rows.first + i * 32 + lane();
    is_value[i] = row < rows.end && Functor::load(row, p, values[i]);
  }
  __syncwarp(); // all lanes have read the previous values
#pragma unroll
  for (int i = 0; i < items; i++) {
    memory.values[i * 32 + lane()] = values[i];
    uint32_t const bits = __ballot_sync(~0u, is_value[i]);
    if (lane() == 0) { memory.valid[i] = bits; }
  }
  __syncwarp();
}

/// Whether a functor appends texts of several columns.
template <class Functor>
constexpr bool by_columns = requires { Functor::most_staged; };

template <class Functor, int items>
struct columns_memory {
  using type = char;
};
template <class Functor, int items>
  requires(by_columns<Functor>)
struct columns_memory<Functor, items> {
  using type = typename staged_columns<items, Functor::most_staged>::memory;
};

template <class Functor, int items, class Sink, class P, class Memory>
GDF_DEVICE void put_columns(Sink& sink, int at, const P& p, const Memory& memory) {
  Functor::put_staged(sink, [&](int column) { return staged_columns<items, Functor::most_staged>::get(memory, column, at); }, p);
}

} // namespace build_strings_detail

/// [block] Runs the body of a kernel that appends rows to a sink. The sink takes text, or it is a gdf::span_sink and
/// takes spans.
///
/// The kernel makes one row for each row of `out`. Its parameters contain the inputs. A functor has these members:
///   static constexpr bool by_warp                        whether the whole warp makes a row with much work
///   static int64_t work(int64_t row, const P&)           [thread] if by_warp: the number of bytes that are read for a
///                                                        row
///   static void prefetch(int64_t first, int64_t end, const P&)
///                                                        [warp] optional: prefetches the data that these rows read
///   static constexpr bool always_sized                   optional: the second kernel never computes sizes, because the
///                                                        code for that takes registers
///   template <class Sink> static bool row(Sink&, int64_t row, const P&)
///                                                        [thread; warp if Sink::is_warp] appends the result of the row
///                                                        to the sink. Each call appends the same bytes. If the result
///                                                        is null, the function returns false and appends nothing.
/// A functor that gets the text of each row has other members. The parameters then have a member `text`, and the
/// functor is called for the rows that are not null:
///   static constexpr bool by_text                        true
///   template <class Sink> static bool null_row(Sink&, int64_t row, const P&)
///                                                        optional: like `row`, for a row whose text is null
///   template <class Sink, class Text>
///   static bool row_of_size(Sink&, const Text&, int64_t row, uint32_t size, const P&)
///                                                        optional: like `row`, if the size of the result is known
///   static constexpr bool size_by_size                   optional: the size of a result depends on the size of the
///                                                        text, not on its bytes
///   static bool one_part(const P&)                       optional: whether `row` appends at most one part of the text
///   static bool stages(const P&)                         optional: whether `row` takes a gdf::staged_piece
///   static constexpr bool one_loop                       optional: the same loop writes staged rows and other rows
///   static constexpr int most_literals                   optional: the number of literals (at most 31), which are the
///                                                        same for all rows. `row` appends parts of the text, and
///                                                        appends literals by `put_literal`. The functor must then have
///                                                        the next two members.
///   static int64_t literal_size(int number, const P&)
///   template <class Sink> static void put_literal(Sink&, int number, const P&)
///   template <class Sink, class Text> static bool row(Sink&, const Text&, int64_t row, const P&)
///                                                        Text is a gdf::string_piece. If a single thread runs the
///                                                        functor, Text can also be a gdf::staged_piece.
/// A functor that also gets short texts of several columns at once has these members:
///   static constexpr int most_staged                     the greatest number of columns
///   static int staged(const P&)                          [thread] the number of columns, or 0 if there are too many
///                                                        columns or a row can be null
///   static const gdf::text_in& column(int, const P&)     [thread]
///   template <class Sink, class Texts> static void put_staged(Sink&, Texts&&, const P&)
///                                                        [thread] like `row`; `texts(i)` is a gdf::staged_piece
/// A functor that makes the result from a value of the row has `row` and these members. `row` does the work of `load`,
/// `size` and `put` together. The values of a warp's rows are loaded together:
///   typename value
///   static bool load(int64_t row, const P&, value&)      [thread] sets the value; returns false if the row is null
///   static uint64_t size(const value&, const P&)         [thread]
///   template <class Sink> static void put(Sink&, const value&, uint32_t size, const P&)
///                                                        [thread]
/// If the functor has a type `prepared` with a member `text`, each block makes a `prepared` from the parameters, and
/// the members of the functor get it instead of the parameters. Data that is the same for all rows is thus looked up
/// once.
///
/// The function writes all of `out`, except tiles of elements for which there is no memory. It writes the total to the
/// mailbox, if there is a mailbox. The kernel uses tickets 32 and 33.
template <class Functor, template <bool, bool> class Sink = text_sink, class tuning, class P>
GDF_DEVICE void write_strings(tuning, const column_out& out, const P& parameters, const tile_counts& counts, scratch* scratch,
                              unsigned long long* mailbox) {
  using namespace build_strings_detail;
  auto const& p = prepared_for<Functor>(parameters);
  constexpr int unit = Sink<false, true>::unit;
  using texts = staged_rows<tuning::items>;
  __shared__ typename texts_memory<Functor, tuning::items>::type memory[tuning::threads / 32];
  __shared__ typename tapes_memory<Functor, tuning::items>::type kept[tuning::threads / 32];
  __shared__ typename values_memory<Functor, tuning::items>::type loaded[tuning::threads / 32];
  __shared__ typename columns_memory<Functor, tuning::items>::type columns[tuning::threads / 32];
  copy_list const later = list_of(counts, scratch);
  build_tiles<tuning, unit, !requires { Functor::one_loop; }, requires { p.all.chunks; }>(
    one_output{out, counts.capacity}, counts, scratch, mailbox,
    [&](const warp_rows& rows, int) {
      if constexpr (by_columns<Functor>) {
        int const count = Functor::staged(p);
        if (count != 0 && staged_columns<tuning::items, Functor::most_staged>::load(
                            count, rows.first, rows.end, columns[warp()], [&](int i) -> auto const& { return Functor::column(i, p); })) {
          return true;
        }
      }
      if constexpr (requires { Functor::prefetch(rows.first, rows.end, p); }) {
        if (rows.count() > 32) { Functor::prefetch(rows.first, rows.end, p); } // few rows would only wait for it
      }
      if constexpr (by_value<Functor>) {
        load_values<Functor, tuning::items>(p, rows, loaded[warp()]);
        return true;
      }
      if constexpr (by_part<Functor>) {
        if (!Functor::one_part(p)) { return false; }
      }
      return stage_texts<Functor, tuning>(p, rows, memory);
    },
    [&](int64_t row, bool inside, int at, bool staged) {
      if constexpr (by_parts<Functor>) {
        if (staged && counts.sized == 0) {
          return record<Functor>(kept[warp()], texts::get(memory[warp()], at), row, inside, at, p);
        }
      }
      if constexpr (by_part<Functor>) {
        auto& mine = memory[warp()];
        if (staged) { return parts<typename texts::memory>::template find<Functor>(mine, texts::get(mine, at), row, inside, at, p); }
      }
      if constexpr (requires { Functor::always_sized; }) { return found_size(out, row, inside); }
      if (counts.sized != 0) { return found_size(out, row, inside); }
      if constexpr (by_value<Functor>) {
        if (staged) {
          auto const& mine = loaded[warp()];
          return mine.valid[at >> 5] >> lane() & 1 ? Functor::size(mine.values[at], p) : 0;
        }
      }
      if constexpr (by_columns<Functor>) {
        if (staged) {
          Sink<false, false> sink{nullptr, 0};
          if (inside) { put_columns<Functor, tuning::items>(sink, at, p, columns[warp()]); }
          return sink.size;
        }
      }
      return size_of_row<Sink, Functor, tuning>(row, inside, at, staged, p, memory);
    },
    [&](int64_t row, bool inside, int at, bool staged, u64 size, uint8_t* stage, uint32_t to) {
      auto sink = shared_sink<Sink>::at(stage, to);
      if constexpr (by_columns<Functor>) {
        if (staged) {
          if (inside) { put_columns<Functor, tuning::items>(sink, at, p, columns[warp()]); }
          return inside;
        }
      }
      if constexpr (by_value<Functor>) {
        if (staged) {
          auto const& mine = loaded[warp()];
          bool const is_value = mine.valid[at >> 5] >> lane() & 1;
          if (is_value) { Functor::put(sink, mine.values[at], static_cast<uint32_t>(size), p); }
          return is_value;
        }
      }
      if constexpr (by_part<Functor>) {
        if (staged) { return parts<typename texts::memory>::put(sink, memory[warp()], at); }
      } else if constexpr (by_text<Functor>) {
        if (staged) {
          staged_piece const text = texts::get(memory[warp()], at);
          if constexpr (by_parts<Functor>) {
            if (counts.sized == 0) { return replay<Functor>(sink, kept[warp()], text, row, at, p); }
          }
          if constexpr (requires { Functor::row_of_size(sink, text, row, uint32_t{}, p); }) {
            return inside && is_valid(p.text.column, row) && Functor::row_of_size(sink, text, row, static_cast<uint32_t>(size), p);
          }
          return inside && put_text_row<Functor>(sink, [&] { return text; }, row, p);
        }
      }
      return write_own_row<Functor>(row, inside, size, sink, p);
    },
    [&](int64_t row, bool inside, u64 size, uint8_t* target) {
      return write_own_row<Functor>(row, inside, size, Sink<false, true>{target, 0}, p);
    },
    [&](int64_t row, bool inside, u64 size, uint8_t* target, bool is_value) {
      return write_long_rows<Sink, Functor>(row, inside, size, target, is_value, p, later);
    });
}

/// [block] Runs the body of a kernel that finds the sizes of rows before memory is allocated. A kernel of write_strings
/// follows.
///
/// The kernel writes the sizes of rows to the memory of the offsets of `out`, and the total to the mailbox.
template <class Functor, template <bool, bool> class Sink = text_sink, class tuning, class P>
GDF_DEVICE void size_strings(tuning, const column_out& out, const P& parameters, const tile_counts& counts, scratch* scratch,
                             unsigned long long* mailbox) {
  using namespace build_strings_detail;
  auto const& p = prepared_for<Functor>(parameters);
  __shared__ typename texts_memory<Functor, tuning::items>::type memory[tuning::threads / 32];
  size_tiles<tuning>(
    out, counts, scratch, mailbox,
    [&](const warp_rows& rows) {
      if constexpr (requires { Functor::size_by_size; }) { return false; }
      return stage_texts<Functor, tuning>(p, rows, memory);
    },
    [&](int64_t row, bool inside, int at, bool staged) {
      return size_of_row<Sink, Functor, tuning>(row, inside, at, staged, p, memory);
    });
}

} // namespace gdf

/// GDF_STRINGS(policy, family, variant, P, driver) defines a kernel of rows of variable size, with parameters `p` of
/// type P.
#define GDF_STRINGS(policy, family, variant, P, ...)                                                                   \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                                           \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ P p,                \
                              const __grid_constant__ gdf::tile_counts counts, gdf::scratch* scratch,                  \
                              unsigned long long* mailbox) {                                                           \
    __VA_ARGS__(policy##_tuning{}, out, p, counts, scratch, mailbox);                                                  \
  }                                                                                                                    \
  static_assert(true)
