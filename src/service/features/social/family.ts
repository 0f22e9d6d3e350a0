import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Bus } from '../../bus/contract.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView } from '../../store/contract.ts';
import { all, andThen, type MaybePromise } from '../../support/maybe-promise.ts';
import { familyOf } from './pair.ts';

/** The family of an application that may no longer exist. */
export function familyOfId(view: StoreView, id: ApplicationId): MaybePromise<ApplicationId> {
  return andThen(view.get('applications', id), application => (application ? familyOf(application) : id));
}

/** The ids of a family's applications. */
export function applicationsOf(view: StoreView, familyId: ApplicationId): MaybePromise<readonly ApplicationId[]> {
  return andThen(view.list('applications', { index: 'byParent', equals: [familyId] }), children => [
    familyId,
    ...children.map(({ id }) => id),
  ]);
}

/** Whether a user has a gateway session with an application of the family. */
export function isInGame(bus: Bus, view: StoreView, userId: UserId, familyId: ApplicationId): MaybePromise<boolean> {
  return andThen(applicationsOf(view, familyId), ids =>
    andThen(all(ids.map(id => bus.present(topics.player(id, userId)))), counts => counts.some(count => count > 0)),
  );
}
