// What a memo says of a stream is what its encoding makes of it, and nothing is said of other streams.
#include "encodings/encoding_memo.hpp"

#include <gtest/gtest.h>

#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

unsigned calls = 0;

bool count_calls(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  ++calls;
  out.header.put_varint(parameters[0]);
  Stream& child = out.children.emplace_back(in.type, in.count, out.scratch);
  std::copy_n(in.words<std::uint32_t>().data(), in.count, child.words<std::uint32_t>().data());
  return parameters[0] != 2;
}

struct Made {
  std::vector<std::uint8_t> header;
  std::vector<std::uint32_t> child;
  bool fits = false;
};

Made make(const std::vector<std::uint32_t>& words, std::uint32_t parameter, Scratch& scratch) {
  ByteWriter header;
  header.put_varint(99);  // of nodes before
  std::vector<Stream> children;
  Encoded encoded{header, children, scratch};
  Made made;
  made.fits = encode_once(EncodingId::dict, count_calls, {DType::u32, words.data(), words.size()},
                          {parameter}, encoded);
  if (!made.fits) return made;
  made.header.assign(header.bytes().begin(), header.bytes().end());
  const auto child = children.at(0).view().words<std::uint32_t>();
  made.child.assign(child.begin(), child.end());
  return made;
}

TEST(EncodingMemo, EncodesItsStreamOnce) {
  const std::vector<std::uint32_t> words = {5, 7, 5, 9}, others = {1, 2, 3, 4};
  Scratch scratch;
  {
    const EncodingMemo memo({DType::u32, words.data(), words.size()}, scratch);
    calls = 0;
    const Made first = make(words, 1, scratch), again = make(words, 1, scratch);
    EXPECT_EQ(calls, 1U);
    EXPECT_EQ(first.child, words);
    EXPECT_EQ(again.child, words);
    EXPECT_EQ(first.header, (std::vector<std::uint8_t>{99, 1}));
    EXPECT_EQ(again.header, first.header);
    EXPECT_EQ(make(words, 3, scratch).header, (std::vector<std::uint8_t>{99, 3}));
    EXPECT_EQ(calls, 2U);
    EXPECT_FALSE(make(words, 2, scratch).fits);
    EXPECT_FALSE(make(words, 2, scratch).fits);
    EXPECT_EQ(calls, 3U);
    EXPECT_EQ(make(others, 1, scratch).child, others);
    EXPECT_EQ(make(others, 1, scratch).child, others);
    EXPECT_EQ(calls, 5U);
  }
  EXPECT_EQ(make(words, 1, scratch).child, words);
  EXPECT_EQ(calls, 6U);
}

}  // namespace
}  // namespace floe::trees
