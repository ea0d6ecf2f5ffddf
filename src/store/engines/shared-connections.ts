import { DatabaseError, type PoolClient } from "pg";

/** Under way for so long, a statement is a slow one: others go past it where they can. */
const SLOW_MS = 50;

interface Share {
  readonly client: Promise<PoolClient>;
  /** When each statement under way was asked for, oldest first, on the clock of `performance.now()`. */
  readonly askedAtMs: number[];
  hasBroken: boolean;
}

/**
 * A pool's connections for statements that stand alone. Few of them serve many: the next is sent while the answer to
 * the one before is on its way, which takes far longer than the server does. What is left is for transactions.
 */
export class SharedConnections {
  readonly #connect: () => Promise<PoolClient>;
  readonly #most: number;
  readonly #shares = new Set<Share>();

  /** @param connect takes one out of the pool, in pipeline mode; each is given back when nothing is under way on it */
  constructor(connect: () => Promise<PoolClient>, most: number) {
    this.#connect = connect;
    this.#most = most;
  }

  async ask(send: (client: PoolClient) => Promise<unknown>): Promise<unknown> {
    const share = this.#choose();
    share.askedAtMs.push(performance.now());
    try {
      return await send(await share.client);
    } catch (error) {
      // What the server refuses leaves the connection as it was.
      if (!(error instanceof DatabaseError)) share.hasBroken = true;
      throw error;
    } finally {
      // In the order of their asking, as they are answered.
      share.askedAtMs.shift();
      if (share.askedAtMs.length === 0) this.#giveBack(share);
    }
  }

  #choose(): Share {
    const sound = Array.from(this.#shares).filter(({ hasBroken }) => !hasBroken);
    if (sound.length < this.#most) return this.#open();
    const slowBeforeMs = performance.now() - SLOW_MS;
    const quick = sound.filter(({ askedAtMs: [oldest = Infinity] }) => oldest > slowBeforeMs);
    return (quick.length > 0 ? quick : sound).reduce((best, one) =>
      one.askedAtMs.length < best.askedAtMs.length ? one : best,
    );
  }

  #open(): Share {
    const share: Share = { client: this.#connect(), askedAtMs: [], hasBroken: false };
    this.#shares.add(share);
    return share;
  }

  #giveBack(share: Share): void {
    this.#shares.delete(share);
    share.client.then(
      (client) => client.release(share.hasBroken),
      // There was none to give back.
      () => undefined,
    );
  }
}
