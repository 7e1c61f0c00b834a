// Segments that the CPU encodes with a tree, decoded by emulated lanes: intact ones to their words, damaged
// ones as the CPU does.
#pragma once

#include <gtest/gtest.h>

#include "core/splitmix.hpp"
#include "tests/series_cuda/emulated_decoder.hpp"

namespace floe::test {

inline std::size_t scratch_for(const Column& column) { return 64 * 1024 + 200 * column.count(); }

inline std::vector<std::uint8_t> encode_with(const std::string& tree, const Column& column) {
  return ColumnEncoder(trees::plan_from_text(tree, column.type).value()).encode(column.view());
}

inline void expect_decoded(const std::string& tree, const Column& column) {
  const std::string what = tree + " of " + std::to_string(column.count());
  const std::vector<std::uint8_t> bytes = encode_with(tree, column);
  const std::size_t missed_before = missed_digests();
  for (const bool is_opened : {false, true}) {
    Column decoded(column.type, column.count());
    ASSERT_EQ(decode_emulated(bytes, decoded, scratch_for(column), is_opened), ErrorCode::ok) << what;
    ASSERT_EQ(decoded.bytes, column.bytes) << what << (is_opened ? ", opened ahead" : "");
  }
  EXPECT_EQ(missed_digests(), missed_before) << what;
}

/// `changes`: of a byte, near the front as often as not, and sometimes of the length.
inline void expect_refused_or_decoded(const std::string& tree, const Column& column, std::uint64_t changes) {
  const std::vector<std::uint8_t> bytes = encode_with(tree, column);
  for (std::uint64_t change = 0; change < changes; ++change) {
    std::vector<std::uint8_t> damaged = bytes;
    const std::uint64_t random = core::splitmix(change * 977 + bytes.size());
    const std::size_t range = change % 2 == 0 ? std::min<std::size_t>(damaged.size(), 40) : damaged.size();
    damaged[random % range] = static_cast<std::uint8_t>(random >> 32);
    if (change % 5 == 0) damaged.resize(random % damaged.size());
    Column here(column.type, column.count()), there(column.type, column.count());
    const ErrorCode code = decode_emulated(damaged, here, scratch_for(column), true);
    const Status status = decode(damaged, there);
    if (code == ErrorCode::unsupported_codec || code == ErrorCode::out_of_memory) continue;
    // Devices add lengths of runs up to the end, also behind the last word.
    if (tree.starts_with("rle") && (code == ErrorCode::ok) != status.ok()) continue;
    EXPECT_EQ(code == ErrorCode::ok, status.ok()) << tree << ", change " << change;
    if (code == ErrorCode::ok && status.ok()) {
      ASSERT_EQ(here.bytes, there.bytes) << tree << ", change " << change;
    }
  }
}

}  // namespace floe::test
