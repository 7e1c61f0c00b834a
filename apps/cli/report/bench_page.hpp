// What floe bench measured, as a page: tables, and ratio against speed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace floe::cli {

struct BenchRow {
  std::string name;
  double ratio = 0, compress = 0, decompress = 0;  ///< GB/s
};

/// The rows of one headline.
struct BenchSection {
  std::string title, conditions;
  std::vector<BenchRow> rows;
  double memcpy_speed = 0;
};

/// GB/s: "12.34", and of less than 0.1 with four digits, "0.0035".
std::string speed_text(double speed);

std::string bench_page(const std::vector<BenchSection>& sections);

}  // namespace floe::cli
