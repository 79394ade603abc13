#include "harness/oracle/frame.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace minrepro {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
  int ends[2];
};

TEST(Frame, GoesThroughAPipeOfAnySize) {
  for (std::size_t size : {0ul, 1ul, 4095ul, 4096ul, 3'000'000ul}) {
    Pipe pipe;
    const std::string sent(size, 'x');
    Status written;
    std::thread writer([&] { written = write_frame(pipe.ends[1], sent); });  // longer than what a pipe holds
    auto got = read_frame(pipe.ends[0], 10);
    writer.join();
    ASSERT_TRUE(written) << written.error().message;
    ASSERT_TRUE(got && *got);
    EXPECT_EQ(**got, sent);
  }
}

TEST(Frame, EndAndCut) {
  for (int bytes : {0, 2, 4, 6}) {
    Pipe pipe;
    const char frame[] = {3, 0, 0, 0, 'a', 'b', 'c'};
    ASSERT_EQ(write(pipe.ends[1], frame, bytes), bytes);
    pipe.close_end(1);
    auto got = read_frame(pipe.ends[0], 10);
    if (bytes == 0) {
      ASSERT_TRUE(got);
      EXPECT_FALSE(*got);
    } else {
      ASSERT_FALSE(got);
      EXPECT_EQ(got.error().message, "a frame is cut off");
    }
  }
}

TEST(Frame, AnImpossibleLengthIsNotAllocated) {
  Pipe pipe;
  ASSERT_EQ(write(pipe.ends[1], "\xff\xff\xff\xff", 4), 4);
  EXPECT_FALSE(read_frame(pipe.ends[0], 10));
}

TEST(Frame, PatienceEnds) {
  Pipe pipe;
  auto got = read_frame(pipe.ends[0], 0.01);
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("no answer within"), std::string::npos);
}

int g_sigpipes = 0;

TEST(Frame, AReaderThatIsGoneIsAnErrorAndNoSignal) {
  auto* before = signal(SIGPIPE, [](int) { ++g_sigpipes; });
  Pipe pipe;
  pipe.close_end(0);
  EXPECT_FALSE(write_frame(pipe.ends[1], "hello"));
  EXPECT_EQ(g_sigpipes, 0);
  raise(SIGPIPE);  // the host's own handler is still in place, and unblocked
  EXPECT_EQ(g_sigpipes, 1);
  signal(SIGPIPE, before);
}

}  // namespace
}  // namespace minrepro
