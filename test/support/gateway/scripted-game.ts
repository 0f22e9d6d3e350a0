import { filter, firstValueFrom } from 'rxjs';
import { Client } from '../../../src/sdk/client.ts';
import type { ClientOptions } from '../../../src/sdk/client-options.ts';
import type { ConnectionSnapshot, ConnectionStatus } from '../../../src/sdk/connection/connection-snapshot.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { elapse } from '../clock/elapse.ts';
import { SleepyClock } from '../clock/sleepy-clock.ts';
import { ScriptedGateway, type ScriptedLink } from './scripted-gateway.ts';

/** Of every random number the middle. */
const half = { bytes: (count: number) => new Uint8Array(count).fill(128, 0, 1) };

/** A client, and a gateway that does what the test says. */
export class ScriptedGame {
  readonly gateway: ScriptedGateway;
  /** Time as timers count it. */
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  /** The client's clock: it also knows of sleep. */
  readonly machine = new SleepyClock(this.clock);
  readonly client: Client;
  /** Every status the client told of. */
  readonly seen: ConnectionSnapshot[] = [];

  private constructor(gateway: ScriptedGateway, options: Partial<ClientOptions>) {
    this.gateway = gateway;
    const { baseUrl } = gateway;
    this.client = new Client({
      baseUrl,
      clock: this.machine,
      entropy: half,
      ...options,
    });
    this.client.updateToken('the-token');
    this.client.status$.subscribe(snapshot => this.seen.push(snapshot));
  }

  static async start(options: Partial<ClientOptions> = {}): Promise<ScriptedGame> {
    return new ScriptedGame(await ScriptedGateway.start(), options);
  }

  get statuses(): ConnectionStatus[] {
    return this.seen.map(({ status }) => status);
  }

  until(status: ConnectionStatus): Promise<ConnectionSnapshot> {
    return firstValueFrom(this.client.status$.pipe(filter(snapshot => snapshot.status === status)));
  }

  /** Connects; gives the gateway's end. */
  async connect(ready?: object): Promise<ScriptedLink> {
    const connecting = this.client.connect();
    const link = await this.gateway.link();
    await link.open(ready);
    await connecting;
    return link;
  }

  /** Waits while the client's time passes. */
  passing<T>(work: Promise<T>): Promise<T> {
    return elapse(this.clock, work, 60_000, 100);
  }

  /** The link after the present one; time passes as needed. */
  nextLink(): Promise<ScriptedLink> {
    return this.passing(this.gateway.link());
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.gateway.close();
  }
}
