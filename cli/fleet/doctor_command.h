// `tributary doctor`: diagnoses a fleet or a folder, and names remedies.
#ifndef TRIBUTARY_CLI_FLEET_DOCTOR_COMMAND_H_
#define TRIBUTARY_CLI_FLEET_DOCTOR_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeDoctorCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_DOCTOR_COMMAND_H_
