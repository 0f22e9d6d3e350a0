import { authorizePagePath } from '../../../model/oauth.ts';

/** All pages and their forms lie below it, and the sign-in cookie goes nowhere else. */
export const pagesPath = '/oauth2';

export const authorizePath = authorizePagePath;
export const signInPath = `${pagesPath}/sign-in`;
export const signOutPath = `${pagesPath}/sign-out`;
