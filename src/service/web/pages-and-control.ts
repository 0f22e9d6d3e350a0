import type { FastifyInstance } from 'fastify';
import type { FileShelf } from '../attachments/attachment-cache.ts';
import type { ControlDeps } from '../control/deps.ts';
import { registerControl } from '../control/routes.ts';
import type { Core } from '../core.ts';
import type { AddressOf } from '../http/client-address.ts';
import type { Authorization } from '../oauth/authorize/authorization.ts';
import { registerAuthorizationPages } from '../oauth/pages/authorization-pages.ts';
import type { SignInMode } from '../oauth/sign-in/sign-in-mode.ts';
import type { Activity } from '../support/activity.ts';
import { registerRootPage } from './root-page.ts';
import { registerFiles } from './serve-files.ts';
import { createSite } from './site.ts';

export interface SiteRooms {
  readonly authorization: Authorization;
  readonly activity: Activity;
  readonly signIn: SignInMode;
  readonly addressOf: AddressOf;
  readonly control: ControlDeps;
  readonly files: Pick<FileShelf, 'get'>;
}

/** The authorization pages, the control API, the files of messages and the page at the root, ready to take requests. */
export async function openSite(core: Core, { control, files, ...pages }: SiteRooms): Promise<FastifyInstance> {
  const site = createSite(core);
  registerAuthorizationPages(site, { core, ...pages });
  registerControl(site, control);
  registerFiles(site, files);
  registerRootPage(site, core);
  await site.ready();
  return site;
}
