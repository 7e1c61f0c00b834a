#include "frames/throwing_sink.hpp"

#include <utility>

#include "base/failure.hpp"

namespace floe::cli {

Sink ThrowingSink::sink() {
  return [this](std::span<const std::byte> bytes) -> Status {
    try {
      take_(bytes);
      return {};
    } catch (...) {
      thrown_ = std::current_exception();
      return {ErrorCode::io_error, 0, "the result cannot be written"};
    }
  };
}

void ThrowingSink::check(const Status& status, const std::string& file,
                         std::optional<std::uint64_t> file_bytes) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!status.ok()) throw library_failure(file, status, file_bytes);
}

}  // namespace floe::cli
