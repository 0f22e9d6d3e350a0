/**
 * How people show on the pages who they are: they say so (test users on one's own machine), or by name and password
 * (a service that others reach).
 */
export const signInModes = ['developer', 'password'] as const;
export type SignInMode = (typeof signInModes)[number];
