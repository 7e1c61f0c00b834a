// Ordered: the bits of floats as integers in the same order, so that differences of neighbours are small.
#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

bool encode_sortable(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    Stream integers(signed_type(sizeof(W)), in.count, out.scratch);
    kernels().decoding<W>().turn(in.words<W>().data(), integers.words<W>().data(),
                                 static_cast<std::size_t>(in.count));
    out.children.push_back(std::move(integers));
    return true;
  });
}

template <core::Word W>
class SortableSource final : public Source {
 public:
  explicit SortableSource(std::unique_ptr<Source> integers) : integers_(std::move(integers)) {}
  bool read(void* words, std::size_t count) override {
    if (!integers_->read(words, count)) return false;
    kernels().decoding<W>().turn(static_cast<const W*>(words), static_cast<W*>(words), count);
    return true;
  }
  bool skip(std::uint64_t count) override { return integers_->skip(count); }
  [[nodiscard]] std::size_t words_before_blocks() const override { return integers_->words_before_blocks(); }

 private:
  std::unique_ptr<Source> integers_;
};

std::unique_ptr<Source> open_sortable(Opening& opening) {
  auto integers = opening.open_child(opening.count);
  if (integers == nullptr || integers->turn_words()) return integers;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    return std::make_unique<SortableSource<W>>(std::move(integers));
  });
}

}  // namespace

Encoding sortable_encoding() noexcept {
  return {.time = {100, 120}, .device_time = {2, 3}, .encode = encode_sortable, .open = open_sortable};
}

}  // namespace floe::trees
