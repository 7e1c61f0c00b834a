// What calls for arrays of one type and shape have in common: it is found out once for each frame's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "calls.hpp"

namespace floe::python {

/// What is known of frames that are made here, and of the calls that make and decode them: it is the same for
/// each array of a shape.
class FrameSpec {
 public:
  /// Throws where GPUs do not make such a frame. Without a tree the planner chooses.
  FrameSpec(const DeviceArray& array, std::string_view tree, bool checksum, std::uint64_t segment_bytes)
      : dtype_(array.dtype), extent_(array.extent), bytes_(array.bytes), tree_(tree) {
    options_.tree = tree_;
    options_.checksum = checksum;
    options_.segment_bytes = segment_bytes;
    options_.profile = Profile::gpu;
    room_ = max_compressed_size(dtype_, extent_, options_).value();
    if (!tree.empty()) encoding_bytes_ = cuda::compress_workspace_size(bytes_, 1, dtype_, options_).value();
  }
  FrameSpec(const FrameSpec&) = delete;
  FrameSpec& operator=(const FrameSpec&) = delete;

  [[nodiscard]] bool is_for(const DeviceArray& array, std::string_view tree, bool checksum,
                            std::uint64_t segment_bytes) const {
    return holds(array) && tree == tree_ && checksum == options_.checksum &&
           segment_bytes == options_.segment_bytes;
  }
  [[nodiscard]] bool holds(const DeviceArray& array) const {
    return array.dtype == dtype_ && array.extent == extent_;
  }

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Extent& extent() const { return extent_; }
  [[nodiscard]] std::uint64_t elements() const { return bytes_ / size_of(dtype_); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  ///< Of the array.
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::uint64_t room() const { return room_; }  ///< For any frame.
  [[nodiscard]] std::uint64_t encoding_bytes() const { return encoding_bytes_; }
  [[nodiscard]] cuda::FrameKind kind() const { return {dtype_, tree_, options_.segment_bytes}; }
  /// Throws where GPUs do not decode it. With the GIL.
  [[nodiscard]] std::uint64_t decoding_bytes() const {
    if (!decoding_bytes_) decoding_bytes_ = cuda::decompress_workspace_size(bytes_, 1, kind()).value();
    return *decoding_bytes_;
  }

 private:
  DType dtype_;
  Extent extent_;
  std::uint64_t bytes_;
  std::string tree_;
  Options options_;
  std::uint64_t room_, encoding_bytes_ = 0;  ///< Of workspaces.
  mutable std::optional<std::uint64_t> decoding_bytes_;
};

}  // namespace floe::python
