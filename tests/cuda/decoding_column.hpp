// A column that the CPU has encoded in segments, and memory of a device for decoding it.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "floe/cuda.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/recorded_segments.hpp"

namespace floe::test {

/// A column that the CPU has encoded in segments.
struct EncodedOnHost {
  Bytes data;
  std::vector<cuda::SegmentEntry> segments;
  std::uint64_t words = 0;
  std::uint32_t segment_words = 0;
  DType type{};
};

inline void append_segment(EncodedOnHost& all, const Bytes& bytes) {
  const std::uint64_t first = all.segments.size() * std::uint64_t{all.segment_words};
  const std::uint64_t count = std::min<std::uint64_t>(all.segment_words, all.words - first);
  all.segments.push_back(
      {all.data.size(), static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(count)});
  all.data.insert(all.data.end(), bytes.begin(), bytes.end());
  all.data.resize((all.data.size() + 15) / 16 * 16);
}

inline EncodedOnHost encode_on_host(const Column& column, ColumnEncoder& encoder,
                                    std::uint32_t segment_words) {
  EncodedOnHost all{{}, {}, column.count(), segment_words, column.type};
  for (std::uint64_t first = 0; first < column.count(); first += segment_words) {
    const std::uint64_t count = std::min<std::uint64_t>(segment_words, column.count() - first);
    append_segment(all,
                   encoder.encode({column.type, column.bytes.data() + first * size_of(column.type), count}));
  }
  return all;
}

/// Memory of a device for a column that is being decoded.
class DecodingColumn {
 public:
  DecodingColumn(const EncodedOnHost& from, Slice rows, std::uint64_t out_words)
      : data_(from.data.empty() ? Bytes(16) : from.data),
        segments_(as_bytes(from.segments)),
        out_(std::max<std::uint64_t>(1, out_words) * size_of(from.type)) {
    call_.column = {
        data_.data(), data_.size(),       reinterpret_cast<const cuda::SegmentEntry*>(segments_.data()),
        from.words,   from.segment_words, from.type};
    call_.rows = rows;
    call_.out = out_.data();
    call_.out_bytes = out_.size();
    call_.result = result_.pointer();
  }
  [[nodiscard]] const cuda::ColumnDecode& call() const { return call_; }
  [[nodiscard]] cuda::ItemResult result() const { return result_.get(); }
  [[nodiscard]] Bytes words() const { return out_.read(); }
  [[nodiscard]] bool is_intact() const {
    return data_.is_intact() && segments_.is_intact() && out_.is_intact();
  }

 private:
  static Bytes as_bytes(const std::vector<cuda::SegmentEntry>& segments) {
    Bytes bytes(std::max<std::size_t>(1, segments.size()) * sizeof(cuda::SegmentEntry));
    if (!segments.empty())
      std::memcpy(bytes.data(), segments.data(), segments.size() * sizeof(cuda::SegmentEntry));
    return bytes;
  }
  DeviceMemory data_, segments_, out_;
  DeviceValue<cuda::ItemResult> result_;
  cuda::ColumnDecode call_;
};

}  // namespace floe::test
