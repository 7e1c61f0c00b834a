// The computed size of packed words is that of packing them.
#include <gtest/gtest.h>

#include "encodings/encodings.hpp"
#include "tests/series/columns.hpp"

namespace floe::trees {
namespace {

TEST(Afl, HasTheSizeThatIsForetold) {
  Scratch scratch;
  for (const DType type : word_types) {
    if (!is_integer(type)) continue;
    for (const std::uint64_t count : test::test_counts) {
      for (const auto& [name, column] : test::difficult_columns(type, count)) {
        std::vector<Stream> no_children;
        ByteWriter bytes;
        Encoded encoded{bytes, no_children, scratch};
        ASSERT_TRUE(encoding_of(EncodingId::bitpack).encode(column.view(), {}, encoded));
        EXPECT_EQ(bitpack_bytes(column.view()), bytes.size())
            << name << " of " << name_of(type) << ", " << count;
      }
    }
  }
}

}  // namespace
}  // namespace floe::trees
