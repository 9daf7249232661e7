// tamis/version.hpp - the version of the library, which is also that of the npm package.
#pragma once

#define TAMIS_VERSION_MAJOR 0
#define TAMIS_VERSION_MINOR 1
#define TAMIS_VERSION_PATCH 0
#define TAMIS_VERSION "0.1.0"
