#include "scratch.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace floe::python {

struct KeptScratch {
  KeptScratch(std::uint64_t bytes, DeviceStream queue) : workspace(bytes, queue.device, queue.stream) {}

  Memory workspace;
  cuda::ItemResult* result = nullptr;
  std::uint64_t turn = 0;            ///< When it was taken last.
  std::atomic<bool> is_idle{false};  ///< Set by the call that has it, without the lock.
};

namespace {

/// Of all workspaces that no call uses: those of trees take 0.9 GB. Asking the pool for so much takes 10 us.
constexpr std::uint64_t max_kept_bytes = std::uint64_t{1} << 30;
constexpr std::size_t max_kept = 8;

using Scratches = std::vector<std::unique_ptr<KeptScratch>>;

/// It lives as long as the process: CUDA may be gone before static objects are.
struct Kept {
  std::mutex mutex;
  Scratches all;
  std::uint64_t turns = 0;
  std::vector<cuda::ItemResult*> results;  ///< Of workspaces that were freed.
  /// Whether all of them together may be kept: then giving one back is a single store.
  std::atomic<bool> is_little{true};

  void count() {
    std::uint64_t bytes = 0;
    for (const auto& each : all) bytes += each->workspace.bytes();
    is_little = all.size() <= max_kept && bytes <= max_kept_bytes;
  }
};

Kept& kept() {
  static auto* const all = new Kept;
  return *all;
}

/// The smallest idle one with room; null if there is none.
KeptScratch* take_kept(std::uint64_t bytes, DeviceStream queue) {
  const std::lock_guard lock(kept().mutex);
  KeptScratch* best = nullptr;
  for (const auto& each : kept().all) {
    const bool is_enough = each->workspace.device() == queue.device && each->workspace.bytes() >= bytes;
    if (is_enough && (best == nullptr || each->workspace.bytes() < best->workspace.bytes()) &&
        each->is_idle.load(std::memory_order_acquire))
      best = each.get();
  }
  if (best == nullptr) return nullptr;
  best->is_idle.store(false, std::memory_order_relaxed);
  best->turn = ++kept().turns;
  return best;
}

cuda::ItemResult* take_result() {
  {
    const std::lock_guard lock(kept().mutex);
    auto& all = kept().results;
    if (!all.empty()) {
      cuda::ItemResult* const taken = all.back();
      all.pop_back();
      return taken;
    }
  }
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(cuda::ItemResult), cudaHostAllocPortable));
  return static_cast<cuda::ItemResult*>(memory);
}

KeptScratch* take_scratch(std::uint64_t bytes, DeviceStream queue) {
  if (KeptScratch* const taken = take_kept(bytes, queue)) return taken;
  auto made = std::make_unique<KeptScratch>(bytes, queue);
  made->result = take_result();
  const std::lock_guard lock(kept().mutex);
  made->turn = ++kept().turns;
  kept().all.push_back(std::move(made));
  kept().count();
  return kept().all.back().get();
}

/// Takes one out of what is kept, with the lock.
std::unique_ptr<KeptScratch> remove(const KeptScratch* removed) {
  Scratches& all = kept().all;
  const auto at = std::ranges::find_if(all, [removed](const auto& each) { return each.get() == removed; });
  std::unique_ptr<KeptScratch> taken = std::move(*at);
  all.erase(at);
  kept().count();
  return taken;
}

/// Removes those that were idle for longest, until the other idle ones are not too many, nor too much. With
/// the lock.
Scratches remove_surplus() {
  std::vector<const KeptScratch*> idle;
  for (const auto& each : kept().all) {
    if (each->is_idle.load(std::memory_order_acquire)) idle.push_back(each.get());
  }
  std::ranges::sort(idle, std::ranges::greater{}, &KeptScratch::turn);
  Scratches removed;
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  for (const KeptScratch* each : idle) {
    if (count < max_kept && bytes + each->workspace.bytes() <= max_kept_bytes) {
      ++count;
      bytes += each->workspace.bytes();
    } else {
      kept().results.push_back(each->result);
      removed.push_back(remove(each));
    }
  }
  return removed;
}

const char* detail_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::corrupt_frame:
      return "the frame is damaged";
    case ErrorCode::unsupported_codec:
      return "GPUs do not decode all encodings of this frame";
    case ErrorCode::out_of_memory:
      return "segments are longer than the call made room for";
    default:
      return "";
  }
}

}  // namespace

Scratch::Scratch(std::uint64_t workspace_bytes, DeviceStream queue)
    : workspace_bytes_(workspace_bytes), queue_(queue), taken_(take_scratch(workspace_bytes, queue)) {}

cuda::Workspace Scratch::workspace() const { return {taken_->workspace.data(), workspace_bytes_}; }

cuda::ItemResult* Scratch::result() const { return taken_->result; }

/// After an error the device may still use both: the workspace is given back in the order of the stream, and
/// the result's few bytes stay with the device.
Scratch::~Scratch() {
  if (!is_done_) {
    std::unique_ptr<KeptScratch> removed;  // when the lock is
    const std::lock_guard lock(kept().mutex);
    removed = remove(taken_);
    return;
  }
  taken_->workspace.settle();
  const bool is_all = kept().is_little.load(std::memory_order_relaxed);
  taken_->is_idle.store(true, std::memory_order_release);
  if (is_all) return;
  Scratches removed;  // when the lock is
  const std::lock_guard lock(kept().mutex);
  removed = remove_surplus();
}

void Scratch::wait() {
  check(cudaStreamSynchronize(stream_of(queue_.stream)));
  is_done_ = true;
}

cuda::ItemResult Scratch::outcome() {
  wait();
  const cuda::ItemResult told = *taken_->result;
  const auto code = static_cast<ErrorCode>(told.code);
  if (code != ErrorCode::ok) {
    const bool has_offset = told.byte_offset != ~std::uint64_t{0};
    throw Error({code, has_offset ? told.byte_offset : 0, detail_of(code)});
  }
  return told;
}

void free_kept_workspaces() {
  Scratches freed;
  const std::lock_guard lock(kept().mutex);
  Scratches& all = kept().all;
  const auto idle = std::stable_partition(all.begin(), all.end(), [](const auto& each) {
    return !each->is_idle.load(std::memory_order_acquire);
  });
  for (auto at = idle; at != all.end(); ++at) kept().results.push_back((*at)->result);
  freed.assign(std::make_move_iterator(idle), std::make_move_iterator(all.end()));
  all.erase(idle, all.end());
  kept().count();
}

}  // namespace floe::python
