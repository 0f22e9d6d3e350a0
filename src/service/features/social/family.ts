import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Bus } from '../../bus/contract.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView } from '../../store/contract.ts';
import { familyOf } from './pair.ts';

/** The family of an application that may no longer exist. */
export async function familyOfId(view: StoreView, id: ApplicationId): Promise<ApplicationId> {
  const application = await view.get('applications', id);
  return application ? familyOf(application) : id;
}

/** The ids of a family's applications. */
export async function applicationsOf(view: StoreView, familyId: ApplicationId): Promise<readonly ApplicationId[]> {
  const children = await view.list('applications', { index: 'byParent', equals: [familyId] });
  return [familyId, ...children.map(({ id }) => id)];
}

/** Whether a user has a gateway session with an application of the family. */
export async function isInGame(bus: Bus, view: StoreView, userId: UserId, familyId: ApplicationId): Promise<boolean> {
  const ids = await applicationsOf(view, familyId);
  const sessions = await Promise.all(ids.map(id => bus.present(topics.player(id, userId))));
  return sessions.some(count => count > 0);
}
