import type { ControlCount, ControlCounts } from '../../../wire/control/status.ts';
import { hrefOf } from '../../router.ts';
import { countText } from '../../ui/text/numbers.ts';
import { words } from '../../words/en/overview.ts';

const links: Readonly<Record<keyof ControlCounts, string>> = {
  lobbies: hrefOf('lobbies'),
  sessions: hrefOf('world', ['sessions']),
  connections: hrefOf('traffic', [], { kind: 'connection' }),
  commands: hrefOf('commands'),
  applications: hrefOf('world', ['applications']),
  users: hrefOf('world', ['users']),
  guilds: hrefOf('world', ['guilds']),
};

/** How much of everything there is; each leads to the view that shows it. */
export function Counts({ counts }: { readonly counts: ControlCounts }) {
  const names = Object.keys(links) as (keyof ControlCounts)[];
  return (
    <section class="stack" aria-labelledby="overview-holds">
      <h2 id="overview-holds">{words.holds}</h2>
      <ul class="overview-counts">
        {names.map(name => (
          <li key={name}>
            <a class="card" href={links[name]}>
              <strong>{textOf(counts[name])}</strong>
              <span>{words.counts[name]}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function textOf({ count, is_more }: ControlCount): string {
  return is_more ? words.atLeast(count) : countText(count);
}
