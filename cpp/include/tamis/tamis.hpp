// tamis/tamis.hpp - includes all public headers. Code inside the library does not include it.
#pragma once

#include <tamis/build.hpp>
#include <tamis/interop/foreign_bits.hpp>
#include <tamis/interop/foreign_filter.hpp>
#include <tamis/key_lines.hpp>
#include <tamis/registry.hpp>
#include <tamis/routes.hpp>
#include <tamis/url/list_image.hpp>
#include <tamis/version.hpp>
