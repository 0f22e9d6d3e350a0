/** The words of the choice of a user. */
export const words = {
  unknown: (id: string) => `User ${id}`,
} as const;
