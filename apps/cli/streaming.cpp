#include "streaming.hpp"

#include <utility>

#include "failure.hpp"

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

void ThrowingSink::check(const Status& status, const std::string& file) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!status.ok()) throw library_failure(file, status);
}

void for_each_block(InputFile& source, std::span<const std::byte> begin, const std::function<void(std::span<const std::byte>)>& take) {
  if (!begin.empty()) take(begin);
  std::vector<std::byte> block(read_bytes);
  for (;;) {
    const std::size_t count = source.read(block);
    if (count != 0) take(std::span(block).first(count));
    if (count < block.size()) break;
  }
  source.check_unchanged();
}

}  // namespace floe::cli
