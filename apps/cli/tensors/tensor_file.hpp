// A safetensors file that arrives in pieces, taken apart: its header, then the bytes of each tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensors/header_collector.hpp"

namespace floe::cli {

class TensorFile {
 public:
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  /// The next bytes of the file, from its begin. Throws a Failure, or what the functions below throw.
  void write(std::span<const std::byte> bytes);
  /// Throws a Failure unless all of the file was there.
  void finish();

 protected:
  /// `file` is what failures name, `file_bytes` its length if it is known.
  TensorFile(std::string file, std::optional<std::uint64_t> file_bytes)
      : file_(std::move(file)), header_(file_, file_bytes) {}
  ~TensorFile() = default;

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// With its length, once it is complete.
  [[nodiscard]] const std::string& header_bytes() const noexcept { return header_.bytes(); }

 private:
  /// The header is complete. Returns the tensors behind it, which must stay as they are.
  virtual const std::vector<Tensor>& take_header(std::string_view text,
                                                 std::optional<std::uint64_t> data_bytes) = 0;
  virtual void begin_tensor(std::size_t index) = 0;
  virtual void take_bytes(std::span<const std::byte> bytes) = 0;
  virtual void end_tensor() = 0;

  /// Begins the next tensor that has bytes; those without are ended at once.
  void begin_next();

  std::string file_;
  HeaderCollector header_;
  const std::vector<Tensor>* tensors_ = nullptr;
  std::size_t index_ = 0;   ///< Of the tensor that is being taken.
  std::uint64_t left_ = 0;  ///< Of its bytes.
};

}  // namespace floe::cli
