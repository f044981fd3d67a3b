// contiguous_split: copies the buffers of a table's slices into one buffer, all in one launch. The host divides the
// buffers into tasks of limited size, and a block executes one task at a time.

#include <gdf/copy_bytes.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(copy_segments, 256, 4, 4);

namespace contiguous_split {

/// A range of bytes to copy, followed by zeros.
struct task {
  const uint8_t* source;
  const uint8_t* base; // offsets: the offset that is subtracted from all offsets
  int64_t target;      // position in the packed memory, a multiple of 64
  gdf::byte_count bytes;
  int32_t width;   // width of offsets, which divides their addresses; 0 for other bytes
  int32_t padding; // the number of zero bytes after the copy, less than 64
};
GDF_SHARED(task);

template <class T>
GDF_DEVICE void copy_offsets(const task& t, uint8_t* target) {
  T const base = *reinterpret_cast<const T*>(t.base);
  auto const* const from = reinterpret_cast<const T*>(t.source);
  auto* const to = reinterpret_cast<T*>(target);
  int64_t const count = t.bytes / static_cast<int64_t>(sizeof(T));
  for (int64_t i = threadIdx.x; i < count; i += copy_segments_tuning::threads) { to[i] = from[i] - base; }
}

} // namespace contiguous_split

/// Executes `count` tasks. The target ranges of the tasks in `target` are disjoint, and the address of `target` is a
/// multiple of 64.
extern "C" __global__ void GDF_BOUNDS(copy_segments)
copy_segments_kernel(const contiguous_split::task* tasks, int64_t count, uint8_t* target) {
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    contiguous_split::task const t = tasks[i];
    uint8_t* const to = target + t.target;
    if (t.width == 4) {
      contiguous_split::copy_offsets<int32_t>(t, to);
    } else if (t.width == 8) {
      contiguous_split::copy_offsets<int64_t>(t, to);
    } else {
      gdf::copy_bytes<copy_segments_tuning::threads, copy_segments_tuning::items>(to, t.source, t.bytes);
    }
    if (static_cast<int32_t>(threadIdx.x) < t.padding) { to[t.bytes + threadIdx.x] = 0; }
  }
}
