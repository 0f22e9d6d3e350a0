import { type GatewayFrame, intents, opcodes } from '../../../src/model/gateway.ts';
import { GatewayClient } from '../gateway/gateway-client.ts';
import { playerToken } from '../service/tokens.ts';

type Node = Parameters<typeof playerToken>[0] & { readonly gateway: string };

/** A player who always goes on at some node, and keeps every dispatch. */
export class Player {
  readonly received: GatewayFrame[] = [];
  readonly #token: string;
  readonly #session: string;
  #client: GatewayClient;
  #taken = 0;

  private constructor(token: string, client: GatewayClient) {
    this.#token = token;
    this.#client = client;
    this.#session = client.sessionId;
  }

  static async join(node: Node, id: string): Promise<Player> {
    const token = `Bearer ${await playerToken(node, id)}`;
    return new Player(token, await GatewayClient.identified(node.gateway, { token, intents: intents.LOBBIES }));
  }

  get client(): GatewayClient {
    return this.#client;
  }

  get numbers(): readonly (number | null | undefined)[] {
    return this.received.map(({ s }) => s);
  }

  /** What LOBBY_UPDATE has shown. */
  get seen(): readonly number[] {
    return this.received.flatMap(({ t, d }) => {
      const { metadata } = (d ?? {}) as { metadata?: { n?: string } };
      return t === 'LOBBY_UPDATE' && metadata?.n !== undefined ? [Number(metadata.n)] : [];
    });
  }

  collect(): void {
    const { frames } = this.#client;
    for (; this.#taken < frames.length; this.#taken++) {
      const frame = frames[this.#taken];
      if (frame?.op === opcodes.INVALID_SESSION) throw new Error('The session could not be resumed.');
      if (frame?.op === opcodes.DISPATCH) this.received.push(frame);
    }
  }

  async until(n: number): Promise<void> {
    await this.#client.until(() => {
      this.collect();
      return this.seen.at(-1) === n;
    });
  }

  /** Goes on at another node. @returns the former connection */
  async resume(node: Node): Promise<GatewayClient> {
    this.collect();
    const former = this.#client;
    const client = await GatewayClient.open(node.gateway);
    client.resume(this.#token, this.#session, this.received.at(-1)?.s ?? 0);
    this.#client = client;
    this.#taken = 0;
    await client.until(() => {
      this.collect();
      return client.names.includes('RESUMED');
    });
    return former;
  }
}
