;; Writes strings into the core's memory, in engines that have the js-string builtins.
;;
;; TextEncoder.encodeInto costs 150 to 260 ns a call in browsers before it writes a byte. Here the engine
;; copies the UTF-16 units into an array in its own heap, and this module writes them as UTF-8. The same
;; call also asks the core, so that JavaScript calls wasm only once.
;;
;; js/src/core/border/strings.ts makes this module, and passes it no string that is longer than the array.
(module
  (type $units (array (mut i16)))
  ;; This is a builtin. An engine without builtins cannot instantiate this module.
  (import "wasm:js-string" "intoCharCodeArray"
    (func $copy (param externref (ref null $units) i32) (result i32)))
  (import "core" "memory" (memory 1))
  ;; The address of the scratch (bindings/scratch.hpp), to which a key is written.
  (import "core" "scratch" (global $scratch i32))
  (import "core" "_tamis_has" (func $has (param f64 i32 i32) (result i32)))
  (import "core" "_tamis_ask" (func $ask (param f64 i32 i32 i32) (result i32)))

  ;; Room for the longest string, and for the units that a block may read after it.
  (global $all (ref $units) (array.new_default $units (i32.const 1007)))

  ;; Writes the string to $to, with up to 7 bytes of anything after it. Returns the size in bytes,
  ;; or a number below every status if the string has a lone surrogate.
  (func $write (export "write") (param $text externref) (param $to i32) (result i32)
    (local $units (ref $units))
    (local $n i32) (local $i i32) (local $at i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (local $e i32) (local $f i32) (local $g i32) (local $h i32)
    (local.set $units (global.get $all))
    (local.set $n (call $copy (local.get $text) (local.get $units) (i32.const 0)))
    (local.set $at (local.get $to))
    (block $done
      (loop $block
        (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
        ;; Writes eight units. The last ones may be leftovers, whose bytes are cut off at the end.
        (local.set $a (array.get_u $units (local.get $units) (local.get $i)))
        (local.set $b (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 1))))
        (local.set $c (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 2))))
        (local.set $d (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 3))))
        (local.set $e (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 4))))
        (local.set $f (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 5))))
        (local.set $g (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 6))))
        (local.set $h (array.get_u $units (local.get $units) (i32.add (local.get $i) (i32.const 7))))
        (if (i32.lt_u
              (i32.or
                (i32.or (i32.or (local.get $a) (local.get $b)) (i32.or (local.get $c) (local.get $d)))
                (i32.or (i32.or (local.get $e) (local.get $f)) (i32.or (local.get $g) (local.get $h))))
              (i32.const 128))
          (then
            (i32.store align=1 (local.get $at)
              (i32.or
                (i32.or (local.get $a) (i32.shl (local.get $b) (i32.const 8)))
                (i32.or (i32.shl (local.get $c) (i32.const 16)) (i32.shl (local.get $d) (i32.const 24)))))
            (i32.store offset=4 align=1 (local.get $at)
              (i32.or
                (i32.or (local.get $e) (i32.shl (local.get $f) (i32.const 8)))
                (i32.or (i32.shl (local.get $g) (i32.const 16)) (i32.shl (local.get $h) (i32.const 24)))))
            (local.set $i (i32.add (local.get $i) (i32.const 8)))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (br $block)))
        ;; Writes one character at a time, until the next one is ASCII.
        (loop $one
          (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
          (local.set $a (array.get_u $units (local.get $units) (local.get $i)))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (if (i32.lt_u (local.get $a) (i32.const 128))
            (then
              (i32.store8 (local.get $at) (local.get $a))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (br $block)))
          (if (i32.lt_u (local.get $a) (i32.const 0x800))
            (then
              (i32.store16 align=1 (local.get $at)
                (i32.or
                  (i32.or (i32.const 0x80c0) (i32.shr_u (local.get $a) (i32.const 6)))
                  (i32.shl (i32.and (local.get $a) (i32.const 63)) (i32.const 8))))
              (local.set $at (i32.add (local.get $at) (i32.const 2)))
              (br $one)))
          (if (i32.eq (i32.and (local.get $a) (i32.const 0xf800)) (i32.const 0xd800))
            (then
              (local.set $b (array.get_u $units (local.get $units) (local.get $i)))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (if (i32.or
                    (i32.ge_u (local.get $a) (i32.const 0xdc00))
                    (i32.or
                      (i32.gt_u (local.get $i) (local.get $n))
                      (i32.ne (i32.and (local.get $b) (i32.const 0xfc00)) (i32.const 0xdc00))))
                (then (return (i32.const -1000))))
              ;; Joins both halves, and subtracts what makes the sum differ from the character.
              (local.set $a
                (i32.sub
                  (i32.add (i32.shl (local.get $a) (i32.const 10)) (local.get $b))
                  (i32.const 0x35fdc00)))
              (i32.store8 (local.get $at)
                (i32.or (i32.const 0xf0) (i32.shr_u (local.get $a) (i32.const 18))))
              (i32.store8 offset=1 (local.get $at)
                (i32.or (i32.const 0x80)
                  (i32.and (i32.shr_u (local.get $a) (i32.const 12)) (i32.const 63))))
              (local.set $at (i32.add (local.get $at) (i32.const 1))))
            (else
              (i32.store8 (local.get $at)
                (i32.or (i32.const 0xe0) (i32.shr_u (local.get $a) (i32.const 12))))))
          ;; The last two bytes of a character of three or four bytes.
          (i32.store16 offset=1 align=1 (local.get $at)
            (i32.or
              (i32.or (i32.const 0x8080)
                (i32.and (i32.shr_u (local.get $a) (i32.const 6)) (i32.const 63)))
              (i32.shl (i32.and (local.get $a) (i32.const 63)) (i32.const 8))))
          (local.set $at (i32.add (local.get $at) (i32.const 3)))
          (br $one))))
    (i32.sub (i32.add (local.get $at) (local.get $n)) (i32.add (local.get $to) (local.get $i))))

  ;; Returns the core's answer about the string. `has` has its own export, because it is called most.
  (func (export "has") (param $handle f64) (param $text externref) (result i32)
    (local $size i32)
    (local.set $size (call $write (local.get $text) (global.get $scratch)))
    (if (i32.lt_s (local.get $size) (i32.const 0)) (then (return (local.get $size))))
    (call $has (local.get $handle) (global.get $scratch) (local.get $size)))
  (func (export "ask") (param $operation i32) (param $handle f64) (param $text externref) (result i32)
    (local $size i32)
    (local.set $size (call $write (local.get $text) (global.get $scratch)))
    (if (i32.lt_s (local.get $size) (i32.const 0)) (then (return (local.get $size))))
    (call $ask (local.get $handle) (local.get $operation) (global.get $scratch) (local.get $size))))
