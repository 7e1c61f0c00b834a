// A CUDA without devices: a stream is a queue of the host, whose work is done when somebody waits for it, as
// late as a device could. Memory of devices is memory of the host.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

/// CUDA leaves them to those who implement it.
struct CUstream_st {
  std::deque<std::function<void()>> work;
  std::uint64_t done = 0;  ///< Pieces of work, ever.
};
struct CUevent_st {
  CUstream_st* stream = nullptr;
  std::uint64_t work = 0;  ///< Of the stream, that comes before.
};

namespace floe::test {

struct FakeCuda {
  int devices = 1;
  std::vector<std::span<const std::uint8_t>> pinned;  ///< Memory that a copy need not wait for.
  int waits = 0;                                      ///< For work that was not done yet.
  int enqueued_after_waiting = 0;  ///< Pieces of work that came when one had been waited for.
  int calls_until_failure = -1;  ///< That many calls that enqueue succeed, and then one does not; -1: all do.
  std::int64_t allocations = 0;  ///< Of memory, streams and events, that were not given back.
  std::int64_t allocations_until_failure = -1;  ///< Of memory, as above.

  int uses_after_reset = 0;  ///< Of streams and events that a reset had taken away.

  static FakeCuda& the();
  /// All memory, streams and events are gone: whoever touches memory ends the process, as pinned memory does.
  void reset_device();
};

/// Whatever is on the stream at its end. Errors: those of a launch.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

}  // namespace floe::test
