// tamis/tamis.hpp - everything, for users. Nothing inside the library includes it.
#pragma once

#include <tamis/build.hpp>
#include <tamis/interop/foreign_bits.hpp>
#include <tamis/interop/foreign_filter.hpp>
#include <tamis/key_lines.hpp>
#include <tamis/registry.hpp>
#include <tamis/routes.hpp>
#include <tamis/url/list_image.hpp>
#include <tamis/version.hpp>
