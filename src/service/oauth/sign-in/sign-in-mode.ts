/**
 * How people show on the pages who they are: they choose a user (test users on your own machine), or enter name and password
 * (a service that others reach).
 */
export const signInModes = ['developer', 'password'] as const;
export type SignInMode = (typeof signInModes)[number];
