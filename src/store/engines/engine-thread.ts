import { Worker } from "node:worker_threads";
import { StoreError } from "../errors.ts";

export type StoreRequest =
  | { readonly kind: "open"; readonly directory: string }
  | QueryRequest
  /** One statement without parameters or rows; answers its command tag. */
  | { readonly kind: "command"; readonly text: string }
  /** Copies the whole data directory to memory. */
  | { readonly kind: "copy" }
  /** Writes the copy into a compressed archive, while other requests are answered. */
  | { readonly kind: "archive"; readonly path: string }
  | { readonly kind: "close" };

/** One statement with parameters; answers an `EmbeddedResult`. */
export interface QueryRequest {
  readonly kind: "query";
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly rowMode: "array" | "object";
  /** Begins a transaction first: a separate message takes a quarter of a short transaction's time. */
  readonly begins: boolean;
}

export interface EmbeddedResult {
  readonly rows: readonly unknown[];
  readonly affectedRows: number;
}

export interface NumberedRequest {
  readonly number: number;
  readonly request: StoreRequest;
}

/** An error in transferable form: without `detail`, which quotes the values of the row. */
export interface EngineFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly constraint: string | undefined;
}

export type StoreReply =
  | { readonly number: number; readonly kind: "done"; readonly value: unknown }
  | { readonly number: number; readonly kind: "failed"; readonly failure: EngineFailure };

const WATCH_INTERVAL_MS = 1_000;
const DISK_FULL = "53100";

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** On the clock of `performance.now()`. */
  readonly deadlineMs: number;
}

/** An error of the engine: `code` is its SQLSTATE, as node-postgres gives it. */
class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: string | undefined;
  readonly constraint: string | undefined;

  constructor(failure: EngineFailure) {
    super(failure.message);
    this.code = failure.code;
    this.constraint = failure.constraint;
  }
}

/**
 * The main thread's side of the embedded store: requests are answered in order, except archives. A request that times out is
 * fatal: such an engine never answers again, and only a new process can open its data. `onFatal` is then
 * called once and all pending requests are rejected.
 */
export class EngineThread {
  readonly #worker: Worker;
  readonly #onFatal: (error: StoreError) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #watch: NodeJS.Timeout;
  #lastNumber = 0;
  #end: StoreError | null = null;

  constructor(onFatal: (error: StoreError) => void) {
    this.#onFatal = onFatal;
    this.#worker = new Worker(new URL("./embedded-worker.ts", import.meta.url));
    this.#worker.on("message", (reply: StoreReply) => this.#settle(reply));
    this.#worker.on("error", (error) => this.#fail("the thread of the embedded store failed", error));
    this.#worker.on("exit", () => this.#fail("the thread of the embedded store ended"));
    // Real time, not the product's clock, which may be simulated.
    this.#watch = setInterval(() => this.#checkDeadlines(), WATCH_INTERVAL_MS).unref();
  }

  /** Closed or failed. */
  get hasEnded(): boolean {
    return this.#end !== null;
  }

  async query(request: QueryRequest, timeoutMs: number): Promise<EmbeddedResult> {
    const value = await this.ask(request, timeoutMs);
    if (!isResult(value)) throw new TypeError("the embedded store answered a query with something else");
    return value;
  }

  ask(request: StoreRequest, timeoutMs: number): Promise<unknown> {
    if (this.#end !== null) return Promise.reject(this.#end);
    this.#lastNumber += 1;
    const message: NumberedRequest = { number: this.#lastNumber, request };
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(message.number, { resolve, reject, deadlineMs: performance.now() + timeoutMs });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(message);
    return promise;
  }

  /** Terminates the thread; pending requests are rejected. */
  async end(): Promise<void> {
    this.#stop(new StoreError("closed", "the store is closed"));
    await this.#worker.terminate();
  }

  #settle(reply: StoreReply): void {
    const waiting = this.#waiting.get(reply.number);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.number);
    if (reply.kind === "done") return waiting.resolve(reply.value);
    const error = new EngineError(reply.failure);
    waiting.reject(error);
    if (isFatal(error)) this.#fail("the embedded store can no longer read or write its files", error);
  }

  #checkDeadlines(): void {
    const nowMs = performance.now();
    for (const { deadlineMs } of this.#waiting.values()) {
      if (deadlineMs < nowMs) return this.#fail("the embedded store does not answer any more");
    }
  }

  #fail(message: string, cause?: unknown): void {
    if (this.#end !== null) return;
    const error = new StoreError("unanswered", message, { cause });
    this.#stop(error);
    this.#onFatal(error);
  }

  #stop(error: StoreError): void {
    if (this.#end !== null) return;
    this.#end = error;
    clearInterval(this.#watch);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/**
 * A system error under the engine (class 58), or damaged files: such an engine fails every request, whereas a
 * new process replays its log and finds every acknowledged write. A full disk is fatal only if the log cannot
 * grow; if only a table cannot grow, the store recovers once there is room.
 */
function isFatal({ code = "", message }: EngineError): boolean {
  if (code === DISK_FULL) return message.includes("pg_wal/");
  return code.startsWith("58") || code === "XX001" || code === "XX002";
}

function isResult(value: unknown): value is EmbeddedResult {
  return typeof value === "object" && value !== null && "rows" in value && "affectedRows" in value;
}
