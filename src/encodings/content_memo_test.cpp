// A memo returns what was found for the same content, wherever that lies, and forgets the oldest.
#include "encodings/content_memo.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floe::trees {
namespace {

TEST(ContentMemo, KeysDifferByEveryByteTheLengthAndWhatElseMatters) {
  std::vector<std::uint8_t> bytes(100);
  std::set<std::uint64_t> firsts, seconds;
  const auto add = [&](const ContentKey& key) {
    firsts.insert(key.first);
    seconds.insert(key.second);
  };
  add(content_key(bytes, 0));
  add(content_key(bytes, 1));
  add(content_key(std::span(bytes).first(99), 0));
  for (std::uint8_t& byte : bytes) {
    byte = 1;
    add(content_key(bytes, 0));
    byte = 0;
  }
  EXPECT_EQ(firsts.size(), 103U);
  EXPECT_EQ(seconds.size(), 103U);
  const std::vector<std::uint8_t> same = bytes;
  EXPECT_EQ(content_key(same, 0), content_key(bytes, 0));
}

TEST(ContentMemo, FindsOnceWhatIsAmongTheLast) {
  ContentMemo<int, 3> memo;
  int calls = 0;
  const auto get = [&](std::uint64_t content) {
    return memo.get({content, 0}, [&] {
      ++calls;
      return static_cast<int>(10 * content);
    });
  };
  for (const std::uint64_t content : {1, 2, 3, 1, 2, 3})
    EXPECT_EQ(get(content), static_cast<int>(10 * content));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(get(4), 40);  // in the place of the first
  EXPECT_EQ(get(2), 20);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace floe::trees
