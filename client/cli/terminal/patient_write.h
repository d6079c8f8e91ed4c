#ifndef AAREN_CLIENT_CLI_TERMINAL_PATIENT_WRITE_H_
#define AAREN_CLIENT_CLI_TERMINAL_PATIENT_WRITE_H_

// Writes to terminals and pipes, which may have no room because nobody reads: a plain write would then wait whatever
// happens meanwhile, and a program in it cannot be ended politely. Threading: functions.

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

// The terminal or pipe of `fd`, opened once more so that writes do not wait: to change that of `fd` itself would change
// it for the shell, too. The caller closes the result; -1 where the system does not allow it.
int OpenAgain(int fd);

// Writes all of `text`, and waits for room as long as `give_up` says no, which is asked ten times a second. CANCELLED
// if it said yes, or if the reader has gone. `name` is what errors call the file.
absl::Status PatientWrite(int fd, absl::string_view text, absl::string_view name, absl::FunctionRef<bool()> give_up);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_PATIENT_WRITE_H_
