// The same parts as those of one process, as ranks of NCCL. In builds with FLOE_NCCL.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "resident_part.hpp"

namespace floe::bench {

/// NCCL's ranks, each of which has a thread and a part. Communicators stay, as making them takes long.
class Ranks {
 public:
  Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();
  ResidentTimes time(const ResidentParts& parts, const Kind& kind, int runs);

 private:
  class Communicators;
  const Communicators& of(std::size_t ranks);
  std::vector<std::unique_ptr<Communicators>> communicators_;
};

}  // namespace floe::bench
