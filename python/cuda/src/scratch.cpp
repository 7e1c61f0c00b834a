#include "scratch.hpp"

#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace floe::python {
namespace {

/// Of all workspaces together: those of trees take 0.9 GB. Asking the pool for so much takes 10 us.
constexpr std::uint64_t max_kept_bytes = std::uint64_t{1} << 30;
constexpr std::size_t max_kept = 8;

using Workspaces = std::vector<std::unique_ptr<Memory>>;

/// What no call uses. It lives as long as the process: CUDA may be gone before static objects are.
struct Kept {
  std::mutex mutex;
  Workspaces workspaces;  ///< The one that was kept for longest first.
  std::vector<cuda::ItemResult*> results;
};

Kept& kept() {
  static auto* const all = new Kept;
  return *all;
}

/// The smallest one with room, or a new one.
std::unique_ptr<Memory> take_workspace(std::uint64_t bytes, Place place) {
  {
    const std::lock_guard lock(kept().mutex);
    Workspaces& all = kept().workspaces;
    auto best = all.end();
    for (auto at = all.begin(); at != all.end(); ++at) {
      const bool is_enough = (*at)->device() == place.device && (*at)->bytes() >= bytes;
      if (is_enough && (best == all.end() || (*at)->bytes() < (*best)->bytes())) best = at;
    }
    if (best != all.end()) {
      std::unique_ptr<Memory> taken = std::move(*best);
      all.erase(best);
      return taken;
    }
  }
  return std::make_unique<Memory>(bytes, place.device, place.stream);
}

/// Removes those that were kept for longest, until the others are not too many, nor too much.
Workspaces remove_surplus(Workspaces& all) {
  std::uint64_t bytes = 0;
  auto first = all.end();
  while (first != all.begin() && static_cast<std::size_t>(all.end() - first) < max_kept) {
    bytes += (*std::prev(first))->bytes();
    if (bytes > max_kept_bytes) break;
    --first;
  }
  Workspaces removed(std::make_move_iterator(all.begin()), std::make_move_iterator(first));
  all.erase(all.begin(), first);
  return removed;
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

Scratch::Scratch(std::uint64_t workspace_bytes, Place place)
    : workspace_bytes_(workspace_bytes),
      place_(place),
      workspace_(take_workspace(workspace_bytes, place)),
      result_(take_result()) {}

/// After an error the device may still use both: the workspace is given back in the order of the stream, and
/// the result's few bytes stay with the device.
Scratch::~Scratch() {
  if (!is_done_) return;
  workspace_->settle();
  Workspaces removed;  // when the lock is
  const std::lock_guard lock(kept().mutex);
  kept().results.push_back(result_);
  if (workspace_->bytes() > max_kept_bytes) return;
  kept().workspaces.push_back(std::move(workspace_));
  removed = remove_surplus(kept().workspaces);
}

void Scratch::wait() {
  check(cudaStreamSynchronize(stream_of(place_.stream)));
  is_done_ = true;
}

cuda::ItemResult Scratch::outcome() {
  wait();
  const cuda::ItemResult told = *result_;
  const auto code = static_cast<ErrorCode>(told.code);
  if (code != ErrorCode::ok) {
    const bool has_offset = told.byte_offset != ~std::uint64_t{0};
    throw Error({code, has_offset ? told.byte_offset : 0, detail_of(code)});
  }
  return told;
}

void free_kept_workspaces() {
  Workspaces freed;
  const std::lock_guard lock(kept().mutex);
  freed.swap(kept().workspaces);
}

}  // namespace floe::python
