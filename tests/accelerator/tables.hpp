// Tables for tests of accelerators.
#pragma once

#include <span>
#include <string>

#include "floe/floe.hpp"

namespace floe::test {

inline std::string table_text(int rows) {
  std::string text = "time,number,word\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(1500000000 + 60 * i) + ',' + std::to_string(i * i % 101) +
            (i % 3 == 0 ? ",open\n" : ",closed\n");
  return text;
}

inline Status compress_table(const std::string& text, const Options& options, const Sink& sink) {
  TableOptions table;
  table.segment_rows = 40;
  table.trees = {{"number", 0, "delta,bitpack"}};
  auto writer = Writer::create(sink, table, options);
  if (!writer) return writer.status();
  if (const Status status = writer->write(std::as_bytes(std::span(text))); !status.ok()) return status;
  return writer->finish();
}

}  // namespace floe::test
