/** The words of the field that chooses a user. */
export const words = {
  hint: 'A username, a display name or an id.',
  nobody: 'No user is called that.',
} as const;
