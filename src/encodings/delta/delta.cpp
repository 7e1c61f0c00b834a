// Delta: each word less the one `stride` words before it, once or twice. The first words stand in the header,
// so that the child holds nothing but differences: a straight line becomes a constant. With far strides they
// are many, and stay among the differences.
#include <algorithm>
#include <array>

#include "core/memory_budget.hpp"
#include "encodings/delta/far_delta.hpp"
#include "encodings/encodings.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

constexpr std::uint32_t max_near_stride = DeltaRules::max_near_stride;

/// Writes the first words to the header and the differences over `words`; returns the number of differences.
template <core::Word W>
std::size_t subtract(const W* from, W* differences, std::size_t count, std::size_t stride, bool turns,
                     ByteWriter& header) {
  const std::size_t first = std::min(stride, count);
  for (std::size_t i = 0; i < first; ++i) {
    W word = from[i];
    if (turns) kernels().decoding<W>().turn(&word, &word, 1);
    header.put_signed(word);
  }
  kernels().of<W>().subtract(from + first, from, differences, count - first, turns);
  return count - first;
}

void encode_delta(const ColumnView& in, const Parameters& parameters, bool turns, Encoded& out) {
  with_word(size_of(in.type), [&]<class W>(W) {
    const auto [order, stride] = parameters;
    const std::span<const W> words = in.words<W>();
    Stream differences(signed_type(sizeof(W)), words.size(), out.scratch);
    W* const to = differences.words<W>().data();
    if (stride > max_near_stride) {
      subtract_far(words.data(), to, words.size(), stride, turns);
      if (order == 2) subtract_far<W>(to, to, words.size(), stride, false);
    } else {
      std::size_t count = subtract(words.data(), to, words.size(), stride, turns, out.header);
      if (order == 2) count = subtract(to, to, count, stride, false, out.header);
      differences.shorten(count);
    }
    out.children.push_back(std::move(differences));
  });
}

bool encode_integers(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  encode_delta(in, parameters, false, out);
  return true;
}

/// Sums up what its child gives.
template <core::Word W>
class DeltaSource final : public Source {
 public:
  DeltaSource(std::size_t stride, std::size_t first_count)
      : stride_(stride), first_count_(first_count), first_left_(first_count) {}
  void read_first_words(ByteReader& bytes) {
    for (std::size_t i = 0; i < first_count_; ++i) last_[i] = bytes.get_signed<W>();
  }
  void set_child(std::unique_ptr<Source> differences) { differences_ = std::move(differences); }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    if (first_left_ > 0) {
      const std::size_t part = std::min(first_left_, count);
      std::copy_n(last_.data() + (first_count_ - first_left_), part, out);
      first_left_ -= part;
      out += part;
      count -= part;
    }
    if (count == 0) return true;
    if (!differences_->read(out, count)) return false;
    kernels().decoding<W>().add_up(out, count, stride_, last_.data());
    return true;
  }
  [[nodiscard]] std::size_t words_before_blocks() const override {
    return first_left_ + differences_->words_before_blocks();
  }

 private:
  std::size_t stride_, first_count_, first_left_;
  std::unique_ptr<Source> differences_;
  std::array<W, max_near_stride> last_{};  // the `stride_` words before the next one
};

template <core::Word W>
std::unique_ptr<Source> open_far(Opening& opening) {
  const auto [order, stride] = opening.parameters;
  const auto row = static_cast<std::size_t>(std::min<std::uint64_t>(stride, opening.count));
  core::MemoryBudget::take(std::uint64_t{order} * row * sizeof(W));
  std::unique_ptr<Source> words = opening.open_child(opening.count);
  for (std::uint32_t i = 0; i < order && words != nullptr; ++i)
    words = std::make_unique<FarDeltaSource<W>>(row, std::move(words));
  return words;
}

std::unique_ptr<Source> open_delta(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    const auto [order, stride] = opening.parameters;
    if (stride > max_near_stride) return open_far<W>(opening);
    std::uint64_t count = opening.count;
    std::array<std::unique_ptr<DeltaSource<W>>, 2> sources;
    for (std::size_t i = 0; i < order; ++i) {
      const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(stride, count));
      sources[i] = std::make_unique<DeltaSource<W>>(stride, first);
      sources[i]->read_first_words(opening.bytes);
      count -= first;
    }
    if (opening.bytes.failed()) return nullptr;
    auto differences = opening.open_child(count);
    if (differences == nullptr) return nullptr;
    sources[order - 1]->set_child(std::move(differences));
    if (order == 2) sources[0]->set_child(std::move(sources[1]));
    return std::move(sources[0]);
  });
}

}  // namespace

void encode_differences_of_floats(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  encode_delta(in, parameters, true, out);
}

Encoding delta_encoding() noexcept {
  return {.time = {150, 180}, .device_time = {1, 1}, .encode = encode_integers, .open = open_delta};
}

}  // namespace floe::trees
