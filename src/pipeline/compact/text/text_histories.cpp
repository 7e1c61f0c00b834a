#include "pipeline/compact/text/text_histories.hpp"

namespace floe::pipeline {

std::uint8_t* TextHistories::make_room(Bucket& bucket, std::uint8_t check) noexcept {
  const auto seen = [](const Group& histories) { return (histories[0] >> 4) + (histories[0] & 15); };
  std::size_t rarest = 0;
  for (std::size_t i = 1; i < bucket.histories.size(); ++i) {
    if (seen(bucket.histories[i]) < seen(bucket.histories[rarest])) rarest = i;
  }
  bucket.checks[rarest] = check;
  bucket.histories[rarest].fill(0);
  return bucket.histories[rarest].data();
}

}  // namespace floe::pipeline
