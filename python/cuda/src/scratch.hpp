// What a call needs besides arrays and frames: a workspace, and a place for its result. Both are kept for the
// next calls, of any stream: who used them has waited for their work.
#pragma once

#include "calls.hpp"
#include "memory.hpp"

namespace floe::python {

/// A workspace and a place for a result.
struct KeptScratch;

class Scratch {
 public:
  Scratch(std::uint64_t workspace_bytes, DeviceStream queue);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  [[nodiscard]] cuda::Workspace workspace() const;
  /// In pinned memory of the host, which is there when the stream's work is: a copy would come later.
  [[nodiscard]] cuda::ItemResult* result() const;

  /// Waits for all work of the stream.
  void wait();
  /// Waits, and throws what the device says of the call, if that is an error.
  [[nodiscard]] cuda::ItemResult outcome();

 private:
  std::uint64_t workspace_bytes_;
  DeviceStream queue_;
  KeptScratch* taken_;
  bool is_done_ = false;
};

/// Frees the workspaces that are kept.
void free_kept_workspaces();

}  // namespace floe::python
