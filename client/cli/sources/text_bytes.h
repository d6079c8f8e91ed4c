#ifndef AAREN_CLIENT_CLI_SOURCES_TEXT_BYTES_H_
#define AAREN_CLIENT_CLI_SOURCES_TEXT_BYTES_H_

// The text inside the bytes of a file. The first bytes tell how the text is packed:
//
//   gzip               is unpacked, member by member
//   UTF-16, LE or BE   becomes UTF-8; a byte-order mark tells, or the zeros of the first four bytes
//   a zip archive      is refused, because a spreadsheet's own file is no table of text
//   anything else      passes as it is: UTF-8, with its mark or without, and Latin-1 (see csv_cell.h)
//
// Threading: as the source.

#include "client/cli/terminal/byte_source.h"

namespace aaren::cli {

// INVALID_ARGUMENT from the returned source for damaged gzip data and for an archive.
ByteSource TextBytes(ByteSource source);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_TEXT_BYTES_H_
