import { type Route, routes } from '../../src/wire/routes.ts';

/** Which routes stand together in docs/spec/http.md; a route belongs to the first group whose pattern its path matches. */
const groups = [
  ['command permissions', /\/permissions$/],
  ['commands', /\/(commands|application-command-index)/],
  [
    'social layer',
    /^\/(presences$|users\/(@me\/((game-)?relationships|headless-sessions|settings|activities|dms)|\{user_id\}\/)|partner-sdk\/(users|dms)|applications\/\{application_id\}\/users\/)/,
  ],
  ['interactions', /^\/(interactions|webhooks)/],
  ['lobbies', /^\/lobbies/],
  ['oauth2', /^\/oauth2(?!\/applications)/],
  ['provisional accounts', /^\/(partner-sdk|users\/@me\/account)/],
  ['gateway', /^\/(gateway|openapi)/],
  ['applications', /^\/(applications|users\/@me\/applications|oauth2\/applications)/],
  ['guilds and users', /^\/(guilds|channels|users)/],
] as const satisfies readonly (readonly [string, RegExp])[];

export const routeGroups: readonly string[] = groups.map(([name]) => name);

/** @throws Error when a route belongs to no group */
export function routesOf(group: string): readonly Route[] {
  return (Object.values(routes) as readonly Route[]).filter(({ path }) => {
    const found = groups.find(([, pattern]) => pattern.test(path));
    if (!found) throw new Error(`scripts/spec/routes.ts has no group for ${path}.`);
    return found[0] === group;
  });
}
