import type { FastifyInstance } from 'fastify';
import type { ControlDeps } from './control/deps.ts';
import { registerControl } from './control/routes.ts';
import type { Core } from './core.ts';
import { createSite } from './http/site.ts';
import type { Authorization } from './oauth/authorization.ts';
import { registerAuthorizationPages } from './oauth/pages/authorization-pages.ts';

export interface SiteRooms {
  readonly authorization: Authorization;
  readonly control: ControlDeps;
}

/** The authorization pages and the control API, ready to take requests. */
export async function openSite(core: Core, { authorization, control }: SiteRooms): Promise<FastifyInstance> {
  const site = createSite(core);
  registerAuthorizationPages(site, authorization, core);
  registerControl(site, control);
  await site.ready();
  return site;
}
