// Freq: the most frequent word, and the others as exceptions.
#include <algorithm>
#include <vector>

#include "core/bits.hpp"
#include "series/encodings/encodings.hpp"
#include "series/exceptions.hpp"

namespace floe::series {
namespace {

bool accepts(Type, const Parameters&) { return true; }
Type child_type(Type type, const Parameters&, unsigned child) { return child == 0 ? gap_type : type; }

constexpr std::size_t polled_words = 255;

/// The word that more than half are equal to, if there is one (Boyer and Moore's vote, "MJRTY", 1981); otherwise the one that is most
/// frequent among some words spread evenly.
template <core::Word W>
W find_common(std::span<const W> words) {
  W candidate = words[0];
  std::uint64_t lead = 0;
  for (const W word : words) {
    if (lead == 0) candidate = word;
    lead += word == candidate ? 1 : std::uint64_t{0} - 1;
  }
  if (static_cast<std::uint64_t>(std::count(words.begin(), words.end(), candidate)) * 2 > words.size()) return candidate;
  std::vector<W> poll;
  for (std::size_t i = 0; i < words.size(); i += core::divide_up(words.size(), polled_words)) poll.push_back(words[i]);
  std::sort(poll.begin(), poll.end());
  std::ptrdiff_t most = 0;
  for (auto begin = poll.begin(); begin != poll.end();) {
    const auto end = std::upper_bound(begin, poll.end(), *begin);
    if (end - begin > most) {
      most = end - begin;
      candidate = *begin;
    }
    begin = end;
  }
  return candidate;
}

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(bytes_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const W common = find_common(words);
    std::vector<std::uint64_t> positions;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != common) positions.push_back(i);
    }
    out.header.put_word(common);
    out.header.put_varint(positions.size());
    put_exceptions<W>(in, positions, out);
    return true;
  });
}

template <core::Word W>
class FreqSource final : public Source {
 public:
  explicit FreqSource(W common) : common_(common) {}
  bool open(Opening& opening, std::uint64_t exceptions) { return patcher_.open(opening, exceptions); }
  bool read(void* words, std::size_t count) override {
    std::fill_n(static_cast<W*>(words), count, common_);
    return patcher_.patch(static_cast<W*>(words), count);
  }

 private:
  W common_;
  ExceptionPatcher<W> patcher_;
};

std::unique_ptr<Source> open(Opening& opening) {
  return with_word(bytes_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<FreqSource<W>>(opening.bytes.get_word<W>());
    const std::uint64_t exceptions = opening.bytes.get_varint();
    if (opening.bytes.failed() || exceptions > opening.count || !source->open(opening, exceptions)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding freq_encoding() noexcept {
  return {.id = EncodingId::freq,
          .name = "freq",
          .summary = "the most frequent word, and exceptions",
          .child_count = 2,
          .time = {800, 200},
          .accepts = accepts,
          .child_type = child_type,
          .encode = encode,
          .open = open};
}

}  // namespace floe::series
