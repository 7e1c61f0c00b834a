// Something beside the CPU that begins batches and leaves no memory behind, for tests.
#pragma once

#include <span>

#include "floe/series.hpp"
#include "tests/support/counted_new.hpp"

namespace floe::test {

/// The first allocation after begin() fails. Counts what was begun and not finished. `Coder` is
/// tables::StreamEncoder or tables::StreamDecoder, `Stream` what it gets.
template <class Coder, class Stream>
class GreedyDevice final : public Coder {
 public:
  [[nodiscard]] std::uint64_t batch_bytes() const override { return 1; }
  [[nodiscard]] std::size_t batches_at_once() const override { return 1000; }
  Status begin(std::span<Stream>) override {
    ++at_work_;
    Allocations::fail_at(1);
    return {};
  }
  Status finish() override {
    Allocations::fail_at(0);
    --at_work_;
    return {};
  }
  [[nodiscard]] int at_work() const { return at_work_; }

 private:
  int at_work_ = 0;
};

}  // namespace floe::test
