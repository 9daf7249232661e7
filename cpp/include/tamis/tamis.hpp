// tamis/tamis.hpp - everything, for users. Nothing inside the library includes it.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/filters/binary_fuse.hpp>
#include <tamis/filters/bit_array.hpp>
#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>
#include <tamis/filters/bloomier.hpp>
#include <tamis/filters/counting_bloom.hpp>
#include <tamis/filters/cuckoo.hpp>
#include <tamis/filters/d_left_counting.hpp>
#include <tamis/filters/deletable_bloom.hpp>
#include <tamis/filters/exact.hpp>
#include <tamis/filters/iblt.hpp>
#include <tamis/filters/ribbon.hpp>
#include <tamis/filters/rotating_bloom.hpp>
#include <tamis/filters/scalable_bloom.hpp>
#include <tamis/filters/tombstone_bloom.hpp>
#include <tamis/hash.hpp>
#include <tamis/key_lines.hpp>
#include <tamis/limits.hpp>
#include <tamis/sizing/bloom.hpp>
#include <tamis/status.hpp>
#include <tamis/wire.hpp>
