// What a memo says of a stream is what its encoding makes of it, and nothing is said of other streams.
#include "encodings/encoding_memo.hpp"

#include <gtest/gtest.h>

#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

unsigned calls = 0;

/// Each word and one; nothing with a parameter of 2.
bool count_calls(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  ++calls;
  out.header.put_varint(parameters[0]);
  Stream& child = out.children.emplace_back(in.type, in.count, out.scratch);
  const auto words = in.words<std::uint32_t>();
  std::transform(words.begin(), words.end(), child.words<std::uint32_t>().data(),
                 [](std::uint32_t word) { return word + 1; });
  return parameters[0] != 2;
}

Encoding counting_encoding() {
  Encoding encoding = encoding_of(EncodingId::dict);
  encoding.encode = count_calls;
  return encoding;
}

const EncodingMemo::Made* encode(EncodingMemo& memo, const ColumnView& in, std::uint32_t parameter) {
  return memo.encode(EncodingId::dict, count_calls, in, {parameter});
}

std::vector<std::uint32_t> words_of(const ColumnView& stream) {
  const auto words = stream.words<std::uint32_t>();
  return {words.begin(), words.end()};
}

class EncodingMemoTest : public testing::Test {
 protected:
  void SetUp() override { calls = 0; }
  static ColumnView view(const std::vector<std::uint32_t>& words) {
    return {DType::u32, words.data(), words.size()};
  }

  const std::vector<std::uint32_t> words = {5, 7, 5, 9}, others = {1, 2, 3, 4};
  Scratch scratch;
};

struct Count final : Notes {
  explicit Count(int first) : count(first) {}
  int count;
};

TEST_F(EncodingMemoTest, KeepsNotesOfAStreamItKnows) {
  EncodingMemo memo(view(words), scratch);
  Count* const notes = memo.notes_of<Count>(view(words), 1);
  ASSERT_NE(notes, nullptr);
  notes->count = 5;
  EXPECT_EQ(memo.notes_of<Count>(view(words), 1)->count, 5);
  EXPECT_EQ(memo.notes_of<Count>(view(others), 1), nullptr);
  const EncodingMemo::Mark mark = memo.mark();
  const ColumnView child = encode(memo, view(words), 1)->children.at(0).view();
  EXPECT_EQ(memo.notes_of<Count>(child, 2)->count, 2);
  memo.forget_since(mark);
  EXPECT_EQ(memo.notes_of<Count>(view(words), 3)->count, 3) << "those of one stream at a time";
}

TEST_F(EncodingMemoTest, EncodesItsStreamOnce) {
  EncodingMemo memo(view(words), scratch);
  const EncodingMemo::Made* const made = encode(memo, view(words), 1);
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->fits);
  EXPECT_EQ(words_of(made->children.at(0).view()), (std::vector<std::uint32_t>{6, 8, 6, 10}));
  EXPECT_EQ(made->header.bytes().size(), 1U);
  EXPECT_EQ(encode(memo, view(words), 1), made);
  EXPECT_EQ(calls, 1U);
  EXPECT_NE(encode(memo, view(words), 3), made);
  EXPECT_EQ(calls, 2U);
  EXPECT_FALSE(encode(memo, view(words), 2)->fits);
  EXPECT_FALSE(encode(memo, view(words), 2)->fits);
  EXPECT_EQ(calls, 3U);
}

TEST_F(EncodingMemoTest, KnowsWhatItMadeAndNothingElse) {
  EncodingMemo memo(view(words), scratch);
  const ColumnView child = encode(memo, view(words), 1)->children.at(0).view();
  const EncodingMemo::Made* const below = encode(memo, child, 1);
  ASSERT_NE(below, nullptr);
  EXPECT_EQ(words_of(below->children.at(0).view()), (std::vector<std::uint32_t>{7, 9, 7, 11}));
  EXPECT_EQ(encode(memo, child, 1), below);
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(encode(memo, view(others), 1), nullptr);
  EXPECT_EQ(encode(memo, {DType::u32, words.data(), 3}, 1), nullptr);
}

TEST_F(EncodingMemoTest, MakesNoMoreThanItHasRoomFor) {
  EncodingMemo memo(view(words), scratch);
  std::uint32_t parameter = 3;
  while (encode(memo, view(words), parameter) != nullptr) ++parameter;
  EXPECT_LE(parameter, 3U + 8);
  EXPECT_NE(encode(memo, view(words), 3), nullptr);
}

TEST_F(EncodingMemoTest, HasRoomOfItsOwnForWhatIsSlow) {
  EncodingMemo memo(view(words), scratch, 2 * sizeof(words[0]) * words.size());
  const auto encode_slow = [&](std::uint32_t parameter) {
    return memo.encode(EncodingId::dict, count_calls, view(words), {parameter}, true);
  };
  std::uint32_t parameter = 3;
  while (encode(memo, view(words), parameter) != nullptr) ++parameter;
  EXPECT_NE(encode_slow(parameter), nullptr);
  EXPECT_EQ(encode_slow(parameter), encode(memo, view(words), parameter));
  std::uint32_t end = parameter;
  while (encode_slow(end) != nullptr) ++end;
  EXPECT_LE(end, parameter + 3);
}

TEST_F(EncodingMemoTest, ForgetsWhatItMadeSince) {
  EncodingMemo memo(view(words), scratch);
  const EncodingMemo::Made* const made = encode(memo, view(words), 1);
  const EncodingMemo::Mark mark = memo.mark();
  const ColumnView below = encode(memo, made->children.at(0).view(), 1)->children.at(0).view();
  EXPECT_TRUE(memo.knows(below));
  memo.forget_since(mark);
  EXPECT_FALSE(memo.knows(below));
  EXPECT_EQ(memo.made_before(view(words), EncodingId::dict, {1}), made);
  EXPECT_EQ(memo.made_before(made->children.at(0).view(), EncodingId::dict, {1}), nullptr);
  std::uint32_t parameter = 3;
  while (encode(memo, view(words), parameter) != nullptr) ++parameter;
  memo.forget_since(mark);
  EXPECT_NE(encode(memo, view(words), 3), nullptr);
}

TEST_F(EncodingMemoTest, IsThereAsLongAsItExists) {
  {
    const EncodingMemo memo(view(words), scratch);
    EXPECT_EQ(scratch.memo, &memo);
    const Encoding counting = counting_encoding();
    const EncodedOnce once(counting, view(words), {1}, scratch), again(counting, view(words), {1}, scratch);
    EXPECT_EQ(once.child(0).values, again.child(0).values);
    EXPECT_EQ(calls, 1U);
  }
  EXPECT_EQ(scratch.memo, nullptr);
  const EncodedOnce once(counting_encoding(), view(words), {1}, scratch);
  EXPECT_TRUE(once.fits());
  EXPECT_EQ(words_of(once.child(0)), (std::vector<std::uint32_t>{6, 8, 6, 10}));
  EXPECT_EQ(calls, 2U);
}

}  // namespace
}  // namespace floe::trees
