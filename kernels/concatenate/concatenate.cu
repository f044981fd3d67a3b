// concatenate::{concatenate, concatenate_columns} and copying::shift: these kernels copy the pieces of each column one
// after the other. One launch handles whole tables with their validity masks and null counts.

#include <gdf/copy_bytes.cuh>
#include <gdf/count.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>
#include <gdf/string_rows.cuh>

/// An item is a unit of 16 bytes of the result.
GDF_POLICY(concatenate, 256, 4, 3);
GDF_POLICY(concatenate_strings, 256, 4, 3);

namespace concatenate {

using tuning = concatenate_tuning;
using string_tuning = concatenate_strings_tuning;
static_assert(tuning::threads == string_tuning::threads);

constexpr int threads = tuning::threads;
constexpr int few_pieces = 32;

/// How a column is copied. The host has the same enum.
enum kind : int16_t {
  mask_only = 0,   // a struct: only its validity is copied
  bits = 1,        // booleans
  fixed = 2,       // rows of any width, at any alignment
  strings = 3,     // the bytes of whole pieces
  string_rows = 4, // row by row, without the bytes of null rows
};

struct task {
  int64_t extra; // fixed: bytes of a row; strings: size of the result's character buffer
  int32_t node;  // index of the node in the inputs
  int16_t kind;
  int16_t slot;  // the number of the column among those that this launch measures
};
static_assert(sizeof(task) == 16);

struct tasks {
  task column[32];
};

/// Inputs that fit in the parameters of a kernel: pieces * nodes <= 32.
struct few {
  gdf::column_in in[32];
  int64_t start[few_pieces + 1];
  int32_t parent[32];
};
static_assert(sizeof(gdf::table_out<32>) + sizeof(tasks) + sizeof(few) <= 4000);

/// The inputs. Piece p of node n is in[n * pieces + p]. No piece is empty. If a column has a character buffer, the
/// `length` of its pieces is the number of bytes of this buffer instead of the number of rows. If the pointers are
/// null, the kernel reads the `few` in its parameters instead.
struct inputs {
  const gdf::column_in* in;
  const int64_t* start;  // first row of each piece; at the end, the number of rows
  const int32_t* parent; // node of the struct around a node, or -1
  int32_t pieces;
  uint32_t repeated; // if bit p is set (p < 32), piece p is a single row that is repeated (`broadcast`)
};

struct pieces {
  const gdf::column_in* in;
  const int64_t* start;
  const int32_t* parent;
  int count;
  uint32_t repeated;

  GDF_DEVICE pieces(const inputs& many, const few& few)
    : in(many.in != nullptr ? many.in : few.in),
      start(many.in != nullptr ? many.start : few.start),
      parent(many.in != nullptr ? many.parent : few.parent),
      count(many.pieces),
      repeated(many.repeated) {}

  GDF_DEVICE const gdf::column_in& of(int node, int p) const {
    return in[int64_t{node} * count + p];
  }

  GDF_DEVICE int64_t rows() const { return start[count]; }

  GDF_DEVICE bool repeats(int p) const { return p < few_pieces && (repeated >> p & 1) != 0; }

  /// [thread] Returns the last piece that begins at or before `position`.
  GDF_DEVICE int find(const int64_t* starts, int64_t position, int64_t width = 1) const {
    int low = 0;
    int high = count;
    while (high - low > 1) {
      int const middle = (low + high) >> 1;
      if (starts[middle] * width <= position) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// [thread] Returns the range of the character buffer that has the bytes of all rows of a piece.
  GDF_DEVICE gdf::extent bytes_of(int node, int p) const {
    gdf::column_in const& piece = of(node, p);
    bool const wide = piece.flags & gdf::wide_offsets;
    int64_t const rows = repeats(p) ? 1 : start[p + 1] - start[p];
    int64_t begin = gdf::load_offset(piece.offsets, wide, piece.offset);
    int64_t end = gdf::load_offset(piece.offsets, wide, piece.offset + rows);
    begin = begin < 0 ? 0 : begin > piece.length ? piece.length : begin;
    end = end < begin ? begin : end > piece.length ? piece.length : end;
    return {begin, end};
  }

  GDF_DEVICE gdf::u64 size_of(int node, int p) const {
    auto const bytes = static_cast<gdf::u64>(bytes_of(node, p).size());
    return repeats(p) ? gdf::saturating_multiply(bytes, static_cast<gdf::u64>(start[p + 1] - start[p])) : bytes;
  }

  GDF_DEVICE gdf::string_piece row(int node, int64_t row) const {
    int const p = find(start, row);
    row -= start[p];
    for (int n = node; n >= 0; n = parent[n]) {
      if (!gdf::is_valid(of(n, p), row)) { return {nullptr, 0, nullptr}; }
    }
    gdf::column_in const& piece = of(node, p);
    return gdf::string_piece_at(piece, row, piece.length);
  }
};

/// [thread] Returns 32 bits of the result, which belong to the rows from `row` on.
GDF_DEVICE uint32_t joined_bits(const pieces& all, int node, int64_t row, bool values) {
  int64_t const rows = all.rows();
  int64_t const end = row + 32 < rows ? row + 32 : rows;
  uint32_t word = 0;
  int64_t at = row;
  for (int p = all.find(all.start, row); at < end; p++) {
    gdf::column_in const& piece = all.of(node, p);
    int64_t const first = all.start[p];
    int64_t const next = all.start[p + 1];
    uint32_t const bits = values ? gdf::boolean_word(piece, at - first, next - first)
                                 : gdf::valid_word(piece, at - first, next - first);
    word |= bits << (at - row);
    at = next;
  }
  return word;
}

GDF_DEVICE void join_booleans(const pieces& all, int node, const gdf::column_out& out) {
  auto* const target = static_cast<uint32_t*>(out.data);
  gdf::for_each_index(gdf::words_for(out.length), [&](int64_t word) {
    target[word] = joined_bits(all, node, word * 32, true);
  });
}

/// [block] Writes the validity mask.
GDF_DEVICE uint32_t join_validity(const pieces& all, int node, const gdf::column_out& out) {
  uint32_t valid = 0;
  if (out.validity != nullptr) {
    gdf::for_each_index(gdf::words_for(out.length), [&](int64_t word) {
      uint32_t bits = ~0u;
      for (int n = node; n >= 0; n = all.parent[n]) { bits &= joined_bits(all, n, word * 32, false); }
      out.validity[word] = bits;
      valid += __popc(bits);
    });
  }
  return valid;
}

/// [block] Writes `bytes` bytes of repeated copies of `row`, which has `size` bytes.
GDF_DEVICE void repeat_row(uint8_t* target, const uint8_t* row, int64_t size, int64_t before, int64_t bytes) {
  if (size > 16 || (size & (size - 1)) != 0) {
    int64_t const step = threads % size;
    int64_t at = (before + threadIdx.x) % size;
    for (int64_t i = threadIdx.x; i < bytes; i += threads) {
      target[i] = __ldg(row + at);
      at += step;
      at -= at < size ? 0 : size;
    }
    return;
  }
  auto const mask = static_cast<int>(size) - 1;
  auto const byte = [&](int64_t i) { return __ldg(row + (static_cast<int>(before + i) & mask)); };
  auto head = static_cast<int64_t>((16 - (reinterpret_cast<uintptr_t>(target) & 15)) & 15);
  if (head > bytes) { head = bytes; }
  gdf::u64 half[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < 16; i++) { half[i / 8] |= gdf::u64{byte(head + i)} << 8 * (i % 8); }
  auto* const to = reinterpret_cast<ulonglong2*>(target + head);
  int64_t const units = (bytes - head) >> 4;
#pragma unroll 4
  for (int64_t i = threadIdx.x; i < units; i += threads) { to[i] = ulonglong2{half[0], half[1]}; }
  if (threadIdx.x < 32) { // at most 15 bytes before the units of 16 bytes, and at most 15 bytes after them
    int64_t const i = threadIdx.x < head ? threadIdx.x : units * 16 + threadIdx.x;
    if (i < bytes) { target[i] = byte(i); }
  }
}

/// [block] Copies the bytes of all pieces. The bytes of piece p begin at starts[p] * width in `target`, and at
/// `source(p)` in the input.
template <bool repeating, class Source, class Size>
GDF_DEVICE void join_bytes(const pieces& all, const int64_t* starts, int64_t width, uint8_t* target, Source&& source,
                           Size&& row_size) {
  constexpr int64_t tile = int64_t{tuning::tile} * 16;
  int64_t const bytes = starts[all.count] * width;
  gdf::for_each_tile<threads, tuning::items * 16>(bytes, [&](int64_t begin, bool full) {
    int64_t const end = full ? begin + tile : bytes;
    for (int p = all.find(starts, begin, width); p < all.count; p++) {
      int64_t const piece_begin = starts[p] * width;
      int64_t const piece_end = starts[p + 1] * width;
      if (piece_begin >= end) { break; }
      int64_t const low = piece_begin > begin ? piece_begin : begin;
      int64_t const high = piece_end < end ? piece_end : end;
      if (low >= high) { continue; }
      if (repeating && all.repeats(p)) {
        repeat_row(target + low, source(p), row_size(p), low - piece_begin, high - low);
      } else {
        gdf::copy_bytes<threads, tuning::items>(target + low, source(p) + (low - piece_begin), high - low);
      }
    }
  });
}

template <bool repeating>
GDF_DEVICE void join_fixed(const pieces& all, int node, int64_t width, const gdf::column_out& out) {
  auto const source = [&](int p) {
    gdf::column_in const& piece = all.of(node, p);
    return static_cast<const uint8_t*>(piece.data) + piece.offset * width;
  };
  join_bytes<repeating>(all, all.start, width, static_cast<uint8_t*>(out.data), source, [&](int) { return width; });
}

/// [block] Computes the position of the first byte of each piece in the result, and the number of all bytes, for up to
/// 32 pieces.
GDF_DEVICE void add_up_pieces(const pieces& all, int node, int64_t* first_byte) {
  if (threadIdx.x < 32) {
    int const p = static_cast<int>(threadIdx.x);
    gdf::u64 const size = p < all.count ? all.size_of(node, p) : 0;
    gdf::u64 const upto = gdf::warp_inclusive_sum(size);
    first_byte[p + 1] = static_cast<int64_t>(upto);
    if (p == 0) { first_byte[0] = 0; }
  }
  __syncthreads();
}

/// [block] Writes the offsets and the bytes of strings, and leaves out the bytes of null rows.
template <bool repeating>
GDF_DEVICE void join_strings(const pieces& all, int node, const int64_t* first_byte,
                             int64_t capacity, const gdf::column_out& out) {
  constexpr int items = 4;
  bool const wide = out.flags & gdf::wide_offsets;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool full) {
    int const p = all.find(all.start, first);
    int64_t const last = full ? first + threads * items - 1 : out.length - 1;
    bool const one_piece = last < all.start[p + 1];
    gdf::extent bytes = all.bytes_of(node, p);
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      if (row < out.length) {
        int const own = one_piece ? p : all.find(all.start, row);
        if (!one_piece) { bytes = all.bytes_of(node, own); }
        gdf::column_in const& piece = all.of(node, own);
        int64_t const nth = row - all.start[own];
        int64_t before = nth * bytes.size(); // where the copy begins if the piece is a repeated row
        if (!all.repeats(own)) {
          int64_t const offset =
            gdf::load_offset(piece.offsets, piece.flags & gdf::wide_offsets, piece.offset + nth);
          before = (offset < bytes.begin ? bytes.begin : offset > bytes.end ? bytes.end : offset) - bytes.begin;
        }
        gdf::store_offset(out.offsets, wide, row, first_byte[own] + before);
      }
    }
  });
  int64_t const total = first_byte[all.count];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    gdf::store_offset(out.offsets, wide, out.length, total);
  }
  auto* const target = static_cast<uint8_t*>(out.data);
  auto const source = [&](int p) {
    return static_cast<const uint8_t*>(all.of(node, p).data) + all.bytes_of(node, p).begin;
  };
  auto const row_size = [&](int p) { return all.bytes_of(node, p).size(); };
  join_bytes<repeating>(all, first_byte, 1, target, source, row_size);
  gdf::for_each_index(capacity - total, [&](int64_t i) { target[total + i] = 0; });
}

/// [block] Posts the number of all bytes to the mailbox. If `first_byte` is not null, the function also writes there
/// the position of the first byte of each piece, followed by the number of all bytes. A single block calls this
/// function.
GDF_DEVICE void measure_pieces(const pieces& all, int node, int64_t* first_byte,
                               unsigned long long* mailbox) {
  gdf::u64 carry = 0;
  for (int first = 0; first < all.count; first += threads) {
    int const p = first + static_cast<int>(threadIdx.x);
    gdf::u64 const size = p < all.count ? gdf::bounded_size(all.size_of(node, p)) : 0;
    gdf::u64 total;
    gdf::u64 const below = gdf::block_exclusive_sum<threads>(size, total);
    if (p < all.count && first_byte != nullptr) {
      first_byte[p] = static_cast<int64_t>(carry + below);
    }
    carry = gdf::saturating_add(carry, total);
  }
  if (threadIdx.x == 0) {
    if (first_byte != nullptr) { first_byte[all.count] = static_cast<int64_t>(carry); }
    gdf::post(mailbox, carry);
  }
}

template <bool repeating>
GDF_DEVICE void join(const gdf::table_out<32>& table, const tasks& tasks, const few& few, const inputs& many,
                     const unsigned long long* counts, const int64_t* first_byte, gdf::scratch* scratch) {
  __shared__ union {
    int64_t first_byte[few_pieces + 1];
    gdf::string_step<threads> step;
  } shared;
  pieces const all(many, few);
  task const& column = tasks.column[blockIdx.y];
  gdf::column_out const& out = table.column[blockIdx.y];
  switch (column.kind) {
    case bits: join_booleans(all, column.node, out); break;
    case fixed: join_fixed<repeating>(all, column.node, column.extra, out); break;
    case strings: {
      const int64_t* own = shared.first_byte;
      if (all.count <= few_pieces) {
        add_up_pieces(all, column.node, shared.first_byte);
      } else {
        own = first_byte + column.slot * int64_t{all.count + 1};
      }
      join_strings<repeating>(all, column.node, own, column.extra, out);
      break;
    }
    case string_rows: {
      int64_t const tiles = (out.length + string_tuning::tile - 1) / string_tuning::tile;
      gdf::write_string_rows<threads, string_tuning::items>(
        out, counts + column.slot * tiles, shared.step,
        [&](int64_t row) { return all.row(column.node, row); });
      break;
    }
    default: break;
  }
  gdf::post_null_count<threads>(scratch, out, join_validity(all, column.node, out));
}

} // namespace concatenate

/// Measures column blockIdx.y and posts its number of bytes to mailbox[slot]. Column y uses ticket 32 + y.
extern "C" __global__ void GDF_BOUNDS(concatenate_strings)
concatenate_measure_kernel(const __grid_constant__ concatenate::few few,
                           const __grid_constant__ concatenate::inputs many,
                           const __grid_constant__ concatenate::tasks tasks,
                           unsigned long long* counts, int64_t* first_byte, gdf::scratch* scratch,
                           unsigned long long* mailbox) {
  using namespace concatenate;
  pieces const all(many, few);
  task const& column = tasks.column[blockIdx.y];
  mailbox += column.slot;
  if (column.kind == string_rows) {
    int64_t const tiles = (all.rows() + string_tuning::tile - 1) / string_tuning::tile;
    gdf::count_string_rows<threads, string_tuning::items>(
      all.rows(), scratch, 32 + static_cast<int>(blockIdx.y), counts + column.slot * tiles,
      mailbox, [&](int64_t row) { return all.row(column.node, row).size; });
  } else if (blockIdx.x == 0) {
    int64_t* const own =
      first_byte != nullptr ? first_byte + column.slot * int64_t{all.count + 1} : nullptr;
    measure_pieces(all, column.node, own, mailbox);
  }
}

/// Writes the columns of the result. blockIdx.y is the number of a column. Before this kernel,
/// `concatenate_measure_kernel` must have measured `strings` columns of more than 32 pieces and all `string_rows`
/// columns.
extern "C" __global__ void GDF_BOUNDS(concatenate) GDF_VARIANT(concatenate, whole)
concatenate_kernel(const __grid_constant__ gdf::table_out<32> table,
                   const __grid_constant__ concatenate::tasks tasks,
                   const __grid_constant__ concatenate::few few,
                   const __grid_constant__ concatenate::inputs many,
                   const unsigned long long* counts, const int64_t* first_byte,
                   gdf::scratch* scratch) {
  concatenate::join<false>(table, tasks, few, many, counts, first_byte, scratch);
}

/// Does the same as concatenate_kernel, for inputs with repeated rows. The kernel is separate, because its additional 2
/// KB of instructions would make concatenate_kernel 4 % slower for few rows.
extern "C" __global__ void GDF_BOUNDS(concatenate) GDF_VARIANT(concatenate, repeating)
concatenate_repeating_kernel(const __grid_constant__ gdf::table_out<32> table,
                   const __grid_constant__ concatenate::tasks tasks,
                   const __grid_constant__ concatenate::few few,
                   const __grid_constant__ concatenate::inputs many,
                   const unsigned long long* counts, const int64_t* first_byte,
                   gdf::scratch* scratch) {
  concatenate::join<true>(table, tasks, few, many, counts, first_byte, scratch);
}
