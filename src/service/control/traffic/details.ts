import type { TrafficDetails, TrafficEntry, TrafficMessage } from '../../../wire/control/traffic.ts';
import { parseJson } from '../../../wire/http/codec.ts';
import { SecretMask } from '../../../wire/secret-mask.ts';
import type { Activity } from '../../telemetry/activity.ts';
import type { KeptEntry } from '../../telemetry/traffic/ring.ts';
import { entriesOf } from './query.ts';

const effectsMax = 500;

/** An entry with its bodies, its causes and its effects. Every secret is replaced by a placeholder, the same for the same secret. */
export function detailsOf(activity: Activity, { entry, details }: KeptEntry): TrafficDetails {
  const { requestHeaders, requestBytes = 0, answerHeaders, answerBytes = 0, isCut = false } = details;
  const requestBody = details.requestBody === undefined ? undefined : parseJson(details.requestBody);
  const answerBody = details.answer === undefined ? undefined : (parseJson(details.answer) ?? details.answer);
  const event = details.data ?? details.event?.data;
  const data = event === undefined ? undefined : parseJson(event);
  const mask = new SecretMask();
  for (const part of [details.params, details.query, requestHeaders, requestBody, answerHeaders, answerBody, data]) {
    mask.learn(part);
  }
  const message = (
    headers: Readonly<Record<string, string>>,
    body: unknown,
    bytes: number,
    cut: boolean,
  ): TrafficMessage => ({
    headers: mask.mask(headers) as Readonly<Record<string, string>>,
    body: body === undefined ? null : mask.mask(body),
    bytes,
    is_cut: cut,
  });
  const authorization = details.authorization === undefined ? {} : { authorization: details.authorization };
  const hasAnswer = answerHeaders !== undefined || details.answer !== undefined;
  return {
    entry,
    request: requestHeaders
      ? withHeaders(
          message(requestHeaders, requestBody, requestBytes, isCut && requestBody === undefined),
          authorization,
        )
      : null,
    answer: hasAnswer
      ? message(answerHeaders ?? {}, answerBody, answerBytes, isCut && answerBody === undefined && answerBytes > 0)
      : null,
    data: data === undefined ? null : mask.mask(data),
    causes: causesOf(activity, entry),
    effects: effectsOf(activity, entry),
  };
}

function withHeaders(message: TrafficMessage, more: Readonly<Record<string, string>>): TrafficMessage {
  return { ...message, headers: { ...message.headers, ...more } };
}

function causesOf(activity: Activity, entry: TrafficEntry): readonly TrafficEntry[] {
  const causes: TrafficEntry[] = [];
  let id = entry.cause;
  while (id !== null) {
    const cause = activity.kept.find(id)?.entry;
    if (!cause) break;
    causes.unshift(cause);
    id = cause.cause;
  }
  return causes;
}

function effectsOf(activity: Activity, { id }: TrafficEntry): readonly TrafficEntry[] {
  const effects: TrafficEntry[] = [];
  for (const { entry } of entriesOf(activity)) {
    if (entry.cause === id && effects.push(entry) === effectsMax) break;
  }
  return effects.sort((a, b) => a.id - b.id);
}
