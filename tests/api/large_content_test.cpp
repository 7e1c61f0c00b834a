// Do arrays that are too large for the caches, whose chunks go past them, come back like small ones?
#include <gtest/gtest.h>

#include "chunks/streaming.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// Every kind of content in turn, so that coded chunks of many sizes and raw chunks follow each other.
Bytes mixed_content(unsigned word_bits, std::size_t size) {
  Bytes content;
  for (std::size_t kind = 0; content.size() < size; kind = (kind + 1) % content_names().size()) {
    const Bytes part = make_bytes(word_bits, kind, 9 * 16384 + 8 * 100, 1);
    content.insert(content.end(), part.begin(), part.end());
  }
  content.resize(size);
  return content;
}

TEST(LargeContent, ComesBackFromAnywhereToAnywhere) {
  for (const ArrayCase& c : codecs_once()) {
    if (sanitized && c.tree != "spspeed" && c.tree != "spratio") continue;
    SCOPED_TRACE(c.name());
    const std::size_t size = chunks::streaming_bytes + 3 * 16384 + 16 * 77;
    Bytes shifted = mixed_content(c.word_bits(), size);
    shifted.insert(shifted.begin(), 3, 0);  // the library must not count on an address
    const std::span<const std::uint8_t> content = std::span<const std::uint8_t>(shifted).subspan(3);
    const Extent extent = Extent::linear(size / c.word_bytes());
    Options options = c.options();
    options.threads = 1;
    const auto frame = compress(view_of(content), c.dtype, extent, options);
    ASSERT_TRUE(frame);
    options.threads = 3;
    ASSERT_TRUE(*compress(view_of(content), c.dtype, extent, options) == *frame);

    const auto reader = Reader::open(*frame);
    ASSERT_TRUE(reader);
    for (const std::size_t offset :
         {std::size_t{0}, std::size_t{16}, std::size_t{4}, std::size_t{60}, std::size_t{5}}) {
      for (const std::uint32_t threads : {1u, 3u}) {
        Bytes out(size + 64, 0x33);
        ASSERT_TRUE(reader->decompress(room_of(out).subspan(offset, size), {.threads = threads}).ok());
        ASSERT_TRUE(
            std::equal(content.begin(), content.end(), out.begin() + static_cast<std::ptrdiff_t>(offset)));
        const auto untouched = [](std::uint8_t byte) { return byte == 0x33; };
        ASSERT_TRUE(std::all_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(offset), untouched));
        ASSERT_TRUE(
            std::all_of(out.begin() + static_cast<std::ptrdiff_t>(offset + size), out.end(), untouched));
      }
    }
  }
}

}  // namespace
}  // namespace floe::test
