// Does a column that was read before its turn reach whoever codes it, whoever of the two comes first?
#include "pipeline/tables/next_segment.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace floe::tables {
namespace {

/// Fails where it would wait, perhaps forever.
void must_not_wait(bool is_waiting) {
  if (is_waiting) throw std::logic_error("nobody works on the column");
}

TEST(ColumnPlaces, AreBegunOnce) {
  ColumnPlace place;
  EXPECT_TRUE(place.begin());
  EXPECT_FALSE(place.begin());
}

TEST(ColumnPlaces, GiveWhatWasPutOnce) {
  ColumnPlace place;
  ASSERT_TRUE(place.begin());
  const auto column = std::make_shared<ColumnAhead>();
  place.put(column);
  EXPECT_EQ(place.take(must_not_wait), column);
  EXPECT_EQ(place.take(must_not_wait), nullptr);
}

TEST(ColumnPlaces, WaitForWhatWasBegun) {
  ColumnPlace place;
  ASSERT_TRUE(place.begin());
  const auto column = std::make_shared<ColumnAhead>();
  int calls = 0;
  std::jthread reader;
  const auto on_wait = [&](bool is_waiting) {
    if (is_waiting) reader = std::jthread([&] { place.put(column); });
    ++calls;
  };
  EXPECT_EQ(place.take(on_wait), column);
  EXPECT_EQ(calls, 2);
}

TEST(ColumnPlaces, AreNotBegunByOneWhoComesTooLate) {
  ColumnPlace place;
  EXPECT_EQ(place.take(must_not_wait), nullptr);
  EXPECT_FALSE(place.begin());
  EXPECT_EQ(place.take(must_not_wait), nullptr) << "as the end of the segment does";
}

TEST(ColumnPlaces, KeepWhatWasPutFromThoseWhoComeTooLate) {
  ColumnPlace place;
  ASSERT_TRUE(place.begin());
  const auto column = std::make_shared<ColumnAhead>();
  place.put(column);
  EXPECT_FALSE(place.begin());
  EXPECT_EQ(place.take(must_not_wait), column);
}

}  // namespace
}  // namespace floe::tables
