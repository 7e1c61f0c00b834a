#include "research/planners.hpp"

#include "plan/planner.hpp"
#include "research/edge_stat_planner.hpp"

namespace floe::research {
namespace {

class ThesisPlanners final : public PlannerFactory {
 public:
  [[nodiscard]] std::unique_ptr<trees::Planner> make() const override {
    return std::make_unique<trees::EdgeStatPlanner>();
  }
};

class PlannersWithTimes final : public PlannerFactory {
 public:
  explicit PlannersWithTimes(const trees::EncodingTimes& times) : times_(times) {}
  void adjust(trees::Objective& objective) const override { objective.times = times_; }

 private:
  trees::EncodingTimes times_;
};

}  // namespace

std::shared_ptr<const PlannerFactory> thesis_planners() { return std::make_shared<ThesisPlanners>(); }

std::shared_ptr<const PlannerFactory> planners_with_times(const std::vector<EncodingTime>& times) {
  trees::EncodingTimes all;
  for (const trees::Encoding& encoding : trees::all_encodings())
    all[static_cast<std::size_t>(encoding.id)] = encoding.time;
  for (const EncodingTime& time : times) {
    const trees::Encoding* const encoding = trees::find_encoding(time.encoding);
    all[static_cast<std::size_t>(encoding->id)] = {time.encode_picoseconds, time.decode_picoseconds};
  }
  return std::make_shared<PlannersWithTimes>(all);
}

}  // namespace floe::research
