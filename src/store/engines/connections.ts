import { Pool, type PoolClient, type PoolConfig, DatabaseError } from "pg";
import { isUrgent } from "../urgency.ts";
import { interceptQuery, query } from "./driver-patches.ts";

type Served = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/** The part of a pool's connections that serves statements outside of transactions. */
const SHARED_PART = 1 / 3;

/** Connections to a server in pipeline mode, some of them reserved for urgent work. */
export class UrgentPool extends Pool {
  readonly #urgent: Pool;

  /** @param sizes the maximum number of connections, and how many of them are reserved for urgent work */
  constructor(
    config: Omit<PoolConfig, "max" | "pipeline">,
    sizes: { readonly all: number; readonly urgent: number },
  ) {
    const usual = sizes.all - sizes.urgent;
    super({ ...config, max: usual, pipeline: true });
    this.#urgent = new Pool({ ...config, max: sizes.urgent, pipeline: true });
    this.#urgent.on("error", (error, client) => this.emit("error", error, client));
    this.#urgent.on("connect", (client) => this.emit("connect", client));
    const shared = {
      usual: new SharedConnections(() => super.connect(), Math.ceil(usual * SHARED_PART)),
      urgent: new SharedConnections(() => this.#urgent.connect(), Math.ceil(sizes.urgent * SHARED_PART)),
    };
    // For statements outside of transactions; a transaction uses its own connection.
    interceptQuery(this, (statement) =>
      (isUrgent() ? shared.urgent : shared.usual).ask(async (client) => await query(client, statement)),
    );
  }

  override connect(): Promise<PoolClient>;
  override connect(served: Served): void;
  override connect(served?: Served): Promise<PoolClient> | void {
    if (isUrgent()) return served === undefined ? this.#urgent.connect() : this.#urgent.connect(served);
    return served === undefined ? super.connect() : super.connect(served);
  }

  override async end(): Promise<void> {
    await Promise.all([super.end(), this.#urgent.end()]);
  }
}

/** A statement in progress for longer counts as slow: others avoid its connection where they can. */
const SLOW_MS = 50;

interface Share {
  readonly client: Promise<PoolClient>;
  /** When each statement under way was asked for, oldest first, on the clock of `performance.now()`. */
  readonly askedAtMs: number[];
  hasBroken: boolean;
}

/**
 * Pipelines statements outside of transactions over a few of a pool's connections: the next statement is sent before
 * the previous answer arrives, because the round trip takes far longer than the execution. The remaining connections
 * serve transactions.
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
