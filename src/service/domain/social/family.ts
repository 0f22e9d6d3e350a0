import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Bus } from '../../bus/contract.ts';
import { topics } from '../../events/announcement.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import { all, andThen, type MaybePromise } from '../../support/maybe-promise.ts';

/** The applications of a publisher share their players' relationships: they are a family, named by the publisher's application. */
export function familyOf({ id, parent_id }: Pick<ApplicationRecord, 'id' | 'parent_id'>): ApplicationId {
  return parent_id ?? id;
}

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

/** Whether a user has authorized an application of the family, or has an account that exists for one. */
export function hasAuthorized(
  view: StoreView,
  user: { readonly id: UserId; readonly provisional_of: ApplicationId | null },
  familyId: ApplicationId,
): MaybePromise<boolean> {
  return andThen(applicationsOf(view, familyId), ids => {
    if (user.provisional_of !== null && ids.includes(user.provisional_of)) return true;
    const grants = ids.map(id => view.list('authorizations', { index: 'byUser', equals: [user.id, id], limit: 1 }));
    return andThen(all(grants), found => found.some(list => list.length > 0));
  });
}
