/**
 * How people sign in on the pages: they choose a user (test users on a developer's machine), or enter name and
 * password (a service that others can reach).
 */
export const signInModes = ['developer', 'password'] as const;
export type SignInMode = (typeof signInModes)[number];
