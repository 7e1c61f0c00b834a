// Something beside the CPU that does a part of the work on the streams of tables, for tests.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "core/type.hpp"
#include "floe/series.hpp"

namespace floe::test {

/// Does the work on every `every`-th stream, and pretends to be busy until it is asked to finish. `Coder` is
/// tables::StreamEncoder or tables::StreamDecoder, `Stream` what it gets.
template <class Coder, class Stream>
class PartlyDevice : public Coder {
 public:
  PartlyDevice(std::size_t every, std::uint64_t batch_bytes, std::size_t at_once)
      : every_(every), batch_bytes_(batch_bytes), at_once_(at_once) {}

  [[nodiscard]] std::uint64_t batch_bytes() const override { return batch_bytes_; }
  [[nodiscard]] std::size_t batches_at_once() const override { return at_once_; }
  Status begin(std::span<Stream> streams) override {
    if (begun_.size() == fails_at_) return {ErrorCode::device_error, 0, "the device is gone"};
    EXPECT_LT(begun_.size() - finished_, at_once_);
    begun_.push_back(streams);
    return {};
  }
  Status finish() override {
    EXPECT_LT(finished_, begun_.size());
    const std::span<Stream> streams = begun_[finished_++];
    for (std::size_t i = 0; i < streams.size(); ++i) take(streams[i], i % every_ == 0);
    return {};
  }
  void fail_at(std::size_t batch) { fails_at_ = batch; }
  [[nodiscard]] std::size_t batches() const { return begun_.size(); }
  [[nodiscard]] bool is_idle() const { return finished_ == begun_.size(); }

 protected:
  /// Does the work on a stream if `is_chosen`.
  virtual void take(Stream& stream, bool is_chosen) = 0;
  static DType type_of(const Stream& stream) {
    for (const DType type : word_types) {
      if (name_of(type) == name_of(stream.type)) return type;
    }
    ADD_FAILURE();
    return DType::u8;
  }

 private:
  std::size_t every_;
  std::uint64_t batch_bytes_;
  std::size_t at_once_;
  std::size_t fails_at_ = ~std::size_t{0};
  std::vector<std::span<Stream>> begun_;
  std::size_t finished_ = 0;
};

}  // namespace floe::test
