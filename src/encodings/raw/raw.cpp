// Raw: the words as they are. A leaf for everything.
#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

bool encode_raw(const ColumnView& in, const Parameters&, Encoded& out) {
  out.header.put_bytes({static_cast<const std::uint8_t*>(in.values), static_cast<std::size_t>(in.bytes())});
  return true;
}

class RawSource final : public Source {
 public:
  RawSource(std::span<const std::uint8_t> bytes, std::size_t word_bytes)
      : rest_(bytes), word_bytes_(word_bytes) {}
  bool read(void* words, std::size_t count) override {
    std::memcpy(words, rest_.data(), count * word_bytes_);
    return skip(count);
  }
  bool skip(std::uint64_t count) override {
    rest_ = rest_.subspan(static_cast<std::size_t>(count) * word_bytes_);
    return true;
  }

 private:
  std::span<const std::uint8_t> rest_;
  std::size_t word_bytes_;
};

std::unique_ptr<Source> open_raw(Opening& opening) {
  const std::size_t word_bytes = size_of(opening.type);
  if (opening.count > opening.bytes.remaining() / word_bytes) return nullptr;
  return std::make_unique<RawSource>(opening.bytes.get_bytes(opening.count * word_bytes), word_bytes);
}

}  // namespace

Encoding raw_encoding() noexcept {
  return {.time = {50, 80}, .device_time = {4, 4}, .encode = encode_raw, .open = open_raw};
}

}  // namespace floe::trees
