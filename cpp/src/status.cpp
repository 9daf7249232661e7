#include <tamis/status.hpp>

namespace tamis {

const char* code(Status status) noexcept {
  switch (status) {
    case Status::kOk:
      return "OK";
#define TAMIS_STATUS(name, code, message) \
  case Status::name:                      \
    return code;
#include <tamis/status.def>
  }
  return "ERR_TAMIS_INTERNAL";
}

const char* message(Status status) noexcept {
  switch (status) {
    case Status::kOk:
      return "success";
#define TAMIS_STATUS(name, code, message) \
  case Status::name:                      \
    return message;
#include <tamis/status.def>
  }
  return "not a status";
}

}  // namespace tamis
