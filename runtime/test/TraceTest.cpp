//===- TraceTest.cpp - What traces show -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "TestUtil.h"
#include "TraceUtil.h"

using namespace fuser_rt;
using namespace fuser_rt::test;

using Strings = std::vector<std::string>;

namespace {
class TraceTest : public RuntimeTest {
protected:
  FuserStatus *runStreams(int64_t streams) {
    HostTensor<int64_t> x({100}, ElementType::I64);
    return run({&x.tensor}, {intScalar(streams), intScalar(0)});
  }
  FuserStatus *runWorkspace(int64_t bytes) {
    return run({}, {intScalar(bytes), intScalar(1)});
  }
  FuserStatus *write(std::vector<FuserContext *> contexts) {
    return fuser_context_write_trace(contexts.data(), contexts.size(),
                                     tracePath().c_str());
  }
};
} // namespace

TEST_F(TraceTest, Streams) {
  load(streamsProgram());
  ASSERT_OK(fuser_context_start_trace(context));
  ASSERT_OK(runStreams(3));
  ASSERT_OK(write({context}));
  ShownTrace trace = readTrace();
  EXPECT_EQ(trace.processes, (std::map<int64_t, std::string>{{0, "rank 0"}}));
  EXPECT_EQ(trace.rows.size(), 5u);
  const ShownEvent &whole = trace.only("rank 0: host");
  EXPECT_EQ(whole.name, "streams");
  EXPECT_EQ(whole.category, "run");
  EXPECT_EQ(trace.categories("rank 0: stream 1"),
            (Strings{"copy", "launch", "launch", "wait"}));
  for (const char *row : {"rank 0: stream 2", "rank 0: stream 3"})
    EXPECT_EQ(trace.categories(row),
              (Strings{"copy", "wait", "launch", "launch", "wait"}));
  EXPECT_EQ(trace.categories("rank 0: caller's stream"),
            (Strings{"copy", "wait", "launch", "wait", "launch", "wait",
                     "launch", "wait"}));
  const std::vector<ShownEvent> &second = trace.rows["rank 0: stream 2"];
  EXPECT_EQ(second[0].args, "{\"bytes\":800}");
  EXPECT_EQ(second[1].name, "wait for stream 1");
  EXPECT_EQ(second[2].name, "addSlowly");
  EXPECT_EQ(second[2].args, "{\"grid\":[100,1,1]}");
  EXPECT_EQ(second[4].name, "wait for the caller's stream");
  for (auto &[name, events] : trace.rows)
    for (const ShownEvent &event : events) {
      EXPECT_GE(event.begin, whole.begin) << name;
      EXPECT_LE(event.end(), whole.end() + 0.0005) << name;
      // They nap for 2 ms: these are the times of the work, not of its
      // enqueuing.
      if (event.name == "addSlowly" || event.name == "raise") {
        EXPECT_GE(event.duration, 2000) << name;
      }
    }
  // Stream 2 goes on when stream 1, which it waits for, is done.
  EXPECT_GE(second[1].end(), trace.rows["rank 0: stream 1"][2].end());
}

TEST_F(TraceTest, Stopped) {
  load(streamsProgram());
  ASSERT_OK(fuser_context_stop_trace(context)); // There is none.
  ASSERT_OK(fuser_context_start_trace(context));
  ASSERT_OK(runStreams(2));
  ASSERT_OK(fuser_context_stop_trace(context));
  EXPECT_EQ(context->getTrace(), nullptr);
  ASSERT_OK(runStreams(2));
  EXPECT_FAILS(write({context}), FUSER_INVALID_ARGUMENT, "without a trace");
  ASSERT_OK(fuser_context_start_trace(context));
  ASSERT_OK(write({context}));
  for (auto &[name, events] : readTrace().rows)
    EXPECT_TRUE(events.empty()) << name;
}

TEST_F(TraceTest, TwoContextsAndTwoFiles) {
  FuserContext *other = nullptr;
  ASSERT_OK(fuser_context_create_cpu(1, &other));
  load(workspaceProgram());
  ASSERT_OK(fuser_context_start_trace(context));
  ASSERT_OK(fuser_context_start_trace(other));
  ASSERT_OK(runWorkspace(1000));
  ASSERT_OK(write({context, other}));
  ShownTrace trace = readTrace();
  EXPECT_EQ(trace.processes, (std::map<int64_t, std::string>{
                                 {0, "context 0"}, {1, "context 1"}}));
  const ShownEvent &zero = trace.only("context 0: caller's stream");
  EXPECT_EQ(zero.name, "zero");
  EXPECT_EQ(zero.args, "{\"bytes\":1000}");
  EXPECT_EQ(trace.only("context 0: host").name, "workspace");
  EXPECT_TRUE(trace.categories("context 1: host").empty());
  // It goes on.
  ASSERT_OK(runWorkspace(2000));
  ASSERT_OK(write({context}));
  EXPECT_EQ(readTrace().categories("rank 0: host"), (Strings{"run", "run"}));
  // And starts anew.
  ASSERT_OK(fuser_context_start_trace(context));
  ASSERT_OK(write({context}));
  EXPECT_TRUE(readTrace().categories("rank 0: host").empty());
  // The rank of a set of ranks is its number.
  FuserRanks *ranks = nullptr;
  ASSERT_OK(fuser_ranks_create(2, 1, &ranks));
  ASSERT_OK(fuser_context_join(context, ranks, 1));
  ASSERT_OK(fuser_context_join(other, ranks, 0));
  ASSERT_OK(write({context, other}));
  EXPECT_EQ(readTrace().processes,
            (std::map<int64_t, std::string>{{0, "rank 0"}, {1, "rank 1"}}));
  fuser_ranks_destroy(ranks);
  fuser_context_destroy(other);
}

TEST_F(TraceTest, FailedRunsAndDelays) {
  load(streamsProgram());
  ASSERT_OK(fuser_context_set_delays(context, 1, 1000));
  ASSERT_OK(fuser_context_start_trace(context));
  HostTensor<int64_t> x({100}, ElementType::I64);
  EXPECT_FAILS(run({&x.tensor}, {intScalar(2), intScalar(1)}), FUSER_INTERNAL,
               "told to fail");
  ASSERT_OK(write({context}));
  ShownTrace trace = readTrace();
  EXPECT_EQ(trace.categories("rank 0: stream 1"),
            (Strings{"copy", "launch", "launch"}));
  EXPECT_EQ(trace.categories("rank 0: caller's stream"),
            (Strings{"copy", "wait"}));
}

TEST_F(TraceTest, NoMoreThanTheMost) {
  load(workspaceProgram());
  context->observe(TracePtr(new Trace(/*mostEvents=*/3)));
  for (int64_t bytes : {100, 200, 300, 400})
    ASSERT_OK(runWorkspace(bytes));
  ASSERT_OK(write({context}));
  ShownTrace trace = readTrace();
  EXPECT_EQ(trace.categories("rank 0: host"), (Strings{"run", "run"}));
  EXPECT_EQ(trace.categories("rank 0: caller's stream"), (Strings{"zero"}));
  EXPECT_NE(trace.text.find("\"dropped_events\":5"), std::string::npos);
  EXPECT_NE(trace.text.find("\"labels\":\"5 events dropped\""),
            std::string::npos);
}

TEST_F(TraceTest, NamesOfAnyBytes) {
  Trace trace;
  for (const char *name : {"a\"b\\c\nd", "\xc3\xa9\xe2\x82\xac", "\xff\xc3"}) {
    Trace::Event *event = trace.addToHost({Work::Run, name});
    event->begin = event->end = steadyNanoseconds();
  }
  // Never reached.
  trace.addToHost({Work::Run, "lost"});
  ASSERT_OK(writeTrace({{7, "rank 7", &trace}}, tracePath().c_str()));
  std::string text = readTrace().text;
  for (const char *name :
       {"\"a\\\"b\\\\c\\u000ad\"", "\"\xc3\xa9\xe2\x82\xac\"", "\"??\""})
    EXPECT_NE(text.find(name), std::string::npos) << name << text;
  EXPECT_NE(text.find("\"events_without_time\":1"), std::string::npos);
}

TEST_F(TraceTest, Refusals) {
  EXPECT_FAILS(write({context}), FUSER_INVALID_ARGUMENT,
               "expected contexts whose traces were started in this process, "
               "got one without a trace (context 0 of 1)");
  ASSERT_OK(fuser_context_start_trace(context));
  EXPECT_FAILS(write({context, nullptr}), FUSER_INVALID_ARGUMENT,
               "(context 1 of 2)");
  EXPECT_FAILS(write({context, context}), FUSER_INVALID_ARGUMENT,
               "expected each context once");
  EXPECT_FAILS(write({}), FUSER_INVALID_ARGUMENT, "got none");
  EXPECT_FAILS(fuser_context_write_trace(&context, 1, nullptr),
               FUSER_INVALID_ARGUMENT, "got none");
  EXPECT_FAILS(fuser_context_write_trace(&context, 1, "/dev/null/t.json"),
               FUSER_INVALID_ARGUMENT,
               "expected a file that a trace can be written to, got "
               "'/dev/null/t.json': Not a directory");
  EXPECT_FAILS(fuser_context_write_trace(&context, 1, "/dev/full"),
               FUSER_INVALID_ARGUMENT, "'/dev/full': No space left");
}

TEST_F(TraceTest, InAProcessThatIsForkedOff) {
  load(streamsProgram());
  ASSERT_OK(fuser_context_start_trace(context));
  ASSERT_OK(runStreams(2));
  EXPECT_TRUE(holdsInChild([&] {
    Status before(write({context}));
    Status ran(runStreams(2));
    Status started(fuser_context_start_trace(context));
    Status again(runStreams(2));
    Status written(write({context}));
    ShownTrace trace = readTrace();
    return before.code() == FUSER_INVALID_ARGUMENT && ran.code() == FUSER_OK &&
           started.code() == FUSER_OK && again.code() == FUSER_OK &&
           written.code() == FUSER_OK &&
           trace.categories("rank 0: host").size() == 1 &&
           trace.categories("rank 0: stream 2").size() == 5;
  }));
  ASSERT_OK(write({context}));
  EXPECT_EQ(readTrace().categories("rank 0: host").size(), 1u);
}
