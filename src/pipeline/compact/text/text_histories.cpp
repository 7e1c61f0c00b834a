#include "pipeline/compact/text/text_histories.hpp"

namespace floe::pipeline {

std::uint8_t* TextHistories::make_room(Bucket& bucket, std::uint8_t check) noexcept {
  const auto seen = [](const Group& histories) { return (histories[0] >> 4) + (histories[0] & 15); };
  std::size_t least = 0;
  for (std::size_t i = 1; i < bucket.histories.size(); ++i) {
    if (seen(bucket.histories[i]) < seen(bucket.histories[least])) least = i;
  }
  bucket.checks[least] = check;
  bucket.histories[least].fill(0);
  return bucket.histories[least].data();
}

}  // namespace floe::pipeline
