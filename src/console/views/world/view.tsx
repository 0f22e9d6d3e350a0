import { hrefOf, navigate, type ViewProps } from '../../router.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { worldWords } from '../../words/en/world.ts';
import { Applications } from './applications.tsx';
import { FixturesFile } from './fixtures-file.tsx';
import { Guilds } from './guilds.tsx';
import { parts } from './parts.ts';
import { Sessions } from './sessions.tsx';
import { Users } from './users.tsx';

const words = worldWords;

/** `#/world/users/9?search=ada`: a part of the world, and what is open in it. */
export default function WorldView({ path, query }: ViewProps) {
  const open = parts.find(part => part === path[0]) ?? 'applications';
  const id = path[1];
  return (
    <div class="world">
      <div class="view-head">
        <h1>{words.title}</h1>
      </div>
      <Tabs
        label={words.title}
        open={open}
        onOpen={part => navigate(hrefOf('world', [part]))}
        tabs={parts.map(part => ({ id: part, label: words.tabs[part] }))}
      >
        {open === 'applications' && <Applications openId={id} query={query} />}
        {open === 'users' && <Users openId={id} query={query} />}
        {open === 'guilds' && <Guilds openId={id} query={query} />}
        {open === 'sessions' && <Sessions openId={id} query={query} />}
        {open === 'fixtures' && <FixturesFile />}
      </Tabs>
    </div>
  );
}
