import type { ControlStatus } from '../../../wire/control/status.ts';
import type { TimersAnswer } from '../../../wire/control/time.ts';
import { useControl } from '../../control/use-control.ts';
import type { ViewProps } from '../../router.ts';
import { timeWords } from '../../words/en/time.ts';
import { ClockCard } from './clock-card.tsx';
import { DueCard } from './due-card.tsx';
import { FaultsCard } from './faults-card.tsx';

const words = timeWords;
const timersShown = 500;

/** `#/time`; the query fills the form of a fault: `#/time?fault=latency&route=createLobby`, and filters what is due: `?kind=lobby_idle`. */
export default function TimeView({ query }: ViewProps) {
  const status = useControl<ControlStatus>('/status');
  const kind = query.kind ?? '';
  const timers = useControl<TimersAnswer>('/timers', {
    query: { limit: timersShown, kind },
    areas: ['lobbies', 'authorizations', 'interactions', 'sessions', 'faults', 'clock'],
  });
  const isVirtual = status.data?.clock.kind === 'virtual';
  return (
    <>
      <div class="view-head">
        <h1>{words.title}</h1>
      </div>
      <div class="time-columns">
        <div class="stack">
          <ClockCard status={status} timers={timers.data} onMoved={timers.reload} />
          <DueCard timers={timers} kind={kind} isVirtual={isVirtual} />
        </div>
        <FaultsCard query={query} isCluster={status.data?.cluster != null} />
      </div>
    </>
  );
}
