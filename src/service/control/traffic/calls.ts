import type { CallAnswer, CallBody } from '../../../wire/control/act.ts';
import type { TrafficReplayBody } from '../../../wire/control/traffic.ts';
import { id, object, oneOf, text } from '../../support/document-check.ts';
import type { Activity } from '../../telemetry/activity.ts';
import type { KeptEntry } from '../../telemetry/traffic/ring.ts';
import type { ControlDeps } from '../deps.ts';
import { type ControlCall, ControlRefusal, call, read } from '../request.ts';
import { detailsOf } from './details.ts';
import { eachWithPauses, entriesOf, fits, pageOfTraffic, readFilter } from './query.ts';
import { recordingOf } from './recording.ts';
import { replay } from './replay.ts';

const recordingLengthMax = 16 * 1024 * 1024;

/** Calls that show the traffic of this node. @param act what `POST /control/call` does */
export function trafficCalls(
  { core }: ControlDeps,
  act: (body: CallBody) => Promise<CallAnswer>,
): readonly ControlCall[] {
  const node = core.cluster?.node ?? null;
  const recorded = (): Activity => {
    core.activity?.record({ isRead: true });
    if (core.activity) return core.activity;
    throw new ControlRefusal(409, 'Traffic is recorded while the console is on; start the service with --console.');
  };
  return [
    call('GET /traffic', async ({ query }) => ({ ...(await pageOfTraffic(recorded(), query)), node })),
    call('DELETE /traffic', async () => recorded().kept.clear()),
    call('GET /traffic/recording', async ({ query }) => {
      const activity = recorded();
      const filter = readFilter(query, activity);
      const entries: KeptEntry[] = [];
      await eachWithPauses([...entriesOf(activity)], kept => {
        if (fits(kept, filter)) entries.push(kept);
      });
      return { recording: await recordingOf(entries, core.clock.now()) };
    }),
    call('GET /traffic/{id}', async ({ params: { id = '' } }) => {
      const activity = recorded();
      const kept = /^\d{1,15}$/.test(id) ? activity.kept.find(Number(id)) : undefined;
      if (!kept) throw new ControlRefusal(404, `There is no entry ${id}; it may have made room for others.`);
      return detailsOf(activity, kept);
    }),
    call(
      'POST /traffic/replay',
      ({ body }) => {
        const { recording, requests = 'writes', application_id } = read<TrafficReplayBody>(body, replayBody);
        return replay(core, act, recording, { requests, applicationId: application_id });
      },
      recordingLengthMax * 2,
    ),
  ];
}

const replayBody = object(
  { recording: text(1, recordingLengthMax), requests: oneOf(['writes', 'all']), application_id: id },
  ['recording'],
);
