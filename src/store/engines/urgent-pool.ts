import { Pool, type PoolClient, type PoolConfig } from "pg";
import { isUrgent } from "../urgency.ts";

type Served = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/** Connections to a server; what is urgent has some of its own, and waits for nothing else. */
export class UrgentPool extends Pool {
  readonly #urgent: Pool;

  /** @param sizes how many connections there are at most, of them so many for what is urgent */
  constructor(config: Omit<PoolConfig, "max">, sizes: { readonly all: number; readonly urgent: number }) {
    super({ ...config, max: sizes.all - sizes.urgent });
    this.#urgent = new Pool({ ...config, max: sizes.urgent });
    this.#urgent.on("error", (error, client) => this.emit("error", error, client));
    this.#urgent.on("connect", (client) => this.emit("connect", client));
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
