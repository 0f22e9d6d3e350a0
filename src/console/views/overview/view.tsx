import type { ControlCluster, ControlStatus } from '../../../wire/control/status.ts';
import { samples } from '../../control/live.ts';
import { useControl } from '../../control/use-control.ts';
import { CopyButton } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { bytesText } from '../../ui/text/numbers.ts';
import { clockText, durationText } from '../../ui/text/time.ts';
import { words } from '../../words/en/overview.ts';
import { Charts } from './charts.tsx';
import { Counts } from './counts.tsx';
import { Problems } from './problems.tsx';

const readEveryMs = 5000;

/** What runs, how it does, and what goes wrong. */
export default function OverviewView() {
  const { data: status, error, reload } = useControl<ControlStatus>('/status', { everyMs: readEveryMs });
  useCommands(
    [
      { id: 'reload', label: words.reload, run: reload },
      {
        id: 'copy-addresses',
        label: words.copyAddresses,
        run: () => void navigator.clipboard.writeText(JSON.stringify(status?.addresses, undefined, 2)),
      },
    ],
    [status?.pid],
  );
  return (
    <div class="overview stack">
      <div class="view-head">
        <h1>{words.title}</h1>
        {status && <span class="badge">{status.version}</span>}
      </div>
      {error && <ErrorNote error={error} onRetry={reload} />}
      {status ? <Status status={status} /> : !error && <Loading />}
    </div>
  );
}

function Status({ status }: { readonly status: ControlStatus }) {
  return (
    <>
      <Problems problems={status.problems.filter(({ severity }) => severity !== 'notice')} />
      <Counts counts={status.counts} />
      <Charts />
      <div class="overview-pair">
        <Runs status={status} />
        <Addresses addresses={status.addresses} />
      </div>
      {status.cluster && <Cluster cluster={status.cluster} />}
    </>
  );
}

function Runs({ status }: { readonly status: ControlStatus }) {
  const { facts } = words;
  const sample = samples.value.at(-1);
  const rows: readonly (readonly [string, string])[] = [
    [facts.version, status.version],
    [facts.runtime, status.runtime],
    [facts.pid, String(status.pid)],
    [facts.started, clockText(status.started_at_ms)],
    [facts.uptime, durationText(status.uptime_ms)],
    [facts.store, `${status.store.engine}, ${status.store.is_durable ? words.durable : words.notDurable}`],
    [facts.bus, status.bus.engine],
    [facts.limits, words.limitsOf(status.limits.name, status.limits.asOf)],
    [facts.clock, words.clocks[status.clock.kind]],
    [facts.signIn, words.signIns[status.sign_in]],
    [facts.voice, status.features.voice ? words.yes : words.no],
    ...(sample
      ? ([
          [facts.cpu, words.share(sample.cpu)],
          [facts.memory, bytesText(sample.memory_bytes)],
        ] as const)
      : []),
  ];
  return (
    <section class="card stack">
      <h2>{words.runs}</h2>
      {status.problems
        .filter(({ severity }) => severity === 'notice')
        .map(({ code, message }) => (
          <p key={code} class="hint">
            {message}
          </p>
        ))}
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Addresses({ addresses }: Pick<ControlStatus, 'addresses'>) {
  const names = Object.entries(words.addressNames) as [keyof ControlStatus['addresses'], string][];
  return (
    <section class="card stack">
      <h2>{words.addresses}</h2>
      <dl class="facts">
        {names.map(([field, name]) => (
          <div key={field}>
            <dt>{name}</dt>
            <dd class="row">
              <code class="grow">{addresses[field]}</code>
              <CopyButton text={addresses[field]} label={`Copy: ${name}`} isBare />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Cluster({ cluster }: { readonly cluster: ControlCluster }) {
  return (
    <section class="card stack">
      <h2>{words.cluster}</h2>
      <p class="hint">{words.clusterHint}</p>
      <div class="overview-scroll" role="region" aria-label={words.cluster} tabIndex={0}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{words.node}</th>
              <th scope="col">{words.address}</th>
              <th scope="col">{words.state}</th>
            </tr>
          </thead>
          <tbody>
            {cluster.nodes.map(({ id, is_self, address, state }) => (
              <tr key={id}>
                <td>
                  <code>{id}</code> {is_self && <span class="badge">{words.self}</span>}
                </td>
                <td>{address ?? '–'}</td>
                <td>
                  <span class={`badge ${state === 'alive' ? 'good' : 'warn'}`}>{words.states[state]}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
