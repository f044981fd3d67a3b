// Text, or spans of text, for each row of a result, by functors of one row that say null or put what the row has into a
// sink: offsets, stores, masks and null counts of such kernels, see crates/gdf-detail/src/engine/strings/README.md.
//
// A functor runs twice, with a sink that counts and with one that writes. A thread takes a row; where a functor says so,
// rows with much work are taken by the whole warp one after another: all lanes run the functor of that row, and what
// copies and searches divides the bytes among them. Bytes of results are put together in shared memory and stored
// from there in words. A warp takes consecutive rows; where a functor takes the text of a row, that of all these is brought
// to shared memory first (staged_text.cuh).
#pragma once

#include "policy.cuh"
#include "search_text.cuh"
#include "string_tiles.cuh"
#include "text_arguments.cuh"

namespace gdf {

/// The parameters of functors that need none.
struct nothing {
  int64_t unused;
};

namespace build_strings_detail {

/// Who searches: a thread, or a warp.
template <bool warp>
struct searcher {
  using type = by_thread;
};
template <>
struct searcher<true> {
  using type = by_warp;
};

/// Rows of more work are the warp's.
constexpr int64_t long_row = 256;

/// [thread, with `warp` warp] Copies a text, eight bytes at a time, to whole words of the target.
template <bool warp>
GDF_DEVICE void copy_text(uint8_t* target, const string_piece& text) {
  auto const lead = static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) & 7);
  for (int64_t i = (warp ? lane() * 8 : 0) - lead; i < text.size; i += warp ? 256 : 8) {
    int64_t const begin = i < 0 ? 0 : i;
    int64_t const end = i + 8 < text.size ? i + 8 : text.size;
    auto const n = static_cast<int>(end - begin);
    u64 word = string_detail::load_before(text.data + begin, text.limit, n);
    if (n == 8) {
      *reinterpret_cast<u64*>(target + i) = word;
    } else {
      for (int k = 0; k < n; k++) {
        target[begin + k] = static_cast<uint8_t>(word);
        word >>= 8;
      }
    }
  }
}

} // namespace build_strings_detail

/// What a functor of text puts bytes into. With `warp`, all lanes put the same.
template <bool warp, bool writes>
struct text_sink {
  /// Whether all lanes run the functor, of one row.
  static constexpr bool is_warp = warp;
  /// What it searches with: by_thread or by_warp.
  using search = typename build_strings_detail::searcher<warp>::type;
  /// Bytes of an element.
  static constexpr int unit = 1;
  /// Whether it writes; else it counts.
  static constexpr bool is_writing = writes;

  uint8_t* target;
  u64 size;

  /// The bytes of a text.
  GDF_DEVICE void put(const string_piece& text) {
    if constexpr (writes) { build_strings_detail::copy_text<warp>(target + size, text); }
    size += static_cast<u64>(text.size);
  }
  GDF_DEVICE void put(const staged_piece& text) {
    static_assert(!writes);
    size += static_cast<uint32_t>(text.size);
  }

  /// The lowest `n` (0 to 8) bytes of a word.
  GDF_DEVICE void put(u64 word, int n) {
    if constexpr (writes) {
      if constexpr (warp) {
        if (lane() < n) { target[size + lane()] = static_cast<uint8_t>(word >> (8 * lane())); }
      } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
          if (i < n) { target[size + i] = static_cast<uint8_t>(word >> (8 * i)); }
        }
      }
    }
    size += static_cast<u64>(n);
  }

  /// A character.
  GDF_DEVICE void put_character(uint32_t code) { put(encoded(code), encoded_bytes(code)); }

  /// The lowest `n` (1 to 8) bytes of a word, so many times.
  GDF_DEVICE void put_times(u64 word, int n, int64_t times) {
    if (times <= 0) { return; }
    auto const total = static_cast<u64>(times) * n;
    if constexpr (writes) {
      for (u64 i = warp ? lane() : 0; i < total; i += warp ? 32 : 1) {
        target[size + i] = static_cast<uint8_t>(word >> (8 * (i % n)));
      }
    }
    size += total;
  }

  /// A text, so many times.
  GDF_DEVICE void put_times(const staged_piece& text, int64_t times) {
    static_assert(!writes);
    size += times <= 0 ? 0 : static_cast<u64>(times) * static_cast<uint32_t>(text.size);
  }
  GDF_DEVICE void put_times(const string_piece& text, int64_t times) {
    if (times <= 0 || text.size == 0) { return; }
    if constexpr (writes) {
      if (!warp || text.size >= build_strings_detail::long_row) {
        for (int64_t i = 0; i < times; i++) { put(text); }
        return;
      }
      auto const part = static_cast<int>(text.size);
      int at = lane() % part;
      auto const total = static_cast<u64>(times) * part;
      for (u64 i = lane(); i < total; i += 32) {
        target[size + i] = __ldg(text.data + at);
        at = (at + 32) % part;
      }
    }
    size += static_cast<u64>(times) * static_cast<u64>(text.size);
  }
};

/// As text_sink, of a thread that writes to shared memory, with 32-bit addresses.
struct staged_sink {
  static constexpr bool is_warp = false;
  using search = by_thread;
  static constexpr bool is_writing = true;

  uint8_t* stage; // a multiple of 8
  uint32_t at; // where the next byte goes

  GDF_DEVICE void put(const staged_piece& text) {
    uint32_t const end = at + static_cast<uint32_t>(text.size);
    uint32_t from = text.at;
    auto const* const bytes = reinterpret_cast<const uint8_t*>(text.words);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      if ((at & 3) != 0 && at < end) { stage[at++] = bytes[from++]; }
    }
    const uint32_t* word = text.words + (from >> 2);
    uint32_t const shift = (from & 3) * 8;
    uint32_t low = *word;
#pragma unroll 1
    for (; at + 4 <= end; at += 4) {
      uint32_t const high = *++word;
      *reinterpret_cast<uint32_t*>(stage + at) = __funnelshift_r(low, high, shift);
      low = high;
    }
    uint32_t rest = __funnelshift_r(low, word[1], shift);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      if (at < end) {
        stage[at++] = static_cast<uint8_t>(rest);
        rest >>= 8;
      }
    }
  }

  GDF_DEVICE void put(const string_piece& text) {
    build_strings_detail::copy_text<false>(stage + at, text);
    at += static_cast<uint32_t>(text.size);
  }

  GDF_DEVICE void put(u64 word, int n) {
    auto const low = static_cast<uint32_t>(word);
    auto const high = static_cast<uint32_t>(word >> 32);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i < n) { stage[at + i] = static_cast<uint8_t>((i < 4 ? low : high) >> (8 * (i & 3))); }
    }
    at += static_cast<uint32_t>(n);
  }

  GDF_DEVICE void put_character(uint32_t code) { put(encoded(code), encoded_bytes(code)); }

  GDF_DEVICE void put_times(u64 word, int n, int64_t times) {
    if (n != 1) {
      for (; times > 0; times--) { put(word, n); }
      return;
    }
    uint32_t const end = times > 0 ? at + static_cast<uint32_t>(times) : at;
    auto const four = static_cast<uint32_t>(word & 0xff) * 0x01010101u;
    for (; (at & 3) != 0 && at < end; at++) { stage[at] = static_cast<uint8_t>(four); }
    for (; at + 4 <= end; at += 4) { *reinterpret_cast<uint32_t*>(stage + at) = four; }
    for (; at < end; at++) { stage[at] = static_cast<uint8_t>(four); }
  }

  template <class Text>
  GDF_DEVICE void put_times(const Text& text, int64_t times) {
    for (; times > 0; times--) { put(text); }
  }
};

/// What a functor of spans puts these into.
template <bool warp, bool writes>
struct span_sink {
  static constexpr bool is_warp = warp;
  /// Whether it wants sizes alone.
  static constexpr bool counts = !writes;
  using search = typename build_strings_detail::searcher<warp>::type;
  static constexpr int unit = sizeof(text_span);
  static constexpr bool is_writing = writes;

  uint8_t* target;
  u64 size; // in spans

  GDF_DEVICE void put(const text_span& span) {
    if (writes && (!warp || lane() == 0)) { reinterpret_cast<text_span*>(target)[size] = span; }
    size++;
  }

  /// Puts a span at this place of a row whose number of spans the functor gives with `set_size` where the sink counts.
  GDF_DEVICE void put_at(u64 place, const text_span& span) {
    if (writes && (!warp || lane() == 0)) { reinterpret_cast<text_span*>(target)[place] = span; }
  }

  GDF_DEVICE void set_size(u64 spans) { size = spans; }
};

namespace build_strings_detail {

/// [warp] Calls `body(row, owner)` for the row of each lane whose row `is_long`.
template <class Body>
GDF_DEVICE void for_each_long_row(bool is_long, int64_t row, Body&& body) {
  for (uint32_t left = __ballot_sync(~0u, is_long); left != 0; left &= left - 1) {
    int const owner = __ffs(static_cast<int>(left)) - 1;
    body(static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(row), owner)), owner);
  }
}

/// Does a functor take the text of a row, be that staged?
template <class Functor>
constexpr bool by_text = requires { Functor::by_text; };

/// Whether texts are staged for a functor that takes them so.
template <class Functor, class P>
GDF_DEVICE bool stages(const P& p) {
  if constexpr (requires { Functor::stages(p); }) {
    return Functor::stages(p);
  } else {
    return true;
  }
}

/// [block] What a functor is given: the parameters, or what it makes of them once for all rows of a block.
template <class Functor, class P>
GDF_DEVICE decltype(auto) prepared_for(const P& p) {
  if constexpr (requires { typename Functor::prepared; }) {
    return typename Functor::prepared(p);
  } else {
    return (p);
  }
}

/// [thread, or warp if Sink::is_warp] What a functor puts for a row; false: null.
template <class Functor, class Sink, class P>
GDF_DEVICE bool put_row(Sink& sink, int64_t row, const P& p) {
  if constexpr (by_text<Functor>) {
    return is_valid(p.text.column, row) && Functor::row(sink, text_at(p.text, row), row, p);
  } else {
    return Functor::row(sink, row, p);
  }
}

/// [block] First launch of GDF_STRINGS_BUILD and GDF_STRINGS_SPANS.
template <template <bool, bool> class Sink, class Functor, class tuning, class P>
GDF_DEVICE void size_built(const column_out& out, const P& p, unsigned long long* counts, scratch* scratch,
                           unsigned long long* mailbox) {
  auto const size_of = [&](int64_t row, bool inside, int) {
    if constexpr (requires { Functor::is_sized(row, p); }) {
      if (inside && Functor::is_sized(row, p)) {
        return static_cast<u64>(load_offset(out.offsets, out.flags & wide_offsets, row));
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
  };
  size_tiles<tuning>(out, counts, scratch, mailbox, [&](int64_t first, int, auto&& each) {
    if constexpr (by_text<Functor> && !requires { Functor::size_by_size; }) {
      using staged = staged_rows<tuning::items>;
      __shared__ typename staged::memory memory[tuning::threads / 32];
      if (stages<Functor>(p) && staged::load(p.text.column, p.text.bytes, first, out.length, memory[warp()])) {
        return each([&](int64_t row, bool inside, int at) -> u64 {
          staged_piece const text = staged::get(memory[warp()], at);
          Sink<false, false> sink{nullptr, 0};
          bool const is_value = inside && is_valid(p.text.column, row) && Functor::row(sink, text, row, p);
          return is_value ? sink.size : 0;
        });
      }
    }
    each(size_of);
  });
}

/// The sink of a thread that writes to shared memory.
template <template <bool, bool> class Sink>
struct near_sink {
  GDF_DEVICE static Sink<false, true> at(uint8_t* stage, uint32_t at) { return {stage + at, 0}; }
};
template <>
struct near_sink<text_sink> {
  GDF_DEVICE static staged_sink at(uint8_t* stage, uint32_t at) { return {stage, at}; }
};

/// [warp] Puts what a functor has for a row of `size` elements into the thread's `sink`; a row with much work is written by the
/// warp, to `target`. Returns whether the row is valid.
template <template <bool, bool> class Sink, class Functor, class Own, class P>
GDF_DEVICE bool write_row(int64_t row, bool inside, u64 size, uint8_t* target, Own sink, const P& p) {
  bool is_long = false;
  if constexpr (Functor::by_warp) {
    is_long = inside && (static_cast<int64_t>(size) > long_row || Functor::work(row, p) > long_row);
  }
  bool is_value = false;
  if (inside && !is_long) { is_value = put_row<Functor>(sink, row, p); }
  if constexpr (Functor::by_warp) {
    for_each_long_row(is_long, row, [&](int64_t of, int owner) {
      auto const to = __shfl_sync(~0u, static_cast<u64>(reinterpret_cast<uintptr_t>(target)), owner);
      Sink<true, true> shared{reinterpret_cast<uint8_t*>(to), 0};
      bool const found = put_row<Functor>(shared, of, p);
      if (lane() == owner) { is_value = found; }
    });
  }
  return is_value;
}

/// [block] Second launch of GDF_STRINGS_BUILD and GDF_STRINGS_SPANS.
template <template <bool, bool> class Sink, class Functor, class tuning, class P>
GDF_DEVICE void write_built(const column_out& out, const P& p, const unsigned long long* counts, scratch* scratch) {
  constexpr int unit = Sink<false, true>::unit;
  auto const far = [&](int64_t row, bool inside, u64 size, uint8_t* target) {
    return write_row<Sink, Functor>(row, inside, size, target, Sink<false, true>{target, 0}, p);
  };
  write_tiles<tuning, unit>(out, counts, scratch, [&](int64_t first, int, auto&& each) {
    if constexpr (by_text<Functor>) {
      using staged = staged_rows<tuning::items>;
      __shared__ typename staged::memory memory[tuning::threads / 32];
      if (stages<Functor>(p) && staged::load(p.text.column, p.text.bytes, first, out.length, memory[warp()])) {
        auto const near = [&](int64_t row, bool inside, int at, u64, uint8_t* stage, uint32_t to) {
          staged_piece const text = staged::get(memory[warp()], at);
          auto sink = near_sink<Sink>::at(stage, to);
          return inside && is_valid(p.text.column, row) && Functor::row(sink, text, row, p);
        };
        return each(near, far);
      }
    }
    auto const near = [&](int64_t row, bool inside, int, u64 size, uint8_t* stage, uint32_t to) {
      return write_row<Sink, Functor>(row, inside, size, stage + to, near_sink<Sink>::at(stage, to), p);
    };
    each(near, far);
  });
}

} // namespace build_strings_detail

/// [block] A value of O for each row of `out`, which for bool is a bit; null, and 0, where the functor says so.
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

/// GDF_STRINGS_BUILD(policy, family, variant, P, functor): the two kernels that make a text for each row of `out`, with
/// parameters `p` of type P, which hold the inputs. The functor has
///   static constexpr bool by_warp                        whether rows with much work are the warp's
///   static int64_t work(int64_t row, const P&)           [thread] bytes that are read for a row, if by_warp
///   static bool is_sized(int64_t row, const P&)          [thread] optional: whether the size is there from another launch
///   template <class Sink> static bool row(Sink&, int64_t row, const P&)
///                                                        [thread; warp if Sink::is_warp] puts what the row has into the
///                                                        sink, the same each time; false, before it puts anything: null
/// or, to be given the text of each row of the parameters' `text` that is not null,
///   static constexpr bool by_text                        true
///   static constexpr bool size_by_size                   optional: sizes depend on that of the text, not on its bytes
///   static bool stages(const P&)                         optional: whether it takes a gdf::staged_piece
///   template <class Sink, class Text> static bool row(Sink&, const Text&, int64_t row, const P&)
///                                                        Text is a gdf::string_piece, or a gdf::staged_piece where a thread runs it
/// Where the functor has a type `prepared` with a member `text`, it is given one, made [block] of the parameters, for these: what
/// is the same for all rows is looked up once.
/// `counts` has a word per tile. The first writes sizes to the offsets of `out` and the total to the mailbox, the second,
/// with the same arguments, all of `out`, which has memory for the total. Ticket 32.
#define GDF_STRINGS_BUILD(policy, family, variant, P, functor) \
  GDF_STRINGS_TWO_LAUNCHES(policy, family, variant, P, functor, gdf::text_sink)

/// GDF_STRINGS_SPANS(policy, family, variant, P, functor): as GDF_STRINGS_BUILD, of functors that put spans; the elements of
/// `out` are these.
#define GDF_STRINGS_SPANS(policy, family, variant, P, functor) \
  GDF_STRINGS_TWO_LAUNCHES(policy, family, variant, P, functor, gdf::span_sink)

#define GDF_STRINGS_TWO_LAUNCHES(policy, family, variant, P, functor, sink)                                            \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant##_sizes)                                   \
  family##_##variant##_sizes_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ P p,          \
                                    unsigned long long* counts, gdf::scratch* scratch, unsigned long long* mailbox) {  \
    gdf::build_strings_detail::size_built<sink, functor, policy##_tuning>(                                             \
      out, gdf::build_strings_detail::prepared_for<functor>(p), counts, scratch, mailbox);                             \
  }                                                                                                                    \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant##_write)                                   \
  family##_##variant##_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ P p,          \
                                    unsigned long long* counts, gdf::scratch* scratch, unsigned long long*) {          \
    gdf::build_strings_detail::write_built<sink, functor, policy##_tuning>(                                            \
      out, gdf::build_strings_detail::prepared_for<functor>(p), counts, scratch);                                      \
  }                                                                                                                    \
  static_assert(true)

/// GDF_STRINGS_TRY_VALUE(policy, family, variant, O, P, functor): the kernel that makes a value of O for each row of `out`,
/// with parameters `p` of type P, which hold the inputs. The functor has
///   static constexpr bool by_warp                        whether rows with much work are the warp's
///   static int64_t work(int64_t row, const P&)           [thread] bytes that are read for a row, if by_warp
///   template <bool warp> static bool row(int64_t row, const P&, O& value)
///                                                        [thread; warp if `warp`, in all lanes] false: null
#define GDF_STRINGS_TRY_VALUE(policy, family, variant, O, P, functor)                                                  \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                                           \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ P p,                \
                              gdf::scratch* scratch) {                                                                 \
    gdf::try_value_rows<functor, O, policy##_tuning>(out, p, scratch);                                                 \
  }                                                                                                                    \
  static_assert(true)
