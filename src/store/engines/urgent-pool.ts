import { Pool, type PoolClient, type PoolConfig } from "pg";
import { isUrgent } from "../urgency.ts";
import { interceptQuery, query } from "./intercept-query.ts";
import { SharedConnections } from "./shared-connections.ts";

type Served = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/** Of a pool's connections, so large a part serves the statements that stand alone. */
const SHARED_PART = 1 / 3;

/** Connections to a server, in pipeline mode; what is urgent has some of its own, and waits for nothing else. */
export class UrgentPool extends Pool {
  readonly #urgent: Pool;

  /** @param sizes how many connections there are at most, of them so many for what is urgent */
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
    // For statements that stand alone; a transaction asks the connection that it was given.
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
