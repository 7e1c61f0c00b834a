// Does a C++ project that has only the installed headers and library get its numbers back?
#include <cstring>
#include <floe/floe.hpp>
#include <span>
#include <vector>

int main() {
  std::vector<float> temperatures;
  for (int i = 0; i < 100000; ++i) temperatures.push_back(15.0f + 0.001f * static_cast<float>(i % 1440));

  const auto frame = floe::compress(std::span<const float>(temperatures));
  if (!frame || frame->size() >= temperatures.size() * sizeof(float)) return 1;
  const auto restored = floe::decompress<float>(*frame);
  if (!restored ||
      std::memcmp(restored->data(), temperatures.data(), temperatures.size() * sizeof(float)) != 0)
    return 2;

  const floe::Schema schema = {{"temperature", floe::DType::f32, 3}};
  floe::TableOptions table;
  table.source = floe::TableSource::columns;
  table.schema = schema;
  std::vector<std::byte> rows;
  auto writer = floe::Writer::create(
      [&](std::span<const std::byte> bytes) {
        rows.insert(rows.end(), bytes.begin(), bytes.end());
        return floe::Status{};
      },
      table);
  const void* const column = temperatures.data();
  if (!writer || !writer->write_columns({&column, 1}, temperatures.size()).ok() || !writer->finish().ok())
    return 5;
  const auto reader = floe::Reader::open(rows);
  std::vector<float> values(temperatures.size());
  if (!reader ||
      !reader->read_values(0, {0, values.size()}, std::as_writable_bytes(std::span(values))).ok() ||
      values != temperatures)
    return 6;

  // Exceptions cross the border of a shared library only if their type is visible.
  try {
    static_cast<void>(floe::decompress<float>(std::span(*frame).first(10)).value());
    return 3;
  } catch (const floe::Error& error) {
    return error.status().ok() ? 4 : 0;
  }
}
