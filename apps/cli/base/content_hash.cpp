#include "base/content_hash.hpp"

#define XXH_STATIC_LINKING_ONLY  // for the size of the state
#include <xxhash.h>

namespace floe::cli {

struct ContentHash::State {
  XXH3_state_t xxh3;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh3); }
ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

bool operator==(const ContentHash& a, const ContentHash& b) {
  return XXH128_isEqual(XXH3_128bits_digest(&a.state_->xxh3), XXH3_128bits_digest(&b.state_->xxh3)) != 0;
}

}  // namespace floe::cli
