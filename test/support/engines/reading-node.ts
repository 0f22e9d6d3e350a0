import { openClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { openPostgres } from '../../../src/service/store/postgres/postgres.ts';
import { systemClock } from '../../../src/wire/clock/ports.ts';

/**
 * A node in a process of its own, so that it can be frozen and killed. It writes a line for each event of a topic: its revision; `lost`
 * when it missed some. Arguments: address of the database, address of Redis, topic.
 */
const [url = '', redisUrl = '', topic = ''] = process.argv.slice(2);
const postgres = await openPostgres(url);
const bus = await openClusterBus({ postgres, redisUrl, clock: systemClock });
bus.subscribe(topic, ({ revision }) => void process.stdout.write(`${revision}\n`));
bus.reader.onLost(() => void process.stdout.write('lost\n'));
process.stdout.write(`ready ${bus.nodes.id}\n`);
setInterval(() => {}, 60_000);
