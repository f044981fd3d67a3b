// Checks whether the data of columns obeys the rules of their types. One launch handles all columns of a table and
// their children. Each column is a task, and blockIdx.y is the number of the task.

#include <gdf/bits.cuh>
#include <gdf/block_sum.cuh>
#include <gdf/grid.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>

#include "utf8.cuh"

GDF_POLICY(validate, 256, 4, 4);

namespace validation {

using gdf::u64;
using tuning = validate_tuning;

enum kind : int32_t {
  mask_only = 0,
  offsets = 1,    // the offsets; if `more` has bytes, also whether a character begins at each offset
  text = 2,       // the bytes of strings, in `more`; a task of the kind `offsets` checks the offsets
  list_views = 3, // offsets, and sizes in `more`
  keys = 4,
  views = 5,      // views, and a `piece` for each buffer in `more`
  type_ids = 6,
  union_offsets = 7, // the offsets in `more` of the rows whose type id in `data` is `id`
  run_ends = 8,
};

enum task_flags : int32_t {
  wide = 1,         // the integers have 64 bits instead of 32
  signed_keys = 2,
  utf8 = 4,
};

struct task {
  const void* data;
  const void* more;
  const void* validity;
  int64_t offset; // position of the first row in data, validity, and the arrays parallel to them
  gdf::row_count rows;
  // The number of bytes, of rows of the child, or of buffers. For run ends, it is the number of rows that they must
  // cover.
  int64_t limit;
  u64 known[2];   // the known type ids, one bit for each
  int32_t kind;
  int32_t flags;
  int32_t width;  // bytes of keys and of run ends
  int32_t id;
};
static_assert(sizeof(task) == 80);

constexpr int max_tasks = 32;
struct tasks {
  task at[max_tasks];
};

struct piece {
  const uint8_t* bytes;
  int64_t length;
};
GDF_SHARED(piece);

struct findings {
  u64 row = ~0ull;  // the first row that breaks the structure
  u64 text = ~0ull; // the first row with invalid text; for the kinds `offsets` and `text`, the first byte

  GDF_DEVICE void broken(int64_t at) { row = min(row, static_cast<u64>(at)); }
  GDF_DEVICE void not_text(int64_t at) { text = min(text, static_cast<u64>(at)); }
};

template <class Body>
GDF_DEVICE void for_each_row(int64_t rows, Body&& body) {
  gdf::for_each_tile<tuning::threads, tuning::items>(rows, [&](int64_t first, bool) {
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = gdf::row_of<tuning::threads>(first, i);
      if (row < rows) { body(row); }
    }
  });
}

template <class Body>
GDF_DEVICE void by_offset(const task& of, Body&& body) {
  if (of.flags & wide) {
    body.template operator()<int64_t>();
  } else {
    body.template operator()<int32_t>();
  }
}

GDF_DEVICE void check_offsets(const task& of, findings& found) {
  by_offset(of, [&]<class T>() {
    auto const* const offset = static_cast<const T*>(of.data) + of.offset;
    auto const* const bytes = static_cast<const uint8_t*>(of.more);
    int64_t const first = bytes == nullptr || of.rows == 0 ? 0 : offset[0];
    for_each_row(of.rows, [&](int64_t row) {
      int64_t const begin = offset[row];
      int64_t const end = offset[row + 1];
      if (begin < 0 || end < begin || end > of.limit) {
        found.broken(row);
      } else if (bytes != nullptr && first >= 0 && begin > first && begin < end &&
                 is_continuation(bytes[begin])) {
        int64_t const character = utf8_begin(bytes, first, begin);
        if (character >= 0) { found.not_text(character); }
      }
    });
  });
}

GDF_DEVICE void check_text(const task& of, findings& found) {
  by_offset(of, [&]<class T>() {
    auto const* const offset = static_cast<const T*>(of.data) + of.offset;
    auto const* const bytes = static_cast<const uint8_t*>(of.more);
    int64_t const begin = max(int64_t{offset[0]}, int64_t{0});
    int64_t const end = min(int64_t{offset[of.rows]}, of.limit);
    if (begin >= end) { return; }
    int64_t const before = reinterpret_cast<uintptr_t>(bytes + begin) & (utf8_piece - 1);
    int64_t const pieces = (end - begin + before + utf8_piece - 1) / utf8_piece;
    for_each_row(pieces, [&](int64_t at) {
      int64_t const bad = misplaced(bytes, begin, end, begin - before + at * utf8_piece);
      if (bad >= 0) { found.not_text(bad); }
    });
  });
}

GDF_DEVICE void check_list_views(const task& of, findings& found) {
  by_offset(of, [&]<class T>() {
    auto const* const offset = static_cast<const T*>(of.data) + of.offset;
    auto const* const size = static_cast<const T*>(of.more) + of.offset;
    for_each_row(of.rows, [&](int64_t row) {
      int64_t const first = offset[row];
      int64_t const count = size[row];
      bool const good = first >= 0 && count >= 0 && count <= of.limit && first <= of.limit - count;
      if (!good) { found.broken(row); }
    });
  });
}

/// [thread] Returns the integer at `at`. A negative integer becomes a number that is greater than all valid numbers.
GDF_DEVICE u64 key_at(const task& of, int64_t at) {
  bool const is_signed = of.flags & signed_keys;
  switch (of.width) {
    case 1: {
      auto const key = static_cast<const uint8_t*>(of.data)[at];
      return is_signed ? static_cast<u64>(int64_t{static_cast<int8_t>(key)}) : key;
    }
    case 2: {
      auto const key = static_cast<const uint16_t*>(of.data)[at];
      return is_signed ? static_cast<u64>(int64_t{static_cast<int16_t>(key)}) : key;
    }
    case 4: {
      auto const key = static_cast<const uint32_t*>(of.data)[at];
      return is_signed ? static_cast<u64>(int64_t{static_cast<int32_t>(key)}) : key;
    }
    default: return static_cast<const u64*>(of.data)[at];
  }
}

GDF_DEVICE void check_keys(const task& of, findings& found) {
  for_each_row(of.rows, [&](int64_t row) {
    int64_t const at = of.offset + row;
    bool const valid = of.validity == nullptr || gdf::get_bit(of.validity, at);
    if (valid && key_at(of, at) >= static_cast<u64>(of.limit)) { found.broken(row); }
  });
}

GDF_DEVICE int64_t misplaced_in(const uint8_t* bytes, int64_t size) {
  int64_t const before = reinterpret_cast<uintptr_t>(bytes) & (utf8_piece - 1);
  for (int64_t from = -before; from < size; from += utf8_piece) {
    int64_t const bad = misplaced(bytes, 0, size, from);
    if (bad >= 0) { return bad; }
  }
  return -1;
}

constexpr int64_t long_text = 512; // texts of more bytes are checked by a whole warp

GDF_DEVICE void check_views(const task& of, findings& found) {
  auto const* const view = static_cast<const uint4*>(of.data) + of.offset;
  auto const* const pieces = static_cast<const piece*>(of.more);
  gdf::for_each_tile<tuning::threads, 1>(of.rows, [&](int64_t first, bool) {
    int64_t const row = gdf::row_of<tuning::threads>(first, 0);
    const uint8_t* bytes = nullptr;
    int64_t size = 0;
    if (row < of.rows) {
      uint4 const own = view[row];
      size = own.x;
      auto const* const inlined = reinterpret_cast<const uint8_t*>(view + row) + 4;
      if (size <= 12) {
        bytes = inlined;
        bool zero = true;
        for (int64_t i = size; i < 12; i++) { zero &= inlined[i] == 0; }
        if (!zero) { found.broken(row); }
      } else if (own.z >= static_cast<u64>(of.limit)) {
        found.broken(row);
      } else {
        piece const from = pieces[own.z];
        int64_t const begin = own.w;
        if (size > from.length || begin > from.length - size) {
          found.broken(row);
        } else {
          bytes = from.bytes + begin;
          bool same = true;
          for (int i = 0; i < 4; i++) { same &= inlined[i] == bytes[i]; }
          if (!same) { found.broken(row); }
        }
      }
    }
    if ((of.flags & utf8) == 0) { return; } // the condition is the same in all threads
    bool const shared = bytes != nullptr && size > long_text;
    if (bytes != nullptr && !shared && misplaced_in(bytes, size) >= 0) { found.not_text(row); }
    for (uint32_t left = __ballot_sync(~0u, shared); left != 0; left &= left - 1) {
      int const lane = __ffs(static_cast<int>(left)) - 1;
      auto const address = __shfl_sync(~0u, reinterpret_cast<u64>(bytes), lane);
      auto const length = static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(size), lane));
      auto const* const common = reinterpret_cast<const uint8_t*>(address);
      int64_t const before = static_cast<int64_t>(address & (utf8_piece - 1));
      bool bad = false;
      for (int64_t from = gdf::lane() * utf8_piece - before; from < length; from += 32 * utf8_piece) {
        bad |= misplaced(common, 0, length, from) >= 0;
      }
      if (bad) { found.not_text(row - gdf::lane() + lane); }
    }
  });
}

GDF_DEVICE void check_type_ids(const task& of, findings& found) {
  auto const* const ids = static_cast<const int8_t*>(of.data) + of.offset;
  for_each_row(of.rows, [&](int64_t row) {
    int const id = ids[row];
    bool const known = id >= 0 && (of.known[id >= 64 ? 1 : 0] >> (id & 63) & 1) != 0;
    if (!known) { found.broken(row); }
  });
}

GDF_DEVICE void check_union_offsets(const task& of, findings& found) {
  auto const* const ids = static_cast<const int8_t*>(of.data) + of.offset;
  auto const* const offset = static_cast<const int32_t*>(of.more) + of.offset;
  for_each_row(of.rows, [&](int64_t row) {
    int64_t const own = offset[row];
    if (ids[row] == of.id && (own < 0 || own >= of.limit)) { found.broken(row); }
  });
}

GDF_DEVICE int64_t run_end_at(const task& of, int64_t at) {
  switch (of.width) {
    case 2: return static_cast<const int16_t*>(of.data)[at];
    case 4: return static_cast<const int32_t*>(of.data)[at];
    default: return static_cast<const int64_t*>(of.data)[at];
  }
}

GDF_DEVICE void check_run_ends(const task& of, findings& found) {
  for_each_row(of.rows, [&](int64_t run) {
    int64_t const end = run_end_at(of, of.offset + run);
    int64_t const before = run > 0 ? run_end_at(of, of.offset + run - 1) : 0;
    if (end <= before || (run == of.rows - 1 && end < of.limit)) { found.broken(run); }
  });
}

GDF_DEVICE u64 count_nulls(const task& of) {
  u64 nulls = 0;
  if (of.validity == nullptr) { return nulls; }
  int64_t const end = of.offset + of.rows;
  gdf::for_each_index(gdf::words_for(of.rows), [&](int64_t word) {
    uint32_t const valid = gdf::load_bits32(of.validity, of.offset + word * 32, end);
    nulls += __popc(~valid & gdf::low_bits(of.rows - word * 32));
  });
  return nulls;
}

/// [thread] Returns the row that contains byte `at`, which is the last row that begins at or before that byte.
GDF_DEVICE u64 row_of_byte(const task& of, u64 at) {
  u64 row = 0;
  by_offset(of, [&]<class T>() {
    auto const* const offset = static_cast<const T*>(of.data) + of.offset;
    int64_t low = 0;
    int64_t high = of.rows;
    while (low + 1 < high) {
      int64_t const middle = low + (high - low) / 2;
      if (int64_t{offset[middle]} <= static_cast<int64_t>(at)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    row = static_cast<u64>(low);
  });
  return row;
}

GDF_DEVICE findings check(const task& of) {
  findings found;
  if (of.rows == 0) { return found; }
  switch (of.kind) {
    case offsets: check_offsets(of, found); break;
    case text: check_text(of, found); break;
    case list_views: check_list_views(of, found); break;
    case keys: check_keys(of, found); break;
    case views: check_views(of, found); break;
    case type_ids: check_type_ids(of, found); break;
    case union_offsets: check_union_offsets(of, found); break;
    case run_ends: check_run_ends(of, found); break;
    default: break;
  }
  return found;
}

constexpr u64 of_text = 1ull << 62;

} // namespace validation

/// Executes task blockIdx.y, and posts two words for it. The first word is the number of nulls. The second word is 0 if
/// all rows are valid. Otherwise it is one more than the first invalid row, with bit 62 set if the text of that row is
/// invalid. Task y uses ticket 32 + y, zeroed[3 * y] and the two words after it.
extern "C" __global__ void GDF_BOUNDS(validate)
validate_kernel(const __grid_constant__ validation::tasks in, gdf::scratch* scratch,
                unsigned long long* mailbox) {
  using namespace validation;
  const task& of = in.at[blockIdx.y];
  u64* const all = &scratch->zeroed[3 * blockIdx.y];
  u64 const nulls = gdf::block_sum<tuning::threads>(count_nulls(of));
  findings const found = check(of);
  // Row numbers are stored inverted, so that zero means that no row was found.
  if (threadIdx.x == 0 && nulls != 0) { atomicAdd(all, nulls); }
  if (found.row != ~0ull) { atomicMax(all + 1, ~found.row); }
  if (found.text != ~0ull) { atomicMax(all + 2, ~found.text); }
  if (!gdf::is_last_block(scratch, 32 + static_cast<int>(blockIdx.y), gridDim.x)) { return; }
  if (threadIdx.x != 0) { return; }
  u64 const null_rows = atomicExch(all, 0ull);
  u64 const broken = atomicExch(all + 1, 0ull);
  u64 const bad_text = atomicExch(all + 2, 0ull);
  u64 fault = 0;
  if (broken != 0) {
    fault = ~broken + 1;
  } else if (bad_text != 0) {
    bool const is_byte = of.kind == offsets || of.kind == text;
    fault = ((is_byte ? row_of_byte(of, ~bad_text) : ~bad_text) + 1) | of_text;
  }
  gdf::post(mailbox + 2 * blockIdx.y, null_rows);
  gdf::post(mailbox + 2 * blockIdx.y + 1, fault);
}
