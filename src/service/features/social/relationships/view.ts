import {
  type GameRelationship,
  type PartialRelationship,
  type Relationship,
  relationshipTypes,
} from '../../../../model/relationship.ts';
import { formatTimestamp } from '../../../../model/timestamp.ts';
import type { GameRelationshipRecord, RelationshipRecord, UserRecord } from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';

/**
 * A relationship as its owner sees it.
 *
 * @param user absent in lists whose users are listed apart
 */
export function relationshipView(record: RelationshipRecord, user?: UserRecord): Relationship {
  const { target_id, type, nickname, note, origin_application_id } = record;
  return {
    id: target_id,
    ...(user ? {} : { user_id: target_id }),
    type,
    ...(user && { user: userView(user) }),
    nickname,
    is_spam_request: false,
    stranger_request: false,
    user_ignored: false,
    origin_application_id,
    since: formatTimestamp(record.since_ms),
    ...(note !== null && type === relationshipTypes.INCOMING && { note }),
  };
}

/** What RELATIONSHIP_UPDATE and RELATIONSHIP_REMOVE have. */
export function partialRelationshipView(record: RelationshipRecord): PartialRelationship {
  const { target_id, type, nickname, since_ms } = record;
  const since = formatTimestamp(since_ms);
  return { id: target_id, type, nickname, since, stranger_request: false, user_ignored: false };
}

/** As {@link relationshipView}, in a game. */
export function gameRelationshipView(record: GameRelationshipRecord, user?: UserRecord): GameRelationship {
  const { user_id, target_id, family_id, type, since_ms } = record;
  return {
    id: target_id,
    user_id,
    application_id: family_id,
    type,
    since: formatTimestamp(since_ms),
    dm_access_type: 0,
    ...(user && { user: userView(user) }),
  };
}
