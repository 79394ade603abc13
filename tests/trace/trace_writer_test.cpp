#include "harness/trace/trace_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "harness/base/files.h"

namespace minrepro {
namespace {
namespace fs = std::filesystem;

std::vector<int> descriptors_in(const std::string& folder) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone).string().starts_with(folder + "/")) found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

TEST(TraceWriter, DescriptorsThatTheProgramClosedAndUsesAgainAreLeftAlone) {
  const auto folder = TemporaryFolder::create("trace_writer");
  auto calls = CallsFile::create(folder->path(), 7);
  ASSERT_TRUE(calls.ok());
  DataFile data((*calls)->path());
  const std::string bytes(100'000, 'd');
  ASSERT_EQ(*data.append(bytes.data(), bytes.size()), 0U);

  const auto mine = TemporaryFolder::create("mine");
  const std::string users = mine->path() + "/results.txt";
  std::vector<int> taken;
  for (const int fd : descriptors_in(folder->path())) {
    close(fd);
    taken.push_back(open(users.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ASSERT_EQ(taken.back(), fd);
  }
  ASSERT_EQ(taken.size(), 2U);

  // Both files have to grow.
  const std::string record(300'000, 'r');
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((*calls)->append(record).ok());
  EXPECT_EQ(*data.append(bytes.data(), bytes.size()), bytes.size());
  const uint64_t used = (*calls)->size();
  (*calls)->close();
  EXPECT_EQ(fs::file_size(users), 0U);
  for (const int fd : taken) EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC) << "closed by the recorder";
  EXPECT_EQ(fs::file_size((*calls)->path()), used);
  EXPECT_EQ(fs::file_size(folder->path() + "/data.7"), 2 * bytes.size());
  for (const int fd : taken) close(fd);
}

TEST(TraceWriter, AFileThatIsGoneIsAnError) {
  const auto folder = TemporaryFolder::create("trace_writer");
  auto calls = CallsFile::create(folder->path(), 7);
  ASSERT_TRUE(calls.ok());
  for (const int fd : descriptors_in(folder->path())) close(fd);
  fs::remove((*calls)->path());
  const std::string record(3'000'000, 'r');
  const Status status = (*calls)->append(record);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, testing::HasSubstr("cannot write"));
}

}  // namespace
}  // namespace minrepro
