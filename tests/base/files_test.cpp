#include "harness/base/files.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace minrepro {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() : folder_(TemporaryFolder::create("files_test")) {}
  std::string path(const std::string& name) const { return folder_->path() + "/" + name; }
  Result<TemporaryFolder> folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string text("a\0b\n", 4);
  ASSERT_TRUE(write_file(path("x"), text).ok());
  const Result<std::string> back = read_file(path("x"));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, text);
}

TEST_F(Files, WritingAgainReplacesTheWholeFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file(path("x"), "a long first version").ok());
  ASSERT_TRUE(write_file(path("x"), "short").ok());
  EXPECT_EQ(*read_file(path("x")), "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_->path()), fs::directory_iterator{}), 1);
}

TEST_F(Files, AFailedWriteLeavesNothingBehind) {
  ASSERT_TRUE(write_file(path("x"), "old").ok());
  // A folder in the file's place cannot be replaced by a file: the rename fails as it would on a broken disk.
  ASSERT_TRUE(make_folder(path("taken/inside")).ok());
  const Status failed = write_file(path("taken"), "new");
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("cannot write '" + path("taken") + "'"));
  EXPECT_EQ(*read_file(path("x")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_->path()), fs::directory_iterator{}), 2);
}

TEST_F(Files, AMissingFileIsAnErrorThatNamesIt) {
  const Result<std::string> missing = read_file(path("nothing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr(path("nothing")));
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
}

TEST_F(Files, AFolderIsNoFile) { EXPECT_FALSE(read_file(folder_->path()).ok()); }

TEST_F(Files, AFolderBelowAFileCannotBeMade) {
  ASSERT_TRUE(write_file(path("x"), "").ok());
  const Status failed = make_folder(path("x/y"));
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("cannot create '" + path("x/y") + "'"));
}

TEST(TemporaryFolder, IsGoneWithItsContent) {
  std::string path;
  {
    Result<TemporaryFolder> folder = TemporaryFolder::create("gone");
    ASSERT_TRUE(folder.ok());
    path = folder->path();
    ASSERT_TRUE(make_folder(path + "/a/b").ok());
    ASSERT_TRUE(write_file(path + "/a/b/c", "x").ok());
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace minrepro
