import { authorizedPagePath, authorizePagePath, devicePagePath } from '../../../model/oauth.ts';

/** All pages and their forms lie below it, and over http the sign-in cookie goes nowhere else. */
export const pagesPath = '/oauth2';

/** Where a page is, and where one signs in and out on the way to it. */
export interface PagePaths {
  readonly page: string;
  readonly signIn: string;
  readonly signOut: string;
}

export const authorizePaths: PagePaths = {
  page: authorizePagePath,
  signIn: `${pagesPath}/sign-in`,
  signOut: `${pagesPath}/sign-out`,
};

/** The address that devices show, short enough to type; it leads to {@link activatePaths}. */
export const shownActivatePath = devicePagePath;

export const activatePaths: PagePaths = {
  page: `${pagesPath}${devicePagePath}`,
  signIn: `${pagesPath}${devicePagePath}/sign-in`,
  signOut: `${pagesPath}${devicePagePath}/sign-out`,
};

/** Where those end who install an application that expects no answer. */
export const authorizedPath = authorizedPagePath;
