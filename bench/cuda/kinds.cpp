#include "kinds.hpp"

#include <cstdio>
#include <stdexcept>

namespace floe::bench {

Options Kind::options() const {
  Options options;
  if (is_planned) {
    options.profile = profile;
  } else {
    options.tree = name;
  }
  return options;
}

namespace {

std::vector<Kind> named(std::vector<Kind> all, const std::string& only) {
  std::erase_if(all, [&](const Kind& kind) { return !only.empty() && only != kind.name; });
  if (all.empty()) throw std::runtime_error("nothing is called " + only);
  return all;
}

const std::vector<Kind> codecs{{DType::f32, "spspeed"},
                               {DType::f32, "spratio"},
                               {DType::f64, "dpspeed"},
                               {DType::f64, "gfc"},
                               {DType::f64, "dpratio"}};

}  // namespace

std::vector<Kind> kinds(const std::string& only) { return named(codecs, only); }

std::vector<Kind> kinds_and_goals(const std::string& only) {
  std::vector<Kind> all = codecs;
  all.push_back({DType::f32, "balance_f32", true});
  all.push_back({DType::f64, "balance_f64", true});
  all.push_back({DType::f32, "cpu_balance_f32", true, Profile::cpu});
  all.push_back({DType::f64, "cpu_balance_f64", true, Profile::cpu});
  all.push_back({DType::f32, "planned_f32", true, Profile::gpu, true});
  all.push_back({DType::f64, "planned_f64", true, Profile::gpu, true});
  return named(std::move(all), only);
}

void print_header() {
  std::printf("what,codec,gpus,bytes,ratio,compress_or_in_gbps,decompress_or_out_gbps\n");
}

void print_row(const char* what, const char* codec, std::size_t gpus, std::uint64_t bytes, double ratio,
               double first_seconds, double second_seconds) {
  const auto rate = [bytes](double seconds) {
    return seconds == 0 ? 0 : static_cast<double>(bytes) / seconds / 1e9;
  };
  std::printf("%s,%s,%zu,%llu,%.4f,%.2f,%.2f\n", what, codec, gpus, static_cast<unsigned long long>(bytes),
              ratio, rate(first_seconds), rate(second_seconds));
  std::fflush(stdout);
}

}  // namespace floe::bench
