// StrideSplit: word i goes to part i mod k. Signals that were interleaved come apart. Each part is a child,
// or one child has all of them.
#include <algorithm>
#include <array>

#include "core/memory_budget.hpp"
#include "encodings/encodings.hpp"
#include "encodings/stride_split/transposed.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

using Rules = StrideSplitRules;

bool encode_stride_split(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    if (Rules::has_one_child(parameters[0])) {
      Stream parts(in.type, words.size(), out.scratch);
      transpose_blocks(words, Rules::parts_of(parameters[0]), parts.words<W>().data());
      out.children.push_back(std::move(parts));
      return true;
    }
    const std::size_t children = parameters[0];
    for (std::size_t child = 0; child < children; ++child) {
      Stream part(in.type, share_of(words.size(), children, child), out.scratch);
      const std::span<W> to = part.words<W>();
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = words[i * children + child];
      out.children.push_back(std::move(part));
    }
    return true;
  });
}

template <core::Word W>
class StrideSplitSource final : public Source {
 public:
  explicit StrideSplitSource(std::size_t children) : child_count_(children) {}
  bool open(Opening& opening) {
    for (std::size_t child = 0; child < child_count_; ++child) {
      children_[child] = opening.open_child(share_of(opening.count, child_count_, child));
      if (children_[child] == nullptr) return false;
    }
    return true;
  }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece_words), rows = part / child_count_,
                        rest = part % child_count_, distance = rows + 1;
      for (std::size_t i = 0; i < child_count_; ++i) {
        // The word at out[i] is the next one of this child.
        const std::size_t share = rows + (i < rest ? 1 : 0);
        if (!children_[(next_ + i) % child_count_]->read(buffer_.data() + i * distance, share)) return false;
      }
      kernels().decoding<W>().interleave(buffer_.data(), distance, child_count_, rows, out);
      for (std::size_t i = 0; i < rest; ++i) out[rows * child_count_ + i] = buffer_[i * distance + rows];
      next_ = (next_ + part) % child_count_;
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    for (std::size_t i = 0; i < child_count_; ++i) {
      if (!children_[(next_ + i) % child_count_]->skip(share_of(count, child_count_, i))) return false;
    }
    next_ = static_cast<std::size_t>((next_ + count) % child_count_);
    return true;
  }

 private:
  std::size_t child_count_, next_ = 0;
  std::array<std::unique_ptr<Source>, Rules::max_children> children_;
  alignas(64) std::array<W, piece_words + Rules::max_children> buffer_;
};

std::unique_ptr<Source> open_stride_split(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    if (const std::uint32_t parameter = opening.parameters[0]; Rules::has_one_child(parameter)) {
      core::MemoryBudget::take(TransposedSource<W>::bytes(Rules::parts_of(parameter), opening.count));
      auto parts = opening.open_child(opening.count);
      if (parts == nullptr) return nullptr;
      return std::make_unique<TransposedSource<W>>(Rules::parts_of(parameter), opening.count,
                                                   std::move(parts));
    }
    auto source = std::make_unique<StrideSplitSource<W>>(opening.parameters[0]);
    if (!source->open(opening)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding stride_split_encoding() noexcept {
  return {
      .time = {250, 150}, .device_time = {11, 9}, .encode = encode_stride_split, .open = open_stride_split};
}

}  // namespace floe::trees
