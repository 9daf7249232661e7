// bindings/embind_lean.js - what stands in for functions of Emscripten 3.1.6's embind.js, which is linked
// before it. Without them most of what a page downloads of embind is never run here.
//
// The bindings name each function once, and all types are known before the first function. There are no
// overloads, nothing waits for a type, and no value lies in memory. An error class of its own for what only a
// fault of the bindings can throw is an Error here.
mergeInto(LibraryManager.library, {
  $throwBindingError__deps: [],
  $throwBindingError: function(message) {
    throw new TypeError(message);
  },

  $exposePublicSymbol__deps: [],
  $exposePublicSymbol: function() {},
  $replacePublicSymbol__deps: [],
  $replacePublicSymbol: function(name, made) {
    Module[name] = made;
  },

  $throwUnboundTypeError__deps: [],
  $throwUnboundTypeError: function() {},
  $registerType__deps: ['$registeredTypes'],
  $registerType: function(type, made) {
    registeredTypes[type] = made;
  },
  $whenDependentTypesAreResolved__deps: ['$registeredTypes'],
  $whenDependentTypesAreResolved: function(none, types, act) {
    act(types.map((type) => registeredTypes[type]));
  },

  $getShiftFromSize: function() {},
  $integerReadValueFromPointer: function() {},
  $floatReadValueFromPointer: function() {},
  $readLatin1String__deps: [],
  $readLatin1String: function(address) {
    var text = '';
    while (HEAPU8[address]) text += String.fromCharCode(HEAPU8[address++]);
    return text;
  },
});
