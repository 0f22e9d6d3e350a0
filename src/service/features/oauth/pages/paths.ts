import { authorizedPagePath, authorizePagePath, devicePagePath } from '../../../../model/oauth.ts';

/** The prefix of all pages and forms. Over http the sign-in cookie is sent to no other path. */
export const pagesPath = '/oauth2';

/** The path of a page, and of its sign-in and sign-out forms. */
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

/** The path that devices show, short enough to type; it redirects to {@link activatePaths}. */
export const shownActivatePath = devicePagePath;

export const activatePaths: PagePaths = {
  page: `${pagesPath}${devicePagePath}`,
  signIn: `${pagesPath}${devicePagePath}/sign-in`,
  signOut: `${pagesPath}${devicePagePath}/sign-out`,
};

/** The last page of an installation whose result goes to no redirect. */
export const authorizedPath = authorizedPagePath;
