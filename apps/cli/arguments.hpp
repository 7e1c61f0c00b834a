// What the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "array_description.hpp"
#include "device_choice.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

enum class Command : unsigned { compress, decompress, test, list, inspect, codecs, bench };
enum class Container { floe, fpcompress, gfc };

struct Arguments {
  Command command = Command::compress;
  std::vector<std::string> files;  ///< "-" is standard input. Empty only for `codecs`.

  std::string output;  ///< -o; empty if not given.
  bool to_stdout = false;
  bool force = false;
  bool remove_source = false;
  bool keep_source = false;  ///< The default; accepted as other programs need it.
  bool synchronize = false;
  bool verify = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  std::uint32_t threads = 0;
  DeviceChoice device;

  ArrayOptions array;
  std::string codec;
  Goal goal = Goal::balance;
  bool fast = false, best = false;  ///< Other words for --goal.
  std::uint32_t dimensionality = 1;
  std::uint64_t segment_bytes = Options{}.segment_bytes;
  bool no_checksum = false;
  Container container = Container::floe;
  std::uint32_t chunk_count = 1000;

  std::optional<Slice> slice;
  std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes;

  std::vector<std::string> bench_codecs;  ///< Empty: all.
  std::uint32_t bench_runs = 0;           ///< 0: as many as fit bench_seconds.
  double bench_seconds = 1;               ///< Per file and codec.
  std::uint64_t bench_limit_bytes = 0;    ///< 0: whole files.
  std::vector<std::uint64_t>
      bench_sizes;  ///< To which the content of a file is repeated or cut; empty: it is taken as it is.
  std::vector<std::uint32_t> bench_threads = {1};
  std::uint32_t bench_callers = 1;

  /// Options of the library. They refer to strings of this object.
  [[nodiscard]] Options compress_options() const;
  [[nodiscard]] DecodeOptions decode_options() const;
};

/// A command line that makes no sense; its text is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The user asked for --help or --version; what() is the text for standard output.
class TextWanted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `words`: the command line without the program's name. Throws UsageError and TextWanted.
Arguments parse_arguments(std::vector<std::string> words);

}  // namespace floe::cli
