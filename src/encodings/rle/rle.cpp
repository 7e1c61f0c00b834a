// RLE: runs of equal words become their lengths and their words. Words are compared as bits, so -0.0 and 0.0
// stay apart, and equal NaNs make a run.
#include <algorithm>
#include <array>

#include "encodings/encodings.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t longest_run = 0xFFFFFFFF;  // lengths are u32

template <core::Word W>
std::uint64_t count_runs(std::span<const W> words) {
  std::uint64_t changes = 0;
  for (std::size_t i = 1; i < words.size(); ++i) changes += words[i] != words[i - 1];
  return 1 + changes + words.size() / longest_run;
}

/// Returns the number of runs. Runs of random lengths shall cost no mispredicted branches: where a run goes
/// on, what was written for it is written again.
template <core::Word W>
std::uint64_t find_short_runs(std::span<const W> words, std::uint32_t* lengths, W* values) {
  const auto count = static_cast<std::uint32_t>(words.size());
  std::uint32_t run = 0;
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    lengths[run] = i + 1;  // ends at first
    values[run] = words[i];
    run += words[i] != words[i + 1] ? 1 : 0;
  }
  lengths[run] = count;
  values[run] = words[count - 1];
  for (std::uint32_t i = run; i > 0; --i) lengths[i] -= lengths[i - 1];
  return run + 1;
}

template <core::Word W>
std::uint64_t find_runs(std::span<const W> words, std::uint64_t max_runs, std::uint32_t* lengths, W* values) {
  constexpr std::uint64_t long_run = 16;  // from this mean length on, branches are mostly predicted
  if (words.size() <= longest_run && max_runs * long_run > words.size())
    return find_short_runs(words, lengths, values);
  std::uint64_t run = 0;
  for (std::size_t begin = 0, end = 0; begin < words.size(); begin = end) {
    const W value = words[begin];
    const std::size_t limit =
        begin + static_cast<std::size_t>(std::min<std::uint64_t>(words.size() - begin, longest_run));
    for (end = begin + 1; end < limit && words[end] == value;) ++end;
    lengths[run] = static_cast<std::uint32_t>(end - begin);
    values[run] = value;
    ++run;
  }
  return run;
}

bool encode_rle(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const std::uint64_t max_runs = count_runs(words);
    Stream lengths(DType::u32, max_runs, out.scratch), values(in.type, max_runs, out.scratch);
    const std::uint64_t runs =
        find_runs(words, max_runs, lengths.words<std::uint32_t>().data(), values.words<W>().data());
    lengths.shorten(runs);
    values.shorten(runs);
    out.header.put_varint(runs);
    out.children.push_back(std::move(lengths));
    out.children.push_back(std::move(values));
    return true;
  });
}

template <core::Word W>
class RleSource final : public Source {
 public:
  RleSource(std::unique_ptr<Source> lengths, std::unique_ptr<Source> values, std::uint64_t run_count)
      : lengths_(std::move(lengths)), values_(std::move(values)), unread_runs_(run_count) {}

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      if (runs_.next == runs_.count && !refill()) return false;
      const std::size_t part = kernels().decoding<W>().repeat(runs_, out, count);
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    while (count > 0) {
      if (runs_.next == runs_.count && !refill()) return false;
      const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, runs_.left));
      count -= part;
      runs_.left -= part;
      if (runs_.left == 0 && ++runs_.next < runs_.count) runs_.left = run_lengths_[runs_.next];
    }
    return true;
  }

 private:
  static constexpr std::size_t piece = 1024;
  bool refill() {
    const auto filled = static_cast<std::size_t>(std::min<std::uint64_t>(piece, unread_runs_));
    unread_runs_ -= filled;
    if (filled == 0 || !lengths_->read(run_lengths_.data(), filled) ||
        !values_->read(run_values_.data(), filled))
      return false;
    runs_ = {run_lengths_.data(), run_values_.data(), filled, 0, run_lengths_[0]};
    return true;
  }

  std::unique_ptr<Source> lengths_, values_;
  std::uint64_t unread_runs_;
  Runs<W> runs_{};
  alignas(64) std::array<std::uint32_t, piece> run_lengths_;
  alignas(64) std::array<W, piece> run_values_;
};

std::unique_ptr<Source> open_rle(Opening& opening) {
  const std::uint64_t runs = opening.bytes.get_varint();
  if (opening.bytes.failed() || runs == 0 || runs > opening.count) return nullptr;
  auto lengths = opening.open_child(runs);
  if (lengths == nullptr) return nullptr;
  auto values = opening.open_child(runs);
  if (values == nullptr) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    return std::make_unique<RleSource<W>>(std::move(lengths), std::move(values), runs);
  });
}

}  // namespace

Encoding rle_encoding() noexcept {
  return {.time = {450, 120}, .device_time = {7, 3}, .encode = encode_rle, .open = open_rle};
}

}  // namespace floe::trees
