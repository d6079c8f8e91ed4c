#ifndef AAREN_MODEL_COMMAND_LINE_STANDARD_STREAMS_H_
#define AAREN_MODEL_COMMAND_LINE_STANDARD_STREAMS_H_

// A program may be begun with standard input, output or error closed (2>&-). Then the next file that it opens gets that
// number, and what is meant for the stream goes into that file: a log into a store.

namespace aaren::command_line {

// Makes the numbers of closed streams refuse every read and write, as closed ones do. At the very beginning, before any
// file is opened. Threading: before any other thread.
void HoldStandardStreams();

}  // namespace aaren::command_line

#endif  // AAREN_MODEL_COMMAND_LINE_STANDARD_STREAMS_H_
