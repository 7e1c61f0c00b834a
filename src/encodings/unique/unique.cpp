// Unique: words become the numbers of their entries in a list of all different words, which ascends.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "encodings/dictionary.hpp"
#include "encodings/encodings.hpp"
#include "encodings/word_order.hpp"

namespace floe::trees {
namespace {

bool encode_unique(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    Stream codes(DType::u32, words.size(), out.scratch);
    std::uint32_t* const code = codes.words<std::uint32_t>().data();
    DistinctWords<W> found(max_unique_entries, out.scratch);
    if (!found.find(words, code)) return false;
    const std::span<const W> distinct = found.values();
    std::vector<std::uint32_t> entries(distinct.size());
    std::iota(entries.begin(), entries.end(), 0U);
    sort_positions<W>(
        entries, [&](std::uint32_t position) { return in_order(distinct[position], order_of(in.type)); });

    Stream dictionary(in.type, entries.size(), out.scratch);
    std::vector<std::uint32_t> code_of(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      dictionary.words<W>()[i] = distinct[entries[i]];
      code_of[entries[i]] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 0; i < words.size(); ++i) code[i] = code_of[code[i]];
    out.header.put_varint(entries.size());
    out.children.push_back(std::move(dictionary));
    out.children.push_back(std::move(codes));
    return true;
  });
}

template <core::Word W>
class UniqueSource final : public Source {
 public:
  UniqueSource(std::vector<W> entries, std::unique_ptr<Source> codes)
      : entries_(std::move(entries)), codes_(std::move(codes)) {}

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece);
      if (!codes_->read(codes_read_.data(), part) ||
          !look_up(entries_.data(), entries_.size(), codes_read_.data(), part, out))
        return false;
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override { return codes_->skip(count); }
  [[nodiscard]] std::size_t words_before_blocks() const override { return codes_->words_before_blocks(); }

 private:
  static constexpr std::size_t piece = piece_words;
  std::vector<W> entries_;
  std::unique_ptr<Source> codes_;
  alignas(64) std::array<std::uint32_t, piece> codes_read_;
};

std::unique_ptr<Source> open_unique(Opening& opening) {
  const std::uint64_t entry_count = opening.bytes.get_varint();
  if (opening.bytes.failed() || entry_count == 0 ||
      entry_count > std::min<std::uint64_t>(max_unique_entries, opening.count))
    return nullptr;
  const auto entries = opening.open_child(entry_count);
  if (entries == nullptr) return nullptr;
  auto codes = opening.open_child(opening.count);
  if (codes == nullptr) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    std::vector<W> words = read_entries<W>(*entries, entry_count);
    if (words.empty()) return nullptr;
    return std::make_unique<UniqueSource<W>>(std::move(words), std::move(codes));
  });
}

}  // namespace

Encoding unique_encoding() noexcept {
  return {.time = {2500, 350}, .encode = encode_unique, .open = open_unique};
}

}  // namespace floe::trees
