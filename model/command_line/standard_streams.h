#ifndef AAREN_MODEL_COMMAND_LINE_STANDARD_STREAMS_H_
#define AAREN_MODEL_COMMAND_LINE_STANDARD_STREAMS_H_

// A program may be started with standard input, output or error closed (2>&-). The next file opened then gets the
// stream's number, and text for the stream goes into the file: a log into a store.

namespace aaren::command_line {

// Makes closed standard streams refuse every read and write. Call HoldStandardStreams first in a program, before any
// file is opened. Threading: before any other thread.
void HoldStandardStreams();

}  // namespace aaren::command_line

#endif  // AAREN_MODEL_COMMAND_LINE_STANDARD_STREAMS_H_
