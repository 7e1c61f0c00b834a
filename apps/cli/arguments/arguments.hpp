// What the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments/device_choice.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

/// The last two are commands of `floe series` alone.
enum class Command : unsigned {
  compress,
  decompress,
  test,
  list,
  inspect,
  plan,
  codecs,
  bench,
  recover,
  doctor,
  hdf5,
  generate,
  calibrate
};
enum class Container { floe, fpcompress, gfc };

/// What sources hold; of frames, what a table becomes.
enum class Kind { automatic, bytes, array, csv, records, safetensors };

/// What the user said about the elements of arrays.
struct ArrayArguments {
  std::optional<DType> dtype;
  std::vector<std::uint64_t> shape;
};

/// What the user said about tables.
struct TableArguments {
  std::string schema_file;  ///< Empty if not given.
  std::uint32_t padding_bytes = 0;
  char separator = 0;
  NameRow name_row = NameRow::detect;
  bool values_only = false;
  std::optional<std::uint32_t> segment_rows;
  std::string times_file;  ///< Times of encodings to plan by; empty if not given.
  bool by_thesis = false;  ///< Planned as in the thesis.
};

struct BenchArguments {
  bool without_codecs = false;
  std::vector<std::string> codecs;  ///< Empty: all.
  std::vector<Goal> goals;
  std::uint32_t runs = 0;            ///< 0: as many as fit `seconds`.
  double seconds = 1;                ///< Per file and row.
  std::uint64_t limit_bytes = 0;     ///< 0: whole files.
  std::vector<std::uint64_t> sizes;  ///< To which content is repeated or cut; empty: it is taken as it is.
  std::vector<std::uint32_t> threads = {1};
  std::uint32_t callers = 1;
};

struct Arguments {
  Command command = Command::compress;
  std::vector<std::string> files;  ///< "-" is standard input. Empty only for commands without files.

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
  std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes;

  Kind kind = Kind::automatic;
  ArrayArguments array;
  TableArguments table;

  Goal goal = Goal::balance;
  bool fast = false, best = false;  ///< Other words for --goal.
  std::string codec;                ///< --codec; also in `trees`.
  std::uint32_t dimensionality = 1;
  std::vector<GivenTree> trees;
  std::vector<std::string> tree_options;  ///< The trees as they were given, for messages: "--tree a=rle".
  std::optional<Profile> profile;         ///< Of its own, devices have one.
  std::uint32_t decode_megabytes_per_second = 0;
  std::uint64_t segment_bytes = 0;
  bool no_checksum = false;
  Container container = Container::floe;
  std::uint32_t chunk_count = 1000;

  std::optional<Slice> slice;
  std::optional<Slice> rows;
  std::vector<std::string> columns;

  bool leave_out = false;        ///< recover: lost elements and records.
  std::string similar_file;      ///< recover: --like; empty if not given.
  std::string picture;           ///< plan, bench: the file for it; empty for none.
  bool only_parameters = false;  ///< hdf5
  std::uint64_t generated_rows = 1000000;
  BenchArguments bench;

  /// Whether a part of what a frame holds is wanted.
  [[nodiscard]] bool wants_part() const { return slice || rows || !columns.empty(); }
  /// That of the user, else devices have one: the bytes do not depend on whether there are any.
  [[nodiscard]] Profile chosen_profile() const;
  /// Options of the library, without trees. They refer to nothing of this object.
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
