// Parts of staged text that functors find when they compute the sizes of rows.
#pragma once

#include "text_sinks.cuh"

namespace gdf::build_strings_detail {

/// Whether a functor appends at most one part of the staged text of a row. That part is kept, so that the functor runs
/// only once.
template <class Functor>
constexpr bool by_part = requires { Functor::one_part; };

struct part_sink {
  static constexpr bool is_warp = false;
  using search = by_thread;
  static constexpr bool is_writing = false;

  staged_piece part;

  GDF_DEVICE void put(const staged_piece& text) { part = text; }
  GDF_DEVICE void put(u64, int) {} // never called
};

/// The parts of a warp's rows, which replace the rows in shared memory.
/// The word of a row has the begin of the part in bits 0 to 15, and its size in bits 16 to 30. Bit 31 is set if the row
/// is valid.
template <class Memory>
struct parts {
  static constexpr uint32_t is_value = 1u << 31;

  /// [thread] Finds the part of a row, and returns its size.
  template <class Functor, class P>
  GDF_DEVICE static u64 find(Memory& memory, const staged_piece& text, int64_t row, bool inside, int at, const P& p) {
    part_sink sink{{text.words, text.at, 0}};
    bool const found = inside && is_valid(p.text.column, row) && Functor::row(sink, text, row, p);
    auto const size = found ? static_cast<uint32_t>(sink.part.size) : 0;
    memory.rows[at] = sink.part.at | size << 16 | (found ? is_value : 0);
    return size;
  }

  /// [thread] Appends the part of a row. Returns whether the row is valid.
  GDF_DEVICE static bool put(staged_sink sink, const Memory& memory, int at) {
    uint32_t const row = memory.rows[at];
    sink.put(staged_piece{reinterpret_cast<const uint32_t*>(memory.units), row & 0xffff, static_cast<int32_t>(row >> 16 & 0x7fff)});
    return (row & is_value) != 0;
  }
};

/// Whether a functor appends parts of the staged text of a row, and literals that are the same for all rows.
///
/// If a row has few parts and literals, they are kept, so that the functor runs only once.
template <class Functor>
constexpr bool by_parts = requires { Functor::most_literals; };

template <class Functor, class Sink, class P>
GDF_DEVICE void put_literal(Sink& sink, int number, const P& p) {
  if constexpr (requires { Sink::is_tape; }) {
    sink.put_literal(number, Functor::literal_size(number, p));
  } else {
    Functor::put_literal(sink, number, p);
  }
}

/// The parts of a warp's rows. A word packs begin (13 bits), size (12 bits) and the number of the literal after the
/// part, counted from 1.
template <int items>
struct tapes {
  static constexpr uint32_t most = 4;
  static constexpr int rows = 32 * items;
  static_assert(staged_rows<items>::bytes + 64 < 1 << 13 && staged_rows<items>::long_row < 1 << 12);

  uint32_t parts[most * rows];
  uint8_t counts[rows];
};

template <class Functor, int items>
struct tapes_memory {
  using type = tapes<items>;
};
template <class Functor, int items>
  requires(!by_parts<Functor>)
struct tapes_memory<Functor, items> {
  using type = char;
};

/// The sink that records the parts of a row.
template <class Tapes>
struct tape_sink {
  static constexpr bool is_warp = false;
  static constexpr bool is_writing = false;
  static constexpr bool is_tape = true;
  using search = by_thread;

  uint32_t* parts;
  uint32_t count;
  uint32_t last; // the last part, which is not stored yet
  u64 size;

  GDF_DEVICE explicit tape_sink(uint32_t* parts) : parts(parts), count(0), last(0), size(0) {}

  GDF_DEVICE void add(uint32_t part) {
    if (count < Tapes::most) { parts[count * Tapes::rows] = part; }
    count++;
    last = 0;
  }
  GDF_DEVICE void end() {
    if (last != 0) { add(last); }
  }

  GDF_DEVICE void put(const staged_piece& text) {
    end();
    auto const bytes = static_cast<uint32_t>(text.size);
    if (bytes != 0) { last = text.at | bytes << 13; }
    size += bytes;
  }
  GDF_DEVICE void put_literal(int number, int64_t bytes) {
    add(last | static_cast<uint32_t>(number + 1) << 25);
    size += static_cast<u64>(bytes);
  }
  /// Bytes from other memory cannot be recorded. The row is then treated as a row with too many parts.
  GDF_DEVICE void put(const string_piece& text) {
    count = Tapes::most + 1;
    size += static_cast<u64>(text.size);
  }
  GDF_DEVICE void put(u64, int n) {
    count = Tapes::most + 1;
    size += static_cast<u64>(n);
  }
};

/// [thread] Finds and records the parts of a staged row, and returns their total size.
template <class Functor, class Tapes, class P>
GDF_DEVICE u64 record(Tapes& tapes, const staged_piece& text, int64_t row, bool inside, int at, const P& p) {
  tape_sink<Tapes> sink(tapes.parts + at);
  bool const is_value = inside && is_valid(p.text.column, row) && Functor::row(sink, text, row, p);
  sink.end();
  tapes.counts[at] = static_cast<uint8_t>(is_value ? (sink.count <= Tapes::most ? sink.count : 0xfe) : 0xff);
  return is_value ? sink.size : 0;
}

/// [thread] Appends the recorded parts of a row. Returns whether the row is valid.
template <class Functor, class Tapes, class P>
GDF_DEVICE bool replay(staged_sink sink, const Tapes& tapes, const staged_piece& text, int64_t row, int at, const P& p) {
  uint32_t const count = tapes.counts[at];
  if (count > Tapes::most) { return count != 0xff && Functor::row(sink, text, row, p); }
#pragma unroll 1
  for (uint32_t k = 0; k < count; k++) {
    uint32_t const part = tapes.parts[k * Tapes::rows + at];
    sink.put(staged_piece{text.words, part & 0x1fff, static_cast<int32_t>(part >> 13 & 0xfff)});
    if (part >> 25 != 0) { Functor::put_literal(sink, static_cast<int>(part >> 25) - 1, p); }
  }
  return true;
}

} // namespace gdf::build_strings_detail
