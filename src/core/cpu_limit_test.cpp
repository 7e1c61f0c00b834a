// Limits of control groups are read as the kernel shows them.
#include "core/workers.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace floe::core {
namespace {

/// A folder that looks like the root of a file system.
class CpuLimit : public testing::Test {
 protected:
  CpuLimit() {
    std::string name = (std::filesystem::temp_directory_path() / "floe-groups-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name + "/";
  }
  ~CpuLimit() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] std::uint32_t limit() const { return cpu_limit_of_groups(root_); }

 private:
  std::string root_;
};

TEST_F(CpuLimit, NoGroups) { EXPECT_EQ(limit(), no_cpu_limit); }

TEST_F(CpuLimit, Version2) {
  write("proc/self/cgroup", "0::/user/work\n");
  write("sys/fs/cgroup/user/work/cpu.max", "max 100000\n");
  EXPECT_EQ(limit(), no_cpu_limit);
  write("sys/fs/cgroup/user/work/cpu.max", "200000 100000\n");
  EXPECT_EQ(limit(), 2u);
  write("sys/fs/cgroup/user/work/cpu.max", "250000 100000\n");
  EXPECT_EQ(limit(), 3u);
  write("sys/fs/cgroup/user/work/cpu.max", "1000 100000\n");
  EXPECT_EQ(limit(), 1u);
}

TEST_F(CpuLimit, OuterGroupsCountToo) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  EXPECT_EQ(limit(), 4u);
}

TEST_F(CpuLimit, ContainerWhosePathCannotBeSeen) {
  write("proc/self/cgroup", "0::/docker/0123456789\n");
  write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(limit(), 2u);
}

TEST_F(CpuLimit, Version1) {
  write("proc/self/cgroup", "5:memory:/work\n4:cpu,cpuacct:/work\n1:name=systemd:/\n");
  write("sys/fs/cgroup/cpu,cpuacct/work/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/work/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(limit(), no_cpu_limit);
  write("sys/fs/cgroup/cpu,cpuacct/work/cpu.cfs_quota_us", "150000\n");
  EXPECT_EQ(limit(), 3u);
}

TEST_F(CpuLimit, OtherControllersDoNotCount) {
  write("proc/self/cgroup", "4:cpuset:/\n3:cpuacct:/\n");
  write("sys/fs/cgroup/cpuset/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpuset/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit(), no_cpu_limit);
}

TEST_F(CpuLimit, NonsenseIsNoLimit) {
  for (const char* memberships : {"", "\n", ":", "0::\n", "0::work\n", "no colons\n", "0::/work"}) {
    write("proc/self/cgroup", memberships);
    for (const char* text : {"", "x", "100000", "100000 0", "0 100000", " ", "99999999999999999999 1"}) {
      write("sys/fs/cgroup/work/cpu.max", text);
      write("sys/fs/cgroup/cpu.max", text);
      EXPECT_EQ(limit(), no_cpu_limit) << memberships << "|" << text;
    }
  }
}

}  // namespace
}  // namespace floe::core
