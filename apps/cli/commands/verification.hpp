// --verify: whether what was written gives back what was read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/content_hash.hpp"
#include "floe/floe.hpp"
#include "output/output_file.hpp"

namespace floe::cli {

/// Keeps a hash of the source, so that it also works for a pipe, and compares it with that of the decoded
/// result.
class Verification {
 public:
  /// Does nothing unless `wanted`.
  explicit Verification(bool wanted) {
    if (wanted) source_.emplace();
  }
  void add_source_bytes(std::span<const std::byte> bytes) {
    if (source_) source_->add(bytes);
  }
  /// Reads `output` back and decodes it. Throws a Failure with ExitCode::verify_mismatch.
  void check(const OutputFile& output, const DecodeOptions& options) const;
  /// The same for a compressed safetensors file.
  void check_tensors(const OutputFile& output, const DecodeOptions& options) const;

 private:
  /// `restorer` adds to `decoded` what it makes of the output.
  template <class Restorer>
  void compare(const OutputFile& output, Restorer& restorer, const ContentHash& decoded) const;

  std::optional<ContentHash> source_;
};

}  // namespace floe::cli
