import { type Component, type ComponentType, componentTypes, findComponent } from '../../../model/component.ts';
import { type ComponentInvocation, interactionTypes, type ResolvedData } from '../../../model/interaction.ts';
import { componentLimits } from '../../../model/limits/component-limits.ts';
import type { Message } from '../../../model/message.ts';
import { checkComponentUse } from '../../../model/rules/components/component-values.ts';
import { checkEnum, checkRequiredText, type Fields, isAbsent } from '../../../model/rules/field.ts';
import type { Report } from '../../../model/rules/report.ts';
import type { MessageId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { UserRecord } from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { invalidBody, RequestError, rejectIssues } from '../../support/request-error.ts';
import { findPlace } from './invocation-place.ts';
import { isShownIn, resolve, valueReferences } from './invocation-resolved.ts';
import { createInteractionToken } from './records.ts';
import type { SendUse } from './sending.ts';
import { readId, readUse, readUseBody, readUseData, type UseInput } from './use-input.ts';

const { BUTTON, STRING_SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT } = componentTypes;

/** The components that a user can use. */
const usableTypes = [BUTTON, STRING_SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT];

/** The use of a component, as a user's client sends it. */
interface Press extends UseInput {
  readonly messageId: MessageId;
  readonly customId: string;
  readonly componentType: number;
  /** Not yet validated against the component. */
  readonly values: unknown;
}

/**
 * Handles buttons and selects of messages that an application sent as answers.
 *
 * @returns throws RequestError `invalid_form_body`, `unknown_application`, `unknown_message` when the user sees no
 *   such message of the application, and what {@link findPlace} throws
 * @see docs/spec/interactions.md#use-of-a-component
 */
export function createComponentUse({ store, ids, entropy }: Core, send: SendUse) {
  return async (user: UserRecord, body: unknown): Promise<void> => {
    const press = readUseBody(body, readPress);
    const { applicationId, channelId, nonce } = press;
    const application = await store.get('applications', applicationId);
    if (!application) throw new RequestError('unknown_application');
    const found = await store.get('interaction_messages', press.messageId);
    const inherited = found?.message.interaction_metadata.authorizing_integration_owners ?? {};
    const place = await findPlace(store, { application, user, invocation: press, inherited });
    const isThere = found?.message.application_id === applicationId;
    if (!found || !isThere || !isShownIn(found.message, { channelId, place, user }))
      throw new RequestError('unknown_message');
    const { message, interaction_id } = found;
    const component = usedComponent(message, press);
    const values = component.type === BUTTON ? undefined : (press.values as readonly unknown[]);
    const references = valueReferences(component, values ?? [], ['data', 'values']);
    const resolved = await resolve(store, references, { application, user, channelId, place });
    const id = ids.next();
    const data = componentData(component, values, resolved);
    const payload = { type: interactionTypes.MESSAGE_COMPONENT, data, message };
    const use = { id, token: createInteractionToken(entropy, id), applicationId, channelId, user, place, payload };
    await send(use, application, { nonce, command_type: null, source: { message_id: message.id, interaction_id } });
  };
}

function readPress(report: Report, body: Fields): Press {
  return {
    ...readUse(report, body),
    messageId: readId(report, 'message_id', body.message_id),
    ...readUseData(report, body.data, (inData, data) => ({
      customId: checkRequiredText(inData, 'custom_id', data.custom_id, componentLimits.customIdLengthMax)
        ? data.custom_id
        : '',
      componentType: readType(inData, data.component_type),
      values: data.values,
    })),
  };
}

function readType(report: Report, type: unknown): number {
  if (isAbsent(type)) report.at('component_type', 'BASE_TYPE_REQUIRED');
  else if (checkEnum(report, 'component_type', type, usableTypes)) return type;
  return BUTTON;
}

/**
 * Finds the used component, which the message must show and which must be enabled.
 *
 * @throws RequestError `invalid_form_body`
 */
function usedComponent({ components }: Message, { customId, componentType, values }: Press): Component {
  const component = findComponent(components as readonly Component[], customId);
  if (!component || component.type !== componentType || component.disabled === true) {
    const code = 'COMPONENT_VALIDATION_FAILED';
    throw invalidBody([{ path: ['data', 'custom_id'], code, message: serviceFieldErrors[code]() }]);
  }
  rejectIssues(checkComponentUse(values, component).map(issue => ({ ...issue, path: ['data', ...issue.path] })));
  return component;
}

function componentData(
  { type, id, custom_id = '' }: Component,
  values: readonly unknown[] | undefined,
  resolved: ResolvedData | undefined,
): ComponentInvocation {
  return {
    custom_id,
    component_type: type satisfies ComponentType,
    ...(typeof id === 'number' && { id }),
    ...(values && { values: values.map(String) }),
    ...(resolved && { resolved }),
  };
}
