// A sink for the library whose function may throw.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "floe/floe.hpp"

namespace floe::cli {

/// The exception waits here until the library has returned.
class ThrowingSink {
 public:
  explicit ThrowingSink(std::function<void(std::span<const std::byte>)> take) : take_(std::move(take)) {}
  ThrowingSink(const ThrowingSink&) = delete;
  ThrowingSink& operator=(const ThrowingSink&) = delete;

  /// For the library. This object must outlive it.
  [[nodiscard]] Sink sink();
  /// Call with what the library returned: throws what the function threw, else a Failure that names `file`
  /// unless all is well.
  void check(const Status& status, const std::string& file, std::optional<std::uint64_t> file_bytes = {});

 private:
  std::function<void(std::span<const std::byte>)> take_;
  std::exception_ptr thrown_;
};

}  // namespace floe::cli
