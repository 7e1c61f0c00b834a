// How bytes flow from a source through the library into a sink that may fail.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>

#include "floe/floe.hpp"
#include "input_file.hpp"

namespace floe::cli {

/// A sink for the library whose function may throw: the exception waits here until the library has returned.
class ThrowingSink {
 public:
  explicit ThrowingSink(std::function<void(std::span<const std::byte>)> take) : take_(std::move(take)) {}
  ThrowingSink(const ThrowingSink&) = delete;
  ThrowingSink& operator=(const ThrowingSink&) = delete;

  /// For the library. This object must outlive it.
  [[nodiscard]] Sink sink();
  /// Call with what the library returned: throws what the function threw, else a Failure that names `file` unless all is well.
  void check(const Status& status, const std::string& file);

 private:
  std::function<void(std::span<const std::byte>)> take_;
  std::exception_ptr thrown_;
};

/// Reads `source` to its end. `begin` was read from it already. Fails if the file was changed meanwhile.
void for_each_block(InputFile& source, std::span<const std::byte> begin, const std::function<void(std::span<const std::byte>)>& take);

}  // namespace floe::cli
