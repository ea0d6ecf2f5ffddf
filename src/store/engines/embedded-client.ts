import { AsyncLocalStorage } from "node:async_hooks";
import { StoreError } from "../errors.ts";
import type { EmbeddedResult, EngineThread, QueryRequest } from "./engine-thread.ts";

interface QueryOptions {
  readonly rowMode?: "array" | "object";
}

export interface EmbeddedTimings {
  /** A single statement that takes longer ends the process. */
  readonly queryTimeoutMs: number;
  /** A longer transaction is rolled back, since everything else waits for it. */
  readonly transactionTimeoutMs: number;
  /** The same as `queryTimeoutMs` for CHECKPOINT, VACUUM and archives; also the limit of the migrations. */
  readonly maintenanceTimeoutMs: number;
  readonly checkpointIntervalMs: number;
}

export const DEFAULT_TIMINGS: EmbeddedTimings = {
  queryTimeoutMs: 30_000,
  transactionTimeoutMs: 15_000,
  maintenanceTimeoutMs: 600_000,
  checkpointIntervalMs: 300_000,
};

interface TransactionScope {
  readonly owner: EmbeddedClient;
  isOpen: boolean;
  /** Set with its first statement. */
  hasBegun: boolean;
}

const currentScope = new AsyncLocalStorage<TransactionScope>();

/**
 * The interface that drizzle-orm/pglite calls (`query` and `transaction`, as on PGlite), implemented over the
 * thread. The engine has one session: operations are queued, and a transaction keeps its turn to the end.
 */
export class EmbeddedClient {
  readonly #thread: EngineThread;
  readonly #timings: EmbeddedTimings;
  readonly #turns = new Turns();
  /** One archive at a time: the copy of the whole store is in memory. */
  readonly #archives = new Turns();

  constructor(thread: EngineThread, timings: EmbeddedTimings) {
    this.#thread = thread;
    this.#timings = timings;
  }

  async query(
    text: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<EmbeddedResult> {
    this.#refuseInsideTransaction();
    return await this.#turns.take(() => this.#send(text, parameters, { ...options, begins: false }));
  }

  async transaction<Result>(body: (client: TransactionClient) => Promise<Result>): Promise<Result> {
    this.#refuseInsideTransaction();
    return await this.#turns.take(() => this.#transact(body));
  }

  /** For CHECKPOINT and VACUUM: outside any transaction, with a longer timeout. */
  async maintain(command: string): Promise<void> {
    await this.#turns.take(() =>
      this.#thread.ask({ kind: "command", text: command }, this.#timings.maintenanceTimeoutMs),
    );
  }

  /** Throws a StoreError: `exists` if the path exists, which is never overwritten, or `unwritable`. */
  async archive(path: string): Promise<void> {
    try {
      const timeoutMs = this.#timings.maintenanceTimeoutMs;
      await this.#archives.take(async () => {
        await this.#turns.take(() => this.#thread.ask({ kind: "copy" }, timeoutMs));
        // Compressing takes longer than copying, and no purchase waits for it.
        await this.#thread.ask({ kind: "archive", path }, timeoutMs);
      });
    } catch (error) {
      throw refusalOfFile(path, error) ?? error;
    }
  }

  /** Closes after all earlier operations. An engine that has failed is not closed. */
  async close(): Promise<void> {
    if (this.#thread.hasEnded) return;
    const close = () => this.#thread.ask({ kind: "close" }, this.#timings.maintenanceTimeoutMs);
    await this.#archives.take(() => this.#turns.take(close));
  }

  async #transact<Result>(body: (client: TransactionClient) => Promise<Result>): Promise<Result> {
    const scope: TransactionScope = { owner: this, isOpen: true, hasBegun: false };
    const client: TransactionClient = {
      query: async (text, parameters, options) => {
        if (!scope.isOpen) throw new StoreError("closed", "the transaction is over");
        const begins = !scope.hasBegun;
        scope.hasBegun = true;
        return await this.#send(text, parameters, { ...options, begins });
      },
    };
    try {
      const result = await this.#inTime(currentScope.run(scope, () => body(client)));
      scope.isOpen = false;
      if (scope.hasBegun) await this.#commit();
      return result;
    } catch (error) {
      scope.isOpen = false;
      if (scope.hasBegun) await this.#command("rollback");
      throw error;
    }
  }

  /** The engine answers COMMIT with ROLLBACK if a statement failed and its error was swallowed. */
  async #commit(): Promise<void> {
    if ((await this.#command("commit")) !== "COMMIT")
      throw new Error("a statement of the transaction failed: nothing was committed");
  }

  async #inTime<Result>(body: Promise<Result>): Promise<Result> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const { transactionTimeoutMs } = this.#timings;
    const timer = setTimeout(
      () => reject(new Error(`a transaction was still open after ${transactionTimeoutMs} ms: rolled back`)),
      transactionTimeoutMs,
    );
    try {
      return await Promise.race([body, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #command(text: string): Promise<unknown> {
    return await this.#thread.ask({ kind: "command", text }, this.#timings.queryTimeoutMs);
  }

  async #send(
    text: string,
    parameters: readonly unknown[] | undefined,
    { rowMode = "object", begins }: QueryOptions & Pick<QueryRequest, "begins">,
  ): Promise<EmbeddedResult> {
    const request = { kind: "query", text, parameters: parameters ?? [], rowMode, begins } as const;
    return await this.#thread.query(request, this.#timings.queryTimeoutMs);
  }

  /** Prevents a deadlock: the query would wait for the transaction that awaits it. */
  #refuseInsideTransaction(): void {
    const scope = currentScope.getStore();
    if (scope?.owner === this && scope.isOpen) {
      throw new Error("inside a transaction only its own tx may be used");
    }
  }
}

/** What a transaction's body receives; unusable once the transaction is over. */
type TransactionClient = Pick<EmbeddedClient, "query">;

/** Null if the file is not the cause. */
function refusalOfFile(path: string, error: unknown): StoreError | null {
  if (!(error instanceof Error && "code" in error)) return null;
  const code = String(error.code);
  if (code === "EEXIST")
    return new StoreError("exists", `${path} exists already: a backup overwrites nothing`, { cause: error });
  // System error codes; those of the database are numbers.
  if (!/^E[A-Z]+$/.test(code)) return null;
  const message = `${path} cannot be written (${code}): a backup needs a folder that exists, has room and may be written to`;
  return new StoreError("unwritable", message, { cause: error });
}

/** Beyond this queue length the store cannot catch up: new work is refused immediately. */
const MAX_WAITING = 20_000;

/** One at a time, first come first served. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Runs `action` when its turn comes, and settles with its result. */
  async take<Result>(action: () => Promise<Result>): Promise<Result> {
    if (Number(this.#isTaken) + this.#waiting.length >= MAX_WAITING) {
      throw new StoreError("overloaded", `the store is overloaded: ${MAX_WAITING} operations wait for it`);
    }
    if (this.#isTaken) {
      await new Promise<void>((begin) => {
        this.#waiting.push(begin);
      });
    }
    this.#isTaken = true;
    try {
      return await action();
    } finally {
      this.#passOn();
    }
  }

  /** The turn stays taken during the handover, so that later calls queue behind it. */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
