#ifndef AAREN_CLIENT_CLI_TERMINAL_PATIENT_WRITE_H_
#define AAREN_CLIENT_CLI_TERMINAL_PATIENT_WRITE_H_

// Writes to terminals and pipes, which may have no room because nobody reads: a plain write would then wait without
// end, and the program could not be ended politely. Threading: functions.

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

// Opens the terminal or pipe of `fd` once more, for writes that do not wait: a change of `fd` itself would change it
// for the shell, too. The caller closes the result; -1 if the system does not allow it.
int OpenAgain(int fd);

// Writes all of `text`, and waits for room while `give_up`, called ten times a second, returns false. CANCELLED if
// `give_up` returned true, or if the reader has gone. `name` is the file's name in errors.
absl::Status PatientWrite(int fd, absl::string_view text, absl::string_view name, absl::FunctionRef<bool()> give_up);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_PATIENT_WRITE_H_
