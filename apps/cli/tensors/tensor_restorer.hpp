// A compressed safetensors file back to what it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frames/frame_restorer.hpp"
#include "tensors/packed_tensors.hpp"
#include "tensors/tensor_file.hpp"

namespace floe::cli {

class TensorRestorer final : public TensorFile {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;

  /// `take` gets the bytes of the original and may throw.
  TensorRestorer(std::string file, std::optional<std::uint64_t> file_bytes, const DecodeOptions& options,
                 Take take)
      : TensorFile(std::move(file), file_bytes), options_(options), take_(std::move(take)) {}

  /// After finish().
  [[nodiscard]] const PackedTensors& packed() const noexcept { return packed_; }
  [[nodiscard]] bool has_checksums() const noexcept { return has_checksums_; }

 private:
  const std::vector<Tensor>& take_header(std::string_view text,
                                         std::optional<std::uint64_t> data_bytes) override;
  void begin_tensor(std::size_t index) override;
  void take_bytes(std::span<const std::byte> bytes) override { frame_->write(bytes); }
  void end_tensor() override;

  DecodeOptions options_;
  Take take_;
  PackedTensors packed_;
  std::optional<FrameRestorer> frame_;
  std::size_t index_ = 0;
  std::uint64_t restored_bytes_ = 0;  ///< Of the tensor.
  bool has_checksums_ = true;
};

/// Throws a Failure that names `file` and the tensor unless its frame holds what the header says.
/// `is_complete`: `info` is that of all of the frame.
void check_frame(const std::string& file, const Tensor& tensor, const FrameInfo& info, bool is_complete);

}  // namespace floe::cli
