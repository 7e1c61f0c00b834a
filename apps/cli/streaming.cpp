#include "streaming.hpp"

#include <utility>

#include "failure.hpp"
#include "read_ahead.hpp"

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
  std::vector<std::byte> first;
  if (begin.empty()) {
    first = source.read_up_to(read_bytes);
    begin = first;
  }
  if (!begin.empty()) take(begin);
  if (begin.size() >= read_bytes) {  // a source that small needs no other thread
    ReadAhead ahead(source);
    for (auto block = ahead.next(); !block.empty(); block = ahead.next()) take(block);
  }
  source.check_unchanged();
}

}  // namespace floe::cli
