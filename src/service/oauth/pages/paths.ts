/** All pages and their forms lie below it, and the sign-in cookie goes nowhere else. */
export const pagesPath = '/oauth2';

export const authorizePath = `${pagesPath}/authorize`;
export const signInPath = `${pagesPath}/sign-in`;
export const signOutPath = `${pagesPath}/sign-out`;
