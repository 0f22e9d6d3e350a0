/** What every user has here and nobody sets, as answers and dispatches show it; of an account that is not provisional. */
export const unsetUserFields = { avatar: null, public_flags: 0, flags: 0, primary_guild: null } as const;
