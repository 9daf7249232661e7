// The part of React that the hook in docs/recipes/react.md needs, with React's order of work: state, effects with their
// dependencies and clean-ups, and elements as objects.

let slots;
let at;

const isEqual = (left, right) =>
  left?.length === right.length && right.every((value, i) => Object.is(value, left[i]));

function nextSlot(make) {
  slots[at] ??= make();
  return slots[at++];
}

export function useState(initial) {
  const slot = nextSlot(() => ({ value: initial }));
  slot.set ??= (value) => {
    slot.value = value;
  };
  return [slot.value, slot.set];
}

export function useEffect(effect, dependencies) {
  const slot = nextSlot(() => ({}));
  slot.isDue = !isEqual(slot.dependencies, dependencies);
  slot.dependencies = dependencies;
  slot.effect = effect;
}

export const jsx = (type, props) => ({ type, props });
export const jsxs = jsx;

/** A mounted component. `render` runs the component and its effects, and returns the result. */
export function mount(component) {
  const own = [];
  const cleanUp = (slot) => {
    slot.cleanUp?.();
    slot.cleanUp = undefined;
  };
  return {
    render(...props) {
      slots = own;
      at = 0;
      const result = component(...props);
      for (const slot of own.filter(({ isDue }) => isDue)) {
        cleanUp(slot);
        slot.cleanUp = slot.effect();
        slot.isDue = false;
      }
      return result;
    },
    unmount: () => own.forEach(cleanUp),
  };
}
