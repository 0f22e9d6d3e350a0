/** Freezes a plain value and all in it. What is frozen already is taken to be frozen all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // A plain value has no inherited keys; a list of its values would be made only to be thrown away.
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
