// A column that a device encodes, for tests, between canaries.
#pragma once

#include "floe/cuda.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {

/// A column in device memory, and room for its segments.
class EncodingColumn {
 public:
  EncodingColumn(const Column& column, std::uint32_t segment_words, std::uint32_t tree,
                 std::uint64_t room = ~std::uint64_t{0})
      : width_(size_of(column.type)),
        segment_count_((column.count() + segment_words - 1) / segment_words),
        words_(column.bytes.empty() ? Bytes(16) : column.bytes),
        out_(std::max<std::uint64_t>(
            16, std::min(room, cuda::encoded_column_bound(column.count(), segment_words,
                                                          static_cast<std::uint32_t>(width_))))),
        segments_(std::max<std::uint64_t>(1, segment_count_) * sizeof(cuda::SegmentEntry)) {
    call_.words = words_.data();
    call_.word_count = column.count();
    call_.segment_words = segment_words;
    call_.type = (column.type);
    call_.tree = tree;
    call_.out = out_.data();
    call_.out_bytes = out_.size();
    call_.segments = reinterpret_cast<cuda::SegmentEntry*>(segments_.data());
    call_.result = result_.pointer();
  }
  [[nodiscard]] cuda::ColumnEncode& call() { return call_; }
  [[nodiscard]] cuda::ItemResult result() const { return result_.get(); }
  [[nodiscard]] std::vector<cuda::SegmentEntry> segments() const {
    std::vector<cuda::SegmentEntry> entries(segment_count_);
    const Bytes bytes = segments_.read();
    if (!entries.empty())
      std::memcpy(entries.data(), bytes.data(), segment_count_ * sizeof(cuda::SegmentEntry));
    return entries;
  }
  [[nodiscard]] Bytes out() const { return out_.read(); }
  [[nodiscard]] bool is_intact() const {
    return words_.is_intact() && out_.is_intact() && segments_.is_intact();
  }

 private:
  std::uint64_t width_, segment_count_;
  DeviceMemory words_, out_, segments_;
  DeviceValue<cuda::ItemResult> result_;
  cuda::ColumnEncode call_;
};

inline void expect_segments(const EncodingColumn& memory, std::span<const Bytes> expected,
                            const std::string& what) {
  const cuda::ItemResult result = memory.result();
  ASSERT_EQ(result.code, 0u) << what;
  ASSERT_TRUE(memory.is_intact()) << what;
  const Bytes out = memory.out();
  std::uint64_t offset = 0;
  const auto entries = memory.segments();
  ASSERT_EQ(entries.size(), expected.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].offset, offset) << what << ", segment " << i;
    ASSERT_EQ(entries[i].bytes, expected[i].size()) << what << ", segment " << i;
    const auto* const begin = out.data() + offset;
    ASSERT_EQ(Bytes(begin, begin + entries[i].bytes), expected[i]) << what << ", segment " << i;
    offset += (entries[i].bytes + 15) / 16 * 16;
  }
  ASSERT_EQ(result.bytes, offset) << what;
}

}  // namespace floe::test
